//! `wabe arena --game`: standard Hive with built-in players and UHP engines, correct and
//! misbehaving.

use std::fs;

use serde_json::Value;
use tempfile::tempdir;

use crate::wabe::{WABE, fail, file_with, path_in, stderr, stdout, wabe};
use wabe_hive::standard::StandardRecord;

/// Runs the arena to the end. Returns the summary.
fn run_arena(line: &str) -> String {
    let output = wabe(line);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    stdout(&output)
}

/// Reads the pairs of a results file without move times.
fn read_pairs(path: &str) -> Vec<Value> {
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

const SEARCH: &str = "--engine 'mcts:nodes=20 name=search' --engine greedy --margin 600000";

#[test]
fn games_do_not_depend_on_concurrency() {
    let folder = tempdir().unwrap();
    let run = |concurrency: usize| {
        let file = path_in(&folder, &concurrency.to_string());
        let text = run_arena(&format!(
            "arena --game Base+MLP {SEARCH} --games 6 --concurrency {concurrency} \
             --results '{file}'"
        ));
        (read_pairs(&file), text)
    };
    let (pairs, text) = run(1);
    assert_eq!(pairs, run(3).0);
    assert_eq!(pairs.len(), 3);
    assert!(text.contains("as white 3: ") && !text.contains("red"));
    for pair in &pairs {
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
    let log = path_in(&folder, "log");
    let engine = format!("uhp:'{WABE} uhp' name=pipe depth=1 set='MemoryMiB 16' log='{log}'");
    let text = run_arena(&format!(
        "arena --engine \"{engine}\" --engine random:nodes=1 --game Base+MLP --games 4 \
         --concurrency 1"
    ));
    assert!(text.contains("games    4: +"), "{text}");
    assert!(!text.contains("fault:"), "{text}");
    let log = fs::read_to_string(log).unwrap();
    assert_eq!(log.matches("--- pair ").count(), 4);
    // One process per thread plays all games of the thread.
    assert_eq!(log.matches("< id wabe").count(), 1);
    assert!(log.contains("> bestmove depth 1\n"), "{log}");
}

#[test]
fn games_can_be_adjudicated() {
    let folder = tempdir().unwrap();
    let replays = path_in(&folder, "replays");
    for (rule, end) in [
        ("--random-plies 3 --max-plies 8", "ply limit 2"),
        ("--resign score=0.5,plies=1", "resignation 2"),
        ("--draw score=0.5,plies=4", "agreement 2"),
    ] {
        let text = run_arena(&format!(
            "arena --game Base {SEARCH} --games 2 --replays '{replays}' {rule}"
        ));
        assert!(text.contains(&format!("ends     {end}\n")), "{text}");
    }
    let replay = fs::read_to_string(format!("{replays}/pair-1-game-1_3.uhp")).unwrap();
    assert!(replay.starts_with("Base;Draw;"), "{replay}");
}

#[test]
fn engines_of_the_other_game_are_rejected() {
    let base = "--game Base --engine random --engine";
    let network = "crates/engine/src/evaluation/contest.net";
    for (arguments, part) in [
        ("--engine random --engine uhp:bot", "--game Base+MLP"),
        (&*format!("{base} cmd:bot"), "is a contest client"),
        (&format!("{base} wabe:bot"), "uhp:'wabe uhp'"),
        (&format!("{base} mcts:weights={network}"), "cannot use"),
        (&format!("{base} greedy --max-plies 6"), "--max-plies"),
        ("--game Chess", "`Chess` is not a game"),
        (
            "--engine random --engine greedy --random-plies 60",
            "games end earlier",
        ),
    ] {
        let message = fail(&format!("arena {arguments}"), 2);
        assert!(message.contains(part), "{message}");
    }
}

#[cfg(unix)]
mod misbehaviour {
    use std::process::Output;

    use super::*;

    fn fake_engine(mode: &str, options: &str) -> String {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs");
        format!("--engine \"uhp:'./fake-uhp.py {mode}' name=bot dir='{folder}' {options}\"")
    }

    /// Plays two games with an engine that misbehaves like this. Also returns its log.
    fn play(mode: &str, options: &str) -> (Output, String) {
        let folder = tempdir().unwrap();
        let log = path_in(&folder, "log");
        let engine = fake_engine(mode, &format!("time=10 log='{log}'"));
        // The default must leave the engine enough time on a busy machine.
        let options = match options {
            "" => "--margin 600000 --join-timeout 600",
            options => options,
        };
        let output = wabe(&format!(
            "arena {engine} --engine 'random:nodes=1 name=opponent' --game Base+MLP --games 2 {options}"
        ));
        (output, fs::read_to_string(log).unwrap_or_default())
    }

    #[test]
    fn misbehaving_engines_lose() {
        let short = "--margin 90";
        let no_memory = "> bestmove time 00:00:00.010\n! no memory\n";
        for (mode, fault, options, last_lines) in [
            ("plays-wrong", "illegal move", "", "< wQ wA3-\n"),
            ("empty-answer", "illegal move", "", ""),
            ("ends", "crash", "", no_memory),
            ("hangs", "hang", short, ""),
            ("floods", "hang", short, ""),
            ("long-line", "malformed message", "", ""),
            ("refuses", "refusal", "", ""),
            ("sees-an-end", "false end", "", ""),
            ("never-joins", "never joined", "--join-timeout 0.5", ""),
            ("exits-at-once", "crash", "", "! no display\n"),
        ] {
            let (output, log) = play(mode, options);
            assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
            let text = stdout(&output);
            assert!(text.contains("games    2: +0 =0 -2\n"), "{mode}: {text}");
            let reported = format!("lost by fault: {fault} 2");
            let line = text.lines().find(|line| line.starts_with("engine   bot: "));
            let is_reported = line.is_some_and(|line| line.ends_with(&reported));
            assert!(is_reported, "{mode}: {text}");
            assert_eq!(text.matches("fault:").count(), 1, "{mode}: {text}");
            for winner in ["black", "white"] {
                let end = format!("{winner} wins: {fault}\n");
                assert!(log.contains(&end), "{mode}: {log}");
            }
            assert!(log.contains(last_lines), "{mode}: {log}");
        }
    }

    #[test]
    fn arena_pauses_do_not_count() {
        // The engine suspends the arena for two seconds during one search of each player.
        let engine = fake_engine("pauses-arena", "time=300");
        let output = wabe(&format!(
            "arena --engine 'mcts:time=300 name=search' {engine} --game Base --random-plies 0 --max-plies 2 --games 2 \
             --margin 1000 --concurrency 1"
        ));
        let (text, log) = (stdout(&output), stderr(&output));
        assert_eq!(output.status.code(), Some(0), "{log}");
        assert!(text.contains("ends     ply limit 2\n"), "{text}");
        assert_eq!(text.matches("no faults").count(), 2, "{text}");
        assert!(text.contains("\npaused   "), "{text}");
        assert!(log.contains("wabe itself was paused for "), "{log}");
    }

    #[test]
    fn unusable_engines_end_the_run() {
        let (output, _) = play("base-only", "");
        assert_eq!(output.status.code(), Some(1));
        let errors = stderr(&output);
        assert!(errors.contains("`bot` does not play Base+MLP"), "{errors}");
        let engine = format!("uhp:'{WABE} uhp' set='Aggression 3'");
        let line = format!("arena --game Base --engine \"{engine}\" --engine random");
        let errors = fail(&line, 1);
        assert!(errors.contains("the option `Aggression 3`"), "{errors}");
        let reserves = "AAABBGGGLMPQS/AAABBGGGLMPQS";
        let (_folder, position) = file_with(format!("2 - 0,0:rS;1,0:bS {reserves}"));
        let (output, _) = play("refuses", &format!("--openings '{position}'"));
        assert_eq!(output.status.code(), Some(1));
        let errors = stderr(&output);
        let problem = "`bot` cannot start from this position: err";
        assert!(errors.contains(problem), "{errors}");
    }
}
