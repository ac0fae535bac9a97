//! Replays sessions recorded with the contest's server. Clients send the same bytes and must
//! receive the same bytes, except for names of rooms and reservations, and seconds in messages
//! about time limits.

use std::time::Duration;

use super::admin::sync;
use super::recorded_session::{SESSIONS, Session};
use super::referee::{Referee, start_with};
use crate::common::{messages, transcripts};
use wabe_contest::protocol::{ServerData, ServerMessage};
use wabe_contest::room::TimeLimits;
use wabe_contest::server::Config;

fn time_limits(soft: Duration, hard: Duration) -> impl FnOnce(&mut Config) {
    move |config| config.time_limits = Some(TimeLimits { soft, hard })
}

/// A time limit that every reply exceeds.
fn always_late(config: &mut Config) {
    time_limits(Duration::ZERO, Duration::from_secs(600))(config);
}

/// Starts a session in a prepared room, and receives up to red's first request.
fn start_prepared(name: &'static str, change: impl FnOnce(&mut Config)) -> Session {
    let mut session = Session::start(name, change);
    session.prepare().send("red").send("blue");
    session.wait("red", "request").wait("blue", "state 0");
    session
}

/// Starts a session that both players join without reservations.
fn start_joined(name: &'static str, change: impl FnOnce(&mut Config)) -> Session {
    let mut session = Session::start(name, change);
    session.send("red").wait("red", "joined").send("blue");
    session
}

/// Longer than clients need to end their streams; the administrator does not end its own.
const LONG_LINGER: Duration = Duration::from_secs(2);

#[test]
fn whole_games_match_the_recording() {
    for name in ["full_game_1", "full_game_2", "full_game_3"] {
        let mut session = start_joined(name, |config| config.limits.linger = LONG_LINGER);
        // After its moves, each client sends a close message and ends its document.
        let moves = session.role("red").to_send.len() + session.role("blue").to_send.len() - 4;
        session.play_recorded_moves(moves);
        for role in ["red", "blue"] {
            session.wait(role, "left").send(role).send(role);
        }
        session.finish();
    }
}

#[test]
fn late_moves_match_the_recording() {
    let mut session = Session::start("lost_on_time_late", always_late);
    session.seconds = Some(("2", "0"));
    session.send("red").wait("red", "joined");
    // The time limits are off until the last request.
    let mut admin = session.referee.as_ref().unwrap().administrator();
    let room = session.translate("a20e294d-dffd-48f4-9647-72a7834451a9");
    let mut limit = |slot: usize, activate: bool| {
        admin.send_text(&format!(
            "<timeout roomId=\"{room}\" activate=\"{activate}\" slot=\"{slot}\"/>"
        ));
        sync(&mut admin);
    };
    limit(0, false);
    limit(1, false);
    session.send("blue").play_recorded_moves(41);
    session.wait("blue", "request");
    limit(0, true);
    session.send("blue").wait("red", "request");
    session.sync_after_request("red").send("red");
    session.wait("red", "left").end("red").wait("blue", "left");
    session.send("blue").send("blue").finish();
}

#[test]
fn late_first_moves_match_the_recording() {
    let mut session = start_prepared("soft_timeout", always_late);
    session.seconds = Some(("2", "0"));
    session.sync_after_request("red").send("red").finish();
}

#[test]
fn hard_timeouts_match_the_recording() {
    let mut session = start_prepared("hard_timeout", time_limits(Duration::ZERO, Duration::ZERO));
    session.seconds = Some(("10", "0"));
    session.finish();
}

#[test]
fn illegal_moves_match_the_recording() {
    let mut session = start_prepared("illegal_move", |_| {});
    session.send("red").wait("blue", "request").send("blue");
    session.finish();
}

#[test]
fn single_messages_match_the_recording() {
    for (name, role) in [
        ("not_your_turn", "blue"),
        ("garbage", "red"),
        ("hint_text", "red"),
    ] {
        start_prepared(name, |_| {}).send(role).finish();
    }
}

#[test]
fn closing_players_match_the_recording() {
    let mut session = start_prepared("opponent_closed", |_| {});
    session.send("red").wait("blue", "request");
    session.send("blue").send("blue").finish();
}

#[test]
fn lost_connections_match_the_recording() {
    // The recording does not contain the lost connection.
    let mut session = Session::start("opponent_left", |_| {});
    session.prepare().send("red");
    let join = "<joinPrepared reservationCode=\"05909edb-cd24-4ec8-ad75-b3e09ffffe9c\"/>";
    let join = session.translate(join);
    let mut blue = session.referee.as_ref().unwrap().connect();
    blue.send_text(&join);
    session.wait("red", "request").send("red");
    blue.skip_to("request");
    drop(blue);
    session.finish();
}

#[test]
fn administration_matches_the_recording() {
    let mut session = Session::start("pause_step_cancel", |_| {});
    session.prepare().send("red").send("blue");
    session.wait("red", "welcome red");
    session.wait("blue", "welcome blue");
    session.send("admin").wait("red", "request").send("red");
    session.send("admin").wait("blue", "request");
    session.wait("admin", "state 1").send("admin").finish();
}

#[test]
fn test_mode_scores_match_the_recording() {
    let mut session = Session::start("score_for_player", |_| {});
    session
        .prepare()
        .send("admin")
        .wait("admin", "testing true");
    session.send("red").send("blue");
    session.wait("red", "request").send("red");
    session.wait("admin", "left").send("admin").finish();
    let mut session = Session::start("testmode", |_| {});
    session.send("admin").send("admin").finish();
}

#[test]
fn refusals_match_the_recording() {
    for (name, role) in [
        ("bad_game_type", "red"),
        ("bad_password", "admin"),
        ("bad_reservation", "red"),
    ] {
        Session::start(name, |_| {}).send(role).finish();
    }
}

#[test]
fn all_recordings_are_tested() {
    let mut recorded: Vec<String> = transcripts("received")
        .into_iter()
        .chain(transcripts("sent"))
        .filter_map(|file| Some(file.name.split_once('.')?.0.to_owned()))
        .collect();
    recorded.sort();
    recorded.dedup();
    assert_eq!(recorded, SESSIONS);
}

/// Removes the times of moves, which only our replays contain.
fn remove_times(replay: &str, moves: usize) -> String {
    let mut parts = replay.split(" lastMoveMillis=\"");
    let mut text = parts.next().unwrap().to_owned();
    assert_eq!(parts.clone().count(), moves);
    for part in parts {
        let (time, rest) = part.split_once('"').unwrap();
        assert!(time.parse::<f64>().unwrap() >= 0.0);
        text.push_str(rest);
    }
    text
}

#[test]
fn replays_match_the_recording() {
    let recorded = transcripts("replay_1").swap_remove(0).bytes;
    let mut room = None;
    let mut states = Vec::new();
    for text in messages(&recorded) {
        let ServerMessage::Room { room: name, data } = ServerMessage::read(&text).unwrap() else {
            panic!("{text}");
        };
        room = Some(name);
        if let ServerData::State(state) = data {
            states.push(state);
        }
    }
    let directory = tempfile::tempdir().unwrap();
    let mut referee = Referee::start(|config| {
        config.replays = Some(directory.path().into());
        config.start = start_with(states[0].position().unwrap().obstacles());
    });
    let mut players = referee.joined_players();
    for (turn, state) in states.into_iter().skip(1).enumerate() {
        let mover = &mut players[turn % 2];
        if turn > 0 {
            mover.skip_to("request");
        }
        mover.send_move(state.last_move.clone().unwrap());
    }
    let report = referee.report();
    let written = std::fs::read_to_string(report.replay.unwrap()).unwrap();
    let written = remove_times(&written, report.game.moves.len());
    let expected = String::from_utf8(recorded).unwrap();
    let expected = expected.replace(&room.unwrap().0, &report.game.room.0);
    assert_eq!(written, expected);
}
