//! Keys of positions, by which the opening explorer finds the same position in other games.

use wabe_hive::game::Record;
use wabe_hive::hex::{Grid, Hex, Symmetry};
use wabe_hive::{Color, PieceKind, Position};

use crate::BoardGame;

/// Number of plies from the start of a game whose positions get keys.
const MAX_KEYED_PLIES: usize = 24;

/// The keys of a game's first positions: before each ply and after the last one. Positions that
/// differ only by a symmetry have the same key.
pub fn keys<G: BoardGame>(record: &Record<G>) -> Vec<String> {
    let plies = record.plies().len().min(MAX_KEYED_PLIES);
    (0..=plies)
        .filter_map(|plies| Some(key(record.after(plies)?.position())))
        .collect()
}

/// The legal moves of the last position in the game's notation, each with the key after it.
pub(super) fn continuations<G: BoardGame>(record: &Record<G>) -> Vec<(String, String)> {
    let moves = record.legal_moves();
    let after = |&mv| (record.write(mv), key(&record.position().after(mv)));
    moves.iter().map(after).collect()
}

/// A key that is equal for positions that differ only by a symmetry of the board, and in standard
/// Hive by a translation: 16 hexadecimal digits.
fn key<G: BoardGame>(position: &Position<G>) -> String {
    let setup = position.to_setup();
    let pieces = setup.stacks.iter().flat_map(|stack| {
        let pieces = stack.pieces.iter().enumerate();
        pieces.map(|(height, piece)| {
            let color = u8::from(piece.color == Color::Blue);
            (stack.hex, [height as u8, color, piece.kind.letter() as u8])
        })
    });
    let obstacles = setup.obstacles.iter().map(|&hex| (hex, [0, 2, 0]));
    let occupied: Vec<(Hex, [u8; 3])> = pieces.chain(obstacles).collect();
    let images = Symmetry::ALL.iter().map(|symmetry| {
        let image = |&(hex, content): &(Hex, _)| (symmetry.apply(hex), content);
        let mut image: Vec<(Hex, [u8; 3])> = occupied.iter().map(image).collect();
        let smallest = |coordinate: fn(&Hex) -> i8| {
            let all = image.iter().map(|(hex, _)| coordinate(hex));
            all.min().filter(|_| G::Grid::IS_UNBOUNDED).unwrap_or(0)
        };
        let (x, y) = (smallest(|hex| hex.x), smallest(|hex| hex.y));
        let mut cells: Vec<[u8; 5]> = image
            .drain(..)
            .map(|(hex, [height, color, letter])| {
                let offset = |value: i8, origin: i8| value.wrapping_sub(origin) as u8;
                [offset(hex.x, x), offset(hex.y, y), height, color, letter]
            })
            .collect();
        cells.sort_unstable();
        cells
    });
    let first = images.min().unwrap_or_default();
    let to_move = u8::from(position.side_to_move() == Color::Blue);
    format!("{:016x}", fnv(first.as_flattened(), to_move))
}

/// The FNV-1a hash of `bytes` and a last byte. Unlike the hashes of the standard library, it does
/// not change between versions.
fn fnv(bytes: &[u8], last: u8) -> u64 {
    let mix = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().chain([&last]).fold(0xcbf2_9ce4_8422_2325, mix)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wabe_hive::contest::{Contest, Deal};
    use wabe_hive::standard::Standard;

    fn standard(moves: &[&str]) -> Record<Standard> {
        let mut record = Record::<Standard>::default();
        record.play_texts(moves.iter().copied()).unwrap();
        record
    }

    #[test]
    fn symmetric_openings_share_keys() {
        let key_after = |moves: &[&str]| keys(&standard(moves)).pop();
        let first = key_after(&["wS1", "bS1 wS1-", "wG1 -wS1"]);
        assert_eq!(first, key_after(&["wS1", "bS1 \\wS1", "wG1 wS1\\"]));
        assert_ne!(first, key_after(&["wS1", "bS1 \\wS1", "wG1 wS1-"]));
        assert_ne!(first, key_after(&["wS1", "bS1 wS1-", "wA1 -wS1"]));
        let other_places = ["wG1", "bS1 wG1-", "wS1 -wG1"];
        assert_ne!(first, key_after(&other_places));
    }

    #[test]
    fn continuations_have_the_keys_of_positions() {
        let record = standard(&["wS1", "bG1 wS1-"]);
        for (text, key) in continuations(&record) {
            let mut next = record.clone();
            next.play_texts([&*text]).unwrap();
            assert_eq!(Some(&key), keys(&next).last(), "{text}");
        }
        let openings = continuations(&standard(&["wS1"]));
        let beside: std::collections::HashSet<_> = (openings.iter())
            .filter(|(text, _)| text.starts_with("bB1 "))
            .map(|(_, key)| key)
            .collect();
        assert_eq!(beside.len(), 1);
    }

    #[test]
    fn brambles_are_part_of_keys() {
        let at = |x| {
            let brambles = [(x, 0), (1, 2), (-3, 1)].map(|(x, y)| Hex::new(x, y));
            let cells =
                brambles.map(|hex| <Contest as wabe_hive::RuleBook>::Grid::cell(hex).unwrap());
            let start = Deal::Contest.start(cells.into_iter().collect());
            keys(&Record::<Contest>::new(Deal::Contest, start))
        };
        assert_ne!(at(0), at(1));
        assert_eq!(at(0), at(0));
    }
}
