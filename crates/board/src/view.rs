//! Converts positions, moves and values into messages for pages.

use std::time::Duration;

use super::protocol::{
    EndingView, Findings, IdleView, LastMove, LineView, MoveView, Problem, ValueView, View,
};
use crate::BoardGame;
use wabe_contest::protocol::Cause;
use wabe_engine::analysis::Value;
use wabe_engine::search::{RootMove, Solved};
use wabe_files::text::{MAX_DETAIL, printable};
use wabe_hive::game::{Adjudication, Ending};
use wabe_hive::{Color, IllegalMove, KindOf, Move, Outcome, PieceKind, Placement};
use wabe_records::diagram::DrawnGame;
use wabe_records::{Replay, StatedResult};

/// The number of a side in the protocol.
fn side(color: Color) -> u8 {
    match color {
        Color::Red => 0,
        Color::Blue => 1,
    }
}

/// The name of an ending's reason in the protocol.
fn reason(ending: Ending) -> &'static str {
    match ending {
        Ending::Rules(Outcome::Surrounded(_)) => "surrounded",
        Ending::Rules(Outcome::MoreFreeFields(_)) => "more_free_fields",
        Ending::Rules(Outcome::BothSurrounded) => "both_surrounded",
        Ending::Rules(Outcome::EqualFreeFields) => "equal_free_fields",
        Ending::Repetition => "repetition",
        Ending::Agreement(Adjudication::Draw) => "agreement",
        Ending::Agreement(Adjudication::Resignation(_)) => "resignation",
    }
}

/// The ending of a recording: a fault found by the referee, the ending by the rules, or the stated
/// result.
pub(super) fn recorded_end<G: BoardGame>(replay: &Replay<G>) -> EndingView {
    let stated = replay.stated.as_ref();
    let fault = stated.and_then(|stated| fault(stated.winner.and(stated.cause)?));
    let stated = stated.map(|stated| stated.winner);
    let (winner, reason) = match (fault, replay.record.ending()) {
        (Some(fault), _) => (stated.flatten(), fault),
        (None, Some(ending)) if stated.is_none_or(|stated| stated == ending.winner()) => {
            (ending.winner(), reason(ending).to_owned())
        }
        _ => (stated.flatten(), "stated".to_owned()),
    };
    EndingView {
        winner: winner.map(side),
        reason,
        note: replay.stated.as_ref().and_then(note),
    }
}

/// The reason in the recording's own words.
fn note(stated: &StatedResult) -> Option<String> {
    let referee = stated.game_result.as_deref();
    let scores = referee.map(|result| [&result.scores.red, &result.scores.blue]);
    let scores = scores.into_iter().flatten();
    let reasons = (stated.reason.iter()).chain(scores.filter_map(|score| score.reason.as_ref()));
    let mut texts = reasons.map(|reason| printable(reason.trim(), MAX_DETAIL));
    texts.find(|text| !text.is_empty())
}

/// The reason for a loss by a fault: the contest's name of the cause in lower case.
fn fault(cause: Cause) -> Option<String> {
    let is_fault = !matches!(cause, Cause::Regular | Cause::Unknown);
    is_fault.then(|| cause.to_string().to_lowercase())
}

/// Converts the last position of a game, with its legal moves.
pub fn view<G: BoardGame>(game: &DrawnGame<G>) -> View {
    let record = &game.record;
    let diagram = game.diagram();
    let ending = record.ending();
    View {
        last: record.plies().last().map(|ply| LastMove {
            text: ply.text.clone(),
            from: diagram.moved_from,
            to: diagram.moved_to,
        }),
        to_move: (ending.is_none()).then(|| side(record.position().side_to_move())),
        moves: (record.legal_moves().iter())
            .map(|&mv| move_view(game, mv))
            .collect(),
        idle: if ending.is_none() {
            idle(game)
        } else {
            Vec::new()
        },
        ending: ending.map(|ending| EndingView {
            winner: ending.winner().map(side),
            reason: reason(ending).to_owned(),
            note: None,
        }),
        diagram,
    }
}

/// Pieces of the side to move without a legal move.
fn idle<G: BoardGame>(game: &DrawnGame<G>) -> Vec<IdleView> {
    let bee = || G::BEE.to_owned();
    let position = game.record.position();
    let color = position.side_to_move();
    let legal = game.record.legal_moves();
    let reserve = KindOf::<G>::ALL.iter().filter_map(|&kind| {
        let can_be_placed =
            |mv: &Move<G>| matches!(mv, Move::Place { kind: placed, .. } if *placed == kind);
        if position.reserve(color).count(kind) == 0 || legal.iter().any(can_be_placed) {
            return None;
        }
        let reason = match G::placement(position) {
            Placement::BeeOnly(_) if kind != PieceKind::BEE => Problem::BeeDue { bee: bee() },
            Placement::NoBee(_) if kind == PieceKind::BEE => Problem::BeeTooEarly { bee: bee() },
            _ => Problem::NoRoom,
        };
        Some(IdleView {
            at: None,
            letter: kind.letter(),
            reason,
        })
    });
    let board = game.layout.places().filter_map(|(cell, point)| {
        let top = position.top(cell)?;
        let is_covered = top.color != color;
        let piece = if is_covered {
            position.covered_on(cell).find(|own| own.color == color)?
        } else {
            top
        };
        if legal
            .iter()
            .any(|mv| matches!(mv, Move::Drag { from, .. } if *from == cell))
        {
            return None;
        }
        // Moving a piece to its own field is always illegal. The check fails with the first rule
        // that forbids all moves of the piece.
        let reason = match position.check(Move::Drag {
            from: cell,
            to: cell,
        }) {
            Err(IllegalMove::BeeFirst) => Problem::BeeFirst { bee: bee() },
            _ if is_covered => Problem::Covered,
            Err(IllegalMove::Pinned(_)) => Problem::Pinned,
            Err(IllegalMove::Resting(_)) => Problem::Resting,
            _ => Problem::Enclosed,
        };
        Some(IdleView {
            at: Some(point),
            letter: piece.kind.letter(),
            reason,
        })
    });
    reserve.chain(board).collect()
}

/// Converts a move in the last position.
fn move_view<G: BoardGame>(game: &DrawnGame<G>, mv: Move<G>) -> MoveView {
    let place = |cell| game.layout.place(cell);
    let (kind, from, to) = match mv {
        Move::Place { kind, to } => (Some(kind), None, Some(to)),
        Move::Drag { from, to } => {
            let top = game.record.position().top(from);
            (top.map(|piece| piece.kind), Some(from), Some(to))
        }
        Move::Pass => (None, None, None),
    };
    MoveView {
        text: game.record.write(mv),
        letter: kind.map(|kind| kind.letter()),
        from: from.and_then(place),
        to: to.and_then(place),
    }
}

/// Converts the lines of a search. `forced` are the moves played before the search, which begin
/// every line.
pub fn findings<G: BoardGame>(
    game: &DrawnGame<G>,
    forced: &[Move<G>],
    lines: &[RootMove<G>],
    nodes: u64,
    elapsed: Duration,
) -> Findings {
    let lines: Vec<LineView> = lines
        .iter()
        .filter_map(|line| line_view(game, forced, line))
        .collect();
    let milliseconds = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
    Findings {
        depth: lines.iter().map(|l| l.variation.len()).max().unwrap_or(0),
        lines,
        nodes,
        per_second: nodes.saturating_mul(1000) / milliseconds.max(1),
    }
}

fn line_view<G: BoardGame>(
    game: &DrawnGame<G>,
    forced: &[Move<G>],
    line: &RootMove<G>,
) -> Option<LineView> {
    let moves: Vec<Move<G>> = forced.iter().copied().chain(line.pv()).collect();
    let &first = moves.first()?;
    let value = match (line.proof, line.score) {
        (Some(proof), _) => Value::Proven(proof),
        (None, Some(score)) => Value::Expected(score),
        (None, None) => return None,
    };
    let plies = line.plies.map(|plies| usize::from(plies) + forced.len());
    let mover = match (game.record.position().side_to_move(), forced.len() % 2) {
        (side, 0) => side,
        (side, _) => side.opponent(),
    };
    Some(LineView {
        mv: move_view(game, first),
        variation: game.record.write_line(moves),
        value: value_view(value, mover, plies),
        visits: line.visits,
    })
}

/// Converts a value from the view of `mover` to that of side 0.
pub(super) fn value_view(value: Value, mover: Color, plies: Option<usize>) -> ValueView {
    let value = match mover {
        Color::Red => value,
        Color::Blue => value.reversed(),
    };
    ValueView {
        score: value.score(),
        proven: value.proof().is_some(),
        plies: plies.filter(|_| matches!(value.proof(), Some(Solved::Win | Solved::Loss))),
    }
}
