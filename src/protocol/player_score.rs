//! A player's scores over several games.

use super::result::Fragment;
use super::values::parse_integer;
use super::xml::{Element, ReadError, XmlWriter, once, required_attribute, required_element};

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
