//! Fuzz targets for all readers of untrusted input, in one libFuzzer program. `FUZZ_TARGET` selects
//! the target.
//!
//! If `FUZZ_SEEDS` is set to a folder, writes the seeds of all targets there instead, and prints
//! the targets with their dictionaries. `scripts/fuzz.sh` builds and runs all targets.
//! `docs/reliability.md` describes what they check.

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

/// A reader, and the check of its inputs.
struct Target {
    name: &'static str,
    /// File name in `dictionaries`, without the extension.
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
    target(
        "standard_training",
        "binary",
        files::training_games::<Standard>,
    ),
    target("network", "binary", files::network),
    target("training", "binary", files::training),
    target("engines", "text", files::engines),
    target("options", "text", files::options),
];

static SELECTED: OnceLock<fn(&[u8])> = OnceLock::new();

/// Selects the target or writes the seeds.
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
        eprintln!("unknown target in FUZZ_TARGET: `{name}`");
        exit(2);
    };
    SELECTED.get_or_init(|| target.check);
}

fuzz_target!(init: start(), |data: &[u8]| {
    if let Some(check) = SELECTED.get() {
        check(data);
    }
});

/// Checks that a value round-trips through its text form if it can be parsed.
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
