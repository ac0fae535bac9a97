//! The arguments of contest clients: where to play, and their limits.

use std::net::SocketAddr;
use std::time::Duration;

use crate::error::EngineError;
use crate::game::{GameSettings, HANG_TIMEOUT};
use crate::program::{LIMITS, ProgramKind, ProgramSpec};
use wabe_contest::protocol::ReservationCode;
use wabe_contest::room::TimeLimits;

/// The program with the run's time for a move, if it takes one and sets none, and with a seed
/// unless it sets one.
pub(super) fn with_defaults(
    program: &ProgramSpec,
    move_time: Duration,
    seed: u64,
) -> Result<ProgramSpec, EngineError> {
    let takes_time = match program.kind {
        ProgramKind::Wabe => program.text("nodes").is_none(),
        _ => program.has_placeholder("time"),
    };
    let mut program = program.clone();
    if takes_time {
        let move_time = u64::try_from(move_time.as_millis()).unwrap_or(u64::MAX);
        program.set_default("time", move_time)?;
    }
    program.set_default("seed", seed)?;
    Ok(program)
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

/// A program's arguments with its limits: in place of their placeholders, or else, for a build of
/// this program, as options at the end.
pub(super) fn with_limits(program: &ProgramSpec) -> Vec<String> {
    let mut arguments = program.arguments.clone();
    if program.kind == ProgramKind::Wabe && !arguments.iter().any(|word| word == "play") {
        arguments.insert(0, "play".to_owned());
    }
    for (name, value) in program.options().filter(|(name, _)| LIMITS.contains(name)) {
        if !fill_in(&mut arguments, name, value) && program.kind == ProgramKind::Wabe {
            let option = if name == "time" { "move-time" } else { name };
            arguments.extend([format!("--{option}"), value.to_owned()]);
        }
    }
    arguments
}

/// The arguments with the place to play: instead of `{host}`, `{port}` and `{reservation}`, or,
/// without any of them, as options like those of the contest's server.
pub(super) fn with_address(
    mut arguments: Vec<String>,
    server: SocketAddr,
    reservation: &ReservationCode,
) -> Vec<String> {
    let values = [
        ("host", server.ip().to_string()),
        ("port", server.port().to_string()),
        ("reservation", reservation.0.clone()),
    ];
    let mut has_place = false;
    for (name, value) in &values {
        has_place |= fill_in(&mut arguments, name, value);
    }
    if !has_place {
        for (name, value) in values {
            arguments.extend([format!("--{name}"), value]);
        }
    }
    arguments
}

/// The referee's time limits: the program's time and the margin. With a node limit they are the
/// timeout of hung programs, without a limit those of the contest.
pub(super) fn time_limits(program: &ProgramSpec, settings: &GameSettings) -> TimeLimits {
    match (program.move_time(), program.number("nodes")) {
        (Some(time), _) => TimeLimits::from_soft(time.saturating_add(settings.margin)),
        (None, Some(_)) => TimeLimits {
            soft: HANG_TIMEOUT,
            hard: HANG_TIMEOUT,
        },
        (None, None) => TimeLimits::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{EnginePlayer, EngineSpec};

    fn program(text: &str) -> ProgramSpec {
        match text.parse::<EngineSpec>().unwrap().player {
            EnginePlayer::Program(program) => *program,
            EnginePlayer::BuiltIn(_) => panic!("{text} is built in"),
        }
    }

    #[test]
    fn limits_fill_placeholders_or_follow() {
        let arguments = |text: &str| with_limits(&program(text)).join(" ");
        assert_eq!(
            arguments("'wabe:./old --player greedy' time=100 memory=64 seed=9"),
            "play --player greedy --move-time 100 --memory 64 --seed 9"
        );
        assert_eq!(arguments("'cmd:bot -x' time=100"), "-x");
        assert_eq!(
            arguments("'cmd:bot --ms={time} -s {seed}' time=100 seed=9"),
            "--ms=100 -s 9"
        );
    }

    #[test]
    fn address_fills_placeholders_or_follows() {
        let server = SocketAddr::from(([127, 0, 0, 1], 13050));
        let command = |arguments: &[&str]| {
            let arguments = arguments.iter().map(ToString::to_string).collect();
            with_address(arguments, server, &ReservationCode("r-1".to_owned())).join(" ")
        };
        assert_eq!(
            command(&["--fast"]),
            "--fast --host 127.0.0.1 --port 13050 --reservation r-1"
        );
        assert_eq!(
            command(&["-a", "{host}:{port}", "-r={reservation}", "{seed}"]),
            "-a 127.0.0.1:13050 -r=r-1 {seed}"
        );
    }

    #[test]
    fn time_limits_follow_the_options() {
        let settings = GameSettings {
            margin: Duration::from_millis(50),
            ..GameSettings::default()
        };
        let limits = |text: &str| {
            let limits = time_limits(&program(text), &settings);
            (limits.soft.as_millis(), limits.hard.as_millis())
        };
        assert_eq!(limits("cmd:bot"), (2_000, 10_000));
        assert_eq!(limits("cmd:bot time=300"), (350, 1_750));
        assert_eq!(limits("wabe:bot nodes=5"), (60_000, 60_000));
    }
}
