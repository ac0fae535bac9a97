//! What each move of a recorded game gave away.

use std::io::{IsTerminal, Write};

use super::{Args, Exit};
use crate::analysis::{Analyst, Notation, ReviewedPly, Reviewer, Step, Value};
use crate::hive::{Color, RuleBook};
use crate::search::Evaluator;
use crate::view::Paint;
use crate::view::terminal::Line;

/// A recorded game.
pub(super) struct Recorded<R: RuleBook, N> {
    /// Who plays whom.
    pub(super) players: String,
    pub(super) steps: Vec<Step<R>>,
    /// That of the first position.
    pub(super) notation: N,
    /// How the game ended, if it did.
    pub(super) ending: Option<String>,
    pub(super) is_damaged: bool,
}

/// Prints a table of all moves and the worst of them.
pub(super) fn show<R: RuleBook, N: Notation<R>, E: Evaluator<R>>(
    args: &Args,
    recorded: &Recorded<R, N>,
    [game, alternatives]: [Analyst<R, E>; 2],
) -> anyhow::Result<Exit> {
    let show_progress = std::io::stderr().is_terminal();
    let reviewed = Reviewer::new(game, alternatives).review(&recorded.steps, |done, all| {
        if show_progress {
            eprint!("\rposition {} of {all} ", done + 1);
        }
    });
    if show_progress {
        eprintln!();
    }
    let rows = rows(&reviewed, &recorded.notation);
    let mut out = std::io::stdout().lock();
    // Through a line, so that names cannot do things to the terminal.
    writeln!(out, "{}", Line::from(recorded.players.as_str()))?;
    write!(out, "{}", table(&rows, N::PAINTS[Color::Red]))?;
    if let Some(ending) = &recorded.ending {
        writeln!(out, "{ending}")?;
    }
    let mut worst: Vec<&Row> = rows.iter().filter(|row| row.better.is_some()).collect();
    worst.sort_by(|a, b| b.loss.total_cmp(&a.loss));
    writeln!(out, "\nmoves that gave away most:")?;
    for row in worst.into_iter().take(args.lines.into()) {
        writeln!(out, "{} ({})", row.line(), row.mover)?;
    }
    Ok(if recorded.is_damaged {
        Exit::Failure
    } else {
        Exit::Success
    })
}

/// A move in the table.
struct Row {
    turn: u16,
    mover: Paint,
    played: String,
    before: Value,
    after: Value,
    loss: f64,
    better: Option<String>,
}

impl Row {
    fn line(&self) -> String {
        let loss = match self.better {
            None => "-".to_owned(),
            Some(_) => format!("{:.1}%", 100.0 * self.loss),
        };
        line(
            &(self.turn + 1).to_string(),
            &self.played,
            &self.after.to_string(),
            &loss,
            self.better.as_deref().unwrap_or_default(),
        )
    }
}

fn rows<R: RuleBook, N: Notation<R>>(reviewed: &[ReviewedPly<R>], notation: &N) -> Vec<Row> {
    let mut later: Option<N> = None;
    let mut rows = Vec::with_capacity(reviewed.len());
    for ply in reviewed {
        let notation = later.as_ref().unwrap_or(notation);
        let better = ply.mistake.as_ref();
        rows.push(Row {
            turn: ply.turn,
            mover: N::PAINTS[ply.mover()],
            played: notation.write(ply.played),
            before: ply.red_before,
            after: ply.red_after,
            loss: ply.loss(),
            better: better.map(|mistake| notation.write(mistake.better)),
        });
        later = Some(notation.after(ply.played));
    }
    rows
}

/// What the columns of the table say, of the side whose score it is.
fn columns(side: Paint) -> String {
    let side = side.to_string();
    format!(
        "\
{side:9}  {side}'s expected score after the move, by what came of it later: 100% is a win; win, draw and loss are certain
gave away  what the mover could expect less than with the better move; the score changes by this and by nothing else
better     the best other move, wherever something was given away
"
    )
}

/// A line for each move, one for each position that no line before it tells of, and what the columns say.
fn table(rows: &[Row], side: Paint) -> String {
    let heading = line("ply", "played", &side.to_string(), "gave away", "better");
    let mut lines = vec![heading];
    let mut last_turn = None;
    for row in rows {
        if last_turn != Some(row.turn) {
            let before = row.before.to_string();
            lines.push(line(&row.turn.to_string(), "", &before, "", ""));
        }
        lines.push(row.line());
        last_turn = Some(row.turn + 1);
    }
    format!("{}\n{}", lines.join("\n"), columns(side))
}

fn line(ply: &str, played: &str, score: &str, loss: &str, better: &str) -> String {
    let line = format!("{ply:>3}  {played:16}  {score:>6}  {loss:>9}  {better}");
    line.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{ContestNotation, Mistake};
    use crate::hive::contest::{Contest, Move};
    use crate::search::Proof;

    fn ply(
        turn: u16,
        before: f64,
        after: Value,
        mistake: Option<Mistake<Contest>>,
    ) -> ReviewedPly<Contest> {
        ReviewedPly {
            turn,
            played: Move::Pass,
            red_before: Value::Expected(before),
            red_after: after,
            mistake,
        }
    }

    #[test]
    fn the_table_begins_with_the_score_before_the_first_move_and_ends_with_an_explanation() {
        let better = "drag -1,-2 -1,-1".parse().unwrap();
        let mistake = |loss| Some(Mistake { better, loss });
        let reviewed = [
            ply(0, 0.5, Value::Expected(0.25), mistake(0.25)),
            ply(1, 0.25, Value::Expected(0.25), None),
            // Plies are missing here.
            ply(4, 0.75, Value::Proven(Proof::Loss), mistake(0.75)),
        ];
        let table = table(&rows(&reviewed, &ContestNotation), Paint::Red);
        let expected = "\
ply  played               red  gave away  better
  0                     50.0%
  1  skip               25.0%      25.0%  drag -1,-2 -1,-1
  2  skip               25.0%          -
  4                     75.0%
  5  skip                loss      75.0%  drag -1,-2 -1,-1
";
        assert_eq!(table, format!("{expected}{}", columns(Paint::Red)));
    }
}
