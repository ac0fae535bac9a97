//! Formats ratings and head-to-head scores as a table.

use unicode_width::UnicodeWidthStr;

use super::engine::EngineSpec;
use super::tally::Tally;
use crate::statistics::{Crosstable, RatingGroup};

impl Crosstable {
    /// The results of a run. Ignores engines that are not in the run's settings.
    pub(super) fn from_tally(engines: usize, tally: &Tally) -> Crosstable {
        let mut crosstable = Crosstable::new(engines);
        for (&(first, second), tally) in &tally.pairings {
            if first != second && first.max(second) < engines {
                crosstable.add(first, second, tally.all.pairs());
            }
        }
        crosstable
    }
}

/// Formats one table per rating group, strongest engine first.
pub(super) fn rating_table(engines: &[EngineSpec], tally: &Tally) -> String {
    let crosstable = Crosstable::from_tally(engines.len(), tally);
    let groups = crosstable.rate();
    let table = |group| table(engines, &crosstable, group);
    groups.iter().map(table).collect()
}

/// Formats a group, one line per engine: rank, name, Elo, score and games, then points against each
/// opponent.
fn table(engines: &[EngineSpec], crosstable: &Crosstable, group: &RatingGroup) -> String {
    let ratings = group.ratings();
    let heading = ["", "ratings", "Elo", "score", "games"].map(str::to_owned);
    let ranks = (1..=ratings.len()).map(|rank| rank.to_string());
    let mut table: Vec<Vec<String>> = vec![heading.into_iter().chain(ranks).collect()];
    for (rank, rating) in (1..).zip(ratings) {
        let total = crosstable.total(rating.player);
        let mut row = vec![
            rank.to_string(),
            engines[rating.player].name.clone(),
            format!("{:.1}", rating.elo),
            format!("{:.1}%", 100.0 * total.score().unwrap_or(0.0)),
            total.games().to_string(),
        ];
        row.extend(ratings.iter().map(|opponent| {
            match crosstable.between(rating.player, opponent.player) {
                met if met.games() == 0 => "-".to_owned(),
                met => format!("{}/{}", met.points(), met.games()),
            }
        }));
        table.push(row);
    }
    let width = |column: usize| table.iter().map(|row| row[column].width()).max();
    let widths: Vec<usize> = (0..table[0].len()).filter_map(width).collect();
    let mut lines = String::new();
    for row in &table {
        let mut line = String::new();
        for (column, (text, width)) in row.iter().zip(&widths).enumerate() {
            let blanks = " ".repeat(width - text.width());
            // Names are left-aligned, numbers right-aligned.
            line += &match column {
                1 => format!(" {text}{blanks}"),
                0 => format!("{blanks}{text}"),
                _ => format!("  {blanks}{text}"),
            };
        }
        lines += line.trim_end();
        lines.push('\n');
    }
    if group.is_regularised() {
        lines += "some engines won every game against the others: the difference is unknown\n";
    }
    lines
}
