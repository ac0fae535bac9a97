//! The game of the Software Challenge 2020.

use rand::Rng;

use crate::contest::{Contest, Deal, Kind, LAST_TURN, Position, random_brambles};
use crate::game::{Game, PlainNotation, Side};
use crate::hex::{CellSet, ContestBoard, Grid};
use crate::{ByColor, Color, IllegalMove, Move, Piece};

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

    fn explain(position: &Position, mv: Move<Contest>, why: &IllegalMove) -> String {
        let (IllegalMove::Placement(_), Move::Place { to, .. }) = (why, mv) else {
            return why.to_string();
        };
        let color = position.side_to_move();
        let others = position.tops(color.opponent());
        let rule = if position.occupied().contains(to) {
            "the field is occupied"
        } else if position.obstacles().contains(to) {
            "the field is a bramble"
        } else if !position.has_placed(color) {
            "the first piece must touch the hive"
        } else if ContestBoard::neighbours(others).contains(to) {
            "the field is next to the other side's pieces"
        } else {
            "the field is not next to an own piece"
        };
        format!("{why}: {rule}")
    }

    fn progress(turn: u16) -> String {
        let rounds = LAST_TURN / 2;
        let round = (turn / 2 + 1).min(rounds);
        format!("round {round} of {rounds}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Record;

    #[test]
    fn illegal_placements_name_the_broken_rule() {
        let running = "8 4,0 -1,0:rA;0,0:rQ;1,0:bQ;2,0:bA AB/AB";
        for (text, mv, rule) in [
            (running, "set A 1,0", "the field is occupied"),
            (running, "set A 4,0", "the field is a bramble"),
            (running, "set A 1,-1", "next to the other side's pieces"),
            (running, "set A 5,0", "not next to an own piece"),
            ("1 - 0,0:rA ABG/ABG", "set A 2,0", "must touch the hive"),
        ] {
            let mut record = text.parse::<Record<Contest>>().unwrap();
            let problem = record.play_text(mv).unwrap_err().to_string();
            assert!(problem.ends_with(rule), "{mv}: {problem}");
        }
    }

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
