//! `wabe arena` with contest clients, correct and misbehaving.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use serde_json::Value;
use tempfile::tempdir;

use super::arena_command::summary;
use crate::wabe::{WABE, fail, path_in, stderr, stdout, wabe};

/// Plays two games of `bot` against a built-in player. Returns the summary.
fn play_against_random(bot: &str, options: &str) -> String {
    // The opponent has no time limit, because it could exceed one on a busy machine.
    let output = wabe(&format!(
        "arena --engine \"{bot}\" --engine 'random:nodes=1 name=opponent' --games 2 {options}"
    ));
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
fn program_plays_like_built_in_player() {
    let folder = tempdir().unwrap();
    let games = |engine: &str| {
        let file = path_in(&folder, &engine.len().to_string());
        let players = format!("--engine \"{engine}\" --engine greedy:nodes=1");
        let output = wabe(&format!("arena {players} --games 4 --results '{file}'"));
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
    let address = "--host {host} -p {port} -r {reservation}";
    // Fallback moves on a busy machine would change the games.
    let time = "--time 600000";
    let greedy = format!("{WABE} play --player greedy --seed {{seed}} {time} {address}");
    let run = |concurrency: usize| {
        let output = wabe(&format!(
            "arena --engine \"wabe:'{WABE} play --player random {time}' name=one\" --engine \"cmd:'{greedy}' name=two\" \
             --engine mcts:nodes=20 --games 2 --margin 600000 --join-timeout 600 --concurrency {concurrency}"
        ));
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let text = stdout(&output);
        assert!(!text.contains("fault:"), "{text}");
        summary(&output)
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn late_programs_lose() {
    for (time, fault) in [(400, "time"), (100_000, "hang")] {
        let slow = format!("{WABE} play --memory 16 --time {time}");
        let text = play_against_random(&format!("cmd:'{slow}' time=10 name=bot"), "--margin 190");
        assert_loses_by(&text, fault);
    }
}

/// Not a test, but the client of the tests below. Commits the fault in `WABE_TEST_CLIENT` when
/// asked for a move.
#[test]
fn misbehaving_client() {
    let Ok(fault) = std::env::var("WABE_TEST_CLIENT") else {
        return;
    };
    let words: Vec<String> = std::env::args().collect();
    let [.., host, port, reservation] = &words[..] else {
        panic!("{words:?}");
    };
    let mut stream = TcpStream::connect(format!("{host}:{port}")).unwrap();
    let join = format!("<protocol><joinPrepared reservationCode=\"{reservation}\"/>");
    stream.write_all(join.as_bytes()).unwrap();
    let mut room = String::new();
    let lines = BufReader::new(stream.try_clone().unwrap()).lines();
    for line in lines.map_while(Result::ok) {
        if let Some((_, rest)) = line.split_once("<room roomId=\"") {
            rest.split('"').next().unwrap().clone_into(&mut room);
        }
        if !line.contains("MoveRequest") {
            continue;
        }
        let data = |room: &str, class: &str| {
            format!("<room roomId=\"{room}\"><data class=\"{class}\"/></room>")
        };
        let text = match &*fault {
            "leaves" => std::process::exit(4),
            "ends" => std::process::exit(0),
            "closes" => "</protocol>".to_owned(),
            "nonsense" => "<room></protocol>".to_owned(),
            "other-room" => data("another", "skipmove"),
            "unknown" => data(&room, "shrug"),
            _ => data(&room, "skipmove"),
        };
        if stream.write_all(text.as_bytes()).is_err() {
            return;
        }
    }
}

fn engine_with_fault(fault: &str) -> String {
    let tests = std::env::current_exe().unwrap();
    format!(
        "cmd:'{} misbehaving_client --nocapture {{host}} {{port}} {{reservation}}' name=bot env=WABE_TEST_CLIENT={fault}",
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
        assert_loses_by(&play_against_random(&engine_with_fault(fault), ""), end);
    }
}

#[cfg(unix)]
#[test]
fn logs_contain_the_output_of_each_game() {
    let folder = tempdir().unwrap();
    let log = path_in(&folder, "bot.log");
    fs::write(folder.path().join("bot.sh"), "echo \"$OUTPUT\"\nexit 3\n").unwrap();
    let dir = folder.path().display();
    for output in ["first output", "second output"] {
        let bot =
            format!("cmd:'sh ./bot.sh' name=bot dir='{dir}' env='OUTPUT={output}' log='{log}'");
        assert_loses_by(&play_against_random(&bot, ""), "crash");
    }
    let bot = format!("wabe:'{WABE} play --player random' name=bot log='{log}'");
    play_against_random(&bot, "");
    let text = fs::read_to_string(&log).unwrap();
    for output in ["first output", "second output"] {
        let game = format!("--- pair 1, game 2, blue: red wins: crash\n{output}\n");
        assert!(text.contains(&game), "{text}");
        assert_eq!(text.matches(output).count(), 2, "{text}");
    }
    assert_eq!(text.matches("--- pair 1, game 1, red: ").count(), 3);
}

#[cfg(unix)]
#[test]
fn programs_that_never_join_lose() {
    let text = play_against_random(
        r#"cmd:'sh -c \"sleep 600\"' name=bot"#,
        "--join-timeout 0.5",
    );
    assert_loses_by(&text, "never joined");
}

#[test]
fn engines_without_moves_end_the_run() {
    let leaving = engine_with_fault("leaves");
    let line =
        format!("arena --engine random --engine \"{leaving}\" --games 400 --sprt elo0=0 elo1=50");
    let errors = fail(&line, 1);
    let expected = "the engine `bot` lost 4 games by faults without making a move";
    assert!(errors.contains(expected), "{errors}");
}
