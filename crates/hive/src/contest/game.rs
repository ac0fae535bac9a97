//! The game of the Software Challenge 2020.

use rand::Rng;

use crate::contest::{Contest, Deal, Kind, LAST_TURN, Position, random_brambles};
use crate::game::{Game, Paint, PlainNotation};
use crate::hex::CellSet;
use crate::{ByColor, Color};

impl Game for Contest {
    type Variant = Deal;
    type Notation = PlainNotation;
    type Occurrence = ();

    const WORD: &'static str = "contest";

    const SIDES: ByColor<Paint> = ByColor {
        red: Paint::Red,
        blue: Paint::Blue,
    };

    const BEE: &'static str = "bee";

    fn variants() -> Vec<Deal> {
        vec![Deal::Server, Deal::Rulebook]
    }

    /// Draws the brambles.
    fn start(deal: Deal, rng: &mut impl Rng) -> Position {
        deal.start(random_brambles(rng))
    }

    /// Leaves out the brambles.
    fn plain_start(deal: Deal) -> Position {
        deal.start(CellSet::EMPTY)
    }

    fn variant_of(position: &Position) -> Deal {
        let count = |color, kind| {
            let placed = position.tops_of_kind(kind) & position.tops(color);
            usize::from(position.reserve(color).count(kind)) + placed.count_cells()
        };
        let is_rulebook = |color| count(color, Kind::Grasshopper) > 2;
        if Color::ALL.into_iter().any(is_rulebook) {
            Deal::Rulebook
        } else {
            Deal::Server
        }
    }

    fn occurrence(_position: &Position) {}

    fn progress(turn: u16) -> String {
        let rounds = LAST_TURN / 2;
        let round = (turn / 2 + 1).min(rounds);
        format!("round {round} of {rounds}")
    }
}
