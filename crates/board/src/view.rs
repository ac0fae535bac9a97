//! Conversion of positions, moves and values for a page.

use crate::BoardGame;
use std::time::Duration;

use super::protocol::{
    EndingView, Findings, IdleView, LastMove, LineView, MoveView, PieceView, ReserveView,
    StackView, ValueView, View,
};
use wabe_contest::protocol::Cause;
use wabe_engine::analysis::Value;
use wabe_engine::search::{Line, Proof};
use wabe_hive::game::{Agreement, Ending, Paint, Record};
use wabe_hive::{Color, IllegalMove, KindOf, Move, Outcome, PieceKind, Placement};
use wabe_records::Replay;
use wabe_records::diagram::{Diagram, DrawnPiece, Point, Status};
use wabe_records::layout::Layout;

/// A game and the layout of its last position.
#[derive(Clone, Debug)]
pub(super) struct Drawn<G: BoardGame> {
    pub(super) record: Record<G>,
    layout: Layout<G>,
    /// The layout before the last ply.
    before: Layout<G>,
}

/// The number of a side.
fn side(color: Color) -> u8 {
    match color {
        Color::Red => 0,
        Color::Blue => 1,
    }
}

fn side_of<G: BoardGame>(paint: Paint) -> u8 {
    u8::from(paint != G::SIDES.red)
}

/// The protocol's word for the reason of an ending.
fn reason(ending: Ending) -> &'static str {
    match ending {
        Ending::Rules(Outcome::Surrounded(_)) => "surrounded",
        Ending::Rules(Outcome::MoreFreeFields(_)) => "more_free_fields",
        Ending::Rules(Outcome::BothSurrounded) => "both_surrounded",
        Ending::Rules(Outcome::EqualFreeFields) => "equal_free_fields",
        Ending::Repetition => "repetition",
        Ending::Agreement(Agreement::Draw) => "agreement",
        Ending::Agreement(Agreement::Resignation(_)) => "resignation",
    }
}

/// The end of a recording: a fault that a referee found, the rules, or what the recording says.
pub(super) fn recorded_end<G: BoardGame>(replay: &Replay<G>) -> EndingView {
    let stated = replay.stated.as_ref();
    let verdict = stated.and_then(|stated| stated.verdict.as_deref());
    let faults = Color::ALL.into_iter().filter_map(|color| {
        let cause = verdict?.scores[color].cause;
        Some((color.opponent(), fault(cause)?))
    });
    let judged = faults.chain(stated.and_then(|stated| {
        let reason = stated.cause.and_then(fault)?;
        Some((stated.winner?, reason))
    }));
    let stated = stated.map(|stated| stated.winner);
    let by_rules = replay.record.ending();
    let (winner, reason) = match (judged.into_iter().next(), by_rules) {
        (Some((winner, reason)), _) if stated == Some(Some(winner)) => (Some(winner), Some(reason)),
        (None, Some(ending)) if stated.is_none_or(|stated| stated == ending.winner()) => {
            (ending.winner(), Some(reason(ending)))
        }
        _ => (stated.flatten(), None),
    };
    EndingView {
        winner: winner.map(side),
        reason,
        sentence: replay.result_line(),
    }
}

/// The reason of an end by a fault.
fn fault(cause: Cause) -> Option<&'static str> {
    match cause {
        Cause::Left => Some("left"),
        Cause::RuleViolation => Some("rule_violation"),
        Cause::SoftTimeout => Some("soft_timeout"),
        Cause::HardTimeout => Some("hard_timeout"),
        Cause::Regular | Cause::Unknown => None,
    }
}

fn at(point: Point) -> [i32; 2] {
    [point.x, point.y]
}

impl<G: BoardGame> Drawn<G> {
    /// Lays out a game. Fields keep their places from ply to ply.
    pub(super) fn new(record: Record<G>) -> Drawn<G> {
        let mut layout = Layout::start(record.start());
        let mut before = layout.clone();
        for position in record.positions().skip(1) {
            let after = layout.followed_by(&position);
            before = std::mem::replace(&mut layout, after);
        }
        Drawn {
            record,
            layout,
            before,
        }
    }

    /// Plays a move, even if a repetition has ended the game. Returns `false` and changes nothing if it is not legal.
    pub(super) fn play(&mut self, text: &str) -> bool {
        if self.record.play_texts([text]).is_err() {
            return false;
        }
        let after = self.layout.followed_by(self.record.position());
        self.before = std::mem::replace(&mut self.layout, after);
        true
    }

    /// The same layout for another record.
    pub(super) fn with(&self, record: Record<G>) -> Drawn<G> {
        Drawn {
            record,
            ..self.clone()
        }
    }

    /// The position.
    pub(super) fn view(&self) -> View {
        let record = &self.record;
        let diagram = Diagram::new(record, &self.layout, &self.before);
        let piece = |drawn: DrawnPiece| PieceView {
            side: side_of::<G>(drawn.paint),
            letter: drawn.letter,
            number: drawn.number,
        };
        View {
            fields: diagram.fields.iter().copied().map(at).collect(),
            obstacles: diagram.obstacles.iter().copied().map(at).collect(),
            stacks: diagram
                .stacks
                .iter()
                .map(|stack| StackView {
                    at: at(stack.point),
                    pieces: stack.pieces().map(piece).collect(),
                })
                .collect(),
            last: record.plies().last().map(|ply| LastMove {
                text: ply.text.clone(),
                from: diagram.moved_from.map(at),
                to: diagram.moved_to.map(at),
            }),
            turn: diagram.turn,
            to_move: match diagram.status {
                Status::ToMove(paint) => Some(side_of::<G>(paint)),
                Status::Won(_) | Status::Drawn => None,
            },
            ending: record.ending().map(|ending| EndingView {
                winner: ending.winner().map(side),
                reason: Some(reason(ending)),
                sentence: ending.sentence::<G>(),
            }),
            reserves: diagram
                .reserves
                .iter()
                .map(|kind| ReserveView {
                    letter: kind.letter,
                    counts: [kind.counts.red, kind.counts.blue],
                })
                .collect(),
            free: [diagram.free_around_bee.red, diagram.free_around_bee.blue],
            moves: (record.legal_moves().iter())
                .map(|&mv| self.move_view(mv))
                .collect(),
            idle: match diagram.status {
                Status::ToMove(_) => self.idle(),
                Status::Won(_) | Status::Drawn => Vec::new(),
            },
            progress: diagram.progress,
            state: diagram.state,
        }
    }

    /// The pieces of the side to move that have no legal move.
    fn idle(&self) -> Vec<IdleView> {
        let position = self.record.position();
        let color = position.side_to_move();
        let legal = self.record.legal_moves();
        let reserve = KindOf::<G>::ALL.iter().filter_map(|&kind| {
            let can_be_placed =
                |mv: &Move<G>| matches!(mv, Move::Place { kind: placed, .. } if *placed == kind);
            if position.reserve(color).count(kind) == 0 || legal.iter().any(can_be_placed) {
                return None;
            }
            let reason = match G::placement(position) {
                Placement::BeeOnly(_) if kind != PieceKind::BEE => "bee_due",
                Placement::NoBee(_) if kind == PieceKind::BEE => "bee_too_early",
                _ => "no_room",
            };
            Some(IdleView {
                at: None,
                letter: kind.letter(),
                reason,
            })
        });
        let board = self.layout.places().filter_map(|(cell, point)| {
            let top = position.top(cell)?;
            let is_covered = top.color != color;
            let piece = match is_covered {
                true => position.covered_on(cell).find(|own| own.color == color)?,
                false => top,
            };
            if legal
                .iter()
                .any(|mv| matches!(mv, Move::Drag { from, .. } if *from == cell))
            {
                return None;
            }
            // A move on the spot is never legal: the first rule that it breaks keeps the piece where it is.
            let reason = match position.check(Move::Drag {
                from: cell,
                to: cell,
            }) {
                Err(IllegalMove::BeeFirst) => "bee_first",
                _ if is_covered => "covered",
                Err(IllegalMove::Pinned(_)) => "pinned",
                Err(IllegalMove::Resting(_)) => "resting",
                _ => "enclosed",
            };
            Some(IdleView {
                at: Some(at(point)),
                letter: piece.kind.letter(),
                reason,
            })
        });
        reserve.chain(board).collect()
    }

    /// A move of the position.
    fn move_view(&self, mv: Move<G>) -> MoveView {
        let place = |cell| self.layout.place(cell).map(at);
        let (from, to) = match mv {
            Move::Place { to, .. } => (None, Some(to)),
            Move::Drag { from, to } => (Some(from), Some(to)),
            Move::Pass => (None, None),
        };
        let letter = match mv {
            Move::Place { kind, .. } => Some(kind.letter()),
            Move::Drag { from, .. } => {
                let top = self.record.position().top(from);
                top.map(|piece| piece.kind.letter())
            }
            Move::Pass => None,
        };
        MoveView {
            text: self.record.write(mv),
            letter,
            from: from.and_then(place),
            to: to.and_then(place),
        }
    }

    /// Lines of a search that began after `forced`, the only legal moves of the positions before it.
    pub(super) fn findings(
        &self,
        forced: &[Move<G>],
        lines: &[Line<G>],
        nodes: u64,
        took: Duration,
    ) -> Findings {
        let lines: Vec<LineView> = lines
            .iter()
            .filter_map(|line| self.line_view(forced, line))
            .collect();
        let milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        Findings {
            depth: lines.iter().map(|l| l.variation.len()).max().unwrap_or(0),
            lines,
            nodes,
            per_second: nodes.saturating_mul(1000) / milliseconds.max(1),
        }
    }

    fn line_view(&self, forced: &[Move<G>], line: &Line<G>) -> Option<LineView> {
        let moves: Vec<Move<G>> = forced.iter().copied().chain(line.variation()).collect();
        let &first = moves.first()?;
        let value = match (line.proof, line.score) {
            (Some(proof), _) => Value::Proven(proof),
            (None, Some(score)) => Value::Expected(score),
            (None, None) => return None,
        };
        let plies = line.plies.map(|plies| usize::from(plies) + forced.len());
        let mover = match (self.record.position().side_to_move(), forced.len() % 2) {
            (side, 0) => side,
            (side, _) => side.opponent(),
        };
        Some(LineView {
            mv: self.move_view(first),
            variation: self.record.write_line(moves),
            value: value_view(value, mover, plies),
            visits: line.visits,
        })
    }
}

/// Converts a value for `mover` to one for side 0.
pub(super) fn value_view(value: Value, mover: Color, plies: Option<usize>) -> ValueView {
    let value = match mover {
        Color::Red => value,
        Color::Blue => value.reversed(),
    };
    ValueView {
        score: value.score(),
        proven: value.proof().is_some(),
        plies: plies.filter(|_| matches!(value.proof(), Some(Proof::Win | Proof::Loss))),
    }
}

/// A position as a page draws it, with its legal moves.
pub fn view_of<G: BoardGame>(record: &Record<G>) -> View {
    Drawn::new(record.clone()).view()
}

/// The findings of a search in a position.
pub fn findings_of<G: BoardGame>(
    record: &Record<G>,
    lines: &[Line<G>],
    nodes: u64,
    took: Duration,
) -> Findings {
    Drawn::new(record.clone()).findings(&[], lines, nodes, took)
}
