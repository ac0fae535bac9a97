//! A game with its history.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{Game, Notation};
use crate::standard::ReadMoveError;
use crate::{Color, IllegalMove, Move, MoveList, Outcome, ParseError, Position, PositionError};

/// A running or finished game: start position, moves and ending.
#[derive(Clone, Debug)]
pub struct Record<G: Game> {
    variant: G::Variant,
    start: Position<G>,
    position: Position<G>,
    notation: G::Notation,
    plies: Vec<Ply<G>>,
    /// The [hashes](crate::RuleBook::repetition_hash) of all positions, the current one last. Empty
    /// in games without a repetition rule.
    repetition_hashes: Vec<u64>,
    repetition: Repetition,
    agreement: Option<Adjudication>,
}

/// A move in a record and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ply<G: Game> {
    /// The move on the board.
    pub mv: Move<G>,
    /// The move in the game's notation.
    pub text: String,
}

/// The repetition rule of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Repetition {
    /// The third occurrence of a position is a draw.
    #[default]
    Draw,
    /// Repetition does not end the game.
    Ignore,
}

/// An end outside the rules: a draw by agreement or a resignation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Adjudication {
    /// Both sides agreed to a draw.
    Draw,
    /// This side resigned.
    Resignation(Color),
}

/// The end of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// The game ended by the rules.
    Rules(Outcome),
    /// A draw: a position occurred for the third time.
    Repetition,
    /// A draw by agreement or a resignation.
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

    /// Why the game is over, in the terms of `G`, without the winner: `blue's bee is surrounded`.
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
                format!("equal numbers of free fields around the {bee}s after the last round")
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

/// Why a text is not a move of a game.
pub type ReadMoveErrorOf<G> = <<G as Game>::Notation as Notation<G>>::Error;

/// Separates the start position from the moves in the text form of a record.
pub const MOVES_SEPARATOR: &str = " moves ";

/// Maximum number of plies in a game.
pub const MAX_PLIES: usize = 10_000;

/// Why a move cannot be played. `E` is the error of the notation.
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
        /// The rule that the move breaks.
        why: IllegalMove,
        /// The reason in the game's terms.
        message: String,
    },
}

impl<E: Into<ReadMoveError>> PlayError<E> {
    /// The same error for any game, to store errors of several games in one type.
    pub fn of_any_game(self) -> PlayError<ReadMoveError> {
        match self {
            PlayError::Read(error) => PlayError::Read(error.into()),
            PlayError::Over => PlayError::Over,
            PlayError::TooLong => PlayError::TooLong,
            PlayError::Illegal { why, message } => PlayError::Illegal { why, message },
        }
    }
}

/// Why a text is not a record. `E` is the error of the notation.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReadRecordError<E> {
    /// The start position cannot be read.
    #[error(transparent)]
    Position(#[from] PositionError),
    /// The variant cannot be read.
    #[error(transparent)]
    Variant(#[from] ParseError),
    /// The position has pieces of another variant.
    #[error("the position has pieces of {required}, but the game type is {stated}")]
    OtherVariant {
        /// The variant with all pieces of the position.
        required: String,
        /// The variant in the text.
        stated: String,
    },
    /// A ply cannot be read or played.
    #[error("ply {number}, `{text}`: {error}")]
    Ply {
        /// The number of the ply, from 1.
        number: usize,
        /// The move as written.
        text: String,
        /// Why it cannot be played.
        error: PlayError<E>,
    },
}

impl<G: Game> Default for Record<G> {
    /// A new game of the default variant. In the contest its board has no brambles;
    /// [`Game::start`](super::Game::start) draws them.
    fn default() -> Record<G> {
        let variant = G::Variant::default();
        Record::new(variant, G::plain_start(variant))
    }
}

impl<G: Game> Record<G> {
    /// A game of this variant that starts at `start`.
    pub fn new(variant: G::Variant, start: Position<G>) -> Record<G> {
        let start_hash = G::REPETITION_LIMIT.map(|_| G::repetition_hash(&start));
        Record {
            variant,
            start,
            position: start,
            notation: G::Notation::from_start(&start),
            plies: Vec::new(),
            repetition_hashes: Vec::from_iter(start_hash),
            repetition: Repetition::default(),
            agreement: None,
        }
    }

    /// A game that starts at `start`, of the variant that its pieces suggest; see
    /// [`Game::variant_of`].
    pub fn from_position(start: Position<G>) -> Record<G> {
        Record::new(G::variant_of(&start), start)
    }

    /// The same game under another repetition rule.
    #[must_use]
    pub fn with_repetition(mut self, repetition: Repetition) -> Record<G> {
        self.repetition = repetition;
        self
    }

    /// The deal or the expansions in play.
    pub fn variant(&self) -> G::Variant {
        self.variant
    }

    /// The position before the first ply.
    pub fn start(&self) -> &Position<G> {
        &self.start
    }

    /// The current position.
    pub fn position(&self) -> &Position<G> {
        &self.position
    }

    /// The notation, up to date with the current position.
    pub fn notation(&self) -> &G::Notation {
        &self.notation
    }

    /// The plies played.
    pub fn plies(&self) -> &[Ply<G>] {
        &self.plies
    }

    /// The repetition rule.
    pub fn repetition(&self) -> Repetition {
        self.repetition
    }

    /// Sets the repetition rule.
    pub fn set_repetition(&mut self, repetition: Repetition) {
        self.repetition = repetition;
    }

    /// Sets or clears an end by agreement. An end by the rules takes precedence.
    pub fn set_agreement(&mut self, agreement: Option<Adjudication>) {
        self.agreement = agreement;
    }

    /// How the game ended; `None` while it is running.
    pub fn ending(&self) -> Option<Ending> {
        if let Some(outcome) = self.position.outcome() {
            Some(Ending::Rules(outcome))
        } else if self.is_repeated() {
            Some(Ending::Repetition)
        } else {
            self.agreement.map(Ending::Agreement)
        }
    }

    /// True if the game has ended.
    pub fn is_over(&self) -> bool {
        self.ending().is_some()
    }

    /// The side to move, or the result and its reason: `red to move`.
    pub fn describe_state(&self) -> String {
        match self.ending() {
            Some(ending) => ending.sentence::<G>(),
            None => format!("{} to move", G::SIDES[self.position.side_to_move()]),
        }
    }

    /// True if the current position is a draw by repetition.
    fn is_repeated(&self) -> bool {
        let hashes = self.repetition_hashes.split_last();
        hashes.is_some_and(|(&hash, earlier)| self.repeats_one_of(&self.position, hash, earlier))
    }

    /// True if `position`, with this hash, is a draw by repetition after the positions with the
    /// `earlier` hashes.
    fn repeats_one_of(&self, position: &Position<G>, hash: u64, earlier: &[u64]) -> bool {
        self.repetition == Repetition::Draw
            && G::REPETITION_LIMIT.is_some_and(|limit| {
                let same_hash = earlier.iter().filter(|&&h| h == hash);
                // Replaying the game for the keys is slow, and rarely necessary.
                same_hash.count() + 1 >= limit && {
                    let key = G::repetition_key(position);
                    let same = self
                        .positions()
                        .zip(earlier)
                        .filter(|(earlier, h)| **h == hash && G::repetition_key(earlier) == key);
                    same.count() + 1 >= limit
                }
            })
    }

    /// True if the legal move `mv` draws the game by repetition.
    pub fn repeats(&self, mv: Move<G>) -> bool {
        let Some(&hash) = self.repetition_hashes.last() else {
            return false;
        };
        let after = self.position.after(mv);
        let hash = G::repetition_hash_after(&self.position, mv, hash);
        after.outcome().is_none() && self.repeats_one_of(&after, hash, &self.repetition_hashes)
    }

    /// True if the current position would be a draw under a repetition rule that compares only the
    /// pieces and the side to move.
    pub fn repeats_by_pieces(&self) -> bool {
        let same = |position: &Position<G>| position.board_hash() == self.position.board_hash();
        G::REPETITION_LIMIT.is_some_and(|limit| self.positions().filter(same).count() >= limit)
    }

    /// The legal moves; empty when the game is over.
    pub fn legal_moves(&self) -> MoveList<G> {
        if self.is_over() {
            return MoveList::new();
        }
        self.position.legal_moves()
    }

    /// Reads a move of the current position, legal or not.
    ///
    /// # Errors
    /// If the text is not a move of the current position.
    pub fn read(&self, text: &str) -> Result<Move<G>, ReadMoveErrorOf<G>> {
        self.notation.read(text, &self.position)
    }

    /// Writes a move of the current position in the game's notation.
    pub fn write(&self, mv: Move<G>) -> String {
        self.notation.write(mv, &self.position)
    }

    /// Writes a line of moves from the current position, up to the first illegal one.
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

    /// Reads and plays a move.
    ///
    /// # Errors
    /// If the text is not a legal move, or the game is over or too long. The game is then
    /// unchanged.
    pub fn play_text(&mut self, text: &str) -> Result<(), PlayError<ReadMoveErrorOf<G>>> {
        if self.is_over() {
            return Err(PlayError::Over);
        }
        let mv = self.read(text).map_err(PlayError::Read)?;
        self.append(mv)
    }

    /// Plays a move.
    ///
    /// # Errors
    /// If the move is illegal, or the game is over or too long. The game is then unchanged.
    pub fn play(&mut self, mv: Move<G>) -> Result<(), PlayError<ReadMoveErrorOf<G>>> {
        if self.is_over() {
            return Err(PlayError::Over);
        }
        self.append(mv)
    }

    fn append(&mut self, mv: Move<G>) -> Result<(), PlayError<ReadMoveErrorOf<G>>> {
        self.position.check(mv).map_err(|why| PlayError::Illegal {
            message: G::explain(&self.position, mv, &why),
            why,
        })?;
        if self.is_full() {
            return Err(PlayError::TooLong);
        }
        self.play_legal(mv);
        Ok(())
    }

    /// True if the game has [`MAX_PLIES`] plies, so that no move can be added.
    pub fn is_full(&self) -> bool {
        self.plies.len() >= MAX_PLIES
    }

    /// Plays a move that is known to be legal, in a game that is neither over nor full.
    ///
    /// After an illegal move the game is meaningless, but safe to use.
    pub fn play_legal(&mut self, mv: Move<G>) {
        let text = self.write(mv);
        if let Some(&hash) = self.repetition_hashes.last() {
            let hash = G::repetition_hash_after(&self.position, mv, hash);
            self.repetition_hashes.push(hash);
        }
        self.notation.follow(mv, &self.position);
        self.position.play(mv);
        self.plies.push(Ply { mv, text });
        self.agreement = None;
    }

    /// The game after its first `plies` plies, without an agreed end; `None` if it has fewer plies.
    /// Earlier repetitions do not end it.
    pub fn after(&self, plies: usize) -> Option<Record<G>> {
        let played = self.plies.get(..plies)?;
        let mut position = self.start;
        let mut notation = G::Notation::from_start(&position);
        for ply in played {
            notation.follow(ply.mv, &position);
            position.play(ply.mv);
        }
        let hashes = self.repetition_hashes.get(..=plies).unwrap_or_default();
        Some(Record {
            variant: self.variant,
            start: self.start,
            position,
            notation,
            plies: played.to_vec(),
            repetition_hashes: hashes.to_vec(),
            repetition: self.repetition,
            agreement: None,
        })
    }

    /// Takes back the last `count` plies. If there are fewer, returns `false` and leaves the game
    /// unchanged.
    #[must_use]
    pub fn undo(&mut self, count: usize) -> bool {
        let keep = self.plies.len().checked_sub(count);
        match keep.and_then(|keep| self.after(keep)) {
            Some(before) => *self = before,
            None => return false,
        }
        true
    }

    /// All positions of the game, from the start to the current one.
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

    /// True if this game consists of `earlier` and possibly more plies.
    pub fn continues(&self, earlier: &Record<G>) -> bool {
        self.start == earlier.start
            && self.repetition == earlier.repetition
            && self.plies.get(..earlier.plies.len()) == Some(&earlier.plies)
    }

    /// The start position and the moves: the default of [`Game::write_record`].
    pub fn plain_text(&self) -> String {
        let moves: Vec<&str> = self.plies.iter().map(|ply| ply.text.as_str()).collect();
        if moves.is_empty() {
            self.start.to_string()
        } else {
            format!("{}{MOVES_SEPARATOR}{}", self.start, moves.join(";"))
        }
    }

    /// The inverse of [`plain_text`](Record::plain_text).
    ///
    /// # Errors
    /// If the start position is invalid or a move is illegal.
    pub fn from_plain_text(text: &str) -> Result<Record<G>, ReadRecordError<ReadMoveErrorOf<G>>> {
        let (start, moves) = text.split_once(MOVES_SEPARATOR).unwrap_or((text, ""));
        let mut record = Record::from_position(start.parse::<Position<G>>()?);
        record.play_texts(moves.split(';'))?;
        Ok(record)
    }

    /// Replaces the variant by a larger one. Its additional pieces are not in the game.
    pub fn with_variant(self, variant: G::Variant) -> Record<G> {
        Record { variant, ..self }
    }

    /// Reads and plays moves, skipping blank texts. Repetitions do not end the game early.
    ///
    /// # Errors
    /// The first move that cannot be played.
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
                .and_then(|mv| self.append(mv))
                .map_err(|error| ReadRecordError::Ply {
                    number,
                    text: text.to_owned(),
                    error,
                })?;
        }
        Ok(())
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

/// Records are equal if start, moves, repetition rule and agreement are equal.
impl<G: Game> PartialEq for Record<G> {
    fn eq(&self, other: &Record<G>) -> bool {
        self.start == other.start
            && self.plies == other.plies
            && self.repetition == other.repetition
            && self.agreement == other.agreement
    }
}
