//! The contest's positions.

use super::{Figure, InReserve, Paint, Pile, Scene, Spot, Stage};
use crate::hex::{Cell, ContestBoard, Grid};
use crate::hive::contest::{ContestPiece, Kind, LAST_TURN, Move, Position};
use crate::hive::{ByColor, Outcome, PieceKind};

/// What there is to see of a position of the contest; `last_move` is the one that led to it.
pub fn contest_scene(position: &Position, last_move: Option<Move>) -> Scene {
    let outcome = position.outcome();
    let side = position.side_to_move();
    let moved_from = match last_move {
        Some(Move::Drag { from, .. }) => Some(spot(from)),
        _ => None,
    };
    Scene {
        fields: ContestBoard::FIELDS.into_iter().map(spot).collect(),
        has_coordinates: true,
        obstacles: position.obstacles().into_iter().map(spot).collect(),
        piles: position
            .occupied()
            .into_iter()
            .filter_map(|cell| pile(position, cell))
            .collect(),
        moved_from,
        moved_to: last_move.and_then(Move::destination).map(spot),
        turn: position.turn(),
        progress: progress(position),
        stage: match outcome {
            None => Stage::ToMove(side.into()),
            Some(Outcome::Win { winner, .. }) => Stage::Won(winner.into()),
            Some(Outcome::Draw { .. }) => Stage::Drawn,
        },
        state: match outcome {
            Some(outcome) => outcome.to_string(),
            None => format!("{side} to move"),
        },
        paints: Paint::CONTEST,
        reserves: Kind::ALL
            .iter()
            .map(|&kind| InReserve {
                letter: kind.letter(),
                name: kind.name(),
                counts: ByColor::from_fn(|color| position.reserve(color).count(kind)),
            })
            .collect(),
        free_around_bee: ByColor::from_fn(|color| position.free_around_bee(color)),
        free_around_bee_label: "free around bee",
    }
}

fn progress(position: &Position) -> String {
    let rounds = LAST_TURN / 2;
    let round = (position.turn() / 2 + 1).min(rounds);
    format!("round {round} of {rounds}")
}

fn spot(cell: Cell) -> Spot {
    ContestBoard::hex(cell).into()
}

fn pile(position: &Position, cell: Cell) -> Option<Pile> {
    Some(Pile {
        spot: spot(cell),
        covered: position.covered_on(cell).map(figure).collect(),
        top: figure(position.top(cell)?),
    })
}

fn figure(piece: ContestPiece) -> Figure {
    Figure {
        paint: piece.color.into(),
        letter: piece.kind.letter(),
        number: None,
        name: piece.kind.name(),
        is_bee: piece.kind == Kind::Bee,
    }
}
