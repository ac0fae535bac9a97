//! Live games, which pages can watch while they are played.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::answer::{known_name, opened};
use super::protocol::{LiveInfo, OpenedGame, Reply};
use super::view::recorded_end;
use wabe_arena::ArenaGame;
use wabe_arena::{
    GameEnd, GameNumber, GameRecord, GameSpectator, Spectator, Standings, WatchedPly,
};
use wabe_contest::protocol::{Hint, RoomId, ServerData, ServerMessage, WireState};
use wabe_hive::contest::Contest;
use wabe_hive::game::Record;
use wabe_hive::{ByColor, Color};
use wabe_records::{Replay, StatedResult};

/// Maximum number of watched rooms per referee.
const MAX_ROOMS: usize = 256;

/// Maximum number of finished games in the list.
const MAX_FINISHED: usize = 200;

/// The running games, and the latest finished ones.
#[derive(Debug, Default)]
pub struct LiveGames {
    games: Mutex<Games>,
    /// Counts open pages: each holds a reference.
    pages: Arc<()>,
}

#[derive(Debug, Default)]
struct Games {
    games: Vec<Watched>,
    /// With [`Games::version`] when they were set.
    standings: Option<(u64, Box<Standings>)>,
    next_number: u64,
    /// Incremented on every change.
    version: u64,
}

#[derive(Debug)]
struct Watched {
    number: u64,
    origin: Origin,
    game: OpenedGame,
    scores: Vec<(usize, f64)>,
    running: bool,
    end: Option<GameEnd>,
    /// [`Games::version`] after the last change to this game.
    version: u64,
}

/// Where a live game is played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A single match.
    Match,
    /// An arena run.
    Arena(GameNumber),
    /// A room of a referee, with their names.
    Room(String),
}

/// A running game in [`LiveGames`]. Dropping it marks the game as finished.
#[derive(Debug)]
pub struct LiveGame<G: ArenaGame> {
    live: Arc<LiveGames>,
    number: u64,
    replay: Replay<G>,
}

impl LiveGames {
    fn games(&self) -> MutexGuard<'_, Games> {
        self.games.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number of open pages.
    pub fn pages(&self) -> usize {
        Arc::strong_count(&self.pages) - 1
    }

    /// Counts a page as open until the guard is dropped.
    pub(super) fn open_page(&self) -> Arc<()> {
        Arc::clone(&self.pages)
    }

    /// Adds a running game.
    pub fn begin<G: ArenaGame>(
        self: &Arc<LiveGames>,
        origin: Origin,
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
            origin,
            game: opened(&replay),
            scores: Vec::new(),
            running: true,
            end: None,
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
        }
    }

    /// Sets the standings of an arena run.
    pub fn set_standings(&self, standings: Standings) {
        let mut games = self.games();
        games.version += 1;
        games.standings = Some((games.version, Box::new(standings)));
    }

    /// True if there is a game with this number.
    pub(super) fn has(&self, number: u64) -> bool {
        self.games().games.iter().any(|game| game.number == number)
    }

    /// The list, if it has changed since `sent_version`. Updates `sent_version`.
    pub(super) fn list(&self, sent_version: &mut Option<u64>) -> Option<Reply> {
        let games = self.games();
        let sent = sent_version.replace(games.version);
        if sent == Some(games.version) {
            return None;
        }
        // The list changes with every ply, the standings only after a pair.
        let standings = games.standings.as_ref();
        let standings = standings.filter(|(version, _)| sent.is_none_or(|sent| sent < *version));
        let info = |watched: &Watched| LiveInfo {
            number: watched.number,
            game: watched.game.line.game.clone(),
            room: match &watched.origin {
                Origin::Room(name) => name.clone(),
                _ => String::new(),
            },
            pair: match watched.origin {
                Origin::Arena(GameNumber { pair, game }) => Some((pair + 1, game + 1)),
                _ => None,
            },
            names: watched.game.names.clone(),
            plies: watched.game.line.moves.len(),
            running: watched.running,
            result: watched.game.result.clone(),
            end: watched.end,
        };
        Some(Reply::Live {
            games: games.games.iter().rev().map(info).collect(),
            standings: standings.map(|(_, standings)| standings.clone()),
        })
    }

    /// A game, if it has changed since `sent_version`. Updates `sent_version`.
    pub(super) fn game(&self, number: u64, sent_version: &mut Option<u64>) -> Option<Reply> {
        let games = self.games();
        let watched = games.games.iter().find(|game| game.number == number)?;
        if sent_version.replace(watched.version) == Some(watched.version) {
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

    /// Updates the scores with `change` and publishes the game.
    fn publish(&self, change: impl FnOnce(&mut Vec<(usize, f64)>)) {
        let game = opened(&self.replay);
        self.change(|watched| {
            watched.game = game;
            change(&mut watched.scores);
        });
    }

    /// Publishes the last ply of `ply.record`.
    pub fn add(&mut self, ply: &WatchedPly<'_, G>) {
        let number = ply.record.plies().len();
        let mover = ply.record.position().side_to_move().opponent();
        (self.replay).add(ply.record, ply.elapsed, ply.comment.clone());
        let red_score = |score: f64| match mover {
            Color::Red => score,
            Color::Blue => 1.0 - score,
        };
        let score = ply.score.map(|score| (number, red_score(score)));
        self.publish(|scores| scores.extend(score));
    }

    /// Ends the game with a referee's result.
    pub fn end(mut self, game: &GameRecord) {
        game.conclude(&mut self.replay);
        let mut result = recorded_end(&self.replay);
        match game.end {
            GameEnd::PlyLimit => "ply_limit".clone_into(&mut result.reason),
            GameEnd::DisputedEnd => "disputed".clone_into(&mut result.reason),
            _ => {}
        }
        self.change(|watched| {
            watched.game.result = Some(result);
            watched.end = Some(game.end);
        });
    }
}

impl<G: ArenaGame> Drop for LiveGame<G> {
    fn drop(&mut self) {
        self.change(|watched| watched.running = false);
    }
}

/// Publishes the games of an arena run.
#[derive(Debug)]
pub struct Broadcast(pub Arc<LiveGames>);

impl<G: ArenaGame> Spectator<G> for Broadcast {
    fn begins(
        &self,
        game: GameNumber,
        names: ByColor<&str>,
        opening: &Record<G>,
    ) -> Box<dyn GameSpectator<G>> {
        let names = ByColor::from_fn(|color| names[color].to_owned());
        Box::new((self.0).begin(Origin::Arena(game), opening.clone(), names))
    }
}

impl<G: ArenaGame> GameSpectator<G> for LiveGame<G> {
    fn ply(&mut self, ply: &WatchedPly<'_, G>) {
        self.add(ply);
    }

    fn ends(self: Box<Self>, game: &GameRecord) {
        self.end(game);
    }
}

/// Publishes the games of a contest server, reconstructed from its messages to observers.
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
    last_state_at: Instant,
}

impl Rooms {
    /// Adds the rooms' games to `live`. Their names start with `referee`.
    pub fn new(live: Arc<LiveGames>, referee: String) -> Rooms {
        Rooms {
            live,
            referee,
            rooms: HashMap::new(),
            has_closed: false,
        }
    }

    /// True once all rooms have closed, and there was at least one.
    pub fn are_closed(&self) -> bool {
        self.has_closed && self.rooms.is_empty()
    }

    /// Handles a message from the referee.
    pub fn receive(&mut self, message: ServerMessage) {
        match message {
            ServerMessage::Room { room, data } => match data {
                ServerData::State(state) => self.state(room, &state),
                ServerData::Result(result) => {
                    if let Some(mut game) = self.rooms.remove(&room) {
                        self.has_closed = true;
                        game.live.replay.stated = Some(StatedResult::from(*result));
                        game.live.publish(|_| ());
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
            log::warn!("room {room}: invalid state");
            return;
        };
        let names = ByColor::from_fn(|color| known_name(state.names[color].clone()));
        let Some(game) = self.rooms.get_mut(&room) else {
            if self.rooms.len() >= MAX_ROOMS {
                return;
            }
            let origin = Origin::Room(format!("{} {room}", self.referee));
            let game = RoomGame {
                live: self
                    .live
                    .begin(origin, Record::from_position(position), names),
                last_state_at: Instant::now(),
            };
            self.rooms.insert(room, game);
            return;
        };
        let record = &game.live.replay.record;
        if *record.position() == position {
            // The server sends each state once per player.
            return;
        }
        let elapsed = state.last_move_time.unwrap_or(game.last_state_at.elapsed());
        game.last_state_at = Instant::now();
        let mut next = record.clone();
        let last_move = next.position().move_to(&position);
        if last_move.is_some_and(|mv| next.play(mv).is_ok()) {
            let hint = state.last_move.as_ref().and_then(|mv| mv.hint.clone());
            let score = hint.as_deref().and_then(|hint| hint.parse::<Hint>().ok());
            let score = score.and_then(|hint| hint.score);
            game.live.add(&WatchedPly {
                record: &next,
                elapsed,
                score,
                comment: hint,
            });
        } else {
            // Plies were missed: restart the recording at this position.
            game.live.replay = Replay {
                names,
                ..Replay::new(Record::from_position(position))
            };
            game.live.publish(Vec::clear);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::standings;
    use wabe_arena::{GameEnd, GameResult};
    use wabe_hive::standard::Standard;

    #[test]
    fn standings_are_sent_when_they_change() {
        let live = Arc::<LiveGames>::default();
        let mut sent = None;
        let mut is_sent = |live: &LiveGames| match live.list(&mut sent) {
            Some(Reply::Live { standings, .. }) => Some(standings.is_some()),
            _ => None,
        };
        assert_eq!(is_sent(&live), Some(false));
        live.set_standings(standings(["greedy", "random"]));
        assert_eq!(is_sent(&live), Some(true));
        assert_eq!(is_sent(&live), None);
        let number = GameNumber { pair: 0, game: 1 };
        let record: Record<Standard> = "Base;;;wS1".parse().unwrap();
        let game = live.begin(Origin::Arena(number), record, ByColor::default());
        assert_eq!(is_sent(&live), Some(false));
        drop(game);
        let Some(Reply::Live { games, standings }) = live.list(&mut None) else {
            panic!("no list");
        };
        assert_eq!(games[0].pair, Some((1, 2)));
        assert!(standings.is_some(), "new pages get everything");
    }

    #[test]
    fn adjudicated_live_games_have_winners() {
        for (result, end, winner, reason) in [
            (GameResult::Blue, GameEnd::Crash, Some(1), "left"),
            (
                GameResult::Red,
                GameEnd::Resignation,
                Some(0),
                "resignation",
            ),
            (GameResult::Draw, GameEnd::PlyLimit, None, "ply_limit"),
        ] {
            let live = Arc::<LiveGames>::default();
            let record: Record<Standard> = "Base;;;wS1".parse().unwrap();
            let game = live.begin(Origin::Match, record, ByColor::default());
            game.end(&GameRecord {
                result,
                end,
                ..GameRecord::new(ByColor { red: 0, blue: 1 })
            });
            let Some(Reply::Live { games, .. }) = live.list(&mut None) else {
                panic!("no list");
            };
            let ending = games[0].result.as_ref().unwrap();
            assert_eq!(ending.winner, winner);
            assert_eq!(ending.reason, reason);
            assert_eq!(games[0].end, Some(end));
        }
    }
}
