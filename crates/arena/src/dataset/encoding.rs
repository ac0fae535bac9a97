//! Encodes training games as records.

use super::bits::Bits;
use super::{
    InnerPosition, Label, MAX_DEPTH, MAX_INNER, MAX_LEVEL, SearchSummary, TrainingGame, TrainingPly,
};
use crate::ArenaGame;
use wabe_hive::game::MAX_PLIES;
use wabe_hive::hex::Hex;
use wabe_hive::{Color, Move, Position};

/// Version of the order in which moves are generated. Records store moves as indices in this order,
/// so changing it makes older files unreadable.
pub(super) const MOVE_ORDER: u8 = 1;

/// Maximum expected score, in thousandths.
const MAX_SCORE: usize = 1000;

/// Number of ply kinds: no search, short search, and full search with the root dropped or kept.
const KINDS: usize = 4;

/// Fails if the game is over: a running game has legal moves.
fn check_running<G: ArenaGame>(moves: &[Move<G>]) -> Result<(), String> {
    if moves.is_empty() {
        return Err("the game is over".to_owned());
    }
    Ok(())
}

/// The start position of a variant with these obstacles.
fn start_with<G: ArenaGame>(
    variant: G::Variant,
    obstacles: Vec<Hex>,
) -> Result<Position<G>, String> {
    let plain = G::plain_start(variant);
    if obstacles.is_empty() {
        return Ok(plain);
    }
    let mut setup = plain.to_setup();
    setup.obstacles = obstacles;
    setup.build().map_err(|error| error.to_string())
}

impl<G: ArenaGame> TrainingGame<G> {
    /// Encodes the game as a record, with visits if `has_visits`.
    ///
    /// # Errors
    /// When a move is illegal or a number is out of range.
    pub fn to_record(&self, has_visits: bool) -> Result<Vec<u8>, String> {
        let mut bits = Bits::new_writer();
        code_game(&mut bits, self.number, has_visits, Some(self))?;
        Ok(bits.into_bytes())
    }

    /// Decodes a record.
    ///
    /// # Errors
    /// When the record is damaged. The message names the ply.
    pub fn from_record(
        number: u32,
        record: &[u8],
        has_visits: bool,
    ) -> Result<TrainingGame<G>, String> {
        let mut bits = Bits::new_reader(record);
        let game = code_game(&mut bits, number, has_visits, None)?;
        if !bits.is_at_end() {
            let count = game.plies.len();
            return Err(format!("unexpected bytes after ply {count}"));
        }
        Ok(game)
    }
}

/// Writes a game, or reads one if `value` is `None`.
fn code_game<G: ArenaGame>(
    bits: &mut Bits<'_>,
    number: u32,
    has_visits: bool,
    value: Option<&TrainingGame<G>>,
) -> Result<TrainingGame<G>, String> {
    let name = value.map(|game| game.variant.to_string().into_bytes());
    let length = bits.number(name.as_ref().map(Vec::len), 256, "variant")?;
    let name = code_bytes(bits, length, name, "variant")?;
    let name = String::from_utf8_lossy(&name);
    let variant = name.parse::<G::Variant>();
    let variant = variant.map_err(|_| format!("`{}` is not a variant", name.escape_debug()))?;
    let obstacles = value.map(|game| game.start.to_setup().obstacles);
    let count = bits.number(obstacles.as_ref().map(Vec::len), 256, "obstacles")?;
    let coordinates = obstacles.map(|hexes| {
        let coordinates = hexes.iter().flat_map(|hex| [hex.x, hex.y]);
        coordinates.map(i8::cast_unsigned).collect()
    });
    let coordinates = code_bytes(bits, 2 * count, coordinates, "obstacles")?;
    let hex = |pair: &[u8]| Hex::new(pair[0].cast_signed(), pair[1].cast_signed());
    let start = start_with::<G>(variant, coordinates.chunks_exact(2).map(hex).collect())?;
    if value.is_some_and(|game| game.start != start) {
        return Err("the game does not begin with its variant's start position".to_owned());
    }
    let winners = [None, Some(Color::Red), Some(Color::Blue)];
    let winner = value.and_then(|game| winners.iter().position(|winner| *winner == game.winner));
    let winner = winners[bits.number(winner, winners.len(), "result")?];
    let count = value.map(|game| game.plies.len());
    let count = bits.number(count, MAX_PLIES + 1, "number of plies")?;
    let mut plies = Vec::new();
    let mut position = start;
    for index in 0..count {
        let value = value.and_then(|game| game.plies.get(index));
        let ply = code_ply(bits, &position, has_visits, value);
        let ply = ply.map_err(|fault| format!("ply {}: {fault}", index + 1))?;
        position.play(ply.mv);
        plies.push(ply);
    }
    Ok(TrainingGame {
        number,
        variant,
        start,
        plies,
        winner,
    })
}

fn code_bytes(
    bits: &mut Bits<'_>,
    count: usize,
    value: Option<Vec<u8>>,
    field: &str,
) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(count);
    for index in 0..count {
        let value = value.as_ref().and_then(|value| value.get(index));
        bytes.push(bits.number(value.copied().map(usize::from), 256, field)? as u8);
    }
    Ok(bytes)
}

fn code_ply<G: ArenaGame>(
    bits: &mut Bits<'_>,
    position: &Position<G>,
    has_visits: bool,
    value: Option<&TrainingPly<G>>,
) -> Result<TrainingPly<G>, String> {
    let moves = position.legal_moves();
    let kind = value.map(|ply| match &ply.search {
        None => 0,
        Some(search) if !search.is_full => 1,
        Some(search) => 2 + usize::from(search.is_kept),
    });
    let kind = bits.number(kind, KINDS, "kind")?;
    let played = code_move(bits, &moves, value.map(|ply| ply.mv))?;
    if kind == 0 {
        return Ok(TrainingPly {
            mv: played,
            search: None,
        });
    }
    let value = value.and_then(|ply| ply.search.as_ref());
    let root = code_label(
        bits,
        &moves,
        has_visits && kind == 3,
        value.map(|search| &search.root),
    )?;
    let mut inner = Vec::new();
    let count = match kind {
        1 => 0,
        _ => {
            let count = value.map(|search| search.inner.len());
            bits.number(count, MAX_INNER + 1, "number of positions inside the tree")?
        }
    };
    for index in 0..count {
        let value = value.and_then(|search| search.inner.get(index));
        let length = value.map(|inner| inner.path.len().wrapping_sub(1));
        let length = bits.number(length, MAX_DEPTH, "length of a path")? + 1;
        let mut path = Vec::with_capacity(length);
        let mut position = *position;
        for index in 0..length {
            let value = value.and_then(|inner| inner.path.get(index).copied());
            let mv = code_move(bits, &position.legal_moves(), value)?;
            position.play(mv);
            path.push(mv);
        }
        let value = value.map(|inner| &inner.label);
        let label = code_label(bits, &position.legal_moves(), has_visits, value)?;
        inner.push(InnerPosition { path, label });
    }
    Ok(TrainingPly {
        mv: played,
        search: Some(SearchSummary {
            root,
            is_full: kind >= 2,
            is_kept: kind == 3,
            inner,
        }),
    })
}

/// Writes or reads a move as an index in the generator's order.
fn code_move<G: ArenaGame>(
    bits: &mut Bits<'_>,
    moves: &[Move<G>],
    value: Option<Move<G>>,
) -> Result<Move<G>, String> {
    check_running(moves)?;
    let index = value.map(|mv| {
        let index = moves.iter().position(|&legal| legal == mv);
        index.ok_or_else(|| format!("`{mv}` is not legal"))
    });
    let index = bits.number(index.transpose()?, moves.len(), "move")?;
    Ok(moves[index])
}

fn code_label<G: ArenaGame>(
    bits: &mut Bits<'_>,
    moves: &[Move<G>],
    has_visits: bool,
    value: Option<&Label>,
) -> Result<Label, String> {
    check_running(moves)?;
    let score = value.map(|label| usize::from(label.score));
    let score = bits.number(score, MAX_SCORE + 1, "score")? as u16;
    let value = value.map_or(&[][..], |label| &label.visits);
    if has_visits && !value.is_empty() && value.len() != moves.len() {
        let (expected, found) = (moves.len(), value.len());
        return Err(format!(
            "expected visits of {expected} moves, found {found}"
        ));
    }
    let mut visits = Vec::new();
    if has_visits && bits.number(Some(usize::from(!value.is_empty())), 2, "visits")? == 1 {
        for index in 0..moves.len() {
            visits.push(bits.small(value.get(index).copied(), MAX_LEVEL, "visits")?);
        }
    }
    Ok(Label { score, visits })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::super::{choose_move, random_game};
    use super::*;
    use wabe_hive::contest::Contest;
    use wabe_hive::standard::Standard;

    fn games<G: ArenaGame>() -> impl Iterator<Item = TrainingGame<G>> {
        (0..)
            .zip(G::variants())
            .map(|(n, variant)| random_game(n, variant))
    }

    /// Checks that games survive encoding. Returns the kinds of searches, scores and winners that
    /// they contain.
    fn round_trip<G: ArenaGame>() -> BTreeSet<String> {
        let mut contents = BTreeSet::new();
        for game in games::<G>() {
            let record = game.to_record(true).unwrap();
            assert_eq!(
                TrainingGame::<G>::from_record(game.number, &record, true),
                Ok(game.clone())
            );
            let without = game.to_record(false).unwrap();
            let read = TrainingGame::<G>::from_record(game.number, &without, false).unwrap();
            assert!(without.len() < record.len());
            for (read, mut kept) in read.positions().into_iter().zip(game.positions()) {
                kept.label.visits.clear();
                assert_eq!(read, kept);
            }
            contents.insert(format!("winner {:?}", game.winner));
            for ply in &game.plies {
                let search = ply.search.as_ref();
                let kind = search.map(|search| (search.is_full, search.is_kept));
                contents.insert(format!("search {kind:?}"));
                contents.extend(search.map(|search| format!("score {}", search.root.score)));
            }
        }
        contents
    }

    #[test]
    fn records_round_trip() {
        let contents = &round_trip::<Contest>() | &round_trip::<Standard>();
        for part in [
            "winner None",
            "winner Some(Red)",
            "winner Some(Blue)",
            "search None",
            "search Some((false, false))",
            "search Some((true, false))",
            "search Some((true, true))",
            "score 0",
            "score 1000",
        ] {
            assert!(contents.contains(part), "{part}");
        }
    }

    /// A round trip does not detect format changes, because writing and reading share their code.
    #[test]
    fn records_match_known_checksums() {
        let game = random_game::<Standard>(4, Default::default());
        let crc = |has_visits| crc32fast::hash(&game.to_record(has_visits).unwrap());
        assert_eq!([crc(true), crc(false)], [2_057_827_973, 1_567_713_125]);
    }

    #[test]
    fn encode_rejects_visits_of_some_moves() {
        let mut game = random_game::<Standard>(4, Default::default());
        let searches = game.plies.iter_mut().filter_map(|ply| ply.search.as_mut());
        let mut roots = searches.map(|search| &mut search.root);
        let root = roots.find(|root| !root.visits.is_empty()).unwrap();
        root.visits.pop();
        let error = game.to_record(true).unwrap_err();
        assert!(error.contains("expected visits of"), "{error}");
        assert!(game.to_record(false).is_ok());
    }

    fn decode_damaged_records<G: ArenaGame>() {
        let game = games::<G>().last().unwrap();
        let record = game.to_record(true).unwrap();
        for length in (0..record.len()).step_by(11) {
            assert!(
                TrainingGame::<G>::from_record(0, &record[..length], true).is_err(),
                "{length}"
            );
        }
        // All bytes of the header, then some of the plies.
        for at in (0..12).chain((12..record.len()).step_by(23)) {
            for value in [0, 1, 255] {
                let mut damaged = record.clone();
                damaged[at] = value;
                let _ = TrainingGame::<G>::from_record(0, &damaged, at % 2 == 0);
            }
        }
    }

    #[test]
    fn decode_survives_any_damage() {
        decode_damaged_records::<Contest>();
        decode_damaged_records::<Standard>();
    }

    #[test]
    fn decode_errors_name_ply_or_field() {
        let game = random_game::<Standard>(4, Default::default());
        let error =
            |record: &[u8]| TrainingGame::<Standard>::from_record(4, record, true).unwrap_err();
        let record = game.to_record(true).unwrap();
        assert!(error(&record[..record.len() - 2]).starts_with("ply "));
        assert_eq!(error(b"\x01x"), "`x` is not a variant");
        assert_eq!(
            error(&[&record[..], &[0]].concat()),
            format!("unexpected bytes after ply {}", game.plies.len())
        );
    }

    #[test]
    fn encode_rejects_illegal_moves() {
        let mut game = random_game::<Contest>(1, Default::default());
        game.plies[1].mv = game.plies[0].mv;
        let error = game.to_record(false).unwrap_err();
        assert!(
            error.starts_with("ply 2: ") && error.ends_with("is not legal"),
            "{error}"
        );
    }

    /// CRC-32 of the move lists in random games of every variant.
    fn hash_move_order<G: ArenaGame>() -> u32 {
        let mut hash = crc32fast::Hasher::new();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for variant in G::variants() {
            let mut position = G::start(variant, &mut rng);
            while let Some(mv) = choose_move(&position, &mut rng).filter(|_| position.turn() < 60) {
                let moves = position.legal_moves();
                for mv in &moves {
                    hash.update(mv.to_string().as_bytes());
                }
                position.play(mv);
            }
        }
        hash.finalize()
    }

    /// Raise `MOVE_ORDER` if the order changes for existing variants. For a new variant, only
    /// update the hash here.
    #[test]
    fn move_order_matches_its_version() {
        let orders = [hash_move_order::<Contest>(), hash_move_order::<Standard>()];
        assert_eq!((MOVE_ORDER, orders), (1, [3_979_119_292, 191_177_418]));
    }
}
