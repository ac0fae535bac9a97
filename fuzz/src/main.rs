//! Fuzz targets for every reader of outside bytes, in one program: libFuzzer's, with the target's
//! name in `FUZZ_TARGET`.
//!
//! With a folder in `FUZZ_SEEDS` it writes the first inputs of all targets there instead, and
//! prints each target and its dictionary. `scripts/fuzz.sh` builds and runs all;
//! `docs/reliability.md` says what they check.

#![no_main]

mod files;
mod games;
mod protocol;
mod seeds;

use std::env;
use std::fmt::{Debug, Display};
use std::process::exit;
use std::str::FromStr;
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;

use wabe_hive::contest::Contest;
use wabe_hive::standard::Standard;

/// A reader, and what must hold for any input.
struct Target {
    name: &'static str,
    /// The file in `dictionaries`.
    dictionary: &'static str,
    check: fn(&[u8]),
}

const fn target(name: &'static str, dictionary: &'static str, check: fn(&[u8])) -> Target {
    Target {
        name,
        dictionary,
        check,
    }
}

const TARGETS: &[Target] = &[
    target("framer", "xml", protocol::framer),
    target("client_message", "xml", protocol::client_message),
    target("server_message", "xml", protocol::server_message),
    target("session", "xml", protocol::session),
    target("last_move", "xml", protocol::last_move),
    target("observer", "xml", protocol::observer),
    target("lobby", "xml", protocol::lobby),
    target("room", "binary", protocol::room),
    target("contest_record", "text", games::record::<Contest>),
    target("standard_record", "text", games::record::<Standard>),
    target("contest_replay", "xml", games::replay::<Contest>),
    target("game_strings", "text", games::replay::<Standard>),
    target("pgn", "pgn", games::replay::<Standard>),
    target("sgf", "sgf", games::replay::<Standard>),
    target("open", "sgf", games::open),
    target("repetitive", "sgf", games::repetitive),
    target("uhp", "text", games::uhp),
    target("board", "json", games::board),
    target("journal", "json", files::journal),
    target(
        "contest_training",
        "binary",
        files::training_games::<Contest>,
    ),
    target("standard_training", "binary", files::training_games::<Standard>),
    target("network", "binary", files::network),
    target("training", "binary", files::training),
    target("engines", "text", files::engines),
    target("options", "text", files::options),
];

static CHOSEN: OnceLock<fn(&[u8])> = OnceLock::new();

/// Chooses the target, or writes the seeds.
fn start() {
    if let Ok(folder) = env::var("FUZZ_SEEDS") {
        seeds::write(folder.as_ref());
        for target in TARGETS {
            println!("{} {}", target.name, target.dictionary);
        }
        exit(0);
    }
    let name = env::var("FUZZ_TARGET").unwrap_or_default();
    let Some(target) = TARGETS.iter().find(|target| target.name == name) else {
        eprintln!("FUZZ_TARGET names no target");
        exit(2);
    };
    CHOSEN.get_or_init(|| target.check);
}

fuzz_target!(init: start(), |data: &[u8]| {
    if let Some(check) = CHOSEN.get() {
        check(data);
    }
});

/// A value that can be read is written in a form that reads the same.
fn round_trip<T: FromStr + Display + PartialEq + Debug>(text: &str)
where
    T::Err: Display,
{
    let Ok(value) = text.parse::<T>() else {
        return;
    };
    let written = value.to_string();
    match written.parse::<T>() {
        Ok(again) => assert_eq!(again, value, "{written:?}"),
        Err(error) => panic!("{written:?}: {error}"),
    }
}
