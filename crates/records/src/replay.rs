//! Recorded games.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::diagram::{Diagram, DrawnGame};
use crate::{Damage, Glyph, MoveTimes, Place, StatedResult, Variation};
use wabe_files::text::{MAX_NAME, printable};
use wabe_hive::game::{Game, Record, Repetition};
use wabe_hive::{ByColor, Color};

/// A recorded game.
///
/// Positions are numbered from 0, the start. The game ends at the recording's first error or gap.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay<G: Game> {
    /// The players' names; empty if unknown.
    pub names: ByColor<String>,
    /// Other name-value pairs, such as event and date.
    pub tags: Vec<(String, String)>,
    /// The game up to the first error.
    pub record: Record<G>,
    /// Comments by position, from a commentator or the mover.
    pub remarks: BTreeMap<usize, String>,
    /// Move annotations, by the position after the move.
    pub glyphs: BTreeMap<usize, Glyph>,
    /// Alternatives to moves of the game.
    pub variations: Vec<Variation>,
    /// Times per move, by the position after the move.
    pub times: BTreeMap<usize, Duration>,
    /// The result given in the recording.
    pub stated: Option<StatedResult>,
    /// The error at which reading stopped.
    pub damage: Option<Damage>,
}

impl<G: Game> Replay<G> {
    /// A replay without names, comments or times.
    pub fn new(record: Record<G>) -> Replay<G> {
        Replay {
            names: ByColor::default(),
            tags: Vec::new(),
            record,
            remarks: BTreeMap::new(),
            glyphs: BTreeMap::new(),
            variations: Vec::new(),
            times: BTreeMap::new(),
            stated: None,
            damage: None,
        }
    }

    /// Updates the replay of a game in progress after a ply, with the ply's time and comment.
    pub fn add(&mut self, record: &Record<G>, time: Duration, remark: Option<String>) {
        let ply = record.plies().len();
        self.record = record.clone();
        self.times.insert(ply, time);
        self.remarks.extend(remark.map(|text| (ply, text)));
    }

    /// True for the placeholder of a game that could not be read at all.
    pub fn is_unreadable(&self) -> bool {
        let place = self.damage.as_ref().map(|damage| damage.place);
        matches!(place, Some(Place::Line { ply: 0, .. })) && self.positions() == 1
    }

    /// Number of recorded positions.
    pub fn positions(&self) -> usize {
        self.record.plies().len() + 1
    }

    /// The game up to `turn`, without a later adjudication; `None` if not recorded.
    pub fn at_turn(&self, turn: u16) -> Option<Record<G>> {
        let plies = turn.checked_sub(self.record.start().turn())?.into();
        if plies == self.record.plies().len() {
            Some(self.record.clone())
        } else {
            self.record.after(plies)
        }
    }

    /// The winner; `Some(None)` for a draw, `None` for an unfinished game. The rules and
    /// adjudications take precedence over the stated result.
    pub fn winner(&self) -> Option<Option<Color>> {
        let ending = self.record.ending().map(|ending| ending.winner());
        ending.or(self.stated.as_ref().map(|stated| stated.winner))
    }

    /// Calls `visit` with the game up to each position, in order. Repetitions before the last
    /// position do not end the game.
    pub fn for_each_position(&self, mut visit: impl FnMut(&DrawnGame<G>)) {
        let whole = &self.record;
        let start = Record::new(whole.variant(), *whole.start());
        let mut game = DrawnGame::new(start.with_repetition(Repetition::Ignore));
        for ply in whole.plies() {
            visit(&game);
            if !game.play(ply.mv) {
                return;
            }
        }
        game.record.clone_from(whole);
        visit(&game);
    }

    /// One diagram per position.
    pub fn diagrams(&self) -> Vec<Diagram> {
        let mut diagrams = Vec::new();
        self.for_each_position(|game| diagrams.push(game.diagram()));
        diagrams
    }

    /// Both names with their sides: `Ann (white) against Bob (black)`.
    pub fn players(&self) -> String {
        let (names, sides) = (&self.names, G::SIDES);
        if names.red.is_empty() && names.blue.is_empty() {
            format!("{} against {}", sides.red, sides.blue)
        } else {
            let name = |color: Color| printable(&names[color], MAX_NAME);
            let (red, blue) = (name(Color::Red), name(Color::Blue));
            format!("{red} ({}) against {blue} ({})", sides.red, sides.blue)
        }
    }

    /// Statistics of each side's recorded move times.
    pub fn timing(&self) -> ByColor<MoveTimes> {
        let mut timing = ByColor::<MoveTimes>::default();
        for (index, position) in self.record.positions().enumerate() {
            if let Some(&time) = self.times.get(&index) {
                timing[position.side_to_move().opponent()].add(time);
            }
        }
        timing
    }
}
