//! Fills limits and the server's address into the command lines of contest clients.

use std::net::SocketAddr;
use std::time::Duration;

use crate::error::EngineError;
use crate::game::{GameSettings, HANG_TIMEOUT};
use crate::program::{LIMITS, ProgramKind, ProgramSpec};
use wabe_contest::protocol::ReservationCode;
use wabe_contest::room::TimeLimits;

/// Adds defaults for the seed and, if the program accepts it, the time per move. Keeps options that
/// are already set.
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

/// Replaces a placeholder by its value. Returns whether it occurred.
fn fill_in(arguments: &mut [String], name: &str, value: &str) -> bool {
    let placeholder = format!("{{{name}}}");
    let mut found = false;
    for argument in arguments {
        if argument.contains(&placeholder) {
            *argument = argument.replace(&placeholder, value);
            found = true;
        }
    }
    found
}

/// Fills limits into the placeholders of a program's arguments. For builds of wabe, appends limits
/// without a placeholder as options.
pub(super) fn with_limits(program: &ProgramSpec) -> Vec<String> {
    let mut arguments = program.arguments.clone();
    if program.kind == ProgramKind::Wabe && !arguments.iter().any(|word| word == "play") {
        arguments.insert(0, "play".to_owned());
    }
    for (name, value) in program.options().filter(|(name, _)| LIMITS.contains(name)) {
        if !fill_in(&mut arguments, name, value) && program.kind == ProgramKind::Wabe {
            // Builds before 0.3.0 know only `--move-time`, later ones accept it as an alias.
            let option = if name == "time" { "move-time" } else { name };
            arguments.extend([format!("--{option}"), value.to_owned()]);
        }
    }
    arguments
}

/// Fills the server's address and the reservation into `{host}`, `{port}` and `{reservation}`.
/// Without any of these placeholders, appends them as options, like the contest's server.
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
    let mut found = false;
    for (name, value) in &values {
        found |= fill_in(&mut arguments, name, value);
    }
    if !found {
        for (name, value) in values {
            arguments.extend([format!("--{name}"), value]);
        }
    }
    arguments
}

/// The referee's time limits: time per move plus margin, or [`HANG_TIMEOUT`] with a node limit.
/// Without any limit, those of the contest.
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

    fn parse_program(text: &str) -> ProgramSpec {
        match text.parse::<EngineSpec>().unwrap().player {
            EnginePlayer::Program(program) => *program,
            other => panic!("{text} is {other:?}"),
        }
    }

    #[test]
    fn limits_fill_placeholders_or_follow() {
        let arguments = |text: &str| with_limits(&parse_program(text)).join(" ");
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
            let limits = time_limits(&parse_program(text), &settings);
            (limits.soft.as_millis(), limits.hard.as_millis())
        };
        assert_eq!(limits("cmd:bot"), (2_000, 10_000));
        assert_eq!(limits("cmd:bot time=300"), (350, 1_750));
        assert_eq!(limits("wabe:bot nodes=5"), (60_000, 60_000));
    }
}
