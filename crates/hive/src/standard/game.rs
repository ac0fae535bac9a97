//! [`Game`] for standard Hive.

use super::{GameState, NamedPieces, PieceName, ReadMoveError, game_string, move_text};
use crate::game::{Ending, Game, Notation, ReadRecordError, Record, Side};
use crate::hex::{Cell, CellSet};
use crate::standard::{GameType, Kind, Move, OpeningRule, Position, RepetitionKey, Standard};
use crate::{ByColor, Color, IllegalMove, PieceKind, Placement, RuleBook};

/// A game of standard Hive.
pub type StandardRecord = Record<Standard>;

impl Game for Standard {
    type Variant = GameType;
    type Notation = NamedPieces;
    type RepetitionKey = RepetitionKey;

    const WORD: &'static str = "Base";

    const SIDES: ByColor<Side> = ByColor {
        red: Side::White,
        blue: Side::Black,
    };

    const BEE: &'static str = "queen";

    fn variants() -> Vec<GameType> {
        GameType::ALL.to_vec()
    }

    fn plain_start(game_type: GameType) -> Position {
        game_type.start(OpeningRule::default())
    }

    /// The queen may be placed on the first turn.
    fn lenient_start(game_type: GameType) -> Option<Position> {
        Some(game_type.start(OpeningRule::Free))
    }

    fn variant_of(position: &Position) -> GameType {
        let kinds = Kind::ALL.iter().copied();
        GameType::default().with(kinds.filter(|&kind| position.has_kind(kind)))
    }

    fn has(game_type: GameType, kind: Kind) -> bool {
        game_type.has(kind)
    }

    fn repetition_key(position: &Position) -> RepetitionKey {
        RepetitionKey::from_position(position)
    }

    fn progress(turn: u16) -> String {
        format!("round {}", turn / 2 + 1)
    }

    fn explain(position: &Position, mv: Move, why: &IllegalMove) -> String {
        let is_due = || matches!(Standard::placement(position), Placement::BeeOnly(_));
        let is_own = |from| position.tops(position.side_to_move()).contains(from);
        match (why, mv) {
            (IllegalMove::GameOver, _) => "The game is over.",
            (IllegalMove::Pass, _) => "You can't pass when you have valid moves.",
            (IllegalMove::BeeTooEarly, _) => "The queen cannot be placed on the first turn.",
            (IllegalMove::BeeDue, _) => "The queen must be placed by the fourth turn.",
            (IllegalMove::BeeFirst, _) if is_due() => {
                "The queen must be placed by the fourth turn."
            }
            (IllegalMove::BeeFirst, _) => "No piece can be moved before the queen is placed.",
            (IllegalMove::NoOwnPiece(_), _) => "It is not the turn of that piece.",
            (IllegalMove::Pinned(_), _) => "Moving that piece would break the hive.",
            (IllegalMove::Resting(_), Move::Drag { from, .. }) if !is_own(from) => {
                "It is not the turn of that piece."
            }
            (IllegalMove::Resting(_), _) => "That piece was just moved and has to rest.",
            (IllegalMove::Placement(_), _) => "That piece cannot be placed there.",
            _ => "You can't move that piece there.",
        }
        .to_owned()
    }

    /// Writes the UHP game string, `Base+MLP;InProgress;White[2];wS1;bG1 wS1-`. For a game with
    /// another start position, writes its game type and the default form.
    fn write_record(record: &StandardRecord) -> String {
        game_string::write(record)
    }

    /// Reads a game string, ignoring its state and turn, or the default form. A game type may
    /// precede the default form.
    fn read_record(text: &str) -> Result<StandardRecord, ReadRecordError<ReadMoveError>> {
        if game_string::is_game_string(text) {
            game_string::read(text, OpeningRule::default())
        } else {
            Record::from_plain_text(text)
        }
    }
}

impl Notation<Standard> for NamedPieces {
    type Error = ReadMoveError;

    fn from_start(position: &Position) -> NamedPieces {
        NamedPieces::from_position(position)
    }

    fn read(&self, text: &str, position: &Position) -> Result<Move, ReadMoveError> {
        move_text::read(text, position, self)
    }

    fn write(&self, mv: Move, position: &Position) -> String {
        move_text::write(mv, position, self)
    }

    fn follow(&mut self, mv: Move, before: &Position) {
        if let (Some(name), Some(to)) = (self.moved_by(before, mv), mv.destination()) {
            self.put(name, to);
        }
    }

    fn ordinal(&self, cell: Cell, level: usize) -> Option<u8> {
        let name = self.pieces_on(cell).nth(level)?;
        (name.piece().kind.pieces_per_side() > 1).then(|| name.ordinal())
    }
}

impl StandardRecord {
    /// A new game of that type.
    pub fn standard(game_type: GameType, opening: OpeningRule) -> StandardRecord {
        Record::new(game_type, game_type.start(opening))
    }

    /// Reads a game string under an opening rule. Repetitions do not end the game early.
    ///
    /// # Errors
    /// If the game type is unknown or a ply cannot be read or is illegal.
    pub fn from_game_string(
        text: &str,
        opening: OpeningRule,
    ) -> Result<StandardRecord, ReadRecordError<ReadMoveError>> {
        game_string::read(text, opening)
    }

    /// The names of the pieces on a cell, bottom to top.
    pub fn stack(&self, cell: Cell) -> impl Iterator<Item = PieceName> {
        self.notation().pieces_on(cell)
    }

    /// The cell of a piece; `None` while it is in hand.
    pub fn cell_of(&self, piece: PieceName) -> Option<Cell> {
        self.notation().cell_of(piece)
    }

    /// True for a game that starts with an empty board and all pieces in hand. Only such games have
    /// a game string.
    pub fn has_game_string(&self) -> bool {
        let start = self.start();
        *start == self.variant().start(start.rule_state().opening())
    }

    /// The game state, as UHP names it.
    pub fn state(&self) -> GameState {
        match self.ending().map(Ending::winner) {
            Some(None) => GameState::Draw,
            Some(Some(Color::Red)) => GameState::WhiteWins,
            Some(Some(Color::Blue)) => GameState::BlackWins,
            None if self.plies().is_empty() => GameState::NotStarted,
            None => GameState::InProgress,
        }
    }
}
