//! `wabe arena` with engines that are programs of their own, well behaved and not.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Command, Output};

use tempfile::tempdir;
use wabe::protocol::{
    ClientMessage, Frame, Framer, Limits, ReservationCode, RoomId, STREAM_CLOSE, STREAM_OPEN,
    ServerData, ServerMessage, WireAction, WireMove,
};

const WABE: &str = env!("CARGO_BIN_EXE_wabe");

fn arena(arguments: &[&str]) -> Output {
    Command::new(WABE)
        .arg("arena")
        .args(arguments)
        .env_remove("RUST_LOG")
        .output()
        .unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Plays two games of `bot` against a built-in player that makes no mistakes; what the run prints at its end.
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

/// The lines that do not depend on time.
fn results(text: &str) -> Vec<&str> {
    let lines = text.lines();
    lines
        .filter(|line| !line.starts_with("engine") && !line.starts_with("paused"))
        .collect()
}

#[test]
fn a_build_of_wabe_plays_the_same_games_as_the_player_in_process() {
    let folder = tempdir().unwrap();
    let games = |engine: &str| {
        let file = folder.path().join(engine.len().to_string());
        let output = arena(&[
            "--engine",
            engine,
            "--engine",
            "greedy:nodes=1",
            "--games",
            "4",
            "--results",
            file.to_str().unwrap(),
        ]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let text = fs::read_to_string(&file).unwrap();
        let pairs: Vec<serde_json::Value> = text
            .lines()
            .skip(1)
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let moves = pairs.iter().flat_map(|pair| {
            let games = pair["games"].as_array().unwrap();
            games.iter().map(|game| {
                (
                    game["moves"].clone(),
                    game["end"].clone(),
                    game["nodes"].clone(),
                )
            })
        });
        (moves.collect::<Vec<_>>(), stdout(&output))
    };
    let (in_process, _) = games("mcts:nodes=40 name=bot");
    let (as_program, text) = games(&format!("wabe:'{WABE}' nodes=40 memory=64 name=bot"));
    assert_eq!(as_program, in_process);
    assert!(text.contains("nodes/s, no faults"), "{text}");
}

#[test]
fn programs_of_a_concurrent_run_do_not_disturb_each_other() {
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
    let alone = arena(&[&engines[..], &["--concurrency", "1"]].concat());
    let together = arena(&[&engines[..], &["--concurrency", "3"]].concat());
    assert_eq!(alone.status.code(), Some(0), "{}", stderr(&alone));
    assert_eq!(together.status.code(), Some(0), "{}", stderr(&together));
    assert_eq!(results(&stdout(&alone)), results(&stdout(&together)));
    assert!(!stdout(&alone).contains("fault:"), "{}", stdout(&alone));
}

#[test]
fn a_program_that_hangs_or_is_late_loses_by_that() {
    let slow = format!("cmd:'{WABE} play --memory 16 --move-time");
    let late = format!("{slow} 400' time=10 name=bot");
    assert_loses_by(&against_random(&late, &["--margin", "190"]), "time");
    let hung = format!("{slow} 100000' time=10 name=bot");
    assert_loses_by(&against_random(&hung, &["--margin", "190"]), "hang");
}

#[test]
fn a_program_that_does_not_exist_ends_the_run() {
    let output = arena(&["--engine", "cmd:./no-such-bot", "--engine", "random"]);
    assert_eq!(output.status.code(), Some(1));
    let message = stderr(&output);
    assert!(
        message.contains("cannot start `./no-such-bot` of the engine `no-such-bot`"),
        "{message}"
    );
}

/// Not a test of its own: the client of those below, which misbehaves as `WABE_TEST_CLIENT` says when it is asked for a move.
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
fn a_program_that_makes_an_illegal_move_loses_by_that() {
    let bot = misbehaving("illegal");
    assert_loses_by(&against_random(&bot, &[]), "illegal move");
}

#[test]
fn a_program_that_leaves_or_breaks_the_protocol_loses_by_that() {
    for (fault, end) in [
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

#[test]
fn a_malformed_message_is_quoted_with_its_place_and_its_side() {
    for (fault, wrong, quoted) in [
        (
            "nonsense",
            "message 2: malformed XML at byte ",
            "`</protocol>` ends <room>, in `",
        ),
        (
            "unknown",
            "message 2 at byte ",
            "`shrug` is not the class of a move, in `<room roomId=",
        ),
    ] {
        let bot = misbehaving(fault);
        let output = arena(&["--engine", &bot, "--engine", "random", "--games", "2"]);
        let told = stderr(&output);
        for part in [
            &*format!("pair 1, game 1: bot (red) sent a malformed message: {wrong}"),
            "pair 1, game 2: bot (blue) sent a malformed message",
            quoted,
        ] {
            assert!(told.contains(part), "{told}");
        }
    }
}

#[test]
fn the_replay_of_a_match_tells_of_a_malformed_message_as_the_match_does() {
    let folder = tempdir().unwrap();
    let output = Command::new(WABE)
        .args([
            "match",
            "--red",
            "random",
            "--blue",
            &misbehaving("nonsense"),
        ])
        .args(["--quiet", "--replays", folder.path().to_str().unwrap()])
        .env_remove("RUST_LOG")
        .output()
        .unwrap();
    let told = stderr(&output);
    let told = told.lines().next().unwrap().strip_prefix("wabe: ").unwrap();
    let beginning = "blue sent a malformed message (message 2: malformed XML at byte ";
    assert!(told.starts_with(beginning), "{told}");
    assert!(told.ends_with("<room></protocol>`)"), "{told}");
    let replay = fs::read_dir(folder.path()).unwrap().next().unwrap();
    let shown = Command::new(WABE)
        .arg("replay")
        .arg(replay.unwrap().path())
        .output()
        .unwrap();
    let shown = stdout(&shown);
    assert!(shown.contains(&format!("; {told}\n")), "{shown}");
    assert!(!shown.contains("left the game"), "{shown}");
}

#[test]
fn two_programs_that_misbehave_lose_to_each_other_by_turns() {
    let bots = ["illegal", "leaves"].map(misbehaving);
    let other = bots[1].replace("name=bot", "name=other");
    let output = arena(&["--engine", &bots[0], "--engine", &other, "--games", "2"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("games    2: +1 =0 -1\n"), "{text}");
    assert!(
        text.contains("ends     illegal move 1, crash 1\n"),
        "{text}"
    );
}

#[cfg(unix)]
mod scripts {
    use super::*;

    #[test]
    fn a_program_that_breaks_down_loses_and_what_it_wrote_is_kept() {
        let folder = tempdir().unwrap();
        let bad = folder.path().join("bad");
        let log = folder.path().join("bot.log");
        let bot = format!(
            "cmd:'sh ./bot.sh' name=bot dir='{}' env='LAST=my last words' log='{}'",
            folder.path().display(),
            log.display()
        );
        fs::write(folder.path().join("bot.sh"), "echo \"$LAST\"\nexit 3\n").unwrap();
        let text = against_random(&bot, &["--bad-output", bad.to_str().unwrap()]);
        assert_loses_by(&text, "crash");
        let kept = fs::read_to_string(bad.join("pair-1-game-2-blue.log")).unwrap();
        assert_eq!(
            kept,
            "--- pair 1, game 2, blue: red wins: crash\nmy last words\n"
        );
        assert_eq!(fs::read_dir(&bad).unwrap().count(), 2);
        let log = fs::read_to_string(&log).unwrap();
        assert_eq!(log.matches("my last words\n").count(), 2, "{log}");
    }

    #[test]
    fn runs_that_share_a_folder_keep_all_outputs() {
        let folder = tempdir().unwrap();
        fs::write(folder.path().join("bot.sh"), "echo $WORD\nexit 3\n").unwrap();
        let folders = ["bad", "log"].map(|name| folder.path().join(name));
        let [bad, log] = folders.each_ref().map(|folder| folder.to_str().unwrap());
        for word in ["first", "second"] {
            let bot = format!(
                "cmd:'sh bot.sh' name=bot dir='{}' env=WORD={word}",
                folder.path().display()
            );
            against_random(&bot, &["--bad-output", bad, "--protocol-log", log]);
        }
        for folder in folders {
            assert_eq!(fs::read_dir(&folder).unwrap().count(), 4);
            for (name, word) in [("red", "first"), ("red_2", "second")] {
                let kept = folder.join(format!("pair-1-game-1-{name}.log"));
                let kept = fs::read_to_string(kept).unwrap();
                assert!(kept.contains(word), "{kept}");
            }
        }
    }

    #[test]
    fn what_is_written_in_good_games_is_kept_only_in_logs() {
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
        assert!(log.contains("as blue"), "{log}");
    }

    /// A bot that never joins, and leaves its process id and that of a program that it has started.
    #[test]
    fn a_program_that_never_joins_loses_and_is_killed_with_all_it_has_started() {
        let folder = tempdir().unwrap();
        let script = folder.path().join("bot.sh");
        fs::write(&script, "sleep 600 &\necho $$ $! >> pids\nwait\n").unwrap();
        let bot = format!("cmd:'sh bot.sh' name=bot dir='{}'", folder.path().display());
        assert_loses_by(
            &against_random(&bot, &["--join-timeout", "0.5"]),
            "never joined",
        );
        let pids = fs::read_to_string(folder.path().join("pids")).unwrap();
        let pids: Vec<&str> = pids.split_whitespace().collect();
        assert_eq!(pids.len(), 4);
        let is_alive = |pid: &str| {
            let script = format!("kill -0 {pid}");
            let checked = Command::new("sh").args(["-c", &script]).output();
            checked.unwrap().status.success()
        };
        // A killed process is there until somebody has asked how it ended; one that is not killed stays for minutes.
        while pids.iter().any(|pid| is_alive(pid)) {
            std::thread::yield_now();
        }
    }
}
