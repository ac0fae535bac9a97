//! `wabe arena` with programs, well behaved and not.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::Value;
use tempfile::tempdir;
use wabe_contest::protocol::{
    ClientMessage, Frame, Framer, Limits, ReservationCode, RoomId, STREAM_CLOSE, STREAM_OPEN,
    ServerData, ServerMessage, WireAction, WireMove,
};

use crate::wabe::{WABE, arena, stderr, stdout};

/// Plays two games of `bot` against a built-in player. Returns the final block.
fn against_random(bot: &str, options: &[&str]) -> String {
    let engines = [
        "--engine",
        bot,
        "--engine",
        // Without a limit on its time, which a busy machine could exceed.
        "random:nodes=1 name=opponent",
        "--games",
        "2",
    ];
    let output = arena(&[&engines[..], options].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    stdout(&output)
}

fn assert_loses_by(text: &str, fault: &str) {
    assert!(text.contains("games    2: +0 =0 -2\n"), "{text}");
    assert!(text.contains(&format!("ends     {fault} 2\n")), "{text}");
    let line = |name: &str| {
        let start = format!("engine   {name}: ");
        let line = text.lines().find_map(|line| line.strip_prefix(&start));
        line.unwrap_or_default().to_owned()
    };
    assert!(
        line("bot").ends_with(&format!("lost by fault: {fault} 2")),
        "{text}"
    );
    assert!(!line("opponent").contains("fault:"), "{text}");
}

#[test]
fn wabe_as_a_program_plays_like_in_process() {
    let folder = tempdir().unwrap();
    let games = |engine: &str| {
        let file = folder.path().join(engine.len().to_string());
        let opponent = ["--engine", "greedy:nodes=1", "--games", "4", "--results"];
        let players = [&["--engine", engine][..], &opponent].concat();
        let output = arena(&[&players[..], &[file.to_str().unwrap()]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let text = fs::read_to_string(&file).unwrap();
        let pairs = text.lines().skip(1);
        let games = pairs.flat_map(|line| {
            let mut pair: Value = serde_json::from_str(line).unwrap();
            let mut games = pair["games"].take().as_array().unwrap().clone();
            for game in &mut games {
                game.as_object_mut().unwrap().remove("micros");
                game.as_object_mut().unwrap().remove("scores");
            }
            games
        });
        games.collect::<Vec<_>>()
    };
    let in_process = games("mcts:nodes=40 name=bot");
    let as_program = games(&format!("wabe:'{WABE}' nodes=40 memory=64 name=bot"));
    assert_eq!(as_program, in_process);
}

#[test]
fn concurrent_programs_do_not_disturb_each_other() {
    let engines = [
        "--engine",
        &format!("wabe:'{WABE} play --player random' name=one"),
        "--engine",
        &format!(
            "cmd:'{WABE} play --player greedy --seed {{seed}} -h {{host}} -p {{port}} -r {{reservation}}' name=two"
        ),
        "--engine",
        "mcts:nodes=20",
        "--games",
        "2",
        "--margin",
        "5000",
    ];
    let run = |concurrency: &str| {
        let output = arena(&[&engines[..], &["--concurrency", concurrency]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let text = stdout(&output);
        assert!(!text.contains("fault:"), "{text}");
        let lines = text.lines();
        let lines = lines.filter(|line| !line.starts_with("engine") && !line.starts_with("paused"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(run("1"), run("3"));
}

#[test]
fn late_programs_lose() {
    let slow = format!("cmd:'{WABE} play --memory 16 --move-time");
    for (time, fault) in [(400, "time"), (100_000, "hang")] {
        let bot = format!("{slow} {time}' time=10 name=bot");
        assert_loses_by(&against_random(&bot, &["--margin", "190"]), fault);
    }
}

/// The client of the tests below, no test of its own: misbehaves as `WABE_TEST_CLIENT` says after a move request.
#[test]
fn client_that_misbehaves() {
    let Ok(fault) = std::env::var("WABE_TEST_CLIENT") else {
        return;
    };
    let words: Vec<String> = std::env::args().collect();
    let [.., host, port, reservation] = &words[..] else {
        panic!("{words:?}");
    };
    let mut stream = TcpStream::connect(format!("{host}:{port}")).unwrap();
    let join = ClientMessage::JoinPrepared(ReservationCode(reservation.clone()));
    let greeting = format!("{STREAM_OPEN}{}", join.to_xml());
    stream.write_all(greeting.as_bytes()).unwrap();
    let mut framer = Framer::new(Limits::default());
    let mut buffer = [0; 4096];
    loop {
        let length = stream.read(&mut buffer).unwrap_or(0);
        if length == 0 {
            return;
        }
        framer.feed(&buffer[..length]);
        while let Some(frame) = framer.next_frame().unwrap() {
            let Frame::Message(message) = frame else {
                return;
            };
            let ServerMessage::Room {
                room,
                data: ServerData::MoveRequest,
            } = ServerMessage::read(message).unwrap()
            else {
                continue;
            };
            let reply = |room| ClientMessage::Move {
                room,
                mv: WireMove {
                    hint: None,
                    action: WireAction::Skip,
                },
            };
            let text = match fault.as_str() {
                "leaves" => std::process::exit(4),
                "ends" => std::process::exit(0),
                "closes" => STREAM_CLOSE.to_owned(),
                "nonsense" => "<room></protocol>".to_owned(),
                "other-room" => reply(RoomId("another".to_owned())).to_xml(),
                "unknown" => format!("<room roomId='{room}'><data class='shrug'/></room>"),
                _ => reply(room).to_xml(),
            };
            if stream.write_all(text.as_bytes()).is_err() {
                return;
            }
        }
    }
}

fn misbehaving(fault: &str) -> String {
    let tests = std::env::current_exe().unwrap();
    format!(
        "cmd:'{} client_that_misbehaves --nocapture {{host}} {{port}} {{reservation}}' name=bot env=WABE_TEST_CLIENT={fault}",
        tests.display()
    )
}

#[test]
fn misbehaving_programs_lose() {
    for (fault, end) in [
        ("illegal", "illegal move"),
        ("leaves", "crash"),
        ("ends", "left"),
        ("closes", "left"),
        ("nonsense", "malformed message"),
        ("other-room", "malformed message"),
        ("unknown", "malformed message"),
    ] {
        assert_loses_by(&against_random(&misbehaving(fault), &[]), end);
    }
}

#[cfg(unix)]
mod scripts {
    use std::path::Path;

    use super::*;

    #[test]
    fn outputs_of_bad_games_are_kept() {
        let folder = tempdir().unwrap();
        let folders = ["bad", "dialogues"].map(|name| folder.path().join(name));
        let [bad, dialogues] = folders.each_ref().map(|folder| folder.to_str().unwrap());
        let log = folder.path().join("bot.log");
        fs::write(folder.path().join("bot.sh"), "echo \"$LAST\"\nexit 3\n").unwrap();
        for words in ["my first words", "my last words"] {
            let bot = format!(
                "cmd:'sh ./bot.sh' name=bot dir='{}' env='LAST={words}' log='{}'",
                folder.path().display(),
                log.display()
            );
            let options = ["--bad-output", bad, "--protocol-log", dialogues];
            assert_loses_by(&against_random(&bot, &options), "crash");
        }
        for (name, words) in [("blue", "my first words"), ("blue_2", "my last words")] {
            let kept = Path::new(bad).join(format!("pair-1-game-2-{name}.log"));
            assert_eq!(
                fs::read_to_string(kept).unwrap(),
                format!("--- pair 1, game 2, blue: red wins: crash\n{words}\n")
            );
        }
        for folder in &folders {
            assert_eq!(fs::read_dir(folder).unwrap().count(), 4);
        }
        let log = fs::read_to_string(&log).unwrap();
        assert_eq!(log.matches("my last words\n").count(), 2, "{log}");
    }

    #[test]
    fn outputs_of_good_games_are_only_logged() {
        let folder = tempdir().unwrap();
        let log = folder.path().join("bot.log");
        let bad = folder.path().join("bad");
        let bot = format!(
            "wabe:'{WABE} play --player random' name=bot log='{}'",
            log.display()
        );
        against_random(&bot, &["--bad-output", bad.to_str().unwrap()]);
        assert!(!bad.exists());
        let log = fs::read_to_string(&log).unwrap();
        assert!(log.contains("--- pair 1, game 1, red: "), "{log}");
    }

    #[test]
    fn programs_that_never_join_lose() {
        let bot = "cmd:'sh -c \"sleep 600\"' name=bot";
        let text = against_random(bot, &["--join-timeout", "0.5"]);
        assert_loses_by(&text, "never joined");
    }
}
