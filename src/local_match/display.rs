//! What a watched match looks like in a terminal.

use std::io::{self, Write};

use super::history::{self, History};
use super::{Finished, Played, Settings, commentary};
use crate::hive::ByColor;
use crate::hive::contest::{Move, Position};
use crate::protocol::GameResult;
use crate::replay::Timing;
use crate::view::contest_scene;
use crate::view::terminal::{Look, Screen, Size, Text, draw};

/// What of a match is shown, and how.
#[derive(Clone, Copy, Debug)]
pub struct DisplayOptions {
    /// With or without colours.
    pub look: Look,
    /// Measures the terminal in which boards replace each other, before each board. Where it gives `None`, boards go one below
    /// the other.
    pub terminal: fn() -> Option<Size>,
    /// Only the result.
    pub quiet: bool,
}

/// Lines of what is shown after a ply: two lines about the ply, a board, and an empty line.
const FRAME_HEIGHT: usize = 28;

/// Columns of board and legend.
const BOARD_WIDTH: usize = 80;

/// Columns between the legend and the list of moves.
const HISTORY_GAP: usize = 2;

/// Shows a match as it happens.
#[derive(Debug)]
pub struct Display<W> {
    screen: Screen<W>,
    options: DisplayOptions,
    seed: u64,
    names: ByColor<String>,
    last: Option<Position>,
    timing: Timing,
    history: History,
}

impl<W: Write> Display<W> {
    /// Says who will play, and the number that deals the same match again.
    ///
    /// # Errors
    /// When it cannot be written, here as in the other methods.
    pub fn new(out: W, options: DisplayOptions, settings: &Settings) -> io::Result<Display<W>> {
        let mut display = Display {
            screen: Screen::new(out),
            options,
            seed: settings.seed,
            names: settings.names.clone(),
            last: None,
            timing: Timing::default(),
            history: History::default(),
        };
        if !options.quiet {
            let mut text = commentary::players(&settings.contenders, options.look);
            text.push(display.seed_line());
            text.push("");
            display.screen.print(&text)?;
        }
        Ok(display)
    }

    /// The game begins.
    pub fn began(&mut self, position: &Position) -> io::Result<()> {
        let mut text = Text::new();
        text.push(" 0. the board is empty");
        text.push("");
        self.show(text, position, None)
    }

    /// A ply was made.
    pub fn played(&mut self, played: &Played) -> io::Result<()> {
        let look = self.options.look;
        self.timing.add(played.color, played.time);
        self.history.push(played, look);
        self.show(
            commentary::ply(played, look),
            &played.position,
            Some(played.mv),
        )
    }

    /// The match is over.
    pub fn finished(&mut self, result: &GameResult, finished: &Finished) -> io::Result<()> {
        let names = &self.names;
        let look = self.options.look;
        let mut text = commentary::result(result, self.last.as_ref(), names, &self.timing, look);
        if let Some(replay) = &finished.replay {
            text.push(format!("replay {}", replay.display()));
        }
        text.push(self.seed_line());
        self.screen.print(&text)
    }

    fn seed_line(&self) -> String {
        format!("seed  {}", self.seed)
    }

    fn show(
        &mut self,
        heading: Text,
        position: &Position,
        last_move: Option<Move>,
    ) -> io::Result<()> {
        self.last = Some(*position);
        if self.options.quiet {
            return Ok(());
        }
        let look = self.options.look;
        let size = (self.options.terminal)();
        let picture = draw(&contest_scene(position, last_move), look);
        let list = self.history.latest(look);
        self.screen.show(&frame(heading, picture, list, size), size)
    }
}

/// What is shown after a ply in a terminal of this size: beside the board a list of the latest moves, where it stands in for
/// earlier boards that are gone and has room.
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
    debug_assert_eq!(frame.height(), FRAME_HEIGHT);
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame_of(size: Option<Size>) -> Text {
        let mut heading = Text::new();
        heading.push("heading");
        heading.push("");
        let position: Position = "2 -5,5;5,-5;0,0 -5,0:rQ;-4,-1:bQ AAABBGGSSS/AAABBGGSSS"
            .parse()
            .unwrap();
        let picture = draw(&contest_scene(&position, None), Look::Plain);
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
