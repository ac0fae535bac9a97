//! Complete games.

use super::admin::enter;
use super::peer::Peer;
use super::referee::{Referee, slot};
use crate::common;
use wabe_contest::protocol::{Cause, GameResult};
use wabe_contest::room::Start;
use wabe_contest::server::StartSource;
use wabe_hive::{Color, Outcome};

/// Plays a game to the end, and waits until both players have left the room.
fn play_out([mut red, mut blue]: [Peer; 2], seed: u64) -> (GameResult, Option<Outcome>) {
    // Red's first request has already been read.
    let blue = std::thread::spawn(move || {
        let result = blue.play_to_end(seed);
        assert_eq!(blue.rest(), ["left"]);
        result
    });
    red.answer(seed);
    let result = red.play_to_end(seed);
    assert_eq!(red.rest(), ["left"]);
    assert_eq!(blue.join().unwrap(), result);
    (result, red.position().outcome())
}

#[test]
fn joined_clients_play_whole_games() {
    let mut referee = Referee::start(|config| config.seed = 1);
    for seed in 0..4 {
        let (result, outcome) = play_out(referee.joined_players(), seed);
        let outcome = outcome.expect("the last state ends the game");
        let winner = result.winner.as_ref().map(|winner| winner.color);
        assert_eq!(winner, outcome.winner());
        for color in Color::ALL {
            assert_eq!(result.scores[color].cause, Cause::Regular);
            let points = winner.map_or(1, |winner| if winner == color { 2 } else { 0 });
            assert_eq!(result.scores[color].match_points, points);
        }
        assert_eq!(referee.report().game.result, result);
    }
}

#[test]
fn half_closed_connections_lose() {
    let referee = Referee::start(|_| {});
    let [mut red, mut blue] = referee.joined_players();
    red.close_writing();
    assert_eq!(red.rest(), [""; 0]);
    let scores = blue.result().scores;
    assert_eq!(scores.red.cause, Cause::Left);
    assert_eq!(scores.blue.match_points, 2);
}

#[test]
fn stopping_referee_closes_all_connections() {
    let referee = Referee::start(|_| {});
    let [mut red, mut blue] = referee.joined_players();
    let mut waiting = referee.connect();
    waiting.join();
    waiting.skip_to("joined");
    let mut admin = referee.administrator();
    admin.send_text("<testMode testMode=\"true\"/>");
    admin.skip_to("testing true");
    drop(referee);
    for peer in [&mut red, &mut blue, &mut waiting] {
        assert_eq!(peer.rest(), ["left"]);
    }
    assert_eq!(admin.rest(), ["close"]);
}

#[test]
fn names_keep_special_characters() {
    let names = [
        "Rot & \"Wabe\" <1>\n'\t'",
        "Ü 蜂 🐝 \u{202e}עברית ]]> &amp; --",
    ];
    let mut referee = Referee::start(|_| {});
    let mut admin = referee.administrator();
    let prepared = admin.prepare(&names.map(slot));
    admin.observe(&prepared.room);
    let [mut red, mut blue] = enter(&referee, &prepared);
    for peer in [&mut red, &mut blue, &mut admin] {
        peer.skip_to("state 0");
        let state = peer.state.as_ref().unwrap();
        assert_eq!([&state.names.red, &state.names.blue], names);
    }
    drop(blue);
    let result = red.result();
    assert_eq!(result.winner.unwrap().display_name, names[0]);
    assert_eq!(referee.report().game.names.blue, names[1]);
}

#[test]
fn unplaceable_bee_allows_only_a_skip() {
    let start = Start {
        position: common::unplaceable_bee(),
        last_move: None,
    };
    for (mv, expected) in [("skip", "state 7"), ("set Q 0,0", "result")] {
        let referee = Referee::start(|config| {
            config.start = StartSource::Loaded(Box::new(start.clone()));
        });
        let [mut red, mut blue] = [referee.connect(), referee.connect()];
        red.join();
        red.skip_to("joined");
        blue.join();
        red.skip_to("request");
        red.play(mv);
        blue.skip_to("state 6");
        assert_eq!(blue.up_to(expected), [expected]);
    }
}
