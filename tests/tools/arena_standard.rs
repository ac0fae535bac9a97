//! `wabe arena --game`: standard Hive between built-in players and engines at the pipe, well behaved and not.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::tempdir;
use wabe::game::standard::StandardRecord;

const WABE: &str = env!("CARGO_BIN_EXE_wabe");

fn arena(arguments: &[&str]) -> Output {
    Command::new(WABE)
        .arg("arena")
        .args(arguments)
        .env_remove("RUST_LOG")
        .output()
        .unwrap()
}

/// What a run that plays all its games prints at its end.
fn finished(arguments: &[&str]) -> String {
    let output = arena(arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// The pairs of a results file without the times of moves.
fn pairs(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().skip(1);
    lines
        .map(|line| {
            let mut pair: Value = serde_json::from_str(line).unwrap();
            for game in pair["games"].as_array_mut().unwrap() {
                game.as_object_mut().unwrap().remove("micros");
            }
            pair
        })
        .collect()
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
fn built_in_players_play_the_same_games_on_any_number_of_threads() {
    let folder = tempdir().unwrap();
    let run = |concurrency: &str| {
        let file = folder.path().join(concurrency);
        let results = ["--results", file.to_str().unwrap()];
        let threads = ["--concurrency", concurrency];
        let text = finished(&[&BUILT_IN[..], &results, &threads].concat());
        (pairs(&file), text)
    };
    let (alone, text) = run("1");
    assert_eq!(alone, run("3").0);
    assert_eq!(alone.len(), 3);
    for side in ["as white 3: ", "as black 3: ", "colours  white won "] {
        assert!(text.contains(side), "{text}");
    }
    assert!(!text.contains("red") && !text.contains("blue"), "{text}");
    assert!(!text.contains("fault:"), "{text}");
    for pair in &alone {
        let opening: StandardRecord = pair["opening"].as_str().unwrap().parse().unwrap();
        assert_eq!(opening.plies().len(), 6);
        for game in pair["games"].as_array().unwrap() {
            let moves = game["moves"].as_str().unwrap();
            let mut played = opening.clone();
            moves
                .split(';')
                .for_each(|mv| played.play_text(mv).unwrap());
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
fn a_run_that_goes_on_plays_the_games_that_were_left_and_keeps_them_as_game_strings() {
    let folder = tempdir().unwrap();
    let (whole, cut) = (folder.path().join("whole"), folder.path().join("cut"));
    let replays = folder.path().join("replays");
    let keep = ["--replays", replays.to_str().unwrap()];
    let results = ["--results", whole.to_str().unwrap()];
    finished(&[&BUILT_IN[..], &results, &keep].concat());
    let text = fs::read_to_string(&whole).unwrap();
    let beginning: String = text.split_inclusive('\n').take(2).collect();
    fs::write(&cut, beginning).unwrap();
    let resume = ["--resume", cut.to_str().unwrap()];
    let resumed = finished(&[&BUILT_IN[..], &resume].concat());
    assert_eq!(pairs(&cut), pairs(&whole));
    let merged = finished(&["merge", whole.to_str().unwrap()]);
    let counted = |text: &str| {
        let lines = text
            .lines()
            .filter(|line| !line.starts_with("engine") && !line.starts_with("paused"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(counted(&merged), counted(&resumed));

    let replay = fs::read_to_string(replays.join("pair-2-game-1.uhp")).unwrap();
    let game: StandardRecord = replay.trim_end().parse().unwrap();
    assert_eq!(replay, format!("{game}\n"));
    let pair = &pairs(&whole)[1];
    let moves = format!(
        "{};{}",
        pair["opening"].as_str().unwrap(),
        pair["games"][0]["moves"].as_str().unwrap()
    );
    assert!(moves.ends_with(replay.split(';').next_back().unwrap().trim_end()));

    let other = arena(&[&BUILT_IN[..], &resume, &["--max-plies", "90"]].concat());
    let message = String::from_utf8_lossy(&other.stderr).into_owned();
    assert!(message.contains("max_plies"), "{message}");
    let other = arena(&[&BUILT_IN[..], &resume, &["--unbalanced"]].concat());
    let message = String::from_utf8_lossy(&other.stderr).into_owned();
    assert!(message.contains("leave --unbalanced out"), "{message}");
}

#[test]
fn an_engine_at_the_pipe_plays_all_its_games() {
    let folder = tempdir().unwrap();
    let log = folder.path().join("log");
    let engine = format!(
        "uhp:'{WABE} uhp' name=pipe depth=1 set='MemoryMiB 16' set='ReportIntermediateBestMoves True' log='{}'",
        log.display()
    );
    let text = finished(&[
        "--game",
        "Base+MLP",
        "--engine",
        &engine,
        "--engine",
        "random:nodes=1",
        "--games",
        "4",
        "--concurrency",
        "1",
        "--hang-timeout",
        "600",
    ]);
    assert!(text.contains("games    4: +"), "{text}");
    assert!(!text.contains("fault:"), "{text}");
    let log = fs::read_to_string(log).unwrap();
    assert_eq!(log.matches("--- pair ").count(), 4);
    // One process for all games of a thread.
    assert_eq!(log.matches("< id wabe").count(), 1);
    assert!(
        log.contains("> bestmove depth 1\n") && log.contains("> play "),
        "{log}"
    );
}

#[test]
fn a_game_that_is_too_long_is_a_draw() {
    let text = finished(&[
        "--game",
        "Base",
        "--engine",
        "random:nodes=1 name=one",
        "--engine",
        "random:nodes=1 name=other",
        "--games",
        "4",
        "--plies",
        "3",
        "--max-plies",
        "8",
    ]);
    assert!(text.contains("ends     ply limit 4\n"), "{text}");
    assert!(text.contains("; 5.0 plies a game"), "{text}");
}

#[test]
fn players_resign_and_agree_to_draws_by_their_own_scores() {
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
    assert!(text.contains("; 4.0 plies a game"), "{text}");
    let replay = fs::read_to_string(folder.path().join("pair-1-game-1_2.uhp")).unwrap();
    assert!(replay.starts_with("Base;Draw;"), "{replay}");
    assert!(
        replay.ends_with("\n# draw: the players agreed\n"),
        "{replay}"
    );
}

#[test]
fn engines_do_not_play_games_that_are_not_theirs() {
    let refused = |arguments: &[&str], part: &str| {
        let output = arena(arguments);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(part), "{message}");
    };
    let standard = ["--game", "Base", "--engine", "random", "--engine"];
    let with = |last: &'static [&'static str]| [&standard[..], last].concat();
    refused(
        &["--engine", "random", "--engine", "uhp:bot"],
        "--game Base+MLP",
    );
    refused(&with(&["cmd:bot"]), "`cmd:bot` is a client of the contest");
    refused(&with(&["wabe:bot"]), "uhp:'wabe uhp'");
    refused(
        &with(&["mcts:weights=src/evaluation/contest.net"]),
        "cannot use src/evaluation/contest.net: a network for the features `wabenet1`",
    );
    refused(&with(&["greedy", "--max-plies", "6"]), "--max-plies");
    refused(&["--game", "Chess"], "`Chess` is not a game");
}

#[cfg(unix)]
mod misbehaviour {
    use super::*;

    /// Plays two games of the engine that misbehaves in this way; what the run prints, and the output that it kept.
    fn play(mode: &str, options: &[&str]) -> (Output, Vec<String>) {
        let folder = tempdir().unwrap();
        let bad = folder.path().join("bad");
        let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
        let engine = format!(
            "uhp:'./fake-uhp.py {mode}' name=bot time=10 dir='{}'",
            programs.display()
        );
        let arguments = [
            "--game",
            "Base+MLP",
            "--engine",
            &engine,
            "--engine",
            "random:nodes=1 name=opponent",
            "--games",
            "2",
            "--bad-output",
            bad.to_str().unwrap(),
        ];
        // Where nothing else is said, an engine has all the time that it needs on a busy machine.
        let patience = ["--margin", "600000", "--join-timeout", "600"];
        let output = if options.is_empty() {
            arena(&[&arguments[..], &patience].concat())
        } else {
            arena(&[&arguments[..], options].concat())
        };
        let kept = ["pair-1-game-1-white.log", "pair-1-game-2-black.log"];
        let kept = kept.map(|name| fs::read_to_string(bad.join(name)).unwrap_or_default());
        (output, kept.to_vec())
    }

    fn assert_loses_by(mode: &str, fault: &str, options: &[&str]) -> Vec<String> {
        let (output, kept) = play(mode, options);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{errors}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("games    2: +0 =0 -2\n"), "{text}");
        assert!(text.contains(&format!("ends     {fault} 2\n")), "{text}");
        let blamed = format!("lost by fault: {fault} 2");
        let line = text.lines().find(|line| line.starts_with("engine   bot: "));
        assert!(line.is_some_and(|line| line.ends_with(&blamed)), "{text}");
        assert_eq!(text.matches("fault:").count(), 1, "{text}");
        let endings = ["black wins", "white wins"].map(|wins| format!("{wins}: {fault}\n"));
        for (kept, ending) in kept.iter().zip(endings) {
            assert!(kept.lines().next().is_some(), "nothing was kept");
            assert!(kept.contains(&ending), "{kept}");
        }
        kept
    }

    #[test]
    fn an_engine_that_makes_an_illegal_move_loses_by_that() {
        let kept = assert_loses_by("plays-wrong", "illegal move", &[]);
        assert!(kept[0].contains("> bestmove time 00:00:00.010\n< wQ wA3-\n"));
    }

    #[test]
    fn an_engine_that_says_nothing_when_asked_for_a_move_loses_by_that() {
        assert_loses_by("says-nothing", "illegal move", &[]);
    }

    #[test]
    fn an_engine_that_ends_loses_and_its_last_words_are_kept() {
        let kept = assert_loses_by("ends", "crash", &[]);
        for kept in kept {
            let ending = "> bestmove time 00:00:00.010\n! no memory\n";
            assert!(kept.ends_with(ending), "{kept}");
        }
    }

    #[test]
    fn how_an_engine_has_ended_is_told() {
        let (output, _) = play("ends", &["--margin", "600000"]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains("exit status: 3"), "{errors}");
    }

    #[test]
    fn an_engine_that_hangs_loses_by_that() {
        assert_loses_by("hangs", "hang", &["--margin", "90"]);
        assert_loses_by("floods", "hang", &["--margin", "90"]);
    }

    #[test]
    fn pauses_of_the_arena_cost_no_player_its_game() {
        let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
        // It stops the arena for two seconds while the built-in player thinks, and while it thinks itself.
        let engine = format!(
            "uhp:'./fake-uhp.py pauses-arena' name=bot time=300 dir='{}'",
            programs.display()
        );
        let players = ["--engine", "mcts:time=300 name=search", "--engine", &engine];
        let games = ["--game", "Base", "--plies", "0", "--max-plies", "2"];
        let options = ["--games", "2", "--margin", "1000", "--concurrency", "1"];
        let output = arena(&[&players[..], &games, &options].concat());
        let (out, log) = (&output.stdout, &output.stderr);
        let [out, log] = [out, log].map(|text| String::from_utf8_lossy(text));
        assert_eq!(output.status.code(), Some(0), "{log}");
        assert!(out.contains("ends     ply limit 2\n"), "{out}");
        assert_eq!(out.matches("no faults").count(), 2, "{out}");
        assert!(out.contains("\npaused   "), "{out}");
        assert!(log.contains("wabe itself was paused for "), "{log}");
    }

    #[test]
    fn an_engine_that_never_says_hello_ends_the_run() {
        let (output, _) = play("never-joins", &["--join-timeout", "0.3"]);
        assert_eq!(output.status.code(), Some(1));
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        let expected = "of the engine `bot`: it has not greeted in time";
        assert!(message.contains(expected), "{message}");
    }

    #[test]
    fn an_engine_that_does_not_go_on_loses_by_that() {
        assert_loses_by("refuses", "refusal", &[]);
        assert_loses_by("sees-an-end", "false end", &[]);
    }

    #[test]
    fn an_engine_that_does_not_know_the_game_ends_the_run() {
        let (output, _) = play("base-only", &[]);
        assert_eq!(output.status.code(), Some(1));
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            message.contains("the engine `bot` does not play Base+MLP"),
            "{message}"
        );
    }

    #[test]
    fn an_option_that_an_engine_does_not_have_ends_the_run() {
        let engine = format!("uhp:'{WABE} uhp' set='Aggression 3'");
        let output = arena(&["--game", "Base", "--engine", &engine, "--engine", "random"]);
        assert_eq!(output.status.code(), Some(1));
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(message.contains("the option `Aggression 3`"), "{message}");
    }

    #[test]
    fn an_engine_that_does_not_exist_ends_the_run() {
        let output = arena(&[
            "--game",
            "Base",
            "--engine",
            "uhp:./no-such-bot",
            "--engine",
            "random",
        ]);
        assert_eq!(output.status.code(), Some(1));
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            message.contains("cannot start `./no-such-bot` of the engine `no-such-bot`"),
            "{message}"
        );
    }
}
