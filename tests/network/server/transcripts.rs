//! Sessions recorded with the contest's own server, held with this one: the clients send the same
//! bytes, and what they get has to be the same, byte for byte. Only the names of rooms and
//! reservations differ, and the number of seconds in a time limit's text where a test has no time
//! for the contest's limits.

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

/// Whoever has time limits is late with any reply.
fn always_late(config: &mut Config) {
    time_limits(Duration::ZERO, Duration::from_secs(600))(config);
}

/// A prepared room with both players in it, up to red's first request.
fn prepared(name: &'static str, change: impl FnOnce(&mut Config)) -> Session {
    let mut session = Session::start(name, change);
    session.prepare().send("red").send("blue");
    session.wait("red", "request").wait("blue", "state 0");
    session
}

/// A room that both players joined.
fn joined(name: &'static str, change: impl FnOnce(&mut Config)) -> Session {
    let mut session = Session::start(name, change);
    session.send("red").wait("red", "joined").send("blue");
    session
}

#[test]
fn whole_games_go_as_recorded() {
    for name in ["full_game_1", "full_game_2", "full_game_3"] {
        let mut session = joined(name, |_| {});
        // Behind the moves each client says goodbye and ends its document.
        let moves = session.role("red").to_send.len() + session.role("blue").to_send.len() - 4;
        session.play_recorded_moves(moves);
        for role in ["red", "blue"] {
            session.wait(role, "left").send(role).send(role);
        }
        session.finish();
    }
}

#[test]
fn a_late_move_in_a_running_game_goes_as_recorded() {
    let mut session = Session::start("lost_on_time_late", always_late);
    session.seconds = Some(("2", "0"));
    session.send("red").wait("red", "joined");
    // Nobody has time limits until the last request.
    let mut admin = session.referee.as_ref().unwrap().administrator();
    let room = session.translated("a20e294d-dffd-48f4-9647-72a7834451a9");
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
    session.outlast_request("red").send("red");
    session.wait("red", "left").end("red").wait("blue", "left");
    session.send("blue").send("blue").finish();
}

#[test]
fn a_late_first_move_goes_as_recorded() {
    let mut session = prepared("soft_timeout", always_late);
    session.seconds = Some(("2", "0"));
    session.outlast_request("red").send("red").finish();
}

#[test]
fn no_move_at_all_goes_as_recorded() {
    let mut session = prepared("hard_timeout", time_limits(Duration::ZERO, Duration::ZERO));
    session.seconds = Some(("10", "0"));
    session.finish();
}

#[test]
fn an_illegal_move_goes_as_recorded() {
    let mut session = prepared("illegal_move", |_| {});
    session.send("red").wait("blue", "request").send("blue");
    session.finish();
}

#[test]
fn messages_of_one_player_go_as_recorded() {
    for (name, role) in [
        ("not_your_turn", "blue"),
        ("garbage", "red"),
        ("hint_text", "red"),
    ] {
        prepared(name, |_| {}).send(role).finish();
    }
}

#[test]
fn a_goodbye_in_mid_game_goes_as_recorded() {
    let mut session = prepared("opponent_closed", |_| {});
    session.send("red").wait("blue", "request");
    session.send("blue").send("blue").finish();
}

#[test]
fn a_lost_connection_goes_as_recorded() {
    // The connection that is lost has no recording of its own.
    let mut session = Session::start("opponent_left", |_| {});
    session.prepare().send("red");
    let join = "<joinPrepared reservationCode=\"05909edb-cd24-4ec8-ad75-b3e09ffffe9c\"/>";
    let join = session.translated(join);
    let mut blue = session.referee.as_ref().unwrap().connect();
    blue.send_text(&join);
    session.wait("red", "request").send("red");
    blue.skip_to("request");
    drop(blue);
    session.finish();
}

#[test]
fn administration_goes_as_recorded() {
    let mut session = Session::start("pause_step_cancel", |_| {});
    session.prepare().send("red").send("blue");
    session.wait("red", "welcome red");
    session.wait("blue", "welcome blue");
    session.send("admin").wait("red", "request").send("red");
    session.send("admin").wait("blue", "request");
    session.wait("admin", "state 1").send("admin").finish();
}

#[test]
fn scores_in_test_mode_go_as_recorded() {
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
fn refusals_go_as_recorded() {
    for (name, role) in [
        ("bad_game_type", "red"),
        ("bad_password", "admin"),
        ("bad_reservation", "red"),
    ] {
        Session::start(name, |_| {}).send(role).finish();
    }
}

#[test]
fn no_recording_is_left_out() {
    let mut recorded: Vec<String> = transcripts("received")
        .into_iter()
        .chain(transcripts("sent"))
        .filter_map(|file| Some(file.name.split_once('.')?.0.to_owned()))
        .collect();
    recorded.sort();
    recorded.dedup();
    assert_eq!(recorded, SESSIONS);
}

/// A replay without what ours say beyond the contest's, which is said of every move.
fn without_times(replay: &str, moves: usize) -> String {
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
fn replays_are_written_as_recorded() {
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
    let written = without_times(&written, report.game.moves.len());
    let expected = String::from_utf8(recorded).unwrap();
    let expected = expected.replace(&room.unwrap().0, &report.game.room.0);
    assert_eq!(written, expected);
}
