//! A table of the engines' ratings and of their scores against each other.

use unicode_width::UnicodeWidthStr;

use super::engine::EngineSpec;
use super::tally::Tally;
use crate::statistics::{Crosstable, Pentanomial, Rating, RatingGroup};

/// The tables of all engines of a run, the strongest first.
pub(super) fn rating_table(engines: &[EngineSpec], tally: &Tally) -> String {
    let mut crosstable = Crosstable::new(engines.len());
    for (&(first, second), tally) in &tally.pairings {
        if first != second && first.max(second) < engines.len() {
            crosstable.add(first, second, tally.pairs());
        }
    }
    // Rank, name, Elo, score and games; then what was scored against each engine of the table.
    let row = |rank: usize, rating: Rating, columns: &[Rating]| {
        let name = engines.get(rating.player).map(|e| e.name.clone());
        let total = crosstable.total(rating.player);
        let mut row = vec![
            rank.to_string(),
            name.unwrap_or_default(),
            format!("{:.1}", rating.elo),
            format!("{:.1}%", 100.0 * total.score().unwrap_or(0.0)),
            total.games().to_string(),
        ];
        row.extend(columns.iter().map(|opponent| {
            let met = crosstable.between(rating.player, opponent.player);
            cell(rating.player, opponent.player, met)
        }));
        row
    };
    let groups = crosstable.rate();
    groups.iter().map(|group| table(group, row)).collect()
}

/// The table of a group with a line for each engine.
fn table(group: &RatingGroup, row: impl Fn(usize, Rating, &[Rating]) -> Vec<String>) -> String {
    let ratings = group.ratings();
    let mut heading: Vec<String> = ["", "ratings", "Elo", "score", "games"]
        .map(str::to_owned)
        .into();
    heading.extend((1..=ratings.len()).map(|rank| rank.to_string()));
    let rows = (1..).zip(ratings);
    let rows = rows.map(|(rank, &rating)| row(rank, rating, ratings));
    let table: Vec<Vec<String>> = std::iter::once(heading).chain(rows).collect();
    let widths: Vec<usize> = (0..table[0].len())
        .map(|column| table.iter().map(|row| row[column].width()).max())
        .map(Option::unwrap_or_default)
        .collect();
    let mut lines = String::new();
    for row in &table {
        let mut line = String::new();
        for (column, (text, width)) in row.iter().zip(&widths).enumerate() {
            let blanks = " ".repeat(width - text.width());
            // Names are aligned left, numbers right.
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
        lines += "some engines won every game against the others: the distance is not known\n";
    }
    lines
}

/// Points out of games.
fn cell(player: usize, opponent: usize, met: Pentanomial) -> String {
    if player == opponent || met.games() == 0 {
        "-".to_owned()
    } else {
        format!("{}/{}", met.points(), met.games())
    }
}
