//! The arguments that tell contest clients where to play, and their limits.

use std::net::SocketAddr;
use std::time::Duration;

use crate::arena::engine::EngineError;
use crate::arena::game::{GameSettings, HARD_LIMIT_FACTOR};
use crate::arena::program::{ProgramKind, ProgramSpec};
use crate::protocol::ReservationCode;
use crate::room::TimeLimits;

/// The options that tell a client its limits.
pub(in crate::arena) const LIMITS: &[&str] = &["time", "nodes", "memory", "seed"];

fn has_placeholder(program: &ProgramSpec, option: &str) -> bool {
    let placeholder = format!("{{{option}}}");
    let mut arguments = program.arguments.iter();
    arguments.any(|argument| argument.contains(&placeholder))
}

/// Checks that every placeholder has a value and that every value reaches the client. A seed can be drawn and a time is always set: the
/// referee enforces it even if the client is not told.
pub(in crate::arena) fn check(program: &ProgramSpec) -> Result<(), EngineError> {
    let has = |option: &str| program.text(option).is_some();
    for &option in LIMITS {
        let is_told = has_placeholder(program, option);
        let is_told_anyhow = option == "time" || program.kind == ProgramKind::Wabe;
        if has(option) && !is_told && !is_told_anyhow {
            return Err(EngineError(format!(
                "{option}= has no effect without {{{option}}} in the command line"
            )));
        }
        if ["nodes", "memory"].contains(&option) && is_told && !has(option) {
            return Err(EngineError(format!(
                "{{{option}}} in a command line needs a value: {option}=…"
            )));
        }
    }
    Ok(())
}

/// The program with the run's time for a move, if it takes one and sets none, and with a seed unless it sets one.
pub(super) fn with_defaults(
    program: &ProgramSpec,
    move_time: Duration,
    seed: u64,
) -> Result<ProgramSpec, EngineError> {
    let takes_time = match program.kind {
        ProgramKind::Wabe => program.text("nodes").is_none(),
        _ => has_placeholder(program, "time"),
    };
    let mut told = program.clone();
    if takes_time {
        let move_time = u64::try_from(move_time.as_millis()).unwrap_or(u64::MAX);
        told.set_default("time", move_time)?;
    }
    told.set_default("seed", seed)?;
    Ok(told)
}

/// Replaces a placeholder by its value. Returns whether there was one.
fn fill_in(arguments: &mut [String], name: &str, value: &str) -> bool {
    let placeholder = format!("{{{name}}}");
    let mut is_there = false;
    for argument in arguments {
        if argument.contains(&placeholder) {
            *argument = argument.replace(&placeholder, value);
            is_there = true;
        }
    }
    is_there
}

/// A program's arguments with its limits: in place of their placeholders, or else, for a build of this program, as options at the end.
pub(super) fn told_limits(program: &ProgramSpec) -> Vec<String> {
    let mut arguments = program.arguments.clone();
    if program.kind == ProgramKind::Wabe && !arguments.iter().any(|word| word == "play") {
        arguments.insert(0, "play".to_owned());
    }
    let limits = program.options().iter();
    for (name, value) in limits.filter(|(name, _)| LIMITS.contains(name)) {
        if !fill_in(&mut arguments, name, value) && program.kind == ProgramKind::Wabe {
            let option = if *name == "time" { "move-time" } else { name };
            arguments.extend([format!("--{option}"), value.clone()]);
        }
    }
    arguments
}

/// Tells a client where to play: in place of `{host}`, `{port}` and `{reservation}`, or, without any of them, by options as the contest's
/// server does.
pub(super) fn told_address(
    mut arguments: Vec<String>,
    server: SocketAddr,
    reservation: Option<&ReservationCode>,
) -> Vec<String> {
    let reservation = reservation.map_or_else(String::new, |code| code.0.clone());
    let values = [
        ("host", server.ip().to_string()),
        ("port", server.port().to_string()),
        ("reservation", reservation),
    ];
    let places = values
        .iter()
        .map(|(name, value)| fill_in(&mut arguments, name, value));
    if places.filter(|&is_there| is_there).count() == 0 {
        for (name, value) in values.into_iter().filter(|(_, value)| !value.is_empty()) {
            arguments.extend([format!("--{name}"), value]);
        }
    }
    arguments
}

/// The referee's time limits: the time that the program was told and the margin. A search limited by nodes gets the run's patience, a
/// client that was told no limit gets those of the contest.
pub(super) fn time_limits(told: &ProgramSpec, settings: &GameSettings) -> TimeLimits {
    let patience = settings.programs.hang_patience;
    let limits = match (told.move_time(), told.number("nodes")) {
        (Some(time), _) => {
            let soft = time.saturating_add(settings.margin);
            TimeLimits::new(soft, soft.saturating_mul(HARD_LIMIT_FACTOR))
        }
        (None, Some(_)) => TimeLimits::new(patience, patience),
        (None, None) => Ok(TimeLimits::default()),
    };
    limits.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::engine::{EnginePlayer, EngineSpec};

    fn program(text: &str) -> ProgramSpec {
        match text.parse::<EngineSpec>().unwrap().player {
            EnginePlayer::Program(program) => *program,
            EnginePlayer::BuiltIn(_) => panic!("{text} is built in"),
        }
    }

    #[test]
    fn limits_take_the_places_of_placeholders_or_follow_as_options() {
        let told = |text: &str| told_limits(&program(text)).join(" ");
        assert_eq!(
            told("'wabe:./old --player greedy' time=100 memory=64 seed=9"),
            "--player greedy --move-time 100 --memory 64 --seed 9"
        );
        assert_eq!(told("'cmd:bot -x' time=100"), "-x");
        assert_eq!(
            told("'cmd:bot --ms={time} -s {seed}' time=100 seed=9"),
            "--ms=100 -s 9"
        );
    }

    #[test]
    fn the_address_follows_the_arguments_or_takes_its_places() {
        let server = SocketAddr::from(([127, 0, 0, 1], 13050));
        let told = |arguments: &[&str]| {
            let arguments = arguments.iter().map(ToString::to_string).collect();
            told_address(arguments, server, Some(&ReservationCode("r-1".to_owned()))).join(" ")
        };
        assert_eq!(
            told(&["--fast"]),
            "--fast --host 127.0.0.1 --port 13050 --reservation r-1"
        );
        assert_eq!(
            told(&["-a", "{host}:{port}", "-r={reservation}", "{seed}"]),
            "-a 127.0.0.1:13050 -r=r-1 {seed}"
        );
    }

    #[test]
    fn the_referee_waits_as_long_as_the_program_was_told_to_take() {
        let settings = GameSettings {
            margin: Duration::from_millis(50),
            ..GameSettings::default()
        };
        let limits = |text: &str| {
            let limits = time_limits(&program(text), &settings);
            (limits.soft().as_millis(), limits.hard().as_millis())
        };
        assert_eq!(limits("cmd:bot"), (2_000, 10_000));
        assert_eq!(limits("cmd:bot time=300"), (350, 1_750));
        assert_eq!(limits("wabe:bot nodes=5"), (60_000, 60_000));
    }
}
