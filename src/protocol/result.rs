//! The result of a game, and a player's scores over several games.

use std::fmt;

use super::values::{color_name, parse_bool, parse_color, parse_integer};
use super::xml::{Element, ReadError, XmlWriter, once, required_attribute, required_element};
use crate::hive::{ByColor, Color};

/// The contents of `<data class="result">`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameResult {
    /// The meaning of the parts of each score.
    pub definition: Vec<Fragment>,
    /// The score of each side.
    pub scores: ByColor<Score>,
    /// The winner; `None` after a draw, and when both sides left.
    pub winner: Option<Winner>,
}

/// The meaning of one part of a score.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// The part's name, in German.
    pub name: String,
    /// The way in which the part is combined over several games.
    pub aggregation: Aggregation,
    /// True if rankings use the part.
    pub relevant_for_ranking: bool,
}

/// The way in which a part of a score is combined over several games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregation {
    /// The sum.
    Sum,
    /// The mean.
    Average,
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

impl Fragment {
    /// The two parts of the contest's scores: match points and free fields.
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
            _ => child.ignore(),
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
            "definition" => {
                definition.extend(child.read_each("fragment", Fragment::read)?);
                Ok(())
            }
            "score" => {
                scores.push(Score::read(child)?);
                Ok(())
            }
            "winner" => once(&mut winner, Winner::read(&child)?, "winner"),
            _ => child.ignore(),
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

fn two<T>(values: Vec<T>, element: &'static str) -> Result<[T; 2], ReadError> {
    values.try_into().map_err(|values: Vec<T>| {
        ReadError::new(format_args!("{} <{element}> instead of 2", values.len()))
    })
}

/// `<playerScore>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerScore {
    /// The player's name.
    pub display_name: String,
    /// Games counted.
    pub number_of_tests: i64,
    /// The sums and averages over those games.
    pub values: Vec<ScoreValue>,
}

/// One part of a score over several games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoreValue {
    /// The meaning of the part.
    pub fragment: Fragment,
    /// The number as written: a sum is an integer, an average has six decimals.
    pub value: String,
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
        Ok(PlayerScore {
            display_name,
            number_of_tests,
            values: element.read_each("values", ScoreValue::read)?,
        })
    }

    pub(super) fn write(&self, xml: &mut XmlWriter<'_>) {
        xml.element("playerScore").children(|xml| {
            xml.element("score")
                .attribute("displayName", &self.display_name)
                .attribute("numberOfTests", self.number_of_tests)
                .children(|xml| {
                    for value in &self.values {
                        value.write(xml);
                    }
                });
        });
    }
}

impl ScoreValue {
    fn read(element: Element<'_, '_>) -> Result<ScoreValue, ReadError> {
        let mut fragment = None;
        let mut value = None;
        element.for_each_child(|child| match child.name() {
            "fragment" => once(&mut fragment, Fragment::read(child)?, "fragment"),
            "value" => once(&mut value, child.text()?.trim().to_owned(), "value"),
            _ => child.ignore(),
        })?;
        Ok(ScoreValue {
            fragment: required_element(fragment, "fragment")?,
            value: required_element(value, "value")?,
        })
    }

    fn write(&self, xml: &mut XmlWriter<'_>) {
        xml.element("values").children(|xml| {
            self.fragment.write(xml);
            xml.element("value").text(&self.value);
        });
    }
}
