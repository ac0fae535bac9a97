//! Reading BoardSpace's games.

use super::super::loose_text::FilePiece;
use super::super::moves::{game_type_of, reason};
use super::super::{ReadStandardError, StandardDamage, StandardReplay};
use super::action::{Action, Field, Put};
use super::board::FileBoard;
use super::properties::{Properties, Property};
use crate::hive::standard::notation::{Game, GameState, PieceName, PlayError, Repetition};
use crate::hive::standard::{GameType, Opening};
use crate::hive::{Color, Move};

/// Reads the first game of a file from BoardSpace, as far as its moves are legal.
///
/// # Errors
/// When it is a game of something else.
pub fn read_sgf(text: &str) -> Result<StandardReplay, ReadStandardError> {
    let properties = Properties::of(text);
    let game_type = game_type(&properties.first_game)?;
    let mut reading = Reading::new(game_type, Opening::Tournament);
    reading.read(&properties);
    if reading.began_with_a_queen {
        reading = Reading::new(game_type, Opening::Free);
        reading.read(&properties);
    }
    Ok(reading.finish(&properties))
}

/// What the property `SU` says: `hive`, `hive-plm`, `Hive-PLM 2 0 101`.
fn game_type(properties: &[Property]) -> Result<GameType, ReadStandardError> {
    let Some(setup) = properties.iter().find(|property| property.name == "SU") else {
        let actions = properties.iter().filter_map(|p| Action::read(&p.value));
        let pieces = actions.filter_map(|action| match action {
            Action::Put(put) | Action::PutAndDone(put) => {
                PieceName::new(put.piece.of(Color::Red), 1)
            }
            _ => None,
        });
        return Ok(game_type_of(pieces));
    };
    let variant = setup.value.split_whitespace().next().unwrap_or_default();
    let letters = variant.to_ascii_lowercase();
    let letters = letters.strip_prefix("hive").and_then(|rest| match rest {
        "" => Some(""),
        rest => rest.strip_prefix('-'),
    });
    let known = letters.filter(|letters| letters.bytes().all(|b| b"mlp".contains(&b)));
    let Some(letters) = known else {
        return Err(ReadStandardError::Variant {
            line: setup.line,
            variant: setup.value.clone(),
        });
    };
    Ok(GameType {
        mosquito: letters.contains('m'),
        ladybug: letters.contains('l'),
        pillbug: letters.contains('p'),
    })
}

/// What a player has done since somebody was done.
#[derive(Debug)]
enum Pending {
    Nothing,
    Put { put: Put, color: Color, line: usize },
    Pass { line: usize },
    Courtesy,
}

/// What has been read so far.
struct Reading {
    game: Game,
    board: FileBoard,
    pending: Pending,
    picked: Option<FilePiece>,
    picked_from: Option<Field>,
    result: Option<GameState>,
    damage: Option<StandardDamage>,
    began_with_a_queen: bool,
}

impl Reading {
    fn new(game_type: GameType, opening: Opening) -> Reading {
        Reading {
            game: Game::new(game_type, opening, Repetition::Ignore),
            board: FileBoard::new(),
            pending: Pending::Nothing,
            picked: None,
            picked_from: None,
            result: None,
            damage: None,
            began_with_a_queen: false,
        }
    }

    fn read(&mut self, properties: &Properties) {
        for Property { line, name, value } in &properties.first_game {
            let player = match name.as_str() {
                "P0" => Color::Red,
                "P1" => Color::Blue,
                _ => continue,
            };
            match Action::read(value) {
                Some(action) => self.act(*line, player, action),
                None => self.stop(*line, format!("`{value}` makes no sense")),
            }
            if self.damage.is_some() {
                return;
            }
        }
        if !properties.is_whole {
            self.stop(properties.lines, "the recording is cut off here".to_owned());
        }
    }

    fn act(&mut self, line: usize, player: Color, action: Action) {
        match action {
            Action::Pick(piece) => {
                self.picked = Some(piece);
                self.picked_from = None;
            }
            Action::PickFrom(piece, field) => self.pick_from(piece, field),
            Action::Put(put) => self.put(line, player, put),
            Action::PutAndDone(put) => {
                self.put(line, player, put);
                self.done(player);
            }
            Action::TakeBack => self.clear(),
            Action::Pass => self.pending = Pending::Pass { line },
            Action::Courtesy => self.pending = Pending::Courtesy,
            Action::AcceptDraw => {
                self.pending = Pending::Courtesy;
                self.result = Some(GameState::Draw);
            }
            Action::Resign => {
                self.pending = Pending::Courtesy;
                self.result = Some(match player {
                    Color::Red => GameState::BlackWins,
                    Color::Blue => GameState::WhiteWins,
                });
            }
            Action::Done => self.done(player),
            Action::Other => {}
        }
    }

    /// A player may think again and take up what has just been put down; it is the same piece then.
    fn pick_from(&mut self, piece: Option<FilePiece>, field: Option<Field>) {
        match &self.pending {
            Pending::Put { put, color, .. } if put.field == field => {
                self.picked = Some(FilePiece {
                    color: Some(*color),
                    ..put.piece
                });
                self.picked_from = None;
            }
            _ => {
                self.picked = piece;
                self.picked_from = field;
            }
        }
        self.pending = Pending::Nothing;
    }

    fn put(&mut self, line: usize, player: Color, put: Put) {
        let (picked, from) = (self.picked, self.picked_from);
        let color = self
            .board
            .owner(&self.game, put.piece, picked, from, player);
        self.pending = Pending::Put { put, color, line };
    }

    fn clear(&mut self) {
        self.pending = Pending::Nothing;
        self.picked = None;
        self.picked_from = None;
    }

    fn done(&mut self, player: Color) {
        let pending = std::mem::replace(&mut self.pending, Pending::Nothing);
        self.clear();
        match pending {
            Pending::Put { put, color, line } => {
                self.pass_if_forced(player.opponent());
                let text = self.board.text_of(&self.game, &put, color);
                if self.play(line, &text) {
                    self.board.follow(&self.game, Some((&put, color)));
                }
            }
            Pending::Pass { line } => {
                if self.play(line, "pass") {
                    self.board.follow(&self.game, None);
                }
            }
            // Newer files say no more of a pass.
            Pending::Nothing => self.pass_if_forced(player),
            Pending::Courtesy => {}
        }
    }

    /// Passes for a player whose turn it is and who can do nothing else.
    fn pass_if_forced(&mut self, player: Color) {
        let is_on_turn = self.game.position().side_to_move() == player;
        let only_pass = matches!(self.game.legal_moves()[..], [Move::Pass]);
        if is_on_turn && only_pass && self.game.play("pass").is_ok() {
            self.board.follow(&self.game, None);
        }
    }

    fn play(&mut self, line: usize, text: &str) -> bool {
        match self.game.play(text) {
            Ok(()) => true,
            Err(error) => {
                self.began_with_a_queen |= error == PlayError::QueenTooEarly;
                self.stop(line, format!("`{text}`: {}", reason(&error)));
                false
            }
        }
    }

    fn stop(&mut self, line: usize, problem: String) {
        self.damage = Some(StandardDamage {
            line,
            ply: self.game.plies().len() + 1,
            problem,
        });
    }

    fn finish(mut self, properties: &Properties) -> StandardReplay {
        self.game.set_repetition(Repetition::Draw);
        let mut replay = StandardReplay {
            result: self.result,
            damage: self.damage,
            further_games: properties.further_games,
            ..StandardReplay::of_game(self.game)
        };
        for Property { name, value, .. } in &properties.first_game {
            take_fact(&mut replay, name, value.trim());
        }
        let mut tags = replay.tags.iter();
        let sentence = tags.find(|(name, _)| name == "SgfResult");
        let told = sentence.and_then(|(_, sentence)| result(&replay, sentence));
        replay.result = replay.result.or(told);
        replay
    }
}

/// Keeps what a property says about the whole game.
fn take_fact(replay: &mut StandardReplay, name: &str, value: &str) {
    let player = value
        .strip_prefix("id \"")
        .and_then(|rest| rest.strip_suffix('"'));
    match (name, player) {
        ("P0", Some(name)) => replay.names.red = name.to_owned(),
        ("P1", Some(name)) => replay.names.blue = name.to_owned(),
        ("RE", _) => {
            replay.tags.push(("SgfResult".to_owned(), value.to_owned()));
        }
        _ => {
            let tag = match name {
                "EV" => "Event",
                "PC" => "Site",
                "RO" => "Round",
                "DT" => "SgfDate",
                "GN" => "SgfGameName",
                _ => return,
            };
            if !value.is_empty() {
                replay.tags.push((tag.to_owned(), value.to_owned()));
            }
        }
    }
}

/// The result that a sentence in whatever language tells: who is named in it has won.
fn result(replay: &StandardReplay, sentence: &str) -> Option<GameState> {
    let names = &replay.names;
    let length_of = |name: &str| {
        let is_named = !name.is_empty() && sentence.contains(name);
        if is_named { name.len() } else { 0 }
    };
    let (white, black) = (length_of(&names.red), length_of(&names.blue));
    // A name may be a part of the other one.
    match white.cmp(&black) {
        std::cmp::Ordering::Greater => Some(GameState::WhiteWins),
        std::cmp::Ordering::Less => Some(GameState::BlackWins),
        std::cmp::Ordering::Equal => sentence.contains("draw").then_some(GameState::Draw),
    }
}
