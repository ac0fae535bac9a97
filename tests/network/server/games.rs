//! Whole games.

use wabe_contest::protocol::{Cause, GameResult};
use wabe_contest::room::Start;
use wabe_contest::server::StartSource;
use wabe_hive::contest::Contest;
use wabe_hive::{Color, Outcome};

use super::peer::Peer;
use super::referee::{Referee, slot};
use crate::common;

/// Plays a game to the end and waits until everybody has been let go.
fn play_out([mut red, mut blue]: [Peer; 2], seed: u64) -> (GameResult, Option<Outcome>) {
    // Red's first request has been read already.
    let blue = std::thread::spawn(move || {
        let result = blue.play_to_the_end(seed);
        assert_eq!(blue.rest(), ["left"]);
        result
    });
    red.answer(seed);
    let result = red.play_to_the_end(seed);
    assert_eq!(red.rest(), ["left"]);
    assert_eq!(blue.join().unwrap(), result);
    (result, red.position().outcome())
}

#[test]
fn two_clients_that_join_play_a_whole_game() {
    let mut referee = Referee::start(|config| config.seed = 1);
    for seed in 0..4 {
        let (result, outcome) = play_out(referee.joined_players(), seed);
        let outcome = outcome.expect("the last state ends the game");
        let winner = result.winner.as_ref().map(|winner| winner.color);
        assert_eq!(winner, outcome.winner());
        for color in Color::ALL {
            assert_eq!(result.scores[color].cause, Cause::Regular);
            let points = match winner {
                None => 1,
                Some(winner) if winner == color => 2,
                Some(_) => 0,
            };
            assert_eq!(result.scores[color].match_points, points);
        }
        assert_eq!(referee.report().game.result, result);
    }
}

#[test]
fn two_rooms_play_at_once_without_touching_each_other() {
    let referee = Referee::start(|_| {});
    let [mut red_1, mut blue_1] = referee.joined_players();
    let [mut red_2, mut blue_2] = referee.joined_players();
    assert_ne!(red_1.room, red_2.room);
    assert_eq!(red_1.room, blue_1.room);
    for turn in 0..10u64 {
        for (mover, other) in [(&mut red_1, &mut blue_1), (&mut red_2, &mut blue_2)] {
            let (mover, other) = if turn % 2 == 0 {
                (mover, other)
            } else {
                (other, mover)
            };
            mover.answer(turn);
            mover.skip_to(&format!("state {}", turn + 1));
            other.skip_to("request");
        }
    }
    // One room's end is not the other's.
    let ended = play_out([red_1, blue_1], 5);
    assert!(ended.1.is_some());
    red_2.answer(7);
    blue_2.skip_to("request");
}

#[test]
fn names_of_any_characters_come_back_as_they_were() {
    let names = [
        "Rot & \"Wabe\" <1>\n'\t'",
        "Ü 蜂 🐝 \u{202e}עברית ]]> &amp; --",
    ];
    let mut referee = Referee::start(|_| {});
    let mut admin = referee.administrator();
    let prepared = admin.prepare(&names.map(slot));
    admin.observe(&prepared.room);
    let mut players: Vec<Peer> = prepared
        .codes
        .iter()
        .map(|code| {
            let mut peer = referee.connect();
            peer.join_prepared(code);
            peer
        })
        .collect();
    for peer in players.iter_mut().chain([&mut admin]) {
        peer.skip_to("state 0");
        let state = peer.state.as_ref().unwrap();
        assert_eq!([&state.names.red, &state.names.blue], names);
    }
    drop(players.pop());
    let result = players[0].result();
    assert_eq!(result.winner.unwrap().display_name, names[0]);
    assert_eq!(referee.report().game.names.blue, names[1]);
}

#[test]
fn finished_games_leave_replays_that_can_be_read() {
    let directory = tempfile::tempdir().unwrap();
    let replays = directory.path().join("deep/inside");
    let mut referee = Referee::start(|config| config.replays = Some(replays.clone()));
    let (result, outcome) = play_out(referee.joined_players(), 8);
    let report = referee.report();
    let path = report.replay.unwrap();
    assert_eq!(path.parent(), Some(replays.as_path()));
    let name = path.file_name().unwrap().to_str().unwrap();
    assert!(
        name.starts_with("replay_swc_2020_hive_Unknown_Unknown_2"),
        "{name}"
    );
    let replays = wabe_records::read::<Contest>(std::fs::File::open(&path).unwrap());
    let replay = &replays.unwrap()[0];
    assert_eq!(replay.damage, None);
    assert_eq!(replay.stated, Some(result.into()));
    assert_eq!(replay.positions(), report.game.moves.len() + 1);
    assert_eq!(replay.record.position().outcome(), outcome);
}

#[test]
fn unplaceable_bee_allows_only_a_skip() {
    let position = common::unplaceable_bee();
    let start = Start {
        position,
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
