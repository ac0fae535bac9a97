//! Entries of the library.

use serde::{Deserialize, Serialize};

use super::ExportRequest;

/// An entry to save in the library.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Draft {
    /// The entry's id, which the page chooses for a new one.
    pub id: String,
    /// The revision that this one replaces; 0 for a new entry.
    #[serde(default)]
    pub revision: u64,
    /// The row in the list; `None` for a note. Notes are entries without a game, such as settings,
    /// and are not listed.
    #[serde(default)]
    pub summary: Option<Summary>,
    /// The page's state, as JSON; `None` to keep that of the entry.
    #[serde(default)]
    pub state: Option<String>,
    /// The game, for the copy that other programs can read; `None` to keep the copy.
    /// Its format is ignored.
    #[serde(default)]
    pub copy: Option<ExportRequest>,
}

/// A game's row in the library's list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Summary {
    /// The game's name, see [`GameInfo::word`](super::GameInfo::word).
    pub game: String,
    /// Names of the players; empty if unknown.
    pub names: [String; 2],
    /// A title given by the user.
    pub title: String,
    /// `1-0`, `0-1`, `1/2-1/2`, or `*` if the result is unknown.
    pub result: String,
    /// Date as in PGN: `2020.05.17`.
    pub date: String,
    /// Number of plies of the main line.
    pub plies: usize,
    /// Where the game is from: `played`, `analysis`, `puzzle`, or the name of a file.
    pub source: String,
    /// The user's labels.
    pub labels: Vec<String>,
}

/// A game in the library's list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LibraryEntry {
    /// Identifies the entry.
    pub id: String,
    /// Number of times that it was saved.
    pub revision: u64,
    /// When it was saved last, in milliseconds since 1970.
    pub saved_ms: u64,
    /// The row in the list.
    #[serde(flatten)]
    pub summary: Summary,
}

/// The result of saving an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SaveResult {
    /// The entry was saved.
    Saved {
        /// The entry's id.
        id: String,
        /// The new revision.
        revision: u64,
    },
    /// The entry was saved or removed by another page since. Nothing was changed.
    Conflict {
        /// The entry's id.
        id: String,
    },
}
