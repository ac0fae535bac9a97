//! What a watched match looks like in a terminal.

use std::io::{self, Write};

use super::{Finished, Played, Settings, commentary};
use crate::hive::ByColor;
use crate::hive::contest::{Move, Position};
use crate::protocol::GameResult;
use crate::replay::Timing;
use crate::view::terminal::{GAP, Line, Look, Screen, ScreenMode, Text, board, legend};

/// What of a match is shown, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DisplayOptions {
    /// With or without colours.
    pub look: Look,
    /// Whether boards replace each other.
    pub mode: ScreenMode,
    /// Only the result.
    pub quiet: bool,
}

/// Lines of what is shown after a ply: two lines about the ply, a board, and an empty line.
pub const FRAME_HEIGHT: usize = 28;

/// Columns of board and legend.
const BOARD_WIDTH: usize = 80;

/// Columns of a list of moves.
const HISTORY_WIDTH: usize = 34;

/// Moves in the list: as many as there are lines beside the board.
const HISTORY_LENGTH: usize = 24;

/// Shows a match as it happens.
#[derive(Debug)]
pub struct Display<W> {
    screen: Screen<W>,
    options: DisplayOptions,
    seed: u64,
    names: ByColor<String>,
    last: Option<Position>,
    timing: Timing,
    history: Vec<Line>,
}

impl<W: Write> Display<W> {
    /// Says who will play, and the number that deals the same match again.
    ///
    /// # Errors
    /// When it cannot be written, here as in the other methods.
    pub fn new(out: W, options: DisplayOptions, settings: &Settings) -> io::Result<Display<W>> {
        let mut display = Display {
            screen: Screen::new(out, options.mode),
            options,
            seed: settings.seed,
            names: settings.names.clone(),
            last: None,
            timing: Timing::default(),
            history: Vec::new(),
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
        self.history.push(commentary::short_ply(played, look));
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
        let mut picture = board(position, last_move, look).beside(legend(position, look), GAP);
        // Where earlier boards are gone, a list of the latest moves stands in for them.
        if let ScreenMode::Replace { columns } = self.options.mode
            && columns >= BOARD_WIDTH + GAP + HISTORY_WIDTH
        {
            let hidden = self.history.len().saturating_sub(HISTORY_LENGTH);
            let history = self.history.iter().skip(hidden).cloned().collect();
            picture = picture.beside(history, GAP);
        }
        let mut frame = heading.above(picture);
        frame.push("");
        debug_assert_eq!(frame.height(), FRAME_HEIGHT);
        self.screen.show(&frame)
    }
}
