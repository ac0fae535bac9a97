//! The room, told what happens step by step.

use std::time::{Duration, Instant};

use super::*;
use crate::hex::CellSet;
use crate::hive::contest::{Deal, Move, MoveList, Setup};
use crate::protocol::{Cause, GameResult, WireMove};

const RED: ClientId = ClientId(1);
const BLUE: ClientId = ClientId(2);
const ADMIN: ClientId = ClientId(3);

/// A room with a clock that moves when it is told to, and everything that has come from the room.
struct Table {
    room: Room,
    now: Instant,
    effects: Vec<Effect>,
}

impl Table {
    fn new(change: impl FnOnce(&mut RoomSetup)) -> Table {
        let seat = |name: &str| SeatSetup {
            name: name.to_owned(),
            can_timeout: true,
        };
        let mut setup = RoomSetup {
            id: RoomId("room".to_owned()),
            seats: ByColor {
                red: seat("R"),
                blue: seat("B"),
            },
            origin: Origin::Prepared,
            paused: false,
            start: Start {
                position: Deal::Server.start(CellSet::EMPTY),
                last_move: None,
            },
            time_limits: Some(TimeLimits::default()),
        };
        change(&mut setup);
        Table {
            room: Room::new(setup),
            now: Instant::now(),
            effects: Vec::new(),
        }
    }

    /// With both players and an observer, the first request sent.
    fn playing(change: impl FnOnce(&mut RoomSetup)) -> Table {
        let mut table = Table::new(change);
        table.tell(|room, _| room.observe(ADMIN));
        table.join(RED, Color::Red);
        table.join(BLUE, Color::Blue);
        table.effects.clear();
        table
    }

    fn tell(&mut self, what: impl FnOnce(&mut Room, Instant) -> Vec<Effect>) {
        let effects = what(&mut self.room, self.now);
        self.effects.extend(effects);
    }

    fn join(&mut self, client: ClientId, color: Color) {
        self.tell(|room, now| room.join(client, color, now));
    }

    fn pass(&mut self, milliseconds: u64) {
        self.now += Duration::from_millis(milliseconds);
    }

    fn play(&mut self, from: ClientId, color: Color, text: &str) {
        let mv = WireMove::new(text.parse::<Move>().unwrap(), color, None);
        self.tell(|room, now| room.message(from, ClientData::Move(mv), now, now));
    }

    /// What a client has been told since the last look, as short words.
    fn heard(&self, client: ClientId) -> Vec<String> {
        self.effects
            .iter()
            .filter_map(|effect| match effect {
                Effect::Send { to, message } if to.contains(&client) => Some(word(message)),
                Effect::Request { to, .. } if *to == client => Some("request".to_owned()),
                Effect::Expel(id) if *id == client => Some("expelled".to_owned()),
                Effect::Release(id) if *id == client => Some("released".to_owned()),
                _ => None,
            })
            .collect()
    }

    fn result(&self) -> Option<&GameResult> {
        self.effects.iter().find_map(|effect| match effect {
            Effect::GameOver(game) => Some(&game.result),
            _ => None,
        })
    }

    fn causes(&self) -> Option<[Cause; 2]> {
        let scores = &self.result()?.scores;
        Some([scores.red.cause, scores.blue.cause])
    }

    fn match_points(&self) -> Option<[i64; 2]> {
        let scores = &self.result()?.scores;
        Some([scores.red.match_points, scores.blue.match_points])
    }

    /// The time for which the room last asked to be woken.
    fn alarm(&self) -> Option<Instant> {
        let last = self.effects.iter().rev().find_map(|effect| match effect {
            Effect::WakeAt(at) => Some(Some(*at)),
            Effect::Sleep => Some(None),
            _ => None,
        });
        last.flatten()
    }
}

fn word(message: &ServerMessage) -> String {
    match message {
        ServerMessage::Joined(_) => "joined".to_owned(),
        ServerMessage::Left(_) => "left".to_owned(),
        ServerMessage::Observed(_) => "observed".to_owned(),
        ServerMessage::Room { data, .. } => match data {
            ServerData::Welcome(color) => format!("welcome {color}"),
            ServerData::State(state) => format!("state {}", state.turn),
            ServerData::Error { message, .. } => format!("error {message}"),
            ServerData::Result(_) => "result".to_owned(),
            other => format!("{other:?}"),
        },
        other => format!("{other:?}"),
    }
}

#[test]
fn prepared_rooms_keep_quiet_until_both_players_are_there() {
    let mut table = Table::new(|_| {});
    table.tell(|room, _| room.observe(ADMIN));
    table.join(BLUE, Color::Blue);
    assert_eq!(table.heard(BLUE), [""; 0]);
    table.join(RED, Color::Red);
    assert_eq!(
        table.heard(RED),
        ["joined", "welcome red", "state 0", "request"]
    );
    assert_eq!(table.heard(BLUE), ["joined", "welcome blue", "state 0"]);
    assert_eq!(table.heard(ADMIN), ["observed", "state 0"]);
}

#[test]
fn rooms_opened_by_joining_answer_at_once() {
    let mut table = Table::new(|setup| setup.origin = Origin::Joined);
    table.join(RED, Color::Red);
    assert_eq!(table.heard(RED), ["joined"]);
    table.join(BLUE, Color::Blue);
    assert_eq!(
        table.heard(RED),
        ["joined", "welcome red", "state 0", "request"]
    );
    assert_eq!(table.heard(BLUE), ["joined", "welcome blue", "state 0"]);
}

#[test]
fn every_ply_goes_to_everybody_and_the_request_to_the_side_to_move() {
    let mut table = Table::playing(|_| {});
    table.play(RED, Color::Red, "set A 0,0");
    assert_eq!(table.heard(RED), ["state 1"]);
    assert_eq!(table.heard(BLUE), ["state 1", "request"]);
    assert_eq!(table.heard(ADMIN), ["state 1"]);
}

#[test]
fn moves_are_echoed_as_they_came() {
    let mut table = Table::playing(|_| {});
    let hint = Some("a <hint>".to_owned());
    let mv = WireMove::new("set A 0,0".parse().unwrap(), Color::Red, hint);
    let data = ClientData::Move(mv.clone());
    table.tell(|room, now| room.message(RED, data, now, now));
    let echoed = table.effects.iter().find_map(|effect| match effect {
        Effect::Send {
            message:
                ServerMessage::Room {
                    data: ServerData::State(state),
                    ..
                },
            ..
        } => state.last_move.clone(),
        _ => None,
    });
    assert_eq!(echoed, Some(mv));
}

#[test]
fn replies_within_the_soft_limit_count_and_later_ones_lose() {
    let mut table = Table::playing(|_| {});
    table.pass(2_000);
    table.play(RED, Color::Red, "set A 0,0");
    assert_eq!(table.result(), None);
    table.pass(2_001);
    table.play(BLUE, Color::Blue, "set A 1,0");
    assert_eq!(table.causes(), Some([Cause::Regular, Cause::SoftTimeout]));
    assert_eq!(table.match_points(), Some([2, 0]));
    assert_eq!(table.heard(BLUE).last().unwrap(), "released");
}

#[test]
fn the_time_counts_until_the_last_byte_has_arrived_not_until_it_is_looked_at() {
    let mut table = Table::playing(|_| {});
    let arrived = table.now + Duration::from_millis(1_999);
    table.pass(5_000);
    let mv = WireMove::new("set A 0,0".parse().unwrap(), Color::Red, None);
    table.tell(|room, now| room.message(RED, ClientData::Move(mv), arrived, now));
    assert_eq!(table.result(), None);
}

#[test]
fn the_time_counts_from_when_the_request_went_out() {
    let mut table = Table::playing(|_| {});
    table.pass(900);
    table.room.request_sent(table.now);
    table.pass(2_000);
    table.play(RED, Color::Red, "set A 0,0");
    assert_eq!(table.result(), None);
}

#[test]
fn without_a_reply_the_hard_limit_ends_the_game() {
    let mut table = Table::new(|_| {});
    table.join(RED, Color::Red);
    table.join(BLUE, Color::Blue);
    assert_eq!(table.alarm(), Some(table.now + Duration::from_secs(10)));
    table.pass(10_000);
    table.tell(Room::wake);
    assert_eq!(table.causes(), Some([Cause::HardTimeout, Cause::Regular]));
    let reason = table.result().unwrap().scores.red.reason.as_deref();
    assert!(reason.unwrap().contains("10 Sekunden"), "{reason:?}");
}

#[test]
fn waking_too_early_sets_the_alarm_again() {
    let mut table = Table::playing(|_| {});
    let start = table.now;
    table.pass(300);
    table.room.request_sent(table.now);
    table.pass(9_800);
    table.tell(Room::wake);
    assert_eq!(table.result(), None);
    assert_eq!(table.alarm(), Some(start + Duration::from_millis(10_300)));
}

#[test]
fn a_reply_stops_the_alarm_of_its_request() {
    let mut table = Table::playing(|_| {});
    table.pass(1_000);
    table.play(RED, Color::Red, "set A 0,0");
    assert_eq!(table.alarm(), Some(table.now + Duration::from_secs(10)));
    table.play(BLUE, Color::Blue, "set A 5,0");
    assert_eq!(table.alarm(), None);
}

#[test]
fn sides_that_cannot_time_out_have_no_alarm_and_no_limit() {
    let mut table = Table::playing(|setup| setup.seats.red.can_timeout = false);
    assert_eq!(table.alarm(), None);
    table.pass(60_000);
    table.play(RED, Color::Red, "set A 0,0");
    assert_eq!(table.result(), None);
    assert!(table.alarm().is_some());
}

#[test]
fn switched_limits_hold_from_the_next_request_on() {
    let mut table = Table::playing(|_| {});
    table.room.set_timeout(Color::Red, false);
    table.room.set_timeout(Color::Blue, false);
    table.pass(3_000);
    table.play(RED, Color::Red, "set A 0,0");
    assert_eq!(table.causes(), Some([Cause::SoftTimeout, Cause::Regular]));

    let mut table = Table::playing(|_| {});
    table.room.set_timeout(Color::Blue, false);
    table.play(RED, Color::Red, "set A 0,0");
    table.pass(30_000);
    table.play(BLUE, Color::Blue, "set A 1,0");
    assert_eq!(table.result(), None);
}

#[test]
fn an_illegal_move_loses_with_an_error_to_the_culprit_and_the_observers() {
    let mut table = Table::playing(|_| {});
    table.play(RED, Color::Red, "set A 0,0");
    table.effects.clear();
    table.play(BLUE, Color::Blue, "set A 3,0");
    let complaint = "Your first piece has to touch the piece of the other player; \
                     move was Set BLUE ANT to (3,0,-3)";
    let to_culprit = format!("error Ungueltiger Zug von 'B'.\n{complaint}");
    assert_eq!(
        table.heard(BLUE),
        [to_culprit.as_str(), "result", "left", "expelled"]
    );
    assert_eq!(
        table.heard(ADMIN),
        [format!("error {complaint}").as_str(), "result", "left"]
    );
    assert_eq!(table.heard(RED), ["result", "left", "released"]);
    assert_eq!(table.causes(), Some([Cause::Regular, Cause::RuleViolation]));
    let reason = &table.result().unwrap().scores.blue.reason;
    assert_eq!(reason.as_deref(), Some(complaint));
}

#[test]
fn who_moves_out_of_turn_is_thrown_out_and_has_left_when_its_turn_comes() {
    let mut table = Table::playing(|_| {});
    table.play(BLUE, Color::Blue, "set A 0,0");
    assert_eq!(
        table.heard(BLUE),
        ["error It's not your turn yet.", "expelled"]
    );
    assert_eq!(table.heard(RED), [""; 0]);
    assert_eq!(table.heard(ADMIN), [""; 0]);
    table.tell(|room, now| room.leave(BLUE, now));
    assert_eq!(table.result(), None);
    table.play(RED, Color::Red, "set A 0,0");
    assert_eq!(table.heard(RED), ["state 1", "result", "left", "released"]);
    assert_eq!(table.causes(), Some([Cause::Regular, Cause::Left]));
}

#[test]
fn who_leaves_a_running_game_loses() {
    for (client, causes, points) in [
        (RED, [Cause::Left, Cause::Regular], [0, 2]),
        (BLUE, [Cause::Regular, Cause::Left], [2, 0]),
    ] {
        let mut table = Table::playing(|_| {});
        table.tell(|room, now| room.leave(client, now));
        assert_eq!(table.causes(), Some(causes));
        assert_eq!(table.match_points(), Some(points));
        assert_eq!(table.heard(client), [""; 0]);
        assert!(table.room.is_over());
    }
}

#[test]
fn who_sends_no_move_is_thrown_out_and_loses() {
    let mut table = Table::playing(|_| {});
    let data = ClientData::Unknown("nonsense".to_owned());
    table.tell(|room, now| room.message(BLUE, data, now, now));
    assert_eq!(table.heard(BLUE), ["expelled"]);
    assert_eq!(table.causes(), Some([Cause::Regular, Cause::Left]));
}

#[test]
fn strangers_are_thrown_out_and_disturb_nobody() {
    let mut table = Table::playing(|_| {});
    let stranger = ClientId(99);
    table.play(stranger, Color::Red, "set A 0,0");
    assert_eq!(table.effects, [Effect::Expel(stranger)]);
}

#[test]
fn a_prepared_seat_left_before_the_game_is_lost_when_the_game_starts() {
    let mut table = Table::new(|_| {});
    table.join(RED, Color::Red);
    table.tell(|room, now| room.leave(RED, now));
    assert!(!table.room.is_over());
    table.join(BLUE, Color::Blue);
    assert_eq!(
        table.heard(BLUE),
        [
            "joined",
            "welcome blue",
            "state 0",
            "result",
            "left",
            "released"
        ]
    );
    assert_eq!(table.causes(), Some([Cause::Left, Cause::Regular]));
}

#[test]
fn a_joined_seat_left_before_the_game_is_open_again() {
    let mut table = Table::new(|setup| setup.origin = Origin::Joined);
    table.join(RED, Color::Red);
    table.tell(|room, now| room.leave(RED, now));
    let seat_opened = Effect::SeatOpened(Color::Red);
    assert!(table.effects.ends_with(&[seat_opened, Effect::Unused]));
    table.join(BLUE, Color::Blue);
    table.join(RED, Color::Red);
    assert_eq!(table.heard(RED).last().unwrap(), "request");
}

#[test]
fn paused_games_go_on_step_by_step() {
    let mut table = Table::new(|setup| setup.paused = true);
    table.tell(|room, _| room.observe(ADMIN));
    table.join(RED, Color::Red);
    table.join(BLUE, Color::Blue);
    assert_eq!(table.heard(RED), ["joined", "welcome red"]);
    table.effects.clear();
    table.tell(|room, now| room.step(false, now));
    assert_eq!(table.heard(RED), ["state 0", "request"]);
    table.tell(|room, now| room.step(false, now));
    assert_eq!(table.heard(RED).len(), 2, "one request at a time");
    table.effects.clear();
    table.play(RED, Color::Red, "set A 0,0");
    assert_eq!(table.heard(RED), [""; 0]);
    assert_eq!(table.heard(ADMIN), [""; 0]);
    table.tell(|room, now| room.pause(false, now));
    assert_eq!(table.heard(BLUE), ["state 1", "request"]);
    assert_eq!(table.heard(ADMIN), ["state 1"]);
}

#[test]
fn pausing_lets_a_pending_request_be_answered() {
    let mut table = Table::playing(|_| {});
    table.tell(|room, now| room.pause(true, now));
    table.play(RED, Color::Red, "set A 0,0");
    assert_eq!(table.heard(BLUE), [""; 0]);
    table.tell(|room, now| room.pause(false, now));
    assert_eq!(table.heard(BLUE), ["state 1", "request"]);
    table.tell(|room, now| room.pause(false, now));
    assert_eq!(table.heard(BLUE).len(), 2, "nothing to let go on");
}

#[test]
fn the_time_stands_still_between_the_plies_of_a_paused_game() {
    let mut table = Table::playing(|_| {});
    table.tell(|room, now| room.pause(true, now));
    table.play(RED, Color::Red, "set A 0,0");
    assert_eq!(table.alarm(), None);
    table.pass(60_000);
    table.tell(|room, now| room.step(false, now));
    table.pass(1_000);
    table.play(BLUE, Color::Blue, "set A 1,0");
    assert_eq!(table.result(), None);
}

#[test]
fn moving_in_a_paused_game_without_a_request_is_leaving_it() {
    let mut table = Table::playing(|setup| setup.paused = true);
    table.play(RED, Color::Red, "set A 0,0");
    assert_eq!(
        table.heard(RED),
        ["error No move has been requested yet.", "expelled"]
    );
    assert_eq!(table.causes(), Some([Cause::Left, Cause::Regular]));
}

#[test]
fn a_forced_step_ends_a_game_whose_player_never_came() {
    let mut table = Table::new(|_| {});
    table.tell(|room, _| room.observe(ADMIN));
    table.join(RED, Color::Red);
    table.tell(|room, now| room.step(false, now));
    assert_eq!(table.heard(RED), [""; 0]);
    table.tell(|room, now| room.step(true, now));
    assert_eq!(table.causes(), Some([Cause::Regular, Cause::Left]));
    assert_eq!(table.heard(ADMIN).last().unwrap(), "left");
}

#[test]
fn a_forced_step_ends_a_game_to_which_nobody_came_without_a_winner() {
    let mut table = Table::new(|_| {});
    table.tell(|room, _| room.observe(ADMIN));
    table.tell(|room, now| room.step(true, now));
    assert_eq!(table.causes(), Some([Cause::Left, Cause::Left]));
    assert_eq!(table.match_points(), Some([0, 0]));
    assert_eq!(table.result().unwrap().winner, None);
}

#[test]
fn cancelling_ends_a_game_without_a_result() {
    let mut table = Table::playing(|_| {});
    table.tell(|room, _| room.cancel());
    for client in [RED, BLUE] {
        assert_eq!(table.heard(client), ["left", "released"]);
    }
    assert_eq!(table.heard(ADMIN), ["left"]);
    assert_eq!(table.result(), None);
    assert!(table.room.is_over());
    table.effects.clear();
    table.tell(|room, _| room.cancel());
    assert_eq!(table.effects, []);
}

#[test]
fn leaving_observers_hear_nothing_more_and_disturb_nobody() {
    let mut table = Table::playing(|_| {});
    table.tell(|room, now| room.leave(ADMIN, now));
    table.play(RED, Color::Red, "set A 0,0");
    assert_eq!(table.heard(ADMIN), [""; 0]);
    assert_eq!(table.heard(BLUE), ["state 1", "request"]);
}

#[test]
fn late_observers_hear_nothing_until_the_next_ply() {
    let mut table = Table::playing(|_| {});
    let late = ClientId(9);
    table.tell(|room, _| room.observe(late));
    table.tell(|room, _| room.observe(late));
    assert_eq!(table.heard(late), ["observed", "observed"]);
    table.effects.clear();
    table.play(RED, Color::Red, "set A 0,0");
    assert_eq!(table.heard(late), ["state 1"]);
}

#[test]
fn one_client_may_play_both_sides() {
    let mut table = Table::new(|_| {});
    table.join(RED, Color::Red);
    table.join(RED, Color::Blue);
    table.play(RED, Color::Red, "set A 0,0");
    table.play(RED, Color::Blue, "set A 1,0");
    assert_eq!(table.result(), None);
    assert_eq!(
        table.heard(RED)[4..],
        [
            "state 0", "request", "state 1", "request", "state 2", "request"
        ]
    );
    table.tell(|room, now| room.leave(RED, now));
    assert_eq!(table.causes(), Some([Cause::Left, Cause::Left]));
}

#[test]
fn whole_games_end_by_the_rules() {
    let mut table = Table::playing(|_| {});
    let mut position = Deal::Server.start(CellSet::EMPTY);
    while position.outcome().is_none() {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let mv = moves[usize::from(position.turn()) * 7 % moves.len()];
        let color = position.side_to_move();
        let from = if color == Color::Red { RED } else { BLUE };
        table.play(from, color, &mv.to_string());
        position.play(mv);
    }
    assert_eq!(table.causes(), Some([Cause::Regular, Cause::Regular]));
    let outcome = position.outcome().unwrap();
    let result = table.result().unwrap();
    let winner = result.winner.as_ref().map(|winner| winner.color);
    assert_eq!(winner, outcome.winner());
    let game = table.effects.iter().find_map(|effect| match effect {
        Effect::GameOver(game) => Some(game),
        _ => None,
    });
    let states: Vec<_> = game.unwrap().states().collect();
    assert_eq!(states.len(), usize::from(position.turn()) + 1);
    assert_eq!(states.last().unwrap().position(), Ok(position));
}

#[test]
fn a_loaded_position_begins_with_its_own_side_to_move() {
    let mut position = Deal::Server.start(CellSet::EMPTY);
    position.play("set A 0,0".parse().unwrap());
    let mut table = Table::new(|setup| setup.start.position = position);
    table.join(RED, Color::Red);
    table.join(BLUE, Color::Blue);
    assert_eq!(table.heard(BLUE).last().unwrap(), "request");
}

#[test]
fn a_loaded_position_that_is_over_ends_at_once() {
    let over = Setup {
        turn: 60,
        ..Deal::Server.start(CellSet::EMPTY).to_setup()
    };
    let mut table = Table::new(|setup| setup.start.position = over.build().unwrap());
    table.join(RED, Color::Red);
    table.join(BLUE, Color::Blue);
    assert_eq!(
        table.heard(RED)[2..],
        ["state 60", "result", "left", "released"]
    );
    assert_eq!(table.match_points(), Some([1, 1]));
}
