//! A record's bytes.

use super::LabelledPosition;
use crate::hex::Hex;
use crate::hive::contest::{Contest, Kind, Setup};
use crate::hive::{ByColor, Color, Piece, PieceKind, Reserve, Stack};
use crate::statistics::GameScore;

/// Offset of the coordinates on the wire: the board's reach.
const REACH: i8 = 5;
/// Fields of a row on the wire.
const ROW: u8 = 11;
/// Stands for an expected score that nobody gave.
const NOT_JUDGED: u16 = u16::MAX;
/// Added to the kind of blue's pieces.
const BLUE: u8 = 8;

fn field_byte(hex: Hex) -> u8 {
    let offset = |coordinate: i8| coordinate.saturating_add(REACH).unsigned_abs();
    ROW * offset(hex.x) + offset(hex.y)
}

fn hex_of(byte: u8) -> Option<Hex> {
    let offset = |coordinate: u8| i8::try_from(coordinate).ok().map(|c| c - REACH);
    Some(Hex::new(offset(byte / ROW)?, offset(byte % ROW)?))
}

/// Appends the record of `labelled`, its length byte included.
pub(super) fn encode(labelled: &LabelledPosition, out: &mut Vec<u8>) {
    let setup = labelled.position.to_setup();
    let length_at = out.len();
    out.push(0);
    out.extend(labelled.game.to_le_bytes());
    out.push(u8::try_from(setup.turn).unwrap_or(u8::MAX));
    let expected = labelled.expected_thousandths.unwrap_or(NOT_JUDGED);
    out.extend(expected.to_le_bytes());
    out.push(labelled.result.half_points());
    out.push(labelled.plies_to_end);
    for &kind in Kind::ALL {
        let count = |color| setup.reserve[color].count(kind) & 15;
        out.push(count(Color::Red) | count(Color::Blue) << 4);
    }
    out.push(u8::try_from(setup.obstacles.len()).unwrap_or(u8::MAX));
    out.extend(setup.obstacles.iter().map(|&hex| field_byte(hex)));
    for stack in &setup.stacks {
        for piece in &stack.pieces {
            let owner = if piece.color == Color::Blue { BLUE } else { 0 };
            out.push(field_byte(stack.hex));
            out.push(piece.kind as u8 | owner);
        }
    }
    // A full board has 22 pieces and 91 fields: far from 255 bytes.
    out[length_at] = u8::try_from(out.len() - length_at - 1).unwrap_or(u8::MAX);
}

/// Reads the bytes behind a length byte; an error says what is wrong with them.
pub(super) fn decode(record: &[u8]) -> Result<LabelledPosition, String> {
    let too_short = || "the record is too short".to_owned();
    let (head, rest) = record.split_first_chunk::<15>().ok_or_else(too_short)?;
    let &[
        g0,
        g1,
        g2,
        g3,
        turn,
        e0,
        e1,
        result,
        plies_to_end,
        ref reserves @ ..,
    ] = head;
    let (reserves, bramble_count) = reserves
        .split_last_chunk::<1>()
        .ok_or_else(too_short)
        .map(|(reserves, &[count])| (reserves, usize::from(count)))?;
    let (brambles, pieces) = rest.split_at_checked(bramble_count).ok_or_else(too_short)?;
    let hex = |byte| hex_of(byte).ok_or_else(|| format!("{byte} is not a field"));
    let reserve = |shift: u8| {
        Reserve::from_counts(|kind: Kind| {
            reserves
                .get(kind.index())
                .map_or(0, |byte| byte >> shift & 15)
        })
    };
    let setup = Setup {
        turn: u16::from(turn),
        obstacles: brambles.iter().map(|&b| hex(b)).collect::<Result<_, _>>()?,
        stacks: stacks(pieces, hex)?,
        reserve: ByColor {
            red: reserve(0),
            blue: reserve(4),
        },
    };
    let expected = u16::from_le_bytes([e0, e1]);
    if expected > 1000 && expected != NOT_JUDGED {
        return Err(format!("{expected} thousandths are no expected score"));
    }
    Ok(LabelledPosition {
        game: u32::from_le_bytes([g0, g1, g2, g3]),
        position: setup.build().map_err(|error| error.to_string())?,
        expected_thousandths: (expected != NOT_JUDGED).then_some(expected),
        result: GameScore::from_half_points(result)
            .ok_or_else(|| format!("{result} is not a result"))?,
        plies_to_end,
    })
}

fn stacks(
    pieces: &[u8],
    hex: impl Fn(u8) -> Result<Hex, String>,
) -> Result<Vec<Stack<Contest>>, String> {
    let mut stacks: Vec<Stack<Contest>> = Vec::new();
    let (pieces, odd) = pieces.as_chunks::<2>();
    if !odd.is_empty() {
        return Err("half a piece".to_owned());
    }
    for &[field, piece] in pieces {
        let color = if piece & BLUE == 0 {
            Color::Red
        } else {
            Color::Blue
        };
        let kind = Kind::ALL
            .get(usize::from(piece & !BLUE))
            .ok_or_else(|| format!("{piece} is not a piece"))?;
        let piece = Piece::new(color, *kind);
        let hex = hex(field)?;
        match stacks.last_mut() {
            Some(stack) if stack.hex == hex => stack.pieces.push(piece),
            _ => stacks.push(Stack {
                hex,
                pieces: vec![piece],
            }),
        }
    }
    Ok(stacks)
}

#[cfg(test)]
mod tests {
    use super::*;

    const POSITIONS: &str = include_str!("../cli/bench_positions.txt");

    fn labelled(text: &str) -> LabelledPosition {
        LabelledPosition {
            game: 70_000,
            position: text.parse().unwrap(),
            expected_thousandths: Some(503),
            result: GameScore::Draw,
            plies_to_end: 12,
        }
    }

    #[test]
    fn records_round_trip() {
        for text in POSITIONS.lines() {
            for expected_thousandths in [None, Some(0), Some(1000)] {
                let labelled = LabelledPosition {
                    expected_thousandths,
                    ..labelled(text)
                };
                let mut bytes = Vec::new();
                encode(&labelled, &mut bytes);
                assert_eq!(usize::from(bytes[0]), bytes.len() - 1);
                assert_eq!(decode(&bytes[1..]), Ok(labelled));
            }
        }
    }

    #[test]
    fn no_damage_panics_and_short_records_are_refused() {
        for text in POSITIONS.lines() {
            let mut bytes = Vec::new();
            encode(&labelled(text), &mut bytes);
            bytes.remove(0);
            for length in 0..15 {
                assert!(decode(&bytes[..length]).is_err());
            }
            for at in 0..bytes.len() {
                for value in [0, 5, 15, 121, 128, 255] {
                    let mut damaged = bytes.clone();
                    damaged[at] = value;
                    let _ = decode(&damaged);
                }
            }
        }
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let mut bytes = Vec::new();
        encode(
            &labelled("2 - 0,0:rQ;1,0:bQ AAABBGGSSS/AAABBGGSSS"),
            &mut bytes,
        );
        let with = |at: usize, value: u8| {
            let mut bytes = bytes[1..].to_vec();
            bytes[at] = value;
            decode(&bytes).unwrap_err()
        };
        assert!(with(7, 3).contains("3 is not a result"));
        assert!(with(6, 9).contains("no expected score"));
        assert!(with(4, 200).contains("turn 200"));
        let last = bytes.len() - 2;
        assert!(with(last, 7).contains("7 is not a piece"));
    }
}
