//! One game of a batch.

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use wabe_engine::Playable;
use wabe_hive::game::{Ending, Game, Notation, Record};
use wabe_hive::hex::BoardSet;
use wabe_hive::{Color, Move, Position};

use crate::action::Actions;
use crate::fast::{Fast, list_actions};
use crate::game::{Fields, board_set, fields, result_for};
use crate::history::History;
use crate::observation::{Observed, Planes, View, list_features, observe};

/// A game that batches can play.
pub(crate) trait Batched: Actions + Observed + Playable {
    /// True if the game has brambles.
    const HAS_BRAMBLES: bool = false;

    /// A start position with these brambles, if the game has any.
    fn with_brambles(variant: Self::Variant, brambles: BoardSet) -> Position<Self>;

    /// The brambles of a position.
    fn brambles(_position: &Position<Self>) -> Fields {
        Vec::new()
    }
}

impl Batched for wabe_hive::contest::Contest {
    const HAS_BRAMBLES: bool = true;

    fn with_brambles(deal: Self::Variant, brambles: BoardSet) -> Position<Self> {
        deal.start(brambles)
    }

    fn brambles(position: &Position<Self>) -> Fields {
        fields(position.obstacles())
    }
}

impl Batched for wabe_hive::standard::Standard {
    fn with_brambles(game_type: Self::Variant, _brambles: BoardSet) -> Position<Self> {
        Self::plain_start(game_type)
    }
}

/// Contents of a pickled game of a batch: its brambles, the actions of its moves as pairs of bytes,
/// the lower one first, and the state of its generator.
pub(crate) type PickledSlot = (Fields, Vec<u8>, [u8; 32]);

/// Settings of all games of a batch.
#[derive(Clone, Copy)]
pub(crate) struct Settings<G: Game> {
    pub(crate) variant: G::Variant,
    /// Fixed brambles; `None` draws them for every game.
    pub(crate) brambles: Option<BoardSet>,
    /// Number of plies after which a game is cut off.
    pub(crate) max_plies: usize,
    /// True if an ended game is replaced by a new one in the same step.
    pub(crate) restart: bool,
}

/// The consequences of a step for one game.
#[derive(Clone, Copy, Default)]
pub(crate) struct Stepped {
    /// 1, 0 or -1 for the side that moved.
    pub(crate) reward: f32,
    /// True if the game ended by the rules.
    pub(crate) is_terminated: bool,
    /// True if the game was cut off.
    pub(crate) is_truncated: bool,
}

/// A game of a batch. Lighter than a [`Record`]: moves have no texts.
#[derive(Clone)]
pub(crate) struct Slot<G: Batched> {
    start: Position<G>,
    /// The position after the first `caught_up` moves, and its notation. Steps need neither while
    /// the hive is small.
    position: Position<G>,
    notation: G::Notation,
    caught_up: usize,
    /// The current position; `None` if the hive is too large.
    fast: Option<Fast<G>>,
    moves: Vec<Move<G>>,
    /// Halves of the repetition hashes of the positions since the last placement, the current one
    /// included. Earlier positions cannot occur again.
    hashes: Vec<u32>,
    is_over: bool,
    rng: Xoshiro256PlusPlus,
    /// The actions of the legal moves; `None` until they are needed.
    legal: Option<Vec<u16>>,
    /// The checked move of the current step.
    pending: Option<Move<G>>,
    /// See [`Planes`].
    planes_set: Vec<u32>,
    /// The actions that are set in the mask.
    mask_set: Vec<u16>,
}

impl<G: Batched> Slot<G> {
    pub(crate) fn new(settings: &Settings<G>, seed: u64) -> Slot<G> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let start = start_position(settings, &mut rng);
        let mut slot = Slot {
            start,
            position: start,
            notation: G::Notation::from_start(&start),
            caught_up: 0,
            fast: None,
            moves: Vec::new(),
            hashes: Vec::new(),
            is_over: false,
            rng,
            legal: None,
            pending: None,
            planes_set: Vec::new(),
            mask_set: Vec::new(),
        };
        slot.begin(start);
        slot
    }

    fn begin(&mut self, start: Position<G>) {
        self.start = start;
        self.position = start;
        self.caught_up = 0;
        self.fast = Fast::new(&start);
        self.notation = G::Notation::from_start(&start);
        self.moves.clear();
        self.hashes.clear();
        self.is_over = false;
        self.legal = None;
        self.remember_position();
    }

    /// Starts a new game.
    pub(crate) fn restart(&mut self, settings: &Settings<G>) {
        let start = start_position(settings, &mut self.rng);
        self.begin(start);
    }

    /// The game as a record.
    pub(crate) fn record(&self, variant: G::Variant) -> Record<G> {
        let mut record = Record::new(variant, self.start);
        for &mv in &self.moves {
            if record.play(mv).is_err() {
                break;
            }
        }
        record
    }

    /// Start, moves and generator of the game.
    pub(crate) fn pickled(&self) -> PickledSlot {
        let mut position = self.start;
        let mut notation = G::Notation::from_start(&position);
        let mut actions = Vec::with_capacity(2 * self.moves.len());
        for &mv in &self.moves {
            let action = G::action(&G::numbering(&position, &notation), mv);
            let action = action.and_then(|action| u16::try_from(action).ok());
            actions.extend(action.unwrap_or(u16::MAX).to_le_bytes());
            notation.follow(mv, &position);
            position.play(mv);
        }
        (G::brambles(&self.start), actions, self.rng.state())
    }

    /// The game of a pickle.
    ///
    /// # Errors
    /// If a bramble is not on the board or an action is illegal.
    pub(crate) fn unpickled(
        settings: &Settings<G>,
        (brambles, actions, state): &PickledSlot,
    ) -> Result<Slot<G>, String> {
        let replayed = Settings {
            brambles: Some(board_set(brambles)?),
            restart: false,
            ..*settings
        };
        let mut slot = Slot::new(&replayed, 0);
        let (actions, rest) = actions.as_chunks();
        for &action in actions {
            slot.set_action(u16::from_le_bytes(action).into())?;
            slot.step(&replayed);
        }
        let has_left = slot.is_over && settings.restart;
        if has_left || slot.moves.len() != actions.len() || !rest.is_empty() {
            return Err("expected actions up to the end of the game".to_owned());
        }
        slot.rng = Xoshiro256PlusPlus::from_seed(*state);
        Ok(slot)
    }

    /// The game so far.
    pub(crate) fn history(&mut self) -> History<G> {
        History {
            start: self.start,
            moves: self.moves.clone(),
            repetition_limit: G::REPETITION_LIMIT,
            ending: self.ending(),
        }
    }

    /// Plays the moves that `position` and `notation` lack.
    fn catch_up(&mut self) {
        for &mv in self.moves.get(self.caught_up..).unwrap_or_default() {
            self.notation.follow(mv, &self.position);
            self.position.play(mv);
        }
        self.caught_up = self.moves.len();
    }

    fn remember_position(&mut self) {
        if G::REPETITION_LIMIT.is_some() {
            let hash = match &self.fast {
                Some(fast) => fast.repetition_hash,
                None => G::repetition_hash(&self.position),
            };
            self.hashes.push(hash as u32);
        }
    }

    /// Number of times that the position has occurred, this time included.
    fn occurrences(&mut self) -> usize {
        let Some((last, earlier)) = self.hashes.split_last() else {
            return 1;
        };
        if !earlier.contains(last) {
            return 1;
        }
        self.count_occurrences()
    }

    /// Replays the game.
    fn count_occurrences(&mut self) -> usize {
        self.catch_up();
        let Some((last, earlier)) = self.hashes.split_last() else {
            return 1;
        };
        // Hashes ignore which moves a resting piece forbids.
        let key = G::repetition_key(&self.position);
        let first = self.moves.len() - earlier.len().min(self.moves.len());
        let mut position = self.start;
        let mut count = 1;
        for (ply, &mv) in self.moves.iter().enumerate() {
            if let Some(hash) = ply.checked_sub(first).and_then(|i| earlier.get(i)) {
                count += usize::from(hash == last && G::repetition_key(&position) == key);
            }
            position.play(mv);
        }
        count
    }

    fn ending(&mut self) -> Option<Ending> {
        let outcome = match &self.fast {
            Some(fast) => fast.position.outcome(),
            None => self.position.outcome(),
        };
        if let Some(outcome) = outcome {
            return Some(Ending::Rules(outcome));
        }
        let limit = G::REPETITION_LIMIT?;
        // The filter is fast; it counts the current position, too.
        let (last, hashes) = (self.hashes.last()?, &self.hashes);
        let same = hashes.iter().filter(|&hash| hash == last).count();
        (same >= limit && self.count_occurrences() >= limit).then_some(Ending::Repetition)
    }

    /// Checks the action of the next step. A game that is over ignores it.
    ///
    /// # Errors
    /// If it is not the action of a legal move.
    pub(crate) fn set_action(&mut self, action: i64) -> Result<(), String> {
        self.pending = None;
        if self.is_over {
            return Ok(());
        }
        let index = usize::try_from(action).ok().filter(|&a| a < G::ACTIONS);
        let Some(index) = index else {
            let last = G::ACTIONS - 1;
            return Err(format!(
                "action {action} is out of range: expected 0..={last}"
            ));
        };
        self.catch_up();
        let numbering = G::numbering(&self.position, &self.notation);
        let Some(mv) = G::move_of(&numbering, index) else {
            return Err(format!("action {action} means no move in this position"));
        };
        self.position.check(mv).map_err(|why| {
            let text = self.notation.write(mv, &self.position);
            let why = G::explain(&self.position, mv, &why);
            format!("action {action}, `{text}`: {why}")
        })?;
        self.pending = Some(mv);
        Ok(())
    }

    /// Draws a legal move for the next step.
    pub(crate) fn set_random_move(&mut self) {
        self.pending = if self.is_over {
            None
        } else if let Some(fast) = &self.fast {
            fast.random_move(&mut self.rng)
        } else {
            self.position.random_move(&mut self.rng)
        };
    }

    /// Plays the move that was set.
    pub(crate) fn step(&mut self, settings: &Settings<G>) -> Stepped {
        let Some(mv) = self.pending.take() else {
            return Stepped::default();
        };
        let mover = self.side_to_move();
        self.moves.push(mv);
        if self.fast.as_mut().and_then(|fast| fast.play(mv)).is_none() {
            self.catch_up();
            self.fast = Fast::new(&self.position);
        }
        if matches!(mv, Move::Place { .. }) {
            self.hashes.clear();
        }
        self.remember_position();
        self.legal = None;
        let ending = self.ending();
        let reward = result_for(mover, ending.and_then(Ending::winner)).into();
        let is_truncated = ending.is_none() && self.moves.len() >= settings.max_plies;
        self.is_over = ending.is_some() || is_truncated;
        if self.is_over && settings.restart {
            self.restart(settings);
        }
        Stepped {
            reward,
            is_terminated: ending.is_some(),
            is_truncated,
        }
    }

    /// The actions of the legal moves, sorted; none if the game is over.
    pub(crate) fn legal_actions(&mut self) -> &[u16] {
        if self.legal.is_none() {
            let mut actions = Vec::new();
            if !self.is_over {
                self.catch_up();
                let fast = self.fast.as_ref();
                list_actions(&self.position, &self.notation, fast, |_, action| {
                    actions.extend(u16::try_from(action));
                });
                actions.sort_unstable();
            }
            self.legal = Some(actions);
        }
        self.legal.as_deref().unwrap_or_default()
    }

    /// Sets the legal actions in a mask, after clearing those set before.
    pub(crate) fn fill_mask(&mut self, mask: &mut [bool]) {
        let mut set = std::mem::take(&mut self.mask_set);
        for action in set.drain(..) {
            if let Some(value) = mask.get_mut(usize::from(action)) {
                *value = false;
            }
        }
        set.extend_from_slice(self.legal_actions());
        for &action in &set {
            if let Some(value) = mask.get_mut(usize::from(action)) {
                *value = true;
            }
        }
        self.mask_set = set;
    }

    /// Writes planes and numbers.
    pub(crate) fn observe(&mut self, side: usize, values: &mut [u8], numbers: &mut [u8]) {
        self.catch_up();
        let (viewer, occurrences) = (self.position.side_to_move(), self.occurrences());
        let view = View {
            position: &self.position,
            notation: &self.notation,
            viewer,
            occurrences,
        };
        let mut planes = Planes::new(values, &mut self.planes_set);
        observe(&view, side, &mut planes, numbers);
    }

    /// Writes the features: see [`list_features`].
    pub(crate) fn features(&mut self, row: &mut [i32]) {
        self.catch_up();
        list_features(&self.position, row);
    }

    fn side_to_move(&self) -> Color {
        match &self.fast {
            Some(fast) => fast.position.side_to_move(),
            None => self.position.side_to_move(),
        }
    }

    /// 0 or 1.
    pub(crate) fn player(&self) -> u8 {
        u8::from(self.side_to_move() == Color::Blue)
    }
}

fn start_position<G: Batched>(settings: &Settings<G>, rng: &mut Xoshiro256PlusPlus) -> Position<G> {
    match settings.brambles {
        Some(brambles) => G::with_brambles(settings.variant, brambles),
        None => G::start(settings.variant, rng),
    }
}
