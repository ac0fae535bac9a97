//! Games that are being played while people watch.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::answer::{known_name, opened};
use super::protocol::{EndingView, LiveInfo, OpenedGame, Reply};
use wabe_arena::ArenaGame;
use wabe_arena::{GameNumber, Spectator, WatchedPly};
use wabe_contest::protocol::{Hint, RoomId, ServerData, ServerMessage, WireState};
use wabe_hive::contest::Contest;
use wabe_hive::game::Record;
use wabe_hive::{ByColor, Color};
use wabe_records::{Replay, StatedResult};

/// Largest number of rooms of a referee that are watched at the same time.
const MAX_ROOMS: usize = 256;

/// Largest number of finished games that are kept.
const MAX_FINISHED: usize = 200;

/// All games to watch: the running ones and the latest finished ones.
#[derive(Debug, Default)]
pub struct LiveGames {
    games: Mutex<Games>,
    /// Shared with each open page.
    pages: Arc<()>,
}

#[derive(Debug, Default)]
struct Games {
    games: Vec<Watched>,
    standings: Option<String>,
    next_number: u64,
    /// Number of changes so far.
    version: u64,
}

#[derive(Debug)]
struct Watched {
    number: u64,
    title: String,
    game: OpenedGame,
    scores: Vec<(usize, f64)>,
    running: bool,
    /// The version after its latest change.
    version: u64,
}

/// The part of a live game that was watched. Dropping it marks the game as over.
#[derive(Debug)]
pub struct LiveGame<G: ArenaGame> {
    live: Arc<LiveGames>,
    number: u64,
    replay: Replay<G>,
    scores: Vec<(usize, f64)>,
}

impl LiveGames {
    fn games(&self) -> MutexGuard<'_, Games> {
        self.games.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number of open pages.
    pub fn pages(&self) -> usize {
        Arc::strong_count(&self.pages) - 1
    }

    /// Counts a page, as long as the guard exists.
    pub(super) fn open_page(&self) -> Arc<()> {
        Arc::clone(&self.pages)
    }

    /// Adds a game between these players that begins.
    pub fn begin<G: ArenaGame>(
        self: &Arc<LiveGames>,
        title: String,
        record: Record<G>,
        names: ByColor<String>,
    ) -> LiveGame<G> {
        let replay = Replay {
            names,
            ..Replay::new(record)
        };
        let mut games = self.games();
        games.version += 1;
        games.next_number += 1;
        let number = games.next_number;
        let watched = Watched {
            number,
            title,
            game: opened(&replay),
            scores: Vec::new(),
            running: true,
            version: games.version,
        };
        games.games.push(watched);
        let finished = games.games.iter().filter(|game| !game.running).count();
        if finished > MAX_FINISHED
            && let Some(oldest) = games.games.iter().position(|game| !game.running)
        {
            games.games.remove(oldest);
        }
        LiveGame {
            live: Arc::clone(self),
            number,
            replay,
            scores: Vec::new(),
        }
    }

    /// Sets the standings of a run of many games.
    pub fn set_standings(&self, text: String) {
        let mut games = self.games();
        games.version += 1;
        games.standings = Some(text);
    }

    /// True if there is a game with this number.
    pub(super) fn has(&self, number: u64) -> bool {
        self.games().games.iter().any(|game| game.number == number)
    }

    /// The list, if it has changed since version `sent`, which is updated.
    pub(super) fn list(&self, sent: &mut Option<u64>) -> Option<Reply> {
        let games = self.games();
        if sent.replace(games.version) == Some(games.version) {
            return None;
        }
        let info = |watched: &Watched| LiveInfo {
            number: watched.number,
            game: watched.game.line.game.clone(),
            title: watched.title.clone(),
            names: watched.game.names.clone(),
            plies: watched.game.line.moves.len(),
            running: watched.running,
            result: watched.game.result.clone(),
        };
        Some(Reply::Live {
            games: games.games.iter().rev().map(info).collect(),
            standings: games.standings.clone(),
        })
    }

    /// A game, if it has changed since version `sent`, which is updated.
    pub(super) fn game(&self, number: u64, sent: &mut Option<u64>) -> Option<Reply> {
        let games = self.games();
        let watched = games.games.iter().find(|game| game.number == number)?;
        if sent.replace(watched.version) == Some(watched.version) {
            return None;
        }
        Some(Reply::Following {
            number,
            game: Box::new(watched.game.clone()),
            scores: watched.scores.clone(),
            running: watched.running,
        })
    }
}

impl<G: ArenaGame> LiveGame<G> {
    fn change(&self, change: impl FnOnce(&mut Watched)) {
        let mut games = self.live.games();
        games.version += 1;
        let version = games.version;
        if let Some(watched) = games
            .games
            .iter_mut()
            .find(|game| game.number == self.number)
        {
            change(watched);
            watched.version = version;
        }
    }

    /// Shows the game as it is now.
    fn show(&self) {
        let (game, scores) = (opened(&self.replay), self.scores.clone());
        self.change(|watched| {
            watched.game = game;
            watched.scores = scores;
        });
    }

    /// Adds the last ply of a game, and shows it.
    pub fn add(&mut self, ply: &WatchedPly<'_, G>) {
        let number = ply.record.plies().len();
        let mover = ply.record.position().side_to_move().opponent();
        (self.replay).add(ply.record, ply.took, ply.comment.clone());
        let of_first = |score: f64| match mover {
            Color::Red => score,
            Color::Blue => 1.0 - score,
        };
        let score = ply.score.map(|score| (number, of_first(score)));
        self.scores.extend(score);
        self.show();
    }

    /// Ends the game. `sentence` says how, if its moves do not.
    pub fn end(self, sentence: String) {
        self.change(|watched| {
            watched.game.result.get_or_insert(EndingView {
                winner: None,
                reason: None,
                sentence,
            });
        });
    }
}

impl<G: ArenaGame> Drop for LiveGame<G> {
    fn drop(&mut self) {
        self.change(|watched| watched.running = false);
    }
}

/// The games of an arena's run.
#[derive(Debug)]
pub struct Broadcast<G: ArenaGame> {
    live: Arc<LiveGames>,
    games: Mutex<HashMap<GameNumber, LiveGame<G>>>,
}

impl<G: ArenaGame> Broadcast<G> {
    /// Shows a run's games among `live`.
    pub fn new(live: Arc<LiveGames>) -> Broadcast<G> {
        Broadcast {
            live,
            games: Mutex::default(),
        }
    }

    fn games(&self) -> MutexGuard<'_, HashMap<GameNumber, LiveGame<G>>> {
        self.games.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<G: ArenaGame> Spectator<G> for Broadcast<G> {
    fn begins(&self, game: GameNumber, names: ByColor<&str>, opening: &Record<G>) {
        let names = ByColor::from_fn(|color| names[color].to_owned());
        let live = self.live.begin(game.to_string(), opening.clone(), names);
        self.games().insert(game, live);
    }

    fn ply(&self, game: GameNumber, ply: WatchedPly<'_, G>) {
        if let Some(live) = self.games().get_mut(&game) {
            live.add(&ply);
        }
    }

    fn ends(&self, game: GameNumber, sentence: Option<String>) {
        let ended = self.games().remove(&game);
        if let (Some(live), Some(sentence)) = (ended, sentence) {
            live.end(sentence);
        }
    }
}

/// The games of a contest server, rebuilt from its messages to observers.
#[derive(Debug)]
pub struct Rooms {
    live: Arc<LiveGames>,
    referee: String,
    rooms: HashMap<RoomId, RoomGame>,
    has_closed: bool,
}

#[derive(Debug)]
struct RoomGame {
    live: LiveGame<Contest>,
    latest: Instant,
}

impl Rooms {
    /// The rooms of a referee with that name.
    pub fn new(live: Arc<LiveGames>, referee: String) -> Rooms {
        Rooms {
            live,
            referee,
            rooms: HashMap::new(),
            has_closed: false,
        }
    }

    /// True if there was a room, and all are closed.
    pub fn are_closed(&self) -> bool {
        self.has_closed && self.rooms.is_empty()
    }

    /// Takes a message of the referee.
    pub fn hear(&mut self, message: ServerMessage) {
        match message {
            ServerMessage::Room { room, data } => match data {
                ServerData::State(state) => self.state(room, &state),
                ServerData::Result(result) => {
                    if let Some(mut game) = self.rooms.remove(&room) {
                        self.has_closed = true;
                        game.live.replay.stated = Some(StatedResult::from(*result));
                        game.live.show();
                    }
                }
                _ => {}
            },
            ServerMessage::Left(room) => {
                self.has_closed = true;
                self.rooms.remove(&room);
            }
            _ => {}
        }
    }

    fn state(&mut self, room: RoomId, state: &WireState) {
        let Ok(position) = state.position() else {
            log::warn!("room {room} is in a state that is impossible by the rules");
            return;
        };
        let names = ByColor::from_fn(|color| known_name(state.names[color].clone()));
        let Some(game) = self.rooms.get_mut(&room) else {
            if self.rooms.len() >= MAX_ROOMS {
                return;
            }
            let title = format!("{} {room}", self.referee);
            let game = RoomGame {
                live: self.live.begin(title, Record::from(position), names),
                latest: Instant::now(),
            };
            self.rooms.insert(room, game);
            return;
        };
        let record = &game.live.replay.record;
        if *record.position() == position {
            // The server reports a state to each player.
            return;
        }
        let took = state.last_move_time.unwrap_or(game.latest.elapsed());
        game.latest = Instant::now();
        let mut next = record.clone();
        let last_move = next.position().move_to(&position);
        if last_move.is_some_and(|mv| next.play(mv).is_ok()) {
            let hint = state.last_move.as_ref().and_then(|mv| mv.hint.clone());
            let score = hint.as_deref().and_then(|hint| hint.parse::<Hint>().ok());
            let score = score.and_then(|hint| hint.score);
            game.live.add(&WatchedPly {
                record: &next,
                took,
                score,
                comment: hint,
            });
        } else {
            // Plies are missing: the game begins here.
            game.live.replay = Replay {
                names,
                ..Replay::new(Record::from(position))
            };
            game.live.scores.clear();
            game.live.show();
        }
    }
}
