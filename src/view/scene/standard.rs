//! Positions of standard Hive's games.

use super::{Figure, InReserve, Paint, Pile, Scene, Spot, Stage};
use crate::hex::Cell;
use crate::hive::standard::notation::{Game, GameState, PieceName};
use crate::hive::standard::{Kind, Layout, Move};
use crate::hive::{ByColor, Color, PieceKind};

/// What there is to see of a game's position that `layout` lays out; `last` is the move that led to it and the layout before it.
pub fn standard_scene(game: &Game, layout: &Layout, last: Option<(Move, &Layout)>) -> Scene {
    let position = game.position();
    let side = Paint::STANDARD[position.side_to_move()];
    let moved_from = match last {
        Some((Move::Drag { from, .. }, before)) => before.place(from).map(spot),
        _ => None,
    };
    let moved_to = last.and_then(|(mv, _)| layout.place(mv.destination()?));
    let mut fields: Vec<Spot> = layout.places().map(|(_, place)| spot(place)).collect();
    fields.extend(moved_from.filter(|from| !fields.contains(from)));
    let state = game.state();
    Scene {
        fields,
        has_coordinates: false,
        obstacles: Vec::new(),
        piles: layout
            .places()
            .filter_map(|(cell, place)| pile(game, cell, spot(place)))
            .collect(),
        moved_from,
        moved_to: moved_to.map(spot),
        turn: position.turn(),
        progress: format!("turn {}", position.turn() / 2 + 1),
        stage: match state {
            GameState::NotStarted | GameState::InProgress => Stage::ToMove(side),
            GameState::Draw => Stage::Drawn,
            GameState::WhiteWins => Stage::Won(Paint::White),
            GameState::BlackWins => Stage::Won(Paint::Black),
        },
        state: sentence(game),
        paints: Paint::STANDARD,
        reserves: Kind::ALL
            .iter()
            .filter(|&&kind| game.game_type().has(kind))
            .map(|&kind| InReserve {
                letter: kind.letter(),
                name: kind.name(),
                counts: ByColor::from_fn(|color| position.reserve(color).count(kind)),
            })
            .collect(),
        free_around_bee: ByColor::from_fn(|color| position.free_around_bee(color)),
        free_around_bee_label: "free round queen",
    }
}

/// Who has to move, or how the game ended and why.
fn sentence(game: &Game) -> String {
    let surrounded = "queen is surrounded";
    match game.state() {
        GameState::NotStarted | GameState::InProgress => {
            let side = Paint::STANDARD[game.position().side_to_move()];
            format!("{side} to move")
        }
        GameState::WhiteWins => format!("white wins: black's {surrounded}"),
        GameState::BlackWins => format!("black wins: white's {surrounded}"),
        GameState::Draw if game.is_drawn_by_repetition() => {
            "draw: this position has occurred three times".to_owned()
        }
        GameState::Draw => "draw: both queens are surrounded".to_owned(),
    }
}

fn spot((x, y): (i32, i32)) -> Spot {
    Spot::new(x, y)
}

fn pile(game: &Game, cell: Cell, spot: Spot) -> Option<Pile> {
    let mut figures: Vec<Figure> = game.stack(cell).map(figure).collect();
    let top = figures.pop()?;
    Some(Pile {
        spot,
        covered: figures,
        top,
    })
}

fn figure(name: PieceName) -> Figure {
    let piece = name.piece();
    let kind: Kind = piece.kind;
    let color: Color = piece.color;
    Figure {
        paint: Paint::STANDARD[color],
        letter: kind.letter(),
        number: (kind.pieces_per_side() > 1).then(|| name.ordinal()),
        name: kind.name(),
        is_bee: kind == Kind::Queen,
    }
}
