//! The content of a game's record.

use super::bits::{BitReader, BitWriter};
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

/// Adds the ply to a fault. Plies count from 1; 0 is the start.
fn at_ply(ply: usize) -> impl Fn(String) -> String {
    move |fault| match ply {
        0 => fault,
        _ => format!("ply {ply}: {fault}"),
    }
}

impl<G: ArenaGame> TrainingGame<G> {
    /// The content of the game's record in a file. Visits are left out unless `has_visits`.
    ///
    /// # Errors
    /// When a move is not legal, or a number is beyond its bounds.
    pub fn to_record(&self, has_visits: bool) -> Result<Vec<u8>, String> {
        let mut out = BitWriter::default();
        let name = self.variant.to_string();
        let obstacles = self.start.to_setup().obstacles;
        if name.len() > 255 || obstacles.len() > 255 || self.plies.len() > MAX_PLIES {
            return Err("the game is too long".to_owned());
        }
        out.put(name.len(), 256);
        name.bytes().for_each(|byte| out.put(byte.into(), 256));
        out.put(obstacles.len(), 256);
        for hex in &obstacles {
            out.put(hex.x.cast_unsigned().into(), 256);
            out.put(hex.y.cast_unsigned().into(), 256);
        }
        if start_with::<G>(self.variant, obstacles)? != self.start {
            return Err("the game does not begin with its variant's first position".to_owned());
        }
        out.put(
            match self.winner {
                None => 0,
                Some(Color::Red) => 1,
                Some(Color::Blue) => 2,
            },
            3,
        );
        out.put(self.plies.len(), MAX_PLIES + 1);
        let mut position = self.start;
        for (number, ply) in (1..).zip(&self.plies) {
            let node = Node::new(position).map_err(at_ply(number))?;
            put_ply(&mut out, &node, ply, has_visits).map_err(at_ply(number))?;
            position.play(ply.mv);
        }
        Ok(out.into_bytes())
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
        let mut bits = BitReader::new(record);
        let length = bits.byte("variant")?;
        let name = (0..length).map(|_| bits.byte("variant"));
        let name = name.collect::<Result<Vec<u8>, _>>()?;
        let name = String::from_utf8_lossy(&name);
        let variant = name.parse::<G::Variant>();
        let variant = variant.map_err(|_| format!("`{}` is not a variant", name.escape_debug()))?;
        let count = bits.byte("obstacles")?;
        let mut coordinate = || bits.byte("obstacles").map(u8::cast_signed);
        let obstacles = (0..count).map(|_| Ok(Hex::new(coordinate()?, coordinate()?)));
        let start = start_with::<G>(variant, obstacles.collect::<Result<_, String>>()?)?;
        let winner = [None, Some(Color::Red), Some(Color::Blue)][bits.get(3, "result")?];
        let count = bits.get(MAX_PLIES + 1, "number of plies")?;
        let mut plies = Vec::new();
        let mut position = start;
        for ply in 1..=count {
            let read = Node::new(position).and_then(|node| get_ply(&mut bits, &node, has_visits));
            let read = read.map_err(at_ply(ply))?;
            position.play(read.mv);
            plies.push(read);
        }
        if !bits.is_at_end() {
            return Err(format!("unexpected bytes after ply {count}"));
        }
        Ok(TrainingGame {
            number,
            variant,
            start,
            plies,
            winner,
        })
    }
}

fn put_ply<G: ArenaGame>(
    out: &mut BitWriter,
    node: &Node<G>,
    ply: &TrainingPly<G>,
    has_visits: bool,
) -> Result<(), String> {
    let kind = match &ply.search {
        None => 0,
        Some(search) => match (search.is_full, search.is_kept) {
            (false, _) => 1,
            (true, false) => 2,
            (true, true) => 3,
        },
    };
    out.put(kind, KINDS);
    put_move(out, node, ply.mv)?;
    let Some(search) = &ply.search else {
        return Ok(());
    };
    put_label(out, node, &search.root, has_visits && kind == 3)?;
    if kind < 2 {
        return Ok(());
    }
    if search.inner.len() > MAX_INNER {
        return Err(format!("more than {MAX_INNER} positions inside the tree"));
    }
    out.put(search.inner.len(), MAX_INNER + 1);
    for inner in &search.inner {
        if inner.path.is_empty() || inner.path.len() > MAX_DEPTH {
            return Err(format!("a path of {} moves", inner.path.len()));
        }
        out.put(inner.path.len() - 1, MAX_DEPTH);
        let mut position = node.position;
        for &mv in &inner.path {
            put_move(out, &Node::new(position)?, mv)?;
            position.play(mv);
        }
        put_label(out, &Node::new(position)?, &inner.label, has_visits)?;
    }
    Ok(())
}

fn put_move<G: ArenaGame>(out: &mut BitWriter, node: &Node<G>, mv: Move<G>) -> Result<(), String> {
    let place = node.moves.iter().position(|&legal| legal == mv);
    let place = place.ok_or_else(|| format!("`{mv}` is not legal"))?;
    out.put(place, node.moves.len());
    Ok(())
}

fn put_label<G: ArenaGame>(
    out: &mut BitWriter,
    node: &Node<G>,
    label: &Label,
    has_visits: bool,
) -> Result<(), String> {
    if usize::from(label.score) > MAX_SCORE {
        return Err(format!("{} thousandths are not a score", label.score));
    }
    out.put(label.score.into(), MAX_SCORE + 1);
    if !has_visits {
        return Ok(());
    }
    out.put(usize::from(!label.visits.is_empty()), 2);
    if !label.visits.is_empty() && label.visits.len() != node.moves.len() {
        return Err("not the visits of all moves".to_owned());
    }
    for &level in &label.visits {
        out.put_small(level.min(MAX_LEVEL));
    }
    Ok(())
}

fn get_ply<G: ArenaGame>(
    bits: &mut BitReader<'_>,
    node: &Node<G>,
    has_visits: bool,
) -> Result<TrainingPly<G>, String> {
    let kind = bits.get(KINDS, "kind")?;
    let mv = get_move(bits, node)?;
    if kind == 0 {
        return Ok(TrainingPly { mv, search: None });
    }
    let root = get_label(bits, node, has_visits && kind == 3)?;
    let mut inner = Vec::new();
    let count = match kind {
        1 => 0,
        _ => bits.get(MAX_INNER + 1, "number of positions inside the tree")?,
    };
    for _ in 0..count {
        let length = bits.get(MAX_DEPTH, "length of a path")? + 1;
        let mut path = Vec::with_capacity(length);
        let mut position = node.position;
        for _ in 0..length {
            let mv = get_move(bits, &Node::new(position)?)?;
            position.play(mv);
            path.push(mv);
        }
        let label = get_label(bits, &Node::new(position)?, has_visits)?;
        inner.push(InnerPosition { path, label });
    }
    let search = SearchSummary {
        root,
        is_full: kind >= 2,
        is_kept: kind == 3,
        inner,
    };
    Ok(TrainingPly {
        mv,
        search: Some(search),
    })
}

fn get_move<G: ArenaGame>(bits: &mut BitReader<'_>, node: &Node<G>) -> Result<Move<G>, String> {
    let place = bits.get(node.moves.len(), "move")?;
    let mv = node.moves.get(place).copied();
    mv.ok_or_else(|| "no legal move".to_owned())
}

fn get_label<G: ArenaGame>(
    bits: &mut BitReader<'_>,
    node: &Node<G>,
    has_visits: bool,
) -> Result<Label, String> {
    let score = bits.get(MAX_SCORE + 1, "score")? as u16;
    let mut visits = Vec::new();
    if has_visits && bits.get(2, "visits")? == 1 {
        for _ in &node.moves {
            visits.push(bits.get_small(MAX_LEVEL, "visits")?);
        }
    }
    Ok(Label { score, visits })
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::super::example;
    use super::*;
    use wabe_hive::contest::Contest;
    use wabe_hive::standard::Wide;

    fn games<G: ArenaGame>() -> impl Iterator<Item = TrainingGame<G>> {
        (0..)
            .zip(G::variants())
            .map(|(n, variant)| example(n, variant))
    }

    fn round_trip<G: ArenaGame>() {
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
        }
    }

    #[test]
    fn records_round_trip() {
        round_trip::<Contest>();
        round_trip::<Wide>();
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
        damage::<Wide>();
    }

    #[test]
    fn decode_errors_name_ply_or_field() {
        let game = example::<Wide>(4, Default::default());
        let error = |record: &[u8]| TrainingGame::<Wide>::from_record(4, record, true).unwrap_err();
        let record = game.to_record(true).unwrap();
        assert!(error(&record[..record.len() - 2]).starts_with("ply "));
        assert_eq!(error(b"\x01x"), "`x` is not a variant");
        assert_eq!(
            error(&[&record[..], &[0]].concat()),
            "unexpected bytes after ply 50"
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

    /// With a new order, raise `MOVE_ORDER`.
    #[test]
    fn move_order_is_that_of_its_version() {
        let orders = [move_order::<Contest>(), move_order::<Wide>()];
        assert_eq!((MOVE_ORDER, orders), (1, [3_979_119_292, 191_177_418]));
    }
}
