//! Shows a match in the terminal: the board after every ply, then the result.

use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use wabe_files::text::{self, printable};
use wabe_hive::game::{Game, Record, Side};
use wabe_hive::{ByColor, Color};
use wabe_records::MoveTimes;
use wabe_records::diagram::Diagram;
use wabe_records::layout::Layout;
use wabe_records::view::terminal::{ColorMode, Line, Role, Screen, Size, Text, draw};

/// Maximum length of a hint on screen, in characters.
const MAX_HINT: usize = 120;

/// Prints a match while it is played.
#[derive(Debug)]
pub(crate) struct Display<W> {
    pub(crate) screen: Screen<W>,
    /// Colours, if any.
    pub(crate) color_mode: ColorMode,
    /// Measures the terminal before each board, so that boards overwrite each other. If it returns
    /// `None`, boards are printed one below the other.
    pub(crate) terminal: fn() -> Option<Size>,
    /// Prints only the result.
    pub(crate) quiet: bool,
    pub(crate) sides: ByColor<Side>,
    pub(crate) seed: u64,
    pub(crate) timing: ByColor<MoveTimes>,
}

impl<W: Write> Display<W> {
    /// Prints the players, the seed and the start position.
    ///
    /// # Errors
    /// When the output cannot be written. Also applies to the other methods.
    pub(crate) fn began(&mut self, players: &ByColor<String>, diagram: &Diagram) -> io::Result<()> {
        let mut text = self.players(players);
        text.push(format!("seed  {}", self.seed));
        text.push("");
        if !self.quiet {
            self.screen.print(&text)?;
        }
        self.show(" 0. the board is empty".into(), "", diagram)
    }

    /// Prints the last ply with the player's hint. `layouts` are those before and after the ply.
    pub(crate) fn played<G: Game>(
        &mut self,
        record: &Record<G>,
        [before, after]: [&Layout; 2],
        time: Duration,
        hint: Option<&str>,
    ) -> io::Result<()> {
        let Some(ply) = record.plies().last() else {
            return Ok(());
        };
        let color = record.position().side_to_move().opponent();
        self.timing[color].add(time);
        let heading = Line::from(format!("{:2}. ", record.position().turn()))
            .styled(self.side_style(color), self.sides[color].to_string())
            .text(format!(" {} ({:.2} s)", ply.text, time.as_secs_f64()));
        let diagram = Diagram::new(record, after, before);
        self.show(heading, hint.unwrap_or_default(), &diagram)
    }

    /// Prints the result and the path of the replay.
    pub(crate) fn finished(
        &mut self,
        sentence: &str,
        names: &ByColor<String>,
        replay: Option<&Path>,
    ) -> io::Result<()> {
        let strong = self.color_mode.style(Role::Strong);
        let mut text: Text = [Line::new().styled(strong, sentence)].into_iter().collect();
        text = text.above(self.players(names));
        for color in Color::ALL {
            text.push(format!("{:<5} {}", self.sides[color], self.timing[color]));
        }
        if let Some(replay) = replay {
            text.push(format!("replay {}", replay.display()));
        }
        text.push(format!("seed  {}", self.seed));
        self.screen.print(&text)
    }

    fn side_style(&self, color: Color) -> anstyle::Style {
        self.color_mode.style(Role::Side(self.sides[color]))
    }

    fn players(&self, names: &ByColor<String>) -> Text {
        let line = |color| {
            Line::new()
                .styled(self.side_style(color), format!("{:5}", self.sides[color]))
                .text(format!(" {}", printable(&names[color], text::MAX_NAME)))
        };
        Color::ALL.into_iter().map(line).collect()
    }

    fn show(&mut self, heading: Line, hint: &str, diagram: &Diagram) -> io::Result<()> {
        if self.quiet {
            return Ok(());
        }
        let color_mode = self.color_mode;
        let hint = format!("    {}", printable(hint, MAX_HINT));
        let hint = Line::new().styled(color_mode.style(Role::Faint), hint);
        let mut drawing = [heading, hint].into_iter().collect::<Text>();
        drawing = drawing.above(draw(diagram, color_mode));
        drawing.push("");
        self.screen.show(&drawing, (self.terminal)())
    }
}
