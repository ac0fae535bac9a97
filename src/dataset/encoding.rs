//! The encoding of a record.

use super::{LabelledPosition, Visits, tells_visits};
use crate::game::Game;
use crate::hex::{Cell, Grid, Hex};
use crate::hive::{ByColor, Color, KindOf, Move, Piece, PieceKind, Reserve, Setup, Stack};
use crate::statistics::GameScore;

/// Stands for a missing expected score.
const NOT_JUDGED: u16 = u16::MAX;

/// Stands for the missing result of a position that did not occur in its game.
const DID_NOT_OCCUR: u8 = 3;

/// Precedes the visits. No field has this number.
const VISITS: u16 = u16::MAX;

/// Stands in place of the field that a placed piece would leave, with the number of its kind added. No field has these numbers.
const PLACED: u16 = 0xff00;

/// The differences between the versions.
pub(super) struct Form {
    /// Bytes of a number: one or two, see the table in [`dataset`](super).
    pub(super) number: usize,
    /// Largest absolute value of a coordinate.
    reach: i16,
    /// Bit that marks blue's pieces.
    blue: u8,
}

impl Form {
    pub(super) const fn of<G: Game>() -> &'static Form {
        match G::DATASET_VERSION {
            1 => &Form {
                number: 1,
                reach: 5,
                blue: 8,
            },
            _ => &Form {
                number: 2,
                reach: 127,
                blue: 128,
            },
        }
    }

    fn put(&self, number: usize, out: &mut Vec<u8>) {
        let number = u16::try_from(number).unwrap_or(u16::MAX).to_le_bytes();
        out.extend(&number[..self.number]);
    }

    fn field(&self, hex: Hex) -> usize {
        let offset =
            |coordinate: i8| usize::from((i16::from(coordinate) + self.reach).unsigned_abs());
        self.row() * offset(hex.x) + offset(hex.y)
    }

    fn hex(&self, field: usize) -> Result<Hex, String> {
        let coordinate = |offset: usize| {
            let coordinate = i16::try_from(offset).ok()? - self.reach;
            i8::try_from(coordinate).ok()
        };
        coordinate(field / self.row())
            .zip(coordinate(field % self.row()))
            .map(|(x, y)| Hex::new(x, y))
            .ok_or_else(|| format!("{field} is not a field"))
    }

    /// Fields with the same `x`.
    fn row(&self) -> usize {
        usize::from(self.reach.unsigned_abs()) * 2 + 1
    }
}

/// Appends the record of `labelled`, its length included.
pub(super) fn encode<G: Game>(labelled: &LabelledPosition<G>, out: &mut Vec<u8>) {
    let form = Form::of::<G>();
    let setup = labelled.position.to_setup();
    let mut record = labelled.game.to_le_bytes().to_vec();
    form.put(setup.turn.into(), &mut record);
    let expected = labelled.expected_thousandths.unwrap_or(NOT_JUDGED);
    record.extend(expected.to_le_bytes());
    let result = labelled
        .result
        .map_or(DID_NOT_OCCUR, |result| result.half_points());
    record.extend([result, labelled.plies_to_end]);
    for &kind in KindOf::<G>::ALL {
        let count = |color| setup.reserve[color].count(kind) & 15;
        record.push(count(Color::Red) | count(Color::Blue) << 4);
    }
    form.put(setup.obstacles.len(), &mut record);
    for &hex in &setup.obstacles {
        form.put(form.field(hex), &mut record);
    }
    for stack in &setup.stacks {
        for piece in &stack.pieces {
            form.put(form.field(stack.hex), &mut record);
            let owner = if piece.color == Color::Blue {
                form.blue
            } else {
                0
            };
            record.push(piece.kind.index() as u8 | owner);
        }
    }
    if tells_visits::<G>() && !labelled.visits.is_empty() {
        record.extend(VISITS.to_le_bytes());
        for visits in &labelled.visits {
            put_visits::<G>(form, visits, &mut record);
        }
    }
    // A full board of the contest has 22 pieces and 91 fields: far from 255 bytes.
    form.put(record.len(), out);
    out.extend(record);
}

fn put_visits<G: Game>(form: &Form, visits: &Visits<G>, record: &mut Vec<u8>) {
    let field = |cell: Cell| form.field(G::Grid::hex(cell));
    let (from, to) = match visits.mv {
        Move::Place { kind, to } => (usize::from(PLACED) + kind.index(), to),
        Move::Drag { from, to } => (field(from), to),
        Move::Pass => return,
    };
    form.put(from, record);
    form.put(field(to), record);
    record.push(visits.share);
}

/// The unread rest of a record.
struct Bytes<'b>(&'b [u8]);

impl Bytes<'_> {
    fn next<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let (bytes, rest) = self
            .0
            .split_first_chunk()
            .ok_or("the record is too short")?;
        self.0 = rest;
        Ok(*bytes)
    }

    fn byte(&mut self) -> Result<u8, String> {
        self.next().map(|[byte]| byte)
    }

    fn number(&mut self, form: &Form) -> Result<u16, String> {
        match form.number {
            1 => self.byte().map(u16::from),
            _ => self.next().map(u16::from_le_bytes),
        }
    }

    fn hex(&mut self, form: &Form) -> Result<Hex, String> {
        form.hex(self.number(form)?.into())
    }
}

/// Reads the bytes after the length. An error describes the fault.
pub(super) fn decode<G: Game>(record: &[u8]) -> Result<LabelledPosition<G>, String> {
    let form = Form::of::<G>();
    let mut bytes = Bytes(record);
    let game = u32::from_le_bytes(bytes.next()?);
    let turn = bytes.number(form)?;
    let expected = u16::from_le_bytes(bytes.next()?);
    if expected > 1000 && expected != NOT_JUDGED {
        return Err(format!("{expected} thousandths are not a score"));
    }
    let [result, plies_to_end] = bytes.next()?;
    let mut reserve = ByColor::from_fn(|_| Reserve::empty());
    for &kind in KindOf::<G>::ALL {
        let counts = bytes.byte()?;
        reserve.red.set_count(kind, counts & 15);
        reserve.blue.set_count(kind, counts >> 4);
    }
    let obstacle_count = bytes.number(form)?;
    let obstacles = (0..obstacle_count)
        .map(|_| bytes.hex(form))
        .collect::<Result<_, _>>()?;
    let setup = Setup {
        turn,
        obstacles,
        stacks: stacks(&mut bytes, form)?,
        reserve,
    };
    Ok(LabelledPosition {
        game,
        position: setup.build().map_err(|error| error.to_string())?,
        expected_thousandths: (expected != NOT_JUDGED).then_some(expected),
        result: match result {
            DID_NOT_OCCUR => None,
            half_points => Some(
                GameScore::from_half_points(half_points)
                    .ok_or_else(|| format!("{half_points} is not a result"))?,
            ),
        },
        plies_to_end,
        visits: visits::<G>(&mut bytes, form)?,
    })
}

/// The stacks up to the end of the record, or up to the visits.
fn stacks<G: Game>(bytes: &mut Bytes<'_>, form: &Form) -> Result<Vec<Stack<G>>, String> {
    let mut stacks: Vec<Stack<G>> = Vec::new();
    while !bytes.0.is_empty() {
        let field = bytes.number(form)?;
        if field == VISITS {
            break;
        }
        let hex = form.hex(field.into())?;
        let piece = bytes.byte()?;
        let color = if piece & form.blue == 0 {
            Color::Red
        } else {
            Color::Blue
        };
        let kind = KindOf::<G>::ALL
            .get(usize::from(piece & !form.blue))
            .ok_or_else(|| format!("{piece} is not a piece"))?;
        let piece = Piece::new(color, *kind);
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

fn visits<G: Game>(bytes: &mut Bytes<'_>, form: &Form) -> Result<Vec<Visits<G>>, String> {
    let cell = |field: u16| {
        let hex = form.hex(field.into())?;
        G::Grid::cell(hex).ok_or_else(|| format!("{hex} is not a field of the board"))
    };
    let mut visits = Vec::new();
    while !bytes.0.is_empty() {
        let from = bytes.number(form)?;
        let to = cell(bytes.number(form)?)?;
        let mv = match from.checked_sub(PLACED) {
            Some(kind) => Move::Place {
                kind: *(KindOf::<G>::ALL.get(usize::from(kind)))
                    .ok_or_else(|| format!("{kind} is not a kind"))?,
                to,
            },
            None => Move::Drag {
                from: cell(from)?,
                to,
            },
        };
        let share = bytes.byte()?;
        visits.push(Visits { mv, share });
    }
    Ok(visits)
}

#[cfg(test)]
mod tests {
    use super::super::example;
    use super::*;
    use crate::hive::contest::Contest;
    use crate::hive::standard::Wide;
    use crate::hive::{MoveList, Position};

    fn encoded<G: Game>(labelled: &LabelledPosition<G>) -> Vec<u8> {
        let mut bytes = Vec::new();
        encode(labelled, &mut bytes);
        let mut length = [0; 2];
        let number = Form::of::<G>().number;
        length[..number].copy_from_slice(&bytes[..number]);
        let record = bytes.split_off(number);
        assert_eq!(usize::from(u16::from_le_bytes(length)), record.len());
        record
    }

    /// All moves but a pass, with different shares.
    fn all_moves<G: Game>(position: &Position<G>) -> Vec<Visits<G>> {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let moves = moves.iter().filter(|&&mv| mv != Move::Pass);
        let visits = moves.zip((0..=255).rev().cycle());
        visits.map(|(&mv, share)| Visits { mv, share }).collect()
    }

    fn round_trip<G: Game>() {
        for text in G::BENCH.lines() {
            for (expected_thousandths, result) in [
                (None, Some(GameScore::Loss)),
                (Some(0), Some(GameScore::Draw)),
                (Some(1000), None),
            ] {
                let mut labelled = LabelledPosition::<G> {
                    expected_thousandths,
                    result,
                    ..example(70_000, text)
                };
                if tells_visits::<G>() {
                    labelled.visits = all_moves(&labelled.position);
                }
                let read = decode::<G>(&encoded(&labelled)).unwrap();
                assert_eq!(read.visits, labelled.visits);
                // The piece that moved last is not part of the text form either.
                assert_eq!(read.to_string(), labelled.to_string());
                assert_eq!(read.game, labelled.game);
            }
        }
    }

    #[test]
    fn records_round_trip() {
        round_trip::<Contest>();
        round_trip::<Wide>();
    }

    fn damage<G: Game>(text: &str, values: &[u8]) {
        let mut labelled = example::<G>(70_000, text);
        labelled.visits = all_moves(&labelled.position);
        labelled.visits.truncate(3);
        let bytes = encoded(&labelled);
        let number = Form::of::<G>().number;
        for length in 0..8 + KindOf::<G>::ALL.len() + 2 * number {
            assert!(decode::<G>(&bytes[..length]).is_err());
        }
        for at in 0..bytes.len() {
            for &value in values {
                let mut damaged = bytes.clone();
                damaged[at] = value;
                let _ = decode::<G>(&damaged);
            }
        }
    }

    #[test]
    fn no_damage_panics_and_short_records_are_refused() {
        for text in Contest::BENCH.lines() {
            damage::<Contest>(text, &[0, 5, 15, 121, 128, 255]);
        }
        for text in Wide::BENCH.lines() {
            damage::<Wide>(text, &[0, 1, 127, 128, 255]);
        }
    }

    #[test]
    fn the_contests_records_stay_as_they_were() {
        let mut labelled = example::<Contest>(258, "3 1,0 0,0:rQ;0,1:bBrB AABGGSSS/AAABGGQSSS");
        labelled.expected_thousandths = Some(503);
        #[rustfmt::skip]
        let expected = [
            2, 1, 0, 0, 3, 247, 1, 2, 9, 0x10, 0x33, 0x11, 0x22, 0x32, 1, 71, 60, 0, 61, 10, 61, 2,
        ];
        assert_eq!(encoded(&labelled), expected);
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let bytes = encoded(&example::<Contest>(
            1,
            "2 - 0,0:rQ;1,0:bQ AAABBGGSSS/AAABBGGSSS",
        ));
        let with = |at: usize, value: u8| {
            let mut bytes = bytes.clone();
            bytes[at] = value;
            decode::<Contest>(&bytes).unwrap_err()
        };
        assert!(with(7, 4).contains("4 is not a result"));
        assert!(with(6, 9).contains("thousandths are not a score"));
        assert!(with(4, 200).contains("turn 200"));
        assert!(with(bytes.len() - 1, 7).contains("7 is not a piece"));
    }

    #[test]
    fn damaged_visits_are_named() {
        let mut labelled = example::<Wide>(1, Wide::BENCH.lines().next().unwrap());
        labelled.visits = all_moves(&labelled.position);
        labelled.visits.truncate(1);
        let bytes = encoded(&labelled);
        let with = |from: u16| {
            let mut bytes = bytes.clone();
            let at = bytes.len() - 5;
            bytes[at..][..2].copy_from_slice(&from.to_le_bytes());
            decode::<Wide>(&bytes).unwrap_err()
        };
        assert!(with(PLACED + 8).contains("8 is not a kind"));
        assert!(with(255 * 255).contains("65025 is not a field"));
        for cut in 1..5 {
            let error = decode::<Wide>(&bytes[..bytes.len() - cut]).unwrap_err();
            assert!(error.contains("too short"), "{error}");
        }
        // Without a move there are no visits.
        let without = decode::<Wide>(&bytes[..bytes.len() - 5]).unwrap();
        assert_eq!(without.visits, []);
    }
}
