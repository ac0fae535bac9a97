//! The result of a game, and a player's scores over several games.

use std::fmt;

use super::values::{color_name, parse_color, parse_integer};
use super::xml::{Element, ReadError};
use wabe_hive::{ByColor, Color};

/// The contents of `<data class="result">`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameResult {
    /// The score of each side.
    pub scores: ByColor<Score>,
    /// The winner; `None` for a draw, or if both sides left.
    pub winner: Option<Winner>,
}

/// The score of one side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Score {
    /// The cause of the end for this side.
    pub cause: Cause,
    /// The server's explanation, in German.
    pub reason: Option<String>,
    /// 2 for a win, 1 for a draw, 0 for a loss.
    pub match_points: i64,
    /// Free fields around the side's bee; -1 if the bee was never placed.
    pub free_fields: i64,
}

/// The cause of a game's end for one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The side committed no fault.
    Regular,
    /// The side left the game.
    Left,
    /// The side sent an illegal move.
    RuleViolation,
    /// The side's move arrived after the soft time limit.
    SoftTimeout,
    /// No move arrived before the hard time limit.
    HardTimeout,
    /// Anything else.
    Unknown,
}

/// The side that won.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Winner {
    /// The winner's colour.
    pub color: Color,
    /// The winner's name.
    pub display_name: String,
}

/// Components of a contest score, each with its aggregation over several games: match points and
/// free fields.
const FRAGMENTS: [(&str, &str); 2] = [("Gewinner", "SUM"), ("∅ freie Felder", "AVERAGE")];

fn fragment((name, aggregation): (&str, &str)) -> Element {
    Element::new("fragment").with("name", name).with_children([
        Element::new("aggregation").with_text(aggregation),
        Element::new("relevantForRanking").with_text(true),
    ])
}

impl GameResult {
    pub(super) fn read(element: &Element) -> Result<GameResult, ReadError> {
        let [red, blue] = two(element.each("score", Score::read)?, "score")?;
        let winner = element.optional("winner", |winner| {
            Ok(Winner {
                color: parse_color(winner.attribute("color")?)?,
                display_name: winner.get("displayName").unwrap_or_default().to_owned(),
            })
        })?;
        Ok(GameResult {
            scores: ByColor { red, blue },
            winner,
        })
    }

    /// Child elements of the result's `<data>`.
    pub(super) fn to_elements(&self) -> impl Iterator<Item = Element> {
        let definition = Element::new("definition").with_children(FRAGMENTS.map(fragment));
        let scores = Color::ALL.map(|color| self.scores[color].to_element());
        let winner = self.winner.as_ref().map(|winner| {
            Element::new("winner")
                .with("color", color_name(winner.color))
                .with("displayName", &winner.display_name)
        });
        [definition].into_iter().chain(scores).chain(winner)
    }
}

impl Score {
    fn read(element: &Element) -> Result<Score, ReadError> {
        let cause = Cause::from_name(element.attribute("cause")?);
        let parts = element.each("part", |child| parse_integer(child.text().trim()))?;
        let [match_points, free_fields] = two(parts, "part")?;
        Ok(Score {
            cause,
            reason: element.get("reason").map(str::to_owned),
            match_points,
            free_fields,
        })
    }

    fn to_element(&self) -> Element {
        let parts = [self.match_points, self.free_fields];
        Element::new("score")
            .with("cause", self.cause)
            .with_some("reason", self.reason.as_ref())
            .with_children(parts.map(|part| Element::new("part").with_text(part)))
    }
}

const CAUSES: [(Cause, &str); 6] = [
    (Cause::Regular, "REGULAR"),
    (Cause::Left, "LEFT"),
    (Cause::RuleViolation, "RULE_VIOLATION"),
    (Cause::SoftTimeout, "SOFT_TIMEOUT"),
    (Cause::HardTimeout, "HARD_TIMEOUT"),
    (Cause::Unknown, "UNKNOWN"),
];

impl Cause {
    /// The cause with this name in the protocol; `Unknown` for other names.
    pub fn from_name(name: &str) -> Cause {
        let found = CAUSES.iter().find(|(_, found)| *found == name);
        found.map_or(Cause::Unknown, |(cause, _)| *cause)
    }
}

/// Name in the protocol, such as `RULE_VIOLATION`.
impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = CAUSES.iter().find(|(cause, _)| cause == self);
        f.write_str(found.map_or("UNKNOWN", |(_, name)| name))
    }
}

/// Returns the first two values. The contest's organisers reserve the right to add more.
fn two<T>(values: Vec<T>, element: &'static str) -> Result<[T; 2], ReadError> {
    let count = values.len();
    let mut values = values.into_iter();
    match (values.next(), values.next()) {
        (Some(first), Some(second)) => Ok([first, second]),
        _ => {
            let problem = format!("expected 2 <{element}>, found {count}");
            Err(ReadError::new(problem))
        }
    }
}

/// `<playerScore>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerScore {
    /// The player's name.
    pub display_name: String,
    /// Number of games counted.
    pub number_of_tests: i64,
    /// Sum of the match points and average of the free fields, as they are written: the sum as an
    /// integer, the average with six decimals.
    pub values: [String; 2],
}

impl PlayerScore {
    /// Parses `<playerScore>`, which contains one `<score>`.
    pub(super) fn read(element: &Element) -> Result<PlayerScore, ReadError> {
        element.one("score", |score| {
            let value =
                |values: &Element| values.one("value", |value| Ok(value.text().trim().to_owned()));
            Ok(PlayerScore {
                display_name: score.attribute("displayName")?.to_owned(),
                number_of_tests: parse_integer(score.attribute("numberOfTests")?)?,
                values: two(score.each("values", value)?, "values")?,
            })
        })
    }

    pub(super) fn to_element(&self) -> Element {
        let values = FRAGMENTS.into_iter().zip(&self.values);
        let values = values.map(|(part, value)| {
            Element::new("values")
                .with_children([fragment(part), Element::new("value").with_text(value)])
        });
        let score = Element::new("score")
            .with("displayName", &self.display_name)
            .with("numberOfTests", self.number_of_tests)
            .with_children(values);
        Element::new("playerScore").with_children([score])
    }
}
