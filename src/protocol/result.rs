//! How a game ended.

use std::fmt;

use super::values::{color_name, parse_bool, parse_color, parse_integer};
use super::xml::{
    Element, ReadError, ReadProblem, XmlWriter, once, required_attribute, required_element,
};
use crate::hive::{ByColor, Color};

/// The contents of `<data class="result">`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameResult {
    /// What the parts of a score mean.
    pub definition: Vec<Fragment>,
    /// What each side got.
    pub scores: ByColor<Score>,
    /// Who won, if somebody did.
    pub winner: Option<Winner>,
}

/// One number of a score: what it is called and how several games' numbers become one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// Its name, in German.
    pub name: String,
    /// Sum or average.
    pub aggregation: Aggregation,
    /// Whether it counts for a ranking.
    pub relevant_for_ranking: bool,
}

/// How the numbers of several games become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregation {
    /// They are added.
    Sum,
    /// Their mean is taken.
    Average,
}

/// What one side got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Score {
    /// What ended the game for this side.
    pub cause: Cause,
    /// The same in words.
    pub reason: Option<String>,
    /// 2 for a win, 1 for a draw, 0 for a loss.
    pub match_points: i64,
    /// Free fields around the own bee; -1 if it was never placed.
    pub free_fields: i64,
}

/// What ended a game for one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The side did nothing wrong.
    Regular,
    /// The side left.
    Left,
    /// An illegal move.
    RuleViolation,
    /// The move came too late.
    SoftTimeout,
    /// No move came at all.
    HardTimeout,
    /// Anything else.
    Unknown,
}

/// The side that won.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Winner {
    /// Its colour.
    pub color: Color,
    /// What it calls itself.
    pub display_name: String,
}

impl Fragment {
    /// The two numbers of the contest's scores: match points and free fields.
    pub fn contest() -> Vec<Fragment> {
        [
            ("Gewinner", Aggregation::Sum),
            ("∅ freie Felder", Aggregation::Average),
        ]
        .map(|(name, aggregation)| Fragment {
            name: name.to_owned(),
            aggregation,
            relevant_for_ranking: true,
        })
        .into()
    }

    pub(super) fn read(element: Element<'_, '_>) -> Result<Fragment, ReadError> {
        let name = element.attribute("name")?.into_owned();
        let mut aggregation = None;
        let mut relevant = None;
        element.for_each_child(|child| match child.name() {
            "aggregation" => {
                let text = child.text()?;
                let value = match text.trim() {
                    "SUM" => Aggregation::Sum,
                    "AVERAGE" => Aggregation::Average,
                    other => return Err(ReadError::value(other, "`SUM` or `AVERAGE`")),
                };
                once(&mut aggregation, value, "aggregation")
            }
            "relevantForRanking" => {
                let value = parse_bool(child.text()?.trim())?;
                once(&mut relevant, value, "relevantForRanking")
            }
            _ => {
                child.ignore();
                Ok(())
            }
        })?;
        Ok(Fragment {
            name,
            aggregation: required_element(aggregation, "aggregation")?,
            relevant_for_ranking: relevant.unwrap_or(false),
        })
    }

    pub(super) fn write(&self, xml: &mut XmlWriter<'_>) {
        xml.element("fragment")
            .attribute("name", &self.name)
            .children(|xml| {
                xml.element("aggregation").text(match self.aggregation {
                    Aggregation::Sum => "SUM",
                    Aggregation::Average => "AVERAGE",
                });
                xml.element("relevantForRanking")
                    .text(self.relevant_for_ranking);
            });
    }
}

impl GameResult {
    pub(super) fn read(element: Element<'_, '_>) -> Result<GameResult, ReadError> {
        let mut definition = Vec::new();
        let mut scores = Vec::new();
        let mut winner = None;
        element.for_each_child(|child| match child.name() {
            "definition" => child.for_each_child(|child| {
                match child.name() {
                    "fragment" => definition.push(Fragment::read(child)?),
                    _ => child.ignore(),
                }
                Ok(())
            }),
            "score" => {
                scores.push(Score::read(child)?);
                Ok(())
            }
            "winner" => once(&mut winner, Winner::read(&child)?, "winner"),
            _ => {
                child.ignore();
                Ok(())
            }
        })?;
        let [red, blue] = two(scores, "score")?;
        Ok(GameResult {
            definition,
            scores: ByColor { red, blue },
            winner,
        })
    }

    pub(super) fn write(&self, xml: &mut XmlWriter<'_>) {
        xml.element("definition").children(|xml| {
            for fragment in &self.definition {
                fragment.write(xml);
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
        let [cause, reason] = element.attributes(["cause", "reason"])?;
        let cause = Cause::from_name(&required_attribute(cause, "cause")?);
        let reason = reason.map(|reason| reason.into_owned());
        let mut parts = Vec::new();
        element.for_each_child(|child| {
            match child.name() {
                "part" => parts.push(parse_integer(child.text()?.trim())?),
                _ => child.ignore(),
            }
            Ok(())
        })?;
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
        let [color, name] = element.attributes(["color", "displayName"])?;
        Ok(Winner {
            color: parse_color(&required_attribute(color, "color")?)?,
            display_name: name.unwrap_or_default().into_owned(),
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
            log::debug!("took the cause `{name}` for UNKNOWN");
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

fn two<T>(values: Vec<T>, element: &'static str) -> Result<[T; 2], ReadError> {
    values.try_into().map_err(|values: Vec<T>| {
        ReadProblem::Count {
            element,
            found: values.len(),
            expected: 2,
        }
        .into()
    })
}
