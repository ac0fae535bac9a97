//! The content of a game's record.

use super::bits::Bits;
use super::{
    InnerPosition, Label, MAX_DEPTH, MAX_INNER, MAX_LEVEL, SearchSummary, TrainingGame, TrainingPly,
};
use crate::ArenaGame;
use wabe_hive::game::MAX_PLIES;
use wabe_hive::hex::Hex;
use wabe_hive::{Color, Move, MoveList, Position};

/// Version of the order in which the move generator lists moves. Records hold places in that order,
/// so a new order makes older files unreadable.
pub(super) const MOVE_ORDER: u8 = 1;

/// Largest expected score, in thousandths.
const MAX_SCORE: usize = 1000;

/// Kinds of a ply: not searched; searched briefly; searched in full, without or with a kept root.
const KINDS: usize = 4;

/// A position and its legal moves.
struct Node<G: ArenaGame> {
    position: Position<G>,
    moves: MoveList<G>,
}

impl<G: ArenaGame> Node<G> {
    /// An error if the game is over.
    fn new(position: Position<G>) -> Result<Node<G>, String> {
        if position.outcome().is_some() {
            return Err("the game is over".to_owned());
        }
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        Ok(Node { position, moves })
    }
}

/// The first position with these obstacles.
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
    /// The content of the game's record in a file. Visits are left out unless `has_visits`.
    ///
    /// # Errors
    /// When a move is not legal, or a number is beyond its bounds.
    pub fn to_record(&self, has_visits: bool) -> Result<Vec<u8>, String> {
        let mut bits = Bits::writing();
        game(&mut bits, self.number, has_visits, Some(self))?;
        Ok(bits.into_bytes())
    }

    /// Reads what [`to_record`](TrainingGame::to_record) wrote.
    ///
    /// # Errors
    /// The fault and its ply.
    pub fn from_record(
        number: u32,
        record: &[u8],
        has_visits: bool,
    ) -> Result<TrainingGame<G>, String> {
        let mut bits = Bits::reading(record);
        let game = game(&mut bits, number, has_visits, None)?;
        if !bits.is_at_end() {
            let count = game.plies.len();
            return Err(format!("unexpected bytes after ply {count}"));
        }
        Ok(game)
    }
}

/// Writes a known game, or reads one.
fn game<G: ArenaGame>(
    bits: &mut Bits<'_>,
    number: u32,
    has_visits: bool,
    known: Option<&TrainingGame<G>>,
) -> Result<TrainingGame<G>, String> {
    let name = known.map(|game| game.variant.to_string().into_bytes());
    let length = bits.number(name.as_ref().map(Vec::len), 256, "variant")?;
    let name = bytes(bits, length, name, "variant")?;
    let name = String::from_utf8_lossy(&name);
    let variant = name.parse::<G::Variant>();
    let variant = variant.map_err(|_| format!("`{}` is not a variant", name.escape_debug()))?;
    let obstacles = known.map(|game| game.start.to_setup().obstacles);
    let count = bits.number(obstacles.as_ref().map(Vec::len), 256, "obstacles")?;
    let coordinates = obstacles.map(|hexes| {
        let coordinates = hexes.iter().flat_map(|hex| [hex.x, hex.y]);
        coordinates.map(i8::cast_unsigned).collect()
    });
    let coordinates = bytes(bits, 2 * count, coordinates, "obstacles")?;
    let hex = |pair: &[u8]| Hex::new(pair[0].cast_signed(), pair[1].cast_signed());
    let start = start_with::<G>(variant, coordinates.chunks_exact(2).map(hex).collect())?;
    if known.is_some_and(|game| game.start != start) {
        return Err("the game does not begin with its variant's first position".to_owned());
    }
    let winners = [None, Some(Color::Red), Some(Color::Blue)];
    let winner = known.and_then(|game| winners.iter().position(|winner| *winner == game.winner));
    let winner = winners[bits.number(winner, winners.len(), "result")?];
    let count = known.map(|game| game.plies.len());
    let count = bits.number(count, MAX_PLIES + 1, "number of plies")?;
    let mut plies = Vec::new();
    let mut position = start;
    for index in 0..count {
        let known = known.and_then(|game| game.plies.get(index));
        let ply = Node::new(position).and_then(|node| ply(bits, &node, has_visits, known));
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

fn bytes(
    bits: &mut Bits<'_>,
    count: usize,
    known: Option<Vec<u8>>,
    what: &str,
) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(count);
    for index in 0..count {
        let known = known.as_ref().and_then(|known| known.get(index));
        bytes.push(bits.number(known.copied().map(usize::from), 256, what)? as u8);
    }
    Ok(bytes)
}

fn ply<G: ArenaGame>(
    bits: &mut Bits<'_>,
    node: &Node<G>,
    has_visits: bool,
    known: Option<&TrainingPly<G>>,
) -> Result<TrainingPly<G>, String> {
    let kind = known.map(|ply| match &ply.search {
        None => 0,
        Some(search) if !search.is_full => 1,
        Some(search) => 2 + usize::from(search.is_kept),
    });
    let kind = bits.number(kind, KINDS, "kind")?;
    let played = mv(bits, node, known.map(|ply| ply.mv))?;
    if kind == 0 {
        return Ok(TrainingPly {
            mv: played,
            search: None,
        });
    }
    let known = known.and_then(|ply| ply.search.as_ref());
    let root = label(
        bits,
        node,
        has_visits && kind == 3,
        known.map(|search| &search.root),
    )?;
    let mut inner = Vec::new();
    let count = match kind {
        1 => 0,
        _ => {
            let count = known.map(|search| search.inner.len());
            bits.number(count, MAX_INNER + 1, "number of positions inside the tree")?
        }
    };
    for index in 0..count {
        let known = known.and_then(|search| search.inner.get(index));
        let length = known.map(|inner| inner.path.len().wrapping_sub(1));
        let length = bits.number(length, MAX_DEPTH, "length of a path")? + 1;
        let mut path = Vec::with_capacity(length);
        let mut position = node.position;
        for index in 0..length {
            let known = known.and_then(|inner| inner.path.get(index).copied());
            let mv = mv(bits, &Node::new(position)?, known)?;
            position.play(mv);
            path.push(mv);
        }
        let known = known.map(|inner| &inner.label);
        let label = label(bits, &Node::new(position)?, has_visits, known)?;
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

/// A move, by its place in the generator's order.
fn mv<G: ArenaGame>(
    bits: &mut Bits<'_>,
    node: &Node<G>,
    known: Option<Move<G>>,
) -> Result<Move<G>, String> {
    let place = known.map(|mv| {
        let place = node.moves.iter().position(|&legal| legal == mv);
        place.ok_or_else(|| format!("`{mv}` is not legal"))
    });
    let place = bits.number(place.transpose()?, node.moves.len(), "move")?;
    Ok(node.moves[place])
}

fn label<G: ArenaGame>(
    bits: &mut Bits<'_>,
    node: &Node<G>,
    has_visits: bool,
    known: Option<&Label>,
) -> Result<Label, String> {
    let score = known.map(|label| usize::from(label.score));
    let score = bits.number(score, MAX_SCORE + 1, "score")? as u16;
    let known = known.map_or(&[][..], |label| &label.visits);
    if has_visits && !known.is_empty() && known.len() != node.moves.len() {
        let (given, moves) = (known.len(), node.moves.len());
        return Err(format!("visits of {given} moves, not of all {moves}"));
    }
    let mut visits = Vec::new();
    if has_visits && bits.number(Some(usize::from(!known.is_empty())), 2, "visits")? == 1 {
        for index in 0..node.moves.len() {
            visits.push(bits.small(known.get(index).copied(), MAX_LEVEL, "visits")?);
        }
    }
    Ok(Label { score, visits })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::super::example;
    use super::*;
    use wabe_hive::contest::Contest;
    use wabe_hive::standard::Standard;

    fn games<G: ArenaGame>() -> impl Iterator<Item = TrainingGame<G>> {
        (0..)
            .zip(G::variants())
            .map(|(n, variant)| example(n, variant))
    }

    /// Returns what the records hold: kinds of searches, scores and winners.
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
            for (read, kept) in read.positions().into_iter().zip(game.positions()) {
                assert_eq!(read.to_string(), kept.to_string());
                assert!(read.label.visits.is_empty());
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

    /// Writer and reader are one function, so a change of both would not show in a round trip.
    #[test]
    fn bytes_of_a_record_are_those_of_the_format() {
        let game = example::<Standard>(4, Default::default());
        let crc = |has_visits| crc32fast::hash(&game.to_record(has_visits).unwrap());
        assert_eq!([crc(true), crc(false)], [2_057_827_973, 1_567_713_125]);
    }

    #[test]
    fn encode_rejects_visits_of_some_moves() {
        let mut game = example::<Standard>(4, Default::default());
        let searches = game.plies.iter_mut().filter_map(|ply| ply.search.as_mut());
        let mut roots = searches.map(|search| &mut search.root);
        let root = roots.find(|root| !root.visits.is_empty()).unwrap();
        root.visits.pop();
        let error = game.to_record(true).unwrap_err();
        assert!(error.contains("not of all"), "{error}");
        assert!(game.to_record(false).is_ok());
    }

    fn damage<G: ArenaGame>() {
        let game = games::<G>().last().unwrap();
        let record = game.to_record(true).unwrap();
        for length in (0..record.len()).step_by(11) {
            assert!(
                TrainingGame::<G>::from_record(0, &record[..length], true).is_err(),
                "{length}"
            );
        }
        // The header, then some of the plies.
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
        damage::<Contest>();
        damage::<Standard>();
    }

    #[test]
    fn decode_errors_name_ply_or_field() {
        let game = example::<Standard>(4, Default::default());
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
        let mut game = example::<Contest>(1, Default::default());
        game.plies[1].mv = game.plies[0].mv;
        let error = game.to_record(false).unwrap_err();
        assert!(
            error.starts_with("ply 2: ") && error.ends_with("is not legal"),
            "{error}"
        );
    }

    /// CRC-32 of the lists of moves in random games of every variant.
    fn move_order<G: ArenaGame>() -> u32 {
        let mut hash = crc32fast::Hasher::new();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for variant in G::variants() {
            let mut position = G::start(variant, &mut rng);
            while let Some(mv) = position
                .random_move(&mut rng)
                .filter(|_| position.turn() < 60)
            {
                let mut moves = MoveList::<G>::new();
                position.legal_moves(&mut moves);
                for mv in &moves {
                    hash.update(mv.to_string().as_bytes());
                }
                position.play(mv);
            }
        }
        hash.finalize()
    }

    /// If old variants' moves come in another order, raise `MOVE_ORDER`. A new variant of a game
    /// only changes the number here.
    #[test]
    fn move_order_is_that_of_its_version() {
        let orders = [move_order::<Contest>(), move_order::<Standard>()];
        assert_eq!((MOVE_ORDER, orders), (1, [3_979_119_292, 191_177_418]));
    }
}
