//! The legal moves of `wabe.Game`, kept from one call to the next.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyInt, PyList};

use wabe_engine::Playable;
use wabe_hive::contest::Contest;
use wabe_hive::game::Record;
use wabe_hive::standard::Standard;
use wabe_hive::{Move, Position};

use crate::action::Actions;
use crate::fast::{Fast, list_actions};

/// The legal moves of a game. Follows the game, so that the moves of most positions are generated
/// on the smaller board.
#[derive(Debug)]
pub(crate) struct LegalMoves<G: Playable> {
    fast: Option<Fast<G>>,
    /// The legal moves, if `is_listed`.
    moves: Vec<Move<G>>,
    /// For each legal move, its action in the upper half and its index in `moves` in the lower one,
    /// sorted. Numbers are sorted faster than pairs.
    order: Vec<u32>,
    is_listed: bool,
}

impl<G: Actions + Playable> LegalMoves<G> {
    pub(crate) fn new(record: &Record<G>) -> LegalMoves<G> {
        LegalMoves {
            fast: Fast::new(record.position()),
            moves: Vec::new(),
            order: Vec::new(),
            is_listed: false,
        }
    }

    fn list(&mut self, record: &Record<G>) {
        if self.is_listed {
            return;
        }
        self.moves.clear();
        self.order.clear();
        if !record.is_over() {
            let (position, notation) = (record.position(), record.notation());
            list_actions(position, notation, self.fast.as_ref(), |mv, action| {
                if let Ok(action) = u16::try_from(action) {
                    let index = self.moves.len() as u32;
                    self.order.push((u32::from(action) << 16) + index);
                    self.moves.push(mv);
                }
            });
            self.order.sort_unstable();
        }
        self.is_listed = true;
    }

    /// The actions of the legal moves, sorted; none if the game is over.
    pub(crate) fn actions(
        &mut self,
        record: &Record<G>,
    ) -> impl ExactSizeIterator<Item = usize> + use<'_, G> {
        self.list(record);
        self.order.iter().map(|&key| action_of(key))
    }

    /// The legal moves, sorted by action; none if the game is over.
    pub(crate) fn moves(
        &mut self,
        record: &Record<G>,
    ) -> impl Iterator<Item = Move<G>> + use<'_, G> {
        self.list(record);
        self.order.iter().filter_map(|&key| self.move_of(key))
    }

    /// The move with that action, if the moves are listed and it is one of them.
    pub(crate) fn find(&self, action: usize) -> Option<Move<G>> {
        if !self.is_listed {
            return None;
        }
        let found = self
            .order
            .binary_search_by_key(&action, |&key| action_of(key));
        self.move_of(*self.order.get(found.ok()?)?)
    }

    fn move_of(&self, key: u32) -> Option<Move<G>> {
        self.moves.get(usize::from(key as u16)).copied()
    }

    /// Follows a legal move, after which the position is `after`.
    pub(crate) fn follow(&mut self, mv: Move<G>, after: &Position<G>) {
        self.is_listed = false;
        if self.fast.as_mut().and_then(|fast| fast.play(mv)).is_none() {
            self.fast = Fast::new(after);
        }
    }
}

fn action_of(key: u32) -> usize {
    (key >> 16) as usize
}

/// The legal moves of both games; those of the other game are `None`.
#[derive(Debug, Default)]
pub(crate) struct AnyMoves {
    contest: Option<LegalMoves<Contest>>,
    standard: Option<LegalMoves<Standard>>,
}

/// A game with its part of [`AnyMoves`].
pub(crate) trait Listed: Actions + Playable {
    fn moves(moves: &mut AnyMoves) -> &mut Option<LegalMoves<Self>>;
}

impl Listed for Contest {
    fn moves(moves: &mut AnyMoves) -> &mut Option<LegalMoves<Contest>> {
        &mut moves.contest
    }
}

impl Listed for Standard {
    fn moves(moves: &mut AnyMoves) -> &mut Option<LegalMoves<Standard>> {
        &mut moves.standard
    }
}

/// The legal moves of the record's game.
pub(crate) fn legal_moves<'m, G: Listed>(
    record: &Record<G>,
    moves: &'m mut AnyMoves,
) -> &'m mut LegalMoves<G> {
    G::moves(moves).get_or_insert_with(|| LegalMoves::new(record))
}

/// A list of actions. Their numbers are made once and shared by all lists.
pub(crate) fn action_list(
    py: Python<'_>,
    actions: impl ExactSizeIterator<Item = usize>,
) -> PyResult<Bound<'_, PyList>> {
    static NUMBERS: PyOnceLock<Vec<Py<PyInt>>> = PyOnceLock::new();
    let numbers = NUMBERS.get_or_init(py, || {
        let count = Contest::ACTIONS.max(Standard::ACTIONS);
        let numbers = (0..count).map(|number| PyInt::new(py, number).unbind());
        numbers.collect()
    });
    PyList::new(py, actions.map(|action| numbers.get(action)))
}
