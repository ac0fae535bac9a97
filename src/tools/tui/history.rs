//! The list of the latest moves that stands beside the board.

use std::time::Duration;

use super::ShownPly;
use wabe_records::view::terminal::{Line, Look, Role, Text};

/// Columns of the list.
pub(super) const WIDTH: usize = 38;

/// Moves in the list: as many as there are lines beside the board, less the headings.
const LENGTH: usize = 24;

/// The moves of a match so far, a line for each.
#[derive(Clone, Debug, Default)]
pub(super) struct History(Vec<Line>);

impl History {
    /// Adds a move.
    pub(super) fn push(&mut self, shown: &ShownPly, look: Look) {
        self.0.push(row(shown, look));
    }

    /// The headings and the latest moves.
    pub(super) fn latest(&self, look: Look) -> Text {
        let mut text = Text::new();
        let headings = format!(
            "{:3} {:4} {:16} {:>6} {:>5}",
            "ply", "side", "move", "time/s", "score"
        );
        text.push(Line::new().styled(look.style(Role::Strong), headings));
        let hidden = self.0.len().saturating_sub(LENGTH);
        text.above(self.0.iter().skip(hidden).cloned().collect())
    }
}

/// Side, move, time, and the player's expected score.
fn row(shown: &ShownPly, look: Look) -> Line {
    Line::new()
        .text(format!("{:2}. ", shown.turn))
        .styled(
            look.style(Role::Side(shown.side)),
            format!(
                "{:4}",
                shown.side.to_string().chars().take(4).collect::<String>()
            ),
        )
        .text(format!(
            " {:16} {:>6} {:>5}",
            shown.text,
            seconds(shown.time),
            shown
                .score
                .map_or(String::new(), |score| format!("{score:.2}"))
        ))
}

/// Seconds, in six columns for the first eleven days.
fn seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let decimals = if seconds < 999.0 { 2 } else { 0 };
    format!("{seconds:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use wabe_hive::Position;
    use wabe_hive::contest::Contest;
    use wabe_hive::game::Record;
    use wabe_records::layout::Layout;

    fn shown(comment: &str, time: Duration) -> ShownPly {
        let text = "58 - 0,0:rQ;1,0:bQ AAABBGGSSS/AAABBGGSSS";
        let start: Position<Contest> = text.parse().unwrap();
        let mut record = Record::from(start);
        record.play_text("set A -1,0").unwrap();
        let layout = Layout::start(&start);
        let shown = ShownPly::new(&record, [&layout, &layout], time, Some(comment)).unwrap();
        ShownPly {
            text: "drag -1,-2 -1,-1".to_owned(),
            ..shown
        }
    }

    #[test]
    fn every_column_has_a_heading_and_the_longest_move_fits() {
        let mut history = History::default();
        for (hint, milliseconds) in [
            ("score=1.000 proof=win visits=0", 412),
            ("", 123_456),
            ("my own words", 99_999_000),
        ] {
            let time = Duration::from_millis(milliseconds);
            history.push(&shown(hint, time), Look::Plain);
        }
        let text = history.latest(Look::Plain);
        assert_eq!(
            text.to_string(),
            "ply side move             time/s score\n\
             59. red  drag -1,-2 -1,-1   0.41  1.00\n\
             59. red  drag -1,-2 -1,-1 123.46\n\
             59. red  drag -1,-2 -1,-1  99999\n"
        );
        assert_eq!(text.width(), WIDTH);
    }

    #[test]
    fn only_the_latest_moves_are_listed() {
        let mut history = History::default();
        for seconds in 0..30 {
            history.push(&shown("", Duration::from_secs(seconds)), Look::Plain);
        }
        let text = history.latest(Look::Plain);
        assert_eq!(text.height(), 1 + LENGTH);
        assert!(text.lines()[1].to_string().ends_with(" 6.00"));
    }
}
