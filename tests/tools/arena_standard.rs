//! `wabe arena --game`: standard Hive between built-in players and UHP engines, well behaved and not.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;
use tempfile::tempdir;
use wabe_hive::standard::StandardRecord;

use crate::wabe::{WABE, arena, stderr};

/// The final block of a run that plays all its games.
fn finished(arguments: &[&str]) -> String {
    let output = arena(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// The pairs of a results file without the times of moves.
fn pairs(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    let pairs = text.lines().skip(1).map(|line| {
        let mut pair: Value = serde_json::from_str(line).unwrap();
        for game in pair["games"].as_array_mut().unwrap() {
            game.as_object_mut().unwrap().remove("micros");
        }
        pair
    });
    pairs.collect()
}

const BUILT_IN: [&str; 10] = [
    "--game",
    "Base+MLP",
    "--engine",
    "mcts:nodes=20 name=search",
    "--engine",
    "greedy",
    "--games",
    "6",
    "--margin",
    "600000",
];

#[test]
fn games_do_not_depend_on_concurrency() {
    let folder = tempdir().unwrap();
    let run = |concurrency: &str| {
        let file = folder.path().join(concurrency);
        let options = ["--concurrency", concurrency, "--results"];
        let text = finished(&[&BUILT_IN[..], &options, &[file.to_str().unwrap()]].concat());
        (pairs(&file), text)
    };
    let (alone, text) = run("1");
    assert_eq!(alone, run("3").0);
    assert_eq!(alone.len(), 3);
    assert!(
        text.contains("as white 3: ") && !text.contains("red"),
        "{text}"
    );
    for pair in &alone {
        let opening: StandardRecord = pair["opening"].as_str().unwrap().parse().unwrap();
        assert_eq!(opening.plies().len(), 6);
        for game in pair["games"].as_array().unwrap() {
            let mut played = opening.clone();
            let moves = game["moves"].as_str().unwrap().split(';');
            moves.for_each(|mv| played.play_text(mv).unwrap());
            let result = match played.state().to_string().as_str() {
                "WhiteWins" => "red",
                "BlackWins" => "blue",
                _ => "draw",
            };
            assert_eq!(game["result"], result, "{played}");
        }
    }
}

#[test]
fn uhp_engine_plays_all_its_games() {
    let folder = tempdir().unwrap();
    let log = folder.path().join("log");
    let engine = format!(
        "uhp:'{WABE} uhp' name=pipe depth=1 set='MemoryMiB 16' log='{}'",
        log.display()
    );
    let engines = ["--engine", &engine, "--engine", "random:nodes=1"];
    let options = ["--game", "Base+MLP", "--games", "4", "--concurrency", "1"];
    let text = finished(&[&engines[..], &options, &["--hang-timeout", "600"]].concat());
    assert!(text.contains("games    4: +"), "{text}");
    assert!(!text.contains("fault:"), "{text}");
    let log = fs::read_to_string(log).unwrap();
    assert_eq!(log.matches("--- pair ").count(), 4);
    // One process for all games of a thread.
    assert_eq!(log.matches("< id wabe").count(), 1);
    assert!(log.contains("> bestmove depth 1\n"), "{log}");
}

#[test]
fn ply_limit_is_a_draw() {
    let players = [
        "--engine",
        "random:nodes=1 name=one",
        "--engine",
        "random:nodes=1 name=other",
    ];
    let limits = [
        "--game",
        "Base",
        "--games",
        "4",
        "--plies",
        "3",
        "--max-plies",
        "8",
    ];
    let text = finished(&[&players[..], &limits].concat());
    assert!(text.contains("ends     ply limit 4\n"), "{text}");
}

#[test]
fn players_resign_or_agree_by_their_scores() {
    let folder = tempdir().unwrap();
    let replays = folder.path().to_str().unwrap();
    let play = |rule: &[&str]| {
        let engines = [
            "--engine",
            "mcts:nodes=20 name=search",
            "--engine",
            "greedy",
        ];
        let games = ["--games", "2", "--margin", "600000", "--replays", replays];
        finished(&[&["--game", "Base"], &engines[..], &games, rule].concat())
    };
    let text = play(&["--resign", "score=0.5,plies=1"]);
    assert!(text.contains("ends     resignation 2\n"), "{text}");
    let text = play(&["--draw", "score=0.5,plies=4"]);
    assert!(text.contains("ends     agreement 2\n"), "{text}");
    let replay = fs::read_to_string(folder.path().join("pair-1-game-1_2.uhp")).unwrap();
    assert!(replay.starts_with("Base;Draw;"), "{replay}");
}

#[test]
fn engines_of_the_other_game_are_rejected() {
    let standard = ["--game", "Base", "--engine", "random", "--engine"];
    let with = |last: &'static [&'static str]| [&standard[..], last].concat();
    for (arguments, part) in [
        (
            vec!["--engine", "random", "--engine", "uhp:bot"],
            "--game Base+MLP",
        ),
        (with(&["cmd:bot"]), "`cmd:bot` is a client of the contest"),
        (with(&["wabe:bot"]), "uhp:'wabe uhp'"),
        (
            with(&["mcts:weights=crates/engine/src/evaluation/contest.net"]),
            "cannot use crates/engine/src/evaluation/contest.net",
        ),
        (with(&["greedy", "--max-plies", "6"]), "--max-plies"),
        (vec!["--game", "Chess"], "`Chess` is not a game"),
    ] {
        let output = arena(&arguments);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(stderr(&output).contains(part), "{}", stderr(&output));
    }
}

#[cfg(unix)]
mod misbehaviour {
    use super::*;

    fn fake_engine(mode: &str, options: &str) -> String {
        let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
        let folder = programs.display();
        format!("uhp:'./fake-uhp.py {mode}' name=bot dir='{folder}' {options}")
    }

    /// Plays two games of the engine that misbehaves in this way. Returns also the output that was kept.
    fn play(mode: &str, options: &[&str]) -> (Output, [String; 2]) {
        let folder = tempdir().unwrap();
        let bad = folder.path().join("bad");
        let engine = fake_engine(mode, "time=10");
        let engines = [
            "--engine",
            &engine,
            "--engine",
            "random:nodes=1 name=opponent",
        ];
        let game = ["--game", "Base+MLP", "--games", "2", "--bad-output"];
        let arguments = [&engines[..], &game, &[bad.to_str().unwrap()]].concat();
        // Without other options an engine has all the time that it needs on a busy machine.
        let patient = ["--margin", "600000", "--join-timeout", "600"];
        let options = if options.is_empty() {
            &patient
        } else {
            options
        };
        let output = arena(&[&arguments[..], options].concat());
        let kept = ["pair-1-game-1-white.log", "pair-1-game-2-black.log"];
        let kept = kept.map(|name| fs::read_to_string(bad.join(name)).unwrap_or_default());
        (output, kept)
    }

    #[test]
    fn misbehaving_engines_lose() {
        let short: &[&str] = &["--margin", "90"];
        for (mode, fault, options, last_words) in [
            ("plays-wrong", "illegal move", &[][..], "< wQ wA3-\n"),
            ("says-nothing", "illegal move", &[], ""),
            (
                "ends",
                "crash",
                &[],
                "> bestmove time 00:00:00.010\n! no memory\n",
            ),
            ("hangs", "hang", short, ""),
            ("floods", "hang", short, ""),
            ("refuses", "refusal", &[], ""),
            ("sees-an-end", "false end", &[], ""),
        ] {
            let (output, kept) = play(mode, options);
            assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
            let text = String::from_utf8(output.stdout).unwrap();
            assert!(text.contains("games    2: +0 =0 -2\n"), "{mode}: {text}");
            let blamed = format!("lost by fault: {fault} 2");
            let line = text.lines().find(|line| line.starts_with("engine   bot: "));
            assert!(
                line.is_some_and(|line| line.ends_with(&blamed)),
                "{mode}: {text}"
            );
            assert_eq!(text.matches("fault:").count(), 1, "{mode}: {text}");
            for (kept, winner) in kept.iter().zip(["black", "white"]) {
                assert!(
                    kept.contains(&format!("{winner} wins: {fault}\n")),
                    "{mode}: {kept}"
                );
                assert!(kept.contains(last_words), "{mode}: {kept}");
            }
        }
    }

    #[test]
    fn pauses_of_the_arena_cost_no_player_its_game() {
        // It stops the arena for two seconds while the built-in player thinks, and while it thinks itself.
        let engine = fake_engine("pauses-arena", "time=300");
        let players = ["--engine", "mcts:time=300 name=search", "--engine", &engine];
        let games = ["--game", "Base", "--plies", "0", "--max-plies", "2"];
        let options = ["--games", "2", "--margin", "1000", "--concurrency", "1"];
        let output = arena(&[&players[..], &games, &options].concat());
        let (text, log) = (String::from_utf8_lossy(&output.stdout), stderr(&output));
        assert_eq!(output.status.code(), Some(0), "{log}");
        assert!(text.contains("ends     ply limit 2\n"), "{text}");
        assert_eq!(text.matches("no faults").count(), 2, "{text}");
        assert!(text.contains("\npaused   "), "{text}");
        assert!(log.contains("wabe itself was paused for "), "{log}");
    }

    #[test]
    fn unusable_engines_end_the_run() {
        for (mode, options, part) in [
            (
                "never-joins",
                &["--join-timeout", "0.3"][..],
                "it has not greeted in time",
            ),
            ("base-only", &[], "the engine `bot` does not play Base+MLP"),
        ] {
            let (output, _) = play(mode, options);
            assert_eq!(output.status.code(), Some(1));
            assert!(stderr(&output).contains(part), "{}", stderr(&output));
        }
        let engine = format!("uhp:'{WABE} uhp' set='Aggression 3'");
        let output = arena(&["--game", "Base", "--engine", &engine, "--engine", "random"]);
        assert_eq!(output.status.code(), Some(1));
        let errors = stderr(&output);
        assert!(errors.contains("the option `Aggression 3`"), "{errors}");
    }
}
