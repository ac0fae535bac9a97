//! A watched match in a terminal.

use std::io::{self, Write};
use std::path::Path;

use super::history::{self, History};
use super::{ShownPly, players, ply, result};
use wabe_hive::ByColor;
use wabe_hive::game::Paint;
use wabe_records::Timing;
use wabe_records::scene::Scene;
use wabe_records::view::terminal::{Look, Screen, Size, Text, draw, draw_compact};

/// Options for showing a match.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DisplayOptions {
    /// With or without colours.
    pub(crate) look: Look,
    /// Measures the terminal before each board, so that boards replace each other. Where it gives `None`, boards are printed one below the
    /// other.
    pub(crate) terminal: fn() -> Option<Size>,
    /// Shows only the result.
    pub(crate) quiet: bool,
}

/// Lines after a ply of the contest: two about the ply, a board, and an empty one.
const FRAME_HEIGHT: usize = 28;

/// Columns of board and legend.
const BOARD_WIDTH: usize = 80;

/// Columns between the legend and the list of moves.
const HISTORY_GAP: usize = 2;

/// Shows a match as it happens.
#[derive(Debug)]
pub(crate) struct Display<W> {
    screen: Screen<W>,
    options: DisplayOptions,
    sides: ByColor<Paint>,
    seed: u64,
    timing: Timing,
    history: History,
}

impl<W: Write> Display<W> {
    /// A match with this seed.
    pub(crate) fn new(
        out: W,
        options: DisplayOptions,
        seed: u64,
        sides: ByColor<Paint>,
    ) -> Display<W> {
        Display {
            screen: Screen::new(out),
            options,
            sides,
            seed,
            timing: Timing::default(),
            history: History::default(),
        }
    }

    /// Names the players and the seed that deals the same match again, and shows the first position.
    ///
    /// # Errors
    /// When the output cannot be written, here as in the other methods.
    pub(crate) fn began(&mut self, who: &ByColor<String>, scene: &Scene) -> io::Result<()> {
        if !self.options.quiet {
            let mut text = players(who, self.sides, self.options.look);
            text.push(self.seed_line());
            text.push("");
            self.screen.print(&text)?;
        }
        let mut text = Text::new();
        text.push(" 0. the board is empty");
        text.push("");
        self.show(text, scene)
    }

    /// Shows a ply.
    pub(crate) fn played(&mut self, shown: &ShownPly) -> io::Result<()> {
        let look = self.options.look;
        self.timing.add(shown.color, shown.time);
        self.history.push(shown, look);
        self.show(ply(shown, look), &shown.scene)
    }

    /// Prints the result and the path of the replay.
    pub(crate) fn finished(
        &mut self,
        sentence: &str,
        names: &ByColor<String>,
        replay: Option<&Path>,
    ) -> io::Result<()> {
        let look = self.options.look;
        let mut text = result(sentence, names, self.sides, &self.timing, look);
        if let Some(replay) = replay {
            text.push(format!("replay {}", replay.display()));
        }
        text.push(self.seed_line());
        self.screen.print(&text)
    }

    fn seed_line(&self) -> String {
        format!("seed  {}", self.seed)
    }

    fn show(&mut self, heading: Text, scene: &Scene) -> io::Result<()> {
        if self.options.quiet {
            return Ok(());
        }
        let look = self.options.look;
        let size = (self.options.terminal)();
        let picture = match size {
            // Heading and picture, an empty line and that of the cursor.
            Some(size) => draw_compact(scene, look, size.rows.saturating_sub(heading.height() + 2)),
            None => draw(scene, look),
        };
        let list = self.history.latest(look);
        self.screen.show(&frame(heading, picture, list, size), size)
    }
}

/// The picture after a ply in a terminal of this size. Where boards replace each other and there is room, a list of the latest moves stands
/// beside the board.
fn frame(heading: Text, mut picture: Text, list: Text, size: Option<Size>) -> Text {
    let has_list = size.is_some_and(|size| {
        size.has_room_for(FRAME_HEIGHT)
            && size.columns >= BOARD_WIDTH + HISTORY_GAP + history::WIDTH
    });
    if has_list {
        picture = picture.beside(list, HISTORY_GAP);
    }
    let mut frame = heading.above(picture);
    frame.push("");
    frame
}

#[cfg(test)]
mod tests {
    use super::*;
    use wabe_hive::Position;
    use wabe_hive::contest::Contest;
    use wabe_hive::game::Record;

    fn frame_of(size: Option<Size>) -> Text {
        let mut heading = Text::new();
        heading.push("heading");
        heading.push("");
        let position: Position<Contest> = "2 -5,5;5,-5;0,0 -5,0:rQ;-4,-1:bQ AAABBGGSSS/AAABBGGSSS"
            .parse()
            .unwrap();
        let picture = draw(&Scene::of(&Record::from(position)), Look::Plain);
        let list = History::default().latest(Look::Plain);
        frame(heading, picture, list, size)
    }

    #[test]
    fn the_list_of_moves_stands_beside_the_board_where_all_of_it_has_room() {
        for (columns, rows, has_list) in [
            (120, 29, true),
            (300, 99, true),
            (119, 29, false),
            (120, 28, false),
            (60, 20, false),
        ] {
            let frame = frame_of(Some(Size { columns, rows }));
            assert_eq!(frame.height(), FRAME_HEIGHT);
            assert_eq!(
                frame.to_string().contains("score"),
                has_list,
                "{columns} × {rows}"
            );
            assert!(!has_list || frame.width() <= columns);
        }
        assert!(frame_of(None).width() <= BOARD_WIDTH);
    }
}
