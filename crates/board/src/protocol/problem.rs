//! Problems as codes with parameters. The page translates them.

use std::borrow::Cow;
#[cfg(feature = "server")]
use std::io;

use serde::Serialize;

use super::MAX_GAME_PLIES;
use wabe_files::text::{MAX_DETAIL, MAX_NAME, printable};
use wabe_hive::game::{Game, MAX_PLIES, PlayError, ReadRecordError};
use wabe_hive::standard::ReadMoveError;
use wabe_hive::{Color, IllegalMove, KindOf, PieceKind, PositionError};
use wabe_records::games::ParseGameNameError;
use wabe_records::{
    Damage, Fault, MAX_GAMES, MAX_TEXT, MAX_TOTAL_PLIES, MAX_VARIATION_DEPTH, MAX_VARIATIONS,
    Place, ReplayError,
};

/// Why a request failed, a recording is damaged, or a piece cannot move.
///
/// Sides are `red`, `blue`, `white` or `black`. Kinds are letters, but `bee` or `queen` for the
/// queen. `why` is the reason at the place named by the other fields. `detail` is an English text
/// for experts, empty if the code says everything.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(serde::Deserialize))]
#[serde(tag = "code", rename_all = "snake_case")]
#[allow(missing_docs, reason = "names of parameters are explained above")]
pub enum Problem {
    // --- messages and resources ---
    /// Page and engine have different versions of the message format.
    OtherVersion,
    /// The request needs `wabe board`.
    NeedsServer,
    /// The first message must be `hello`.
    HelloExpected,
    /// The message is not a request. Only other programs than the page send such messages.
    InvalidRequest {
        detail: String,
    },
    /// The message is too long.
    MessageTooLong {
        max_kib: usize,
    },
    /// The address contains no valid token.
    TokenExpected,
    TooManyPages,
    TooManySearches,
    /// The engine panicked.
    EngineFailed,
    /// The system cannot start a thread.
    NoResources {
        detail: String,
    },

    // --- games ---
    UnknownGame {
        game: String,
    },
    TooManyPlies {
        max: usize,
    },
    /// An illegal or unreadable ply.
    Ply {
        number: usize,
        text: String,
        why: Box<Problem>,
    },
    GameOver,
    /// The format cannot represent the game.
    CannotExport,
    TooManyVariations {
        max: usize,
        max_depth: usize,
    },
    /// A variation does not replace a move.
    LoneVariation,

    // --- moves ---
    UnreadableMove,
    UnreadableTarget {
        target: String,
    },
    MissingTarget {
        piece: String,
    },
    /// The target names a piece in hand.
    NotInPlay {
        piece: String,
    },
    NotInGame {
        piece: String,
    },
    /// Pieces of a kind are placed in the order of their numbers.
    OutOfOrder {
        piece: String,
        first: String,
    },
    Occupied,
    TargetCovered {
        piece: String,
    },
    Covered,
    NotToMove,
    MustNotPass,
    NotInReserve,
    BeeFirst {
        bee: String,
    },
    BeeDue {
        bee: String,
    },
    BeeTooEarly {
        bee: String,
    },
    /// The piece cannot be placed there.
    NoPlacement,
    /// The piece cannot be placed anywhere.
    NoRoom,
    Pinned,
    Resting,
    /// The piece cannot reach the target.
    Unreachable,
    /// The piece cannot reach any field.
    Enclosed,

    // --- positions ---
    UnreadablePosition {
        detail: String,
    },
    RoundTooLate {
        max: u16,
    },
    NotAField {
        field: String,
    },
    FieldTwice {
        field: String,
    },
    NoBrambles,
    OnBramble {
        field: String,
    },
    TooManyPieces {
        side: Cow<'static, str>,
        kind: String,
        count: usize,
        max: u8,
    },
    CannotClimb {
        side: Cow<'static, str>,
        kind: String,
    },
    Disconnected,
    /// The side has had too few turns. The position is possible from `round` on.
    TooFewTurns {
        side: Cow<'static, str>,
        round: u16,
    },
    /// The side has had more turns than it can have had without its queen.
    TooManyTurns {
        side: Cow<'static, str>,
        bee: String,
        count: usize,
    },
    /// The side's queen was due in its fourth turn.
    BeeMissing {
        side: Cow<'static, str>,
        bee: String,
    },
    /// A piece has moved, but its queen is not on the board.
    MovedBeforeBee {
        side: Cow<'static, str>,
        kind: String,
        bee: String,
    },

    // --- recordings ---
    Line {
        line: usize,
        why: Box<Problem>,
    },
    /// A message of a recorded stream.
    Message {
        number: usize,
        why: Box<Problem>,
    },
    /// A file in an archive.
    InFile {
        file: String,
        why: Box<Problem>,
    },
    /// Like [`Problem::Ply`], in a variation.
    VariationPly {
        number: usize,
        text: String,
        why: Box<Problem>,
    },
    NotARecording,
    EmptyFile,
    NoPositions,
    FileTooLarge {
        max_mib: u64,
    },
    TooManyGames {
        max: usize,
    },
    /// The games of the file have too many plies together.
    FileTooLong {
        max: usize,
    },
    UnreadableFile {
        detail: String,
    },
    Malformed {
        detail: String,
    },
    UnexpectedEnd,
    SecondRecording,
    /// Only the beginning of the file was read.
    CutOff {
        max_mib: u64,
    },
    /// Only the beginning of the game is shown.
    CutOffGame {
        plies: usize,
        max: usize,
    },
    /// No legal move leads to the position after that many plies.
    NoMove {
        ply: u16,
    },
    UnknownGameType {
        text: String,
    },
    OtherGameType {
        required: String,
        stated: String,
    },
    UnknownAction {
        text: String,
    },
    LongVariations {
        max: usize,
    },
    TooManyTags {
        max: usize,
    },
    /// A word after the result.
    AfterResult {
        text: String,
    },

    // --- watching ---
    BadAddress {
        address: String,
    },
    /// Boards that are open to other machines cannot watch other servers.
    CannotWatch,
    TooManyServers,
    NoServer {
        address: String,
        detail: String,
    },
    ConnectionLost {
        address: String,
        detail: String,
    },
    /// The referee rejected the request.
    Rejected {
        address: String,
        detail: String,
    },
    /// The referee closed the connection without a reason.
    Closed {
        address: String,
    },
    GameGone,

    // --- programs ---
    ProgramsDisabled,
    InvalidCommand {
        detail: String,
    },
    /// The program plays another game.
    OtherGameProgram,
    ProgramNotStarted {
        program: String,
        detail: String,
    },
    ProgramUnusable {
        detail: String,
    },
    ProgramLate,
    ProgramIllegalMove {
        detail: String,
    },
    ProgramSilent,
    ProgramExited,
    ProgramFailed {
        detail: String,
    },
    ProgramStopped,

    // --- the library ---
    CannotRead {
        path: String,
        detail: String,
    },
    CannotSave {
        path: String,
        detail: String,
    },
    NotFound {
        path: String,
    },
    NoPermission {
        path: String,
    },
    DiskFull {
        path: String,
    },
    ExistsAgain {
        path: String,
    },
    EntryTooLarge {
        max_mib: u64,
    },
}

/// The name of a side in the protocol.
pub(crate) fn side_name<G: Game>(color: Color) -> Cow<'static, str> {
    G::SIDES[color].name().into()
}

/// The name of a kind in the protocol, given its letter.
pub(crate) fn kind_name<G: Game>(letter: char) -> String {
    if letter == <KindOf<G> as PieceKind>::BEE.letter() {
        G::BEE.to_owned()
    } else {
        letter.to_string()
    }
}

impl Problem {
    /// A request that the page never sends.
    pub(crate) fn invalid_request(detail: impl ToString) -> Problem {
        Problem::InvalidRequest {
            detail: detail.to_string(),
        }
    }

    /// The rule that a move breaks.
    fn from_illegal<G: Game>(why: &IllegalMove) -> Problem {
        let bee = || G::BEE.to_owned();
        match why {
            IllegalMove::GameOver => Problem::GameOver,
            IllegalMove::Pass => Problem::MustNotPass,
            IllegalMove::NotInReserve => Problem::NotInReserve,
            IllegalMove::BeeDue => Problem::BeeDue { bee: bee() },
            IllegalMove::BeeTooEarly => Problem::BeeTooEarly { bee: bee() },
            IllegalMove::Placement(_) => Problem::NoPlacement,
            IllegalMove::BeeFirst => Problem::BeeFirst { bee: bee() },
            IllegalMove::NoOwnPiece(_) => Problem::NotToMove,
            IllegalMove::Pinned(_) => Problem::Pinned,
            IllegalMove::Resting(_) => Problem::Resting,
            IllegalMove::Destination(..) => Problem::Unreachable,
        }
    }

    /// Why a move cannot be played.
    fn from_play<G: Game>(error: PlayError<ReadMoveError>) -> Problem {
        match error {
            PlayError::Read(error) => Problem::from_read_move(error),
            PlayError::Over => Problem::GameOver,
            PlayError::TooLong => Problem::TooManyPlies { max: MAX_PLIES },
            PlayError::Illegal { why, .. } => Problem::from_illegal::<G>(&why),
        }
    }

    fn from_read_move(error: ReadMoveError) -> Problem {
        match error {
            ReadMoveError::Malformed(_) | ReadMoveError::Plain(_) => Problem::UnreadableMove,
            ReadMoveError::Target { target, .. } => Problem::UnreadableTarget {
                target: printable(&target, MAX_NAME),
            },
            ReadMoveError::MissingTarget(piece) => Problem::MissingTarget {
                piece: piece.to_string(),
            },
            ReadMoveError::ReferenceInHand(piece) => Problem::NotInPlay {
                piece: piece.to_string(),
            },
            ReadMoveError::NotInGame(piece) => Problem::NotInGame {
                piece: piece.to_string(),
            },
            ReadMoveError::OutOfOrder { name, first } => Problem::OutOfOrder {
                piece: name.to_string(),
                first: first.to_string(),
            },
            ReadMoveError::Occupied(_) => Problem::Occupied,
            ReadMoveError::TargetCovered(piece) => Problem::TargetCovered {
                piece: piece.to_string(),
            },
            ReadMoveError::Covered(_) => Problem::Covered,
            ReadMoveError::NotToMove(_) => Problem::NotToMove,
        }
    }

    /// Why a line cannot be replayed.
    pub(crate) fn from_record<G: Game, E: Into<ReadMoveError>>(
        error: ReadRecordError<E>,
    ) -> Problem {
        match error {
            ReadRecordError::Position(error) => Problem::from_position::<G>(&error),
            ReadRecordError::Variant(error) => Problem::UnknownGameType {
                text: printable(error.text(), MAX_NAME),
            },
            ReadRecordError::OtherVariant { required, stated } => {
                Problem::OtherGameType { required, stated }
            }
            ReadRecordError::Ply {
                number,
                text,
                error,
            } => Problem::Ply {
                number,
                text: printable(&text, MAX_NAME),
                why: Box::new(Problem::from_play::<G>(error.of_any_game())),
            },
        }
    }

    /// Why a position is invalid.
    pub(crate) fn from_position<G: Game>(error: &PositionError) -> Problem {
        match error {
            PositionError::Fields(_) | PositionError::Malformed(_) => Problem::UnreadablePosition {
                detail: printable(&error.to_string(), MAX_DETAIL),
            },
            PositionError::TurnTooLate { last, .. } => Problem::RoundTooLate { max: last / 2 },
            PositionError::NotAField(hex) => Problem::NotAField {
                field: hex.to_string(),
            },
            PositionError::DuplicateObstacle(hex) | PositionError::DuplicateField(hex) => {
                Problem::FieldTwice {
                    field: hex.to_string(),
                }
            }
            PositionError::NoObstacles => Problem::NoBrambles,
            PositionError::OnObstacle(hex) => Problem::OnBramble {
                field: hex.to_string(),
            },
            &PositionError::TooManyPieces {
                color,
                kind,
                count,
                limit,
            } => Problem::TooManyPieces {
                side: side_name::<G>(color),
                kind: kind_name::<G>(kind),
                count,
                max: limit,
            },
            &PositionError::CannotClimb { color, kind, .. } => Problem::CannotClimb {
                side: side_name::<G>(color),
                kind: kind_name::<G>(kind),
            },
            PositionError::Disconnected => Problem::Disconnected,
        }
    }

    /// Where and why reading of a recording stopped.
    pub(crate) fn from_damage<G: Game>(damage: Damage) -> Problem {
        let Damage { place, fault, file } = damage;
        let ply = match place {
            Place::Line { ply, .. } => ply,
            Place::Message { .. } => 0,
        };
        let why = Box::new(Problem::from_fault::<G>(fault, ply));
        let problem = match place {
            Place::Line { line, .. } => Problem::Line { line, why },
            Place::Message { number, .. } => Problem::Message { number, why },
        };
        match file {
            Some(file) => Problem::InFile {
                file,
                why: Box::new(problem),
            },
            None => problem,
        }
    }

    fn from_fault<G: Game>(fault: Fault, number: usize) -> Problem {
        let short = |text: String| printable(&text, MAX_NAME);
        match fault {
            Fault::Move {
                text,
                is_in_variation,
                error,
            } => {
                let (text, why) = (short(text), Box::new(Problem::from_play::<G>(error)));
                if is_in_variation {
                    Problem::VariationPly { number, text, why }
                } else {
                    Problem::Ply { number, text, why }
                }
            }
            Fault::Position(error) => Problem::from_position::<G>(&error),
            Fault::GameType(error) => Problem::UnknownGameType {
                text: printable(error.text(), MAX_NAME),
            },
            Fault::SgfGame(text) => Problem::UnknownGameType { text: short(text) },
            Fault::OtherGameType { required, stated } => {
                Problem::OtherGameType { required, stated }
            }
            Fault::Action(text) => Problem::UnknownAction { text: short(text) },
            Fault::TooManyVariations => Problem::too_many_variations(),
            Fault::LongVariations => Problem::LongVariations { max: MAX_PLIES },
            Fault::LoneVariation => Problem::LoneVariation,
            Fault::TooManyTags(max) => Problem::TooManyTags { max },
            Fault::AfterResult(text) => Problem::AfterResult { text: short(text) },
            Fault::UnexpectedEnd => Problem::UnexpectedEnd,
            Fault::SecondRecording => Problem::SecondRecording,
            Fault::TooLarge(max_mib) => Problem::CutOff { max_mib },
            Fault::TooManyPositions => Problem::TooManyPlies { max: MAX_PLIES },
            Fault::NoMove(ply) => Problem::NoMove { ply },
            Fault::NotARecording => Problem::NotARecording,
            Fault::Other(detail) => Problem::Malformed {
                detail: printable(&detail, MAX_DETAIL),
            },
        }
    }

    pub(crate) fn too_many_variations() -> Problem {
        Problem::TooManyVariations {
            max: MAX_VARIATIONS,
            max_depth: MAX_VARIATION_DEPTH,
        }
    }

    /// A game with more plies than a page shows.
    pub(crate) fn too_many_plies() -> Problem {
        Problem::TooManyPlies {
            max: MAX_GAME_PLIES,
        }
    }

    /// Why no game of a file can be read.
    pub(crate) fn from_replay<G: Game>(error: ReplayError) -> Problem {
        match error {
            ReplayError::Io(error) => Problem::UnreadableFile {
                detail: printable(&error.to_string(), MAX_DETAIL),
            },
            ReplayError::Damaged(damage) | ReplayError::Unreadable(damage) => {
                Problem::from_damage::<G>(*damage)
            }
            ReplayError::NoPositions => Problem::NoPositions,
            ReplayError::NotARecording => Problem::NotARecording,
            ReplayError::Empty => Problem::EmptyFile,
            ReplayError::TooLarge => Problem::FileTooLarge {
                max_mib: MAX_TEXT >> 20,
            },
            ReplayError::TooManyGames => Problem::TooManyGames { max: MAX_GAMES },
            ReplayError::TooManyPlies => Problem::FileTooLong {
                max: MAX_TOTAL_PLIES,
            },
        }
    }

    /// An error of the system, if it has its own code.
    #[cfg(feature = "server")]
    pub(crate) fn from_io(error: &io::Error, path: String) -> Option<Problem> {
        match error.kind() {
            io::ErrorKind::NotFound => Some(Problem::NotFound { path }),
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Some(Problem::NoPermission { path })
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Some(Problem::DiskFull { path })
            }
            _ => None,
        }
    }
}

impl From<ParseGameNameError> for Problem {
    fn from(error: ParseGameNameError) -> Problem {
        Problem::UnknownGame {
            game: printable(error.word(), MAX_NAME),
        }
    }
}
