//! The result of a game, and a player's scores over several games.

use std::fmt;

use super::values::{color_name, parse_color, parse_integer};
use super::xml::{Element, ReadError, XmlWriter, once, required_attribute};
use wabe_hive::{ByColor, Color};

/// The contents of `<data class="result">`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameResult {
    /// The score of each side.
    pub scores: ByColor<Score>,
    /// The winner; `None` after a draw, and when both sides left.
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
    /// The side's move arrived after the soft limit.
    SoftTimeout,
    /// No move arrived before the hard limit.
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

/// The parts of the contest's scores, match points and free fields, each with the way in which it is combined over several games.
const FRAGMENTS: [(&str, &str); 2] = [("Gewinner", "SUM"), ("∅ freie Felder", "AVERAGE")];

fn write_fragment(xml: &mut XmlWriter<'_>, (name, aggregation): (&str, &str)) {
    let tag = xml.element("fragment").attribute("name", name);
    tag.children(|xml| {
        xml.element("aggregation").text(aggregation);
        xml.element("relevantForRanking").text(true);
    });
}

impl GameResult {
    pub(super) fn read(element: Element<'_, '_>) -> Result<GameResult, ReadError> {
        let mut scores = Vec::new();
        let mut winner = None;
        element.for_each_child(|child| match child.name() {
            // The definition is always the same.
            "definition" => Ok(()),
            "score" => {
                scores.push(Score::read(child)?);
                Ok(())
            }
            "winner" => once(&mut winner, Winner::read(&child)?, "winner"),
            _ => child.ignore(),
        })?;
        let [red, blue] = two(scores, "score")?;
        Ok(GameResult {
            scores: ByColor { red, blue },
            winner,
        })
    }

    pub(super) fn write(&self, xml: &mut XmlWriter<'_>) {
        let definition = xml.element("definition");
        definition.children(|xml| {
            for fragment in FRAGMENTS {
                write_fragment(xml, fragment);
            }
        });
        self.scores.red.write(xml);
        self.scores.blue.write(xml);
        if let Some(winner) = &self.winner {
            xml.element("winner")
                .attribute("color", color_name(winner.color))
                .attribute("displayName", &winner.display_name)
                .empty();
        }
    }
}

impl Score {
    fn read(element: Element<'_, '_>) -> Result<Score, ReadError> {
        let cause = Cause::from_name(&element.attribute("cause")?);
        let reason = element.text_attribute("reason");
        let parts = element.read_each("part", |child| parse_integer(child.text()?.trim()))?;
        let [match_points, free_fields] = two(parts, "part")?;
        Ok(Score {
            cause,
            reason,
            match_points,
            free_fields,
        })
    }

    fn write(&self, xml: &mut XmlWriter<'_>) {
        let tag = xml.element("score").attribute("cause", self.cause);
        let tag = match &self.reason {
            Some(reason) => tag.attribute("reason", reason),
            None => tag,
        };
        tag.children(|xml| {
            xml.element("part").text(self.match_points);
            xml.element("part").text(self.free_fields);
        });
    }
}

impl Winner {
    fn read(element: &Element<'_, '_>) -> Result<Winner, ReadError> {
        Ok(Winner {
            color: parse_color(&element.attribute("color")?)?,
            display_name: element.text_attribute("displayName").unwrap_or_default(),
        })
    }
}

impl Cause {
    const ALL: [Cause; 6] = [
        Cause::Regular,
        Cause::Left,
        Cause::RuleViolation,
        Cause::SoftTimeout,
        Cause::HardTimeout,
        Cause::Unknown,
    ];

    const fn name(self) -> &'static str {
        match self {
            Cause::Regular => "REGULAR",
            Cause::Left => "LEFT",
            Cause::RuleViolation => "RULE_VIOLATION",
            Cause::SoftTimeout => "SOFT_TIMEOUT",
            Cause::HardTimeout => "HARD_TIMEOUT",
            Cause::Unknown => "UNKNOWN",
        }
    }

    fn from_name(name: &str) -> Cause {
        let known = Cause::ALL.into_iter().find(|cause| cause.name() == name);
        known.unwrap_or_else(|| {
            log::debug!("unknown cause `{name}`");
            Cause::Unknown
        })
    }
}

/// The name on the wire, such as `RULE_VIOLATION`.
impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The first two values: the contest's organisers reserve the right to add more.
fn two<T>(values: Vec<T>, element: &'static str) -> Result<[T; 2], ReadError> {
    let count = values.len();
    let mut values = values.into_iter();
    match (values.next(), values.next()) {
        (Some(first), Some(second)) => Ok([first, second]),
        _ => Err(ReadError::new(format_args!(
            "{count} <{element}> instead of 2"
        ))),
    }
}

/// `<playerScore>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerScore {
    /// The player's name.
    pub display_name: String,
    /// Games counted.
    pub number_of_tests: i64,
    /// The sum of the match points and the average of the free fields, as written: a sum is an integer, an average has six decimals.
    pub values: [String; 2],
}

impl PlayerScore {
    /// Reads `<playerScore>`, which holds one `<score>`.
    pub(super) fn read(element: Element<'_, '_>) -> Result<PlayerScore, ReadError> {
        element.read_one("score", PlayerScore::read_score)
    }

    fn read_score(element: Element<'_, '_>) -> Result<PlayerScore, ReadError> {
        let [name, tests] = element.attributes(["displayName", "numberOfTests"])?;
        let display_name = required_attribute(name, "displayName")?.into_owned();
        let number_of_tests = parse_integer(&required_attribute(tests, "numberOfTests")?)?;
        let value = |element: Element<'_, '_>| Ok(element.text()?.trim().to_owned());
        let values = element.read_each("values", |values| values.read_one("value", value))?;
        Ok(PlayerScore {
            display_name,
            number_of_tests,
            values: two(values, "values")?,
        })
    }

    pub(super) fn write(&self, xml: &mut XmlWriter<'_>) {
        xml.element("playerScore").children(|xml| {
            xml.element("score")
                .attribute("displayName", &self.display_name)
                .attribute("numberOfTests", self.number_of_tests)
                .children(|xml| {
                    for (fragment, value) in FRAGMENTS.into_iter().zip(&self.values) {
                        xml.element("values").children(|xml| {
                            write_fragment(xml, fragment);
                            xml.element("value").text(value);
                        });
                    }
                });
        });
    }
}
