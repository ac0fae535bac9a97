//! The upper part of a search tree as a vector graphic.

use std::fmt::Write;

use super::Value;
use crate::game::{Game, Paint, Record};
use crate::hive::RuleBook;
use crate::search::{Branch, Branches};
use crate::view::escape;

/// Size of the box of a move, and the room around it, in the picture's units.
const BOX: (f64, f64) = (206.0, 38.0);
const GAP: (f64, f64) = (46.0, 10.0);

/// Height of the line below the boxes that says how many moves are not shown.
const MORE: f64 = 10.0;
const MARGIN: f64 = 10.0;

/// Width of the line to a move that has all visits of the position before it.
const WIDEST: f64 = 16.0;

/// Works on light and dark pages.
const STYLE: &str = "\
.link{fill:none;stroke:#a9a9a9;stroke-linecap:butt}\
.red{fill:#d8483e;stroke:#8d231c}.blue{fill:#3f7fd0;stroke:#1d4a86}\
.white{fill:#fbf7ec;stroke:#8a8371}.black{fill:#39342e;stroke:#0e0c0a}\
.start{fill:#f4ead2;stroke:#c9b788}\
.move{fill:#fff;font:700 13px system-ui,sans-serif}\
.values{fill:#fff;font:11px system-ui,sans-serif}\
.white~text{fill:#222}\
.start-text{fill:#4a3d18;font:700 13px system-ui,sans-serif}\
.start-values{fill:#4a3d18;font:11px system-ui,sans-serif}\
.more{fill:#8a8a8a;font:11px system-ui,sans-serif}";

/// A picture of a search: the position at the left, each ply a column, each move a box in its side's colour with visits, prior and
/// value for that side; the wider a line, the greater the move's share of the visits. Complete and without references to
/// anything else. `record` is the game up to the position.
pub fn tree_picture<G: Game>(record: &Record<G>, tree: &Branches<G>) -> String {
    let mut drawing = Drawing::default();
    let middle = drawing.branches(tree, record, 1);
    let position = record.position();
    let side = G::SIDES[position.side_to_move()];
    drawing.note(
        "start",
        (MARGIN, middle),
        (
            &format!("turn {}, {side} to move", position.turn()),
            &visits(tree.visits),
        ),
    );
    let columns = drawing.columns as f64;
    let width = 2.0 * MARGIN + columns * BOX.0 + (columns - 1.0) * GAP.0;
    let height = 2.0 * MARGIN + drawing.used_height - GAP.1;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\">\
         <title>Search tree at turn {}, {side} to move</title><style>{STYLE}</style>{}{}</svg>\n",
        position.turn(),
        drawing.links,
        drawing.boxes
    )
}

#[derive(Default)]
struct Drawing {
    links: String,
    boxes: String,
    /// Height that the rows so far take.
    used_height: f64,
    /// Columns so far, that of the position included.
    columns: usize,
}

impl Drawing {
    /// Draws the moves of a position into a column, and the lines that lead there. Returns the height of their middle.
    fn branches<G: Game>(
        &mut self,
        branches: &Branches<G>,
        record: &Record<G>,
        column: usize,
    ) -> f64 {
        self.columns = self.columns.max(column);
        let left = left_of(column);
        if branches.shown.is_empty() {
            let middle = MARGIN + self.used_height + BOX.1 / 2.0;
            self.used_height += BOX.1 + GAP.1;
            return middle;
        }
        self.columns = self.columns.max(column + 1);
        let middles: Vec<f64> = branches
            .shown
            .iter()
            .map(|branch| {
                let mut after = record.clone();
                // An illegal move would leave the game as it is.
                let _ = after.play(branch.mv);
                let middle = self.branches(&branch.replies, &after, column + 1);
                let side = G::SIDES[record.position().side_to_move()];
                self.branch(branch, &record.write(branch.mv), side, (left, middle));
                middle
            })
            .collect();
        let (first, last) = (middles[0], middles[middles.len() - 1]);
        let middle = (first + last) / 2.0;
        for (branch, to) in branches.shown.iter().zip(middles) {
            let share = branch.visits as f64 / branches.visits.max(1) as f64;
            self.link((left - GAP.0, middle), (left, to), share);
        }
        if branches.omitted > 0 {
            self.used_height = self
                .used_height
                .max(last - MARGIN + BOX.1 / 2.0 + GAP.1 + MORE);
            let _ = write!(
                self.boxes,
                "<text class=\"more\" x=\"{left:.1}\" y=\"{:.1}\">and {} more</text>",
                last + BOX.1 / 2.0 + 11.0,
                branches.omitted
            );
        }
        middle
    }

    fn branch<R: RuleBook>(
        &mut self,
        branch: &Branch<R>,
        text: &str,
        paint: Paint,
        at: (f64, f64),
    ) {
        let value = match branch.proof {
            Some(proof) => Value::Proven(proof),
            None => Value::Expected(branch.score),
        };
        let values = format!(
            "{}, prior {:.0}%, value {value}",
            visits(branch.visits),
            100.0 * branch.prior
        );
        self.note(&paint.to_string(), at, (&escape(text), &values));
    }

    /// A box with two lines of text, `at` the middle of its left side.
    fn note(&mut self, class: &str, (left, middle): (f64, f64), (first, second): (&str, &str)) {
        let (first_class, second_class) = match class {
            "start" => ("start-text", "start-values"),
            _ => ("move", "values"),
        };
        let _ = write!(
            self.boxes,
            "<g><rect class=\"{class}\" x=\"{left:.1}\" y=\"{:.1}\" width=\"{}\" height=\"{}\" rx=\"5\"/>\
             <text class=\"{first_class}\" x=\"{:.1}\" y=\"{:.1}\">{first}</text>\
             <text class=\"{second_class}\" x=\"{:.1}\" y=\"{:.1}\">{second}</text></g>",
            middle - BOX.1 / 2.0,
            BOX.0,
            BOX.1,
            left + 8.0,
            middle - 3.0,
            left + 8.0,
            middle + 12.0
        );
    }

    fn link(&mut self, from: (f64, f64), to: (f64, f64), share: f64) {
        let bend = (from.0 + to.0) / 2.0;
        let _ = write!(
            self.links,
            "<path class=\"link\" stroke-width=\"{:.1}\" d=\"M{:.1},{:.1}C{bend:.1},{:.1} {bend:.1},{:.1} {:.1},{:.1}\"/>",
            (WIDEST * share).max(1.0),
            from.0,
            from.1,
            from.1,
            to.1,
            to.0,
            to.1
        );
    }
}

fn visits(count: u64) -> String {
    match count {
        1 => "1 visit".to_owned(),
        _ => format!("{count} visits"),
    }
}

/// The left edge of a column; the position itself is in column 0.
fn left_of(column: usize) -> f64 {
    MARGIN + column as f64 * (BOX.0 + GAP.0)
}
