//! The game of the Software Challenge 2020.

use rand::Rng;

use crate::contest::{Contest, Deal, Kind, LAST_TURN, Position, random_brambles};
use crate::game::{Game, PlainNotation, Side};
use crate::hex::CellSet;
use crate::{ByColor, Color, Piece};

impl Game for Contest {
    type Variant = Deal;
    type Notation = PlainNotation;
    type RepetitionKey = ();

    const WORD: &'static str = "contest";

    const SIDES: ByColor<Side> = ByColor {
        red: Side::Red,
        blue: Side::Blue,
    };

    const BEE: &'static str = "bee";

    fn variants() -> Vec<Deal> {
        vec![Deal::Contest, Deal::Rulebook]
    }

    /// Draws the brambles from `rng`.
    fn start(deal: Deal, rng: &mut impl Rng) -> Position {
        deal.start(random_brambles(rng))
    }

    /// A board without brambles.
    fn plain_start(deal: Deal) -> Position {
        deal.start(CellSet::EMPTY)
    }

    fn variant_of(position: &Position) -> Deal {
        let cells = position.occupied();
        let is_rulebook = |color| {
            let piece = Piece::new(color, Kind::Grasshopper);
            let stacks = cells.into_iter().map(|cell| position.stack(cell));
            let placed = stacks.flatten().filter(|&p| p == piece).count();
            placed + usize::from(position.reserve(color).count(piece.kind)) > 2
        };
        if Color::ALL.into_iter().any(is_rulebook) {
            Deal::Rulebook
        } else {
            Deal::Contest
        }
    }

    fn repetition_key(_position: &Position) {}

    fn progress(turn: u16) -> String {
        let rounds = LAST_TURN / 2;
        let round = (turn / 2 + 1).min(rounds);
        format!("round {round} of {rounds}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variant_of_counts_covered_pieces() {
        let text = "12 - 0,0:rQ;1,0:bQ;2,0:bGrB;3,0:bG AAABGGGSS/AAABBGSS";
        assert_eq!(Contest::variant_of(&text.parse().unwrap()), Deal::Rulebook);
        let text = text.replace("AAABGGGSS/AAABBGSS", "AAABGGSSS/AAABBSSS");
        assert_eq!(Contest::variant_of(&text.parse().unwrap()), Deal::Contest);
        let text = "12 - 0,0:rQ;1,0:bQ;2,0:bGrB;3,0:bG AAABGGS/AAABBGS";
        assert_eq!(Contest::variant_of(&text.parse().unwrap()), Deal::Rulebook);
    }
}
