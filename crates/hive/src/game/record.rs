//! A game that is played, with its history.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{Game, Notation};
use crate::{Color, IllegalMove, Move, MoveList, Outcome, Position, PositionError};

/// A game, running or finished: where it began, the moves, and how it ended.
#[derive(Clone, Debug)]
pub struct Record<G: Game> {
    variant: G::Variant,
    start: Position<G>,
    position: Position<G>,
    notation: G::Notation,
    plies: Vec<Ply<G>>,
    /// The occurrence of the position before each ply; empty in games without a repetition rule.
    occurrences: Vec<G::RepetitionKey>,
    repetition: Repetition,
    agreement: Option<Adjudication>,
}

/// A move that was played, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ply<G: Game> {
    /// The move.
    pub mv: Move<G>,
    /// The move as the game writes it.
    pub text: String,
}

/// The rule for positions that occur repeatedly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Repetition {
    /// The third occurrence of a position is a draw.
    #[default]
    Draw,
    /// Repetition does not end the game.
    Ignore,
}

/// An end that the players agree on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Adjudication {
    /// Both agree to a draw.
    Draw,
    /// This side resigns.
    Resignation(Color),
}

/// The end of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// The rules ended the game.
    Rules(Outcome),
    /// A draw: a position occurred for the third time.
    Repetition,
    /// The players ended the game.
    Agreement(Adjudication),
}

impl Ending {
    /// The side that won, if one did.
    pub const fn winner(self) -> Option<Color> {
        match self {
            Ending::Rules(outcome) => outcome.winner(),
            Ending::Agreement(Adjudication::Resignation(by)) => Some(by.opponent()),
            Ending::Repetition | Ending::Agreement(Adjudication::Draw) => None,
        }
    }

    /// The reason that the game is over, in the words of `G`, without the winner.
    pub fn reason<G: Game>(self) -> String {
        let bee = G::BEE;
        match self {
            Ending::Rules(Outcome::Surrounded(winner)) => {
                format!("{}'s {bee} is surrounded", G::SIDES[winner.opponent()])
            }
            Ending::Rules(Outcome::MoreFreeFields(winner)) => format!(
                "more free fields around {}'s {bee} after the last round",
                G::SIDES[winner]
            ),
            Ending::Rules(Outcome::BothSurrounded) => format!("both {bee}s are surrounded"),
            Ending::Rules(Outcome::EqualFreeFields) => {
                format!("equally many free fields around the {bee}s after the last round")
            }
            Ending::Repetition => "this position has occurred three times".to_owned(),
            Ending::Agreement(Adjudication::Draw) => "the players agreed".to_owned(),
            Ending::Agreement(Adjudication::Resignation(by)) => {
                format!("{} resigned", G::SIDES[by])
            }
        }
    }

    /// The winner and the reason: `red wins: blue's bee is surrounded`.
    pub fn sentence<G: Game>(self) -> String {
        let reason = self.reason::<G>();
        match self.winner() {
            Some(winner) => format!("{} wins: {reason}", G::SIDES[winner]),
            None => format!("draw: {reason}"),
        }
    }
}

/// The reason that a text is not a move of a game.
pub type ReadMoveErrorOf<G> = <<G as Game>::Notation as Notation<G>>::Error;

/// Stands between the position and the moves of a record in its text form.
pub const MOVES: &str = " moves ";

/// Largest number of plies in a game.
pub const MAX_PLIES: usize = 10_000;

/// The reason that a move cannot be played; `E` says why a text is not a move.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlayError<E> {
    /// The text is not a move here.
    #[error("{0}")]
    Read(E),
    /// The game has ended.
    #[error("the game is over")]
    Over,
    /// The game already has [`MAX_PLIES`] plies.
    #[error("the game is too long: more than {MAX_PLIES} plies")]
    TooLong,
    /// The move breaks a rule.
    #[error("{message}")]
    Illegal {
        /// The rule that it breaks.
        why: IllegalMove,
        /// The reason in the game's words.
        message: String,
    },
}

/// The reason that a text is not a record; `E` says why a text is not a move.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReadRecordError<E> {
    /// The first position cannot be read.
    #[error(transparent)]
    Position(#[from] PositionError),
    /// The variant cannot be read or does not fit the position.
    #[error("{0}")]
    Variant(String),
    /// A ply cannot be read or played.
    #[error("ply {number}, `{text}`: {error}")]
    Ply {
        /// The number of the ply, from 1.
        number: usize,
        /// The ply as it was written.
        text: String,
        /// The fault.
        error: PlayError<E>,
    },
}

impl<G: Game> Default for Record<G> {
    /// A game of the usual variant from its first position. In the contest that is a board without
    /// brambles; [`Game::start`](super::Game::start) draws them.
    fn default() -> Record<G> {
        let variant = G::Variant::default();
        Record::new(variant, G::plain_start(variant))
    }
}

impl<G: Game> Record<G> {
    /// A game of this variant that begins with `start`.
    pub fn new(variant: G::Variant, start: Position<G>) -> Record<G> {
        Record {
            variant,
            start,
            position: start,
            notation: G::Notation::from_start(&start),
            plies: Vec::new(),
            occurrences: Vec::new(),
            repetition: Repetition::default(),
            agreement: None,
        }
    }

    /// The same game under another rule of repetition.
    #[must_use]
    pub fn with_repetition(mut self, repetition: Repetition) -> Record<G> {
        self.repetition = repetition;
        self
    }

    /// The variant that is played.
    pub fn variant(&self) -> G::Variant {
        self.variant
    }

    /// The position before the first ply.
    pub fn start(&self) -> &Position<G> {
        &self.start
    }

    /// The present position.
    pub fn position(&self) -> &Position<G> {
        &self.position
    }

    /// The notation of the present position.
    pub fn notation(&self) -> &G::Notation {
        &self.notation
    }

    /// The plies played.
    pub fn plies(&self) -> &[Ply<G>] {
        &self.plies
    }

    /// The rule of repetition.
    pub fn repetition(&self) -> Repetition {
        self.repetition
    }

    /// Changes whether the third occurrence of a position is a draw.
    pub fn set_repetition(&mut self, repetition: Repetition) {
        self.repetition = repetition;
    }

    /// Ends the game by agreement, or takes that back. An end by the rules takes precedence.
    pub fn set_agreement(&mut self, agreement: Option<Adjudication>) {
        self.agreement = agreement;
    }

    /// The end of the game; `None` while it runs.
    pub fn ending(&self) -> Option<Ending> {
        if let Some(outcome) = self.position.outcome() {
            Some(Ending::Rules(outcome))
        } else if self.is_repeated(&self.position) {
            Some(Ending::Repetition)
        } else {
            self.agreement.map(Ending::Agreement)
        }
    }

    /// True if the game has ended.
    pub fn is_over(&self) -> bool {
        self.ending().is_some()
    }

    /// The side to move, or the end of the game and its reason.
    pub fn state_in_words(&self) -> String {
        match self.ending() {
            Some(ending) => ending.sentence::<G>(),
            None => format!("{} to move", G::SIDES[self.position.side_to_move()]),
        }
    }

    /// True if `position`, the present one or one after it, is a draw by repetition.
    fn is_repeated(&self, position: &Position<G>) -> bool {
        self.repetition == Repetition::Draw
            && G::REPETITION_LIMIT.is_some_and(|enough| {
                let occurrence = G::repetition_key(position);
                let earlier = self.occurrences.iter().filter(|&o| *o == occurrence);
                earlier.count() + 1 >= enough
            })
    }

    /// True if the legal move `mv` draws the game by repetition.
    pub fn repeats(&self, mv: Move<G>) -> bool {
        let after = self.position.after(mv);
        // The present position cannot occur again before the other side has moved.
        after.outcome().is_none() && self.is_repeated(&after)
    }

    /// True if the present position would be a draw by a repetition rule that compares only the
    /// pieces and the side to move.
    pub fn repeats_by_pieces(&self) -> bool {
        let same = |position: &Position<G>| position.board_hash() == self.position.board_hash();
        G::REPETITION_LIMIT.is_some_and(|enough| self.positions().filter(same).count() >= enough)
    }

    /// The legal moves; none when the game is over.
    pub fn legal_moves(&self) -> MoveList<G> {
        let mut moves = MoveList::new();
        if !self.is_over() {
            self.position.legal_moves(&mut moves);
        }
        moves
    }

    /// The move that a text means in the present position; it need not be legal.
    ///
    /// # Errors
    /// When the text means no move there.
    pub fn read(&self, text: &str) -> Result<Move<G>, ReadMoveErrorOf<G>> {
        self.notation.read(text, &self.position)
    }

    /// A move of the present position as the game writes it.
    pub fn write(&self, mv: Move<G>) -> String {
        self.notation.write(mv, &self.position)
    }

    /// Writes moves that follow one another, as far as they are legal.
    pub fn write_line(&self, moves: impl IntoIterator<Item = Move<G>>) -> Vec<String> {
        let (mut position, mut notation) = (self.position, self.notation.clone());
        let mut texts = Vec::new();
        for mv in moves {
            if position.check(mv).is_err() {
                break;
            }
            texts.push(notation.write(mv, &position));
            notation.follow(mv, &position);
            position.play(mv);
        }
        texts
    }

    /// Plays the move that a text means.
    ///
    /// # Errors
    /// When the text means no legal move, or the game is over; the game is unchanged then.
    pub fn play_text(&mut self, text: &str) -> Result<(), PlayError<ReadMoveErrorOf<G>>> {
        if self.is_over() {
            return Err(PlayError::Over);
        }
        let mv = self.read(text).map_err(PlayError::Read)?;
        self.play_on(mv)
    }

    /// Plays a move.
    ///
    /// # Errors
    /// When it is not legal, or the game is over or too long; the game is unchanged then.
    pub fn play(&mut self, mv: Move<G>) -> Result<(), PlayError<ReadMoveErrorOf<G>>> {
        if self.is_over() {
            return Err(PlayError::Over);
        }
        self.play_on(mv)
    }

    fn play_on(&mut self, mv: Move<G>) -> Result<(), PlayError<ReadMoveErrorOf<G>>> {
        self.position.check(mv).map_err(|why| PlayError::Illegal {
            message: G::explain(&self.position, mv, &why),
            why,
        })?;
        if self.plies.len() >= MAX_PLIES {
            return Err(PlayError::TooLong);
        }
        let text = self.write(mv);
        if G::REPETITION_LIMIT.is_some() {
            self.occurrences.push(G::repetition_key(&self.position));
        }
        self.notation.follow(mv, &self.position);
        self.position.play(mv);
        self.plies.push(Ply { mv, text });
        self.agreement = None;
        Ok(())
    }

    /// The game after its first `plies` plies, without an agreed end; `None` if it has fewer plies.
    /// Repetitions on the way do not end it.
    pub fn after(&self, plies: usize) -> Option<Record<G>> {
        let played = self.plies.get(..plies)?;
        let mut position = self.start;
        let mut notation = G::Notation::from_start(&position);
        for ply in played {
            notation.follow(ply.mv, &position);
            position.play(ply.mv);
        }
        let occurrences = self.occurrences.get(..plies).unwrap_or_default();
        Some(Record {
            variant: self.variant,
            start: self.start,
            position,
            notation,
            plies: played.to_vec(),
            occurrences: occurrences.to_vec(),
            repetition: self.repetition,
            agreement: None,
        })
    }

    /// Takes back the last `count` plies. If there are fewer, returns `false` and takes nothing
    /// back.
    #[must_use]
    pub fn undo(&mut self, count: usize) -> bool {
        let keep = self.plies.len().checked_sub(count);
        match keep.and_then(|keep| self.after(keep)) {
            Some(before) => *self = before,
            None => return false,
        }
        true
    }

    /// Every position of the game, from the first to the present one.
    pub fn positions(&self) -> impl Iterator<Item = Position<G>> {
        let moves = self.plies.iter().map(|ply| Some(ply.mv)).chain([None]);
        let mut position = self.start;
        moves.map(move |mv| {
            let now = position;
            if let Some(mv) = mv {
                position.play(mv);
            }
            now
        })
    }

    /// True if this game is `earlier` with more plies.
    pub fn continues(&self, earlier: &Record<G>) -> bool {
        self.start == earlier.start
            && self.repetition == earlier.repetition
            && self.plies.get(..earlier.plies.len()) == Some(&earlier.plies)
    }

    /// The first position and the moves: the default of [`Game::write_record`].
    pub fn plain_text(&self) -> String {
        let moves: Vec<&str> = self.plies.iter().map(|ply| ply.text.as_str()).collect();
        if moves.is_empty() {
            self.start.to_string()
        } else {
            format!("{}{MOVES}{}", self.start, moves.join(";"))
        }
    }

    /// The inverse of [`plain_text`](Record::plain_text).
    ///
    /// # Errors
    /// For a text that is not a position, and for the first move that is not legal.
    pub fn from_plain_text(text: &str) -> Result<Record<G>, ReadRecordError<ReadMoveErrorOf<G>>> {
        let (start, moves) = text.split_once(MOVES).unwrap_or((text, ""));
        let mut record = Record::from(start.parse::<Position<G>>()?);
        record.play_texts(moves.split(';'))?;
        Ok(record)
    }

    /// The same game under the name of a larger variant.
    pub fn with_variant(self, variant: G::Variant) -> Record<G> {
        Record { variant, ..self }
    }

    /// Plays moves, skipping blank texts. Repetitions on the way do not end the game.
    ///
    /// # Errors
    /// For the first move that cannot be played.
    pub fn play_texts<'t>(
        &mut self,
        texts: impl IntoIterator<Item = &'t str>,
    ) -> Result<(), ReadRecordError<ReadMoveErrorOf<G>>> {
        let texts = texts.into_iter().map(str::trim);
        for (number, text) in (1..).zip(texts.filter(|text| !text.is_empty())) {
            let played = match self.position.outcome() {
                Some(_) => Err(PlayError::Over),
                None => self.read(text).map_err(PlayError::Read),
            };
            played
                .and_then(|mv| self.play_on(mv))
                .map_err(|error| ReadRecordError::Ply {
                    number,
                    text: text.to_owned(),
                    error,
                })?;
        }
        Ok(())
    }
}

/// A game that begins with a position.
impl<G: Game> From<Position<G>> for Record<G> {
    fn from(position: Position<G>) -> Record<G> {
        Record::new(G::variant_of(&position), position)
    }
}

impl<G: Game> fmt::Display for Record<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&G::write_record(self))
    }
}

impl<G: Game> FromStr for Record<G> {
    type Err = ReadRecordError<ReadMoveErrorOf<G>>;

    fn from_str(text: &str) -> Result<Record<G>, ReadRecordError<ReadMoveErrorOf<G>>> {
        G::read_record(text.trim())
    }
}

/// Records are equal when the same moves were played from the same start to the same end.
impl<G: Game> PartialEq for Record<G> {
    fn eq(&self, other: &Record<G>) -> bool {
        self.start == other.start
            && self.plies == other.plies
            && self.repetition == other.repetition
            && self.agreement == other.agreement
    }
}
