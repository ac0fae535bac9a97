//! Games recorded by BoardSpace.net, in its dialect of the Smart Game Format (SGF).
//!
//! Each property of a player, `P0` for white and `P1` for black, contains one numbered action:
//!
//! ```text
//! ; P0[1 Pick W 1 wA1]
//! ; P0[2 Dropb wA1 N 14 \\wS1]
//! ; P0[3 Done ]
//! ; P1[4 Move B bL1 M 12 /wS1]
//! ```
//!
//! The target of a move is written twice: by column and row on BoardSpace's board, and by a
//! reference piece, which is used only if the field is invalid. `Done` completes a move. Older
//! files omit colours, newer files omit passes.

mod action;
mod board;
mod properties;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use super::moves::{FilePiece, allow_queen, begin};
use crate::collector::GameCollector;
use crate::{Damage, Fault, Replay, ReplayError, StatedResult};
use action::{Action, Field, Put};
use board::FileBoard;
use properties::{FileGame, FileGames, Property};
use wabe_hive::game::{Adjudication, Repetition};
use wabe_hive::standard::{GameType, OpeningRule, Standard};
use wabe_hive::standard::{Kind, StandardPiece, StandardRecord};
use wabe_hive::{ByColor, Color, Move, PieceKind};

/// True if a text starts with `(;`, possibly on separate lines.
pub(super) fn looks_like_sgf(text: &str) -> bool {
    let rest = text.strip_prefix('(').map(str::trim_start);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(';'))
}

/// Reads all games of a BoardSpace file, each up to its first illegal move.
///
/// # Errors
/// When no game is a game of standard Hive.
pub(super) fn read_sgf(text: &str) -> Result<Vec<Replay<Standard>>, ReplayError> {
    let mut replays = GameCollector::default();
    for file_game in FileGames::new(text) {
        let game_type = match game_type(&file_game.properties) {
            Ok(game_type) => game_type,
            Err(damage) => {
                replays.push_unreadable(*damage)?;
                continue;
            }
        };
        let mut parser = GameParser::new(game_type);
        parser.read(&file_game);
        replays.push(parser.finish(&file_game))?;
    }
    replays.finish()
}

/// The game type from the property `SU` (`hive`, `hive-plm`, `Hive-PLM 2 0 101`), extended by the
/// expansions of all pieces that are played. The error names an unknown one.
fn game_type(properties: &[Property]) -> Result<GameType, Box<Damage>> {
    let actions = properties.iter().filter_map(|p| Action::read(&p.value));
    let kinds = actions.filter_map(|action| match action {
        (Action::Put(put), _) => Some(put.piece.kind),
        _ => None,
    });
    let played = GameType::default().with(kinds);
    let Some(setup) = properties.iter().find(|property| property.name == "SU") else {
        return Ok(played);
    };
    let variant = setup.value.to_ascii_lowercase();
    let variant = variant.split_whitespace().next().unwrap_or_default();
    let letters = match variant.strip_prefix("hive") {
        Some("") => Some(""),
        rest => rest.and_then(|rest| rest.strip_prefix('-')),
    };
    let Some(letters) = letters.filter(|letters| letters.bytes().all(|b| b"mlp".contains(&b)))
    else {
        let fault = Fault::SgfGame(setup.value.to_string());
        return Err(Box::new(Damage::at(setup.line, 0, fault)));
    };
    let letters = letters.to_ascii_uppercase();
    Ok(played.with(letters.chars().filter_map(Kind::from_letter)))
}

/// The last effective action since the end of the previous turn.
#[derive(Debug)]
enum Pending {
    Nothing,
    Put {
        put: Put,
        color: Color,
        line: usize,
    },
    Pass {
        line: usize,
    },
    /// A draw offer, its answer, or a resignation.
    NoMove,
}

/// Parser state of one game.
struct GameParser {
    game: StandardRecord,
    board: FileBoard,
    pending: Pending,
    /// The piece in the player's hand, if its owner is known.
    picked: Option<StandardPiece>,
    agreement: Option<Adjudication>,
    damage: Option<Damage>,
    /// Time used by each player up to the player's last move.
    clocks: ByColor<Duration>,
    /// The player whose move was completed by the last action.
    moved: Option<Color>,
    times: BTreeMap<usize, Duration>,
}

impl GameParser {
    fn new(game_type: GameType) -> GameParser {
        let game = begin(game_type, OpeningRule::Tournament);
        GameParser {
            board: FileBoard::new(&game),
            game,
            pending: Pending::Nothing,
            picked: None,
            agreement: None,
            damage: None,
            clocks: ByColor::default(),
            moved: None,
            times: BTreeMap::new(),
        }
    }

    fn read(&mut self, file_game: &FileGame) {
        for Property { line, name, value } in &file_game.properties {
            let player = match name.as_str() {
                "P0" => Color::Red,
                "P1" => Color::Blue,
                "TM" => {
                    self.clock(value);
                    continue;
                }
                _ => continue,
            };
            self.moved = None;
            match Action::read(value) {
                Some((action, is_done)) => {
                    self.act(*line, player, action);
                    if is_done {
                        self.done(player);
                    }
                }
                None => self.fail(*line, Fault::Action(value.to_string())),
            }
            if self.damage.is_some() {
                return;
            }
        }
        if !file_game.is_complete {
            self.fail(file_game.last_line, Fault::UnexpectedEnd);
        }
    }

    fn act(&mut self, line: usize, player: Color, action: Action) {
        match action {
            Action::Pick(piece) => self.picked = piece.color.map(|color| piece.owned(color)),
            Action::PickFrom(piece, field) => self.pick_from(piece, field),
            Action::Put(put) => {
                let picked = self.picked.filter(|picked| picked.kind == put.piece.kind);
                let owner = put.piece.color.or(picked.map(|picked| picked.color));
                let color = owner.unwrap_or(player);
                self.pending = Pending::Put { put, color, line };
            }
            Action::TakeBack => {
                self.clear();
                self.agreement = None;
            }
            Action::Pass => self.pending = Pending::Pass { line },
            Action::DrawOffer => self.pending = Pending::NoMove,
            Action::AcceptDraw => {
                self.pending = Pending::NoMove;
                self.agreement = Some(Adjudication::Draw);
            }
            Action::Resign => {
                self.pending = Pending::NoMove;
                self.agreement = Some(Adjudication::Resignation(player));
            }
            Action::Other => {}
        }
    }

    /// Picks up a piece. If it was just dropped, this takes back the move.
    fn pick_from(&mut self, piece: Option<FilePiece>, field: Option<Field>) {
        self.picked = match &self.pending {
            Pending::Put { put, color, .. } if put.field == field => Some(put.piece.owned(*color)),
            _ => {
                let owned = piece.and_then(|piece| Some(piece.owned(piece.color?)));
                let top = || Some(self.board.top(&self.game, field?)?.piece());
                owned.or_else(top)
            }
        };
        self.pending = Pending::Nothing;
    }

    fn clear(&mut self) {
        self.pending = Pending::Nothing;
        self.picked = None;
    }

    fn done(&mut self, player: Color) {
        let pending = std::mem::replace(&mut self.pending, Pending::Nothing);
        self.clear();
        match pending {
            Pending::Put { put, color, line } => {
                self.pass_if_forced(player.opponent());
                let text = self.board.text_of(&self.game, &put, color);
                if self.play(line, &text) {
                    self.board.update(&self.game, Some((&put, color)));
                    self.moved = Some(player);
                }
            }
            Pending::Pass { line } => {
                if self.play(line, "pass") {
                    self.board.update(&self.game, None);
                }
            }
            // Newer files record a pass only as `Done`.
            Pending::Nothing => self.pass_if_forced(player),
            Pending::NoMove => {}
        }
    }

    /// Reads `TM`, which follows each action: the time that the player has used so far, in ms.
    fn clock(&mut self, text: &str) {
        let used = text.trim().parse().map(Duration::from_millis);
        if let (Ok(used), Some(player)) = (used, self.moved.take()) {
            let before = std::mem::replace(&mut self.clocks[player], used);
            let time = used.checked_sub(before);
            let position = self.game.plies().len();
            self.times.extend(time.map(|time| (position, time)));
        }
    }

    /// Passes if it is the player's turn and passing is the only legal move.
    fn pass_if_forced(&mut self, player: Color) {
        let is_on_turn = self.game.position().side_to_move() == player;
        let only_pass = matches!(self.game.legal_moves()[..], [Move::Pass]);
        if is_on_turn && only_pass && self.game.play_text("pass").is_ok() {
            self.board.update(&self.game, None);
        }
    }

    fn play(&mut self, line: usize, text: &str) -> bool {
        let mut played = self.game.play_text(text);
        if let Err(error) = &played
            && allow_queen(&mut self.game, error)
        {
            played = self.game.play_text(text);
        }
        let is_ok = played.is_ok();
        if let Err(error) = played {
            self.fail(line, Fault::of_move(text, error));
        }
        is_ok
    }

    fn fail(&mut self, line: usize, fault: Fault) {
        self.damage = Some(Damage::at(line, self.game.plies().len() + 1, fault));
    }

    fn finish(mut self, file_game: &FileGame) -> Replay<Standard> {
        self.game.set_repetition(Repetition::Draw);
        self.game.set_agreement(self.agreement);
        let mut replay = Replay {
            damage: self.damage,
            times: self.times,
            ..Replay::new(self.game)
        };
        for Property { name, value, .. } in &file_game.properties {
            apply_property(&mut replay, name, value.trim());
        }
        if self.agreement.is_none() {
            let mut tags = replay.tags.iter();
            let sentence = tags.find(|(name, _)| name == "SgfResult");
            replay.stated = sentence.and_then(|(_, text)| stated_result(&replay, text));
        }
        replay
    }
}

/// Stores a property of the whole game: names, result, date and other tags.
fn apply_property(replay: &mut Replay<Standard>, name: &str, value: &str) {
    let player = value
        .strip_prefix("id \"")
        .and_then(|rest| rest.strip_suffix('"'));
    let mut tag = |name: &str, value: String| {
        let is_known = replay.tags.iter().any(|(known, _)| known == name);
        if !is_known {
            replay.tags.push((name.to_owned(), value));
        }
    };
    match (name, player) {
        ("P0", Some(name)) => replay.names.red = name.to_owned(),
        ("P1", Some(name)) => replay.names.blue = name.to_owned(),
        ("RE", _) => tag("SgfResult", value.to_owned()),
        _ if value.is_empty() => {}
        ("EV", _) => tag("Event", value.to_owned()),
        ("PC", _) => tag("Site", value.to_owned()),
        ("RO", _) => tag("Round", value.to_owned()),
        ("GN", _) => tag("SgfGameName", value.to_owned()),
        ("DT", _) => {
            tag("SgfDate", value.to_owned());
            if let Some(date) = date(value) {
                tag("Date", date);
            }
        }
        _ => {}
    }
}

/// Converts an English date, `21 November 2026` or `Tue Mar 29 21:05:19 CEST 2016`, to PGN's form
/// `2016.03.29`.
fn date(text: &str) -> Option<String> {
    const MONTHS: [&str; 12] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ];
    let words = || text.split([' ', ',']);
    let number = |digits: Range<usize>, max: u16| {
        let words = words().filter(|word| digits.contains(&word.len()));
        let mut numbers = words.filter_map(|word| word.parse::<u16>().ok());
        numbers.find(|number| (1..=max).contains(number))
    };
    let month = words().find_map(|word| {
        let start = word.get(..3)?.to_ascii_lowercase();
        MONTHS.iter().position(|month| *month == start)
    });
    let (year, month, day) = (number(4..5, 9999)?, month? + 1, number(1..3, 31)?);
    Some(format!("{year:04}.{month:02}.{day:02}"))
}

/// Parses a result sentence in any language: the player named in it won.
fn stated_result(replay: &Replay<Standard>, sentence: &str) -> Option<StatedResult> {
    let length_of = |name: &str| {
        let is_named = !name.is_empty() && sentence.contains(name);
        if is_named { name.len() } else { 0 }
    };
    let ByColor { red, blue } = &replay.names;
    // One name may contain the other one.
    let winner = match length_of(red).cmp(&length_of(blue)) {
        Ordering::Greater => Some(Color::Red),
        Ordering::Less => Some(Color::Blue),
        Ordering::Equal if sentence.contains("draw") => None,
        Ordering::Equal => return None,
    };
    Some(StatedResult::new(winner))
}
