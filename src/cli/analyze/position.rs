//! The best moves of a position.

use std::io::Write;

use anyhow::Context;

use super::{Args, Exit};
use crate::analysis::{Analysis, Analyst, Notation, tree_picture};
use crate::hive::{Position, RuleBook};
use crate::search::Evaluator;
use crate::view::Paint;

/// How many moves of a position the picture of a tree shows at most, ply by ply.
const TREE_WIDTHS: [usize; 3] = [3, 2, 2];

/// A position that was asked about.
pub(super) struct Asked<'a, R: RuleBook, N> {
    pub(super) position: &'a Position<R>,
    pub(super) notation: &'a N,
    /// Its text form.
    pub(super) text: String,
    /// How the game ended there, if it did.
    pub(super) ending: Option<String>,
}

/// Prints what a search thinks of a position, and draws its tree if that is wanted.
pub(super) fn show<R: RuleBook, N: Notation<R>, E: Evaluator<R>>(
    args: &Args,
    asked: &Asked<'_, R, N>,
    mut analyst: Analyst<R, E>,
) -> anyhow::Result<Exit> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", asked.text)?;
    if let Some(ending) = &asked.ending {
        writeln!(out, "{ending}")?;
        return Ok(Exit::Success);
    }
    let analysis = analyst.analyze(asked.position, args.lines.into());
    if let Some(path) = &args.tree {
        let tree = analyst.branches(&TREE_WIDTHS);
        let variation = analysis
            .lines
            .iter()
            .take(1)
            .flat_map(|line| line.variation());
        let searched = variation
            .take(analysis.forced)
            .fold(asked.notation.clone(), |notation, mv| notation.after(mv));
        let picture = tree_picture(&analysis.searched, &searched, &tree);
        std::fs::write(path, picture)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    let side = N::PAINTS[asked.position.side_to_move()];
    writeln!(out, "{}", heading(side, &analysis))?;
    write!(out, "{}", analysis.table(asked.notation))?;
    Ok(Exit::Success)
}

/// Who moves, how much was searched, and what the order of the moves is.
fn heading<R: RuleBook>(side: Paint, analysis: &Analysis<R>) -> String {
    let searched = format!("{side} to move, {} iterations", analysis.nodes);
    match analysis.forced {
        0 => format!(
            "{searched}; scores are {side}'s; the first move is what wabe would play: a proven win, else the most visits"
        ),
        1 => format!("{searched} behind the only legal move; the score is {side}'s"),
        plies => format!("{searched} behind {plies} plies without a choice; the score is {side}'s"),
    }
}
