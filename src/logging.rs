//! The log on standard error.

use std::io::{IsTerminal, Write};

use wabe_files::text::printable;

/// Maximum length of a log line, in characters; about the length of a state's debug output.
const MAX_LINE: usize = 4_000;

/// Logs warnings, and more with each `-v`. In a terminal, `play` also logs that it is waiting for
/// an opponent. Matches and arenas do not, because it would break their display.
pub(crate) fn init(verbose: u8, is_client: bool) {
    let default_level = match verbose {
        0 if is_client && std::io::stderr().is_terminal() => "warn,wabe_contest::client=info",
        0 => "warn",
        1 => "info",
        _ => "debug",
    };
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or(default_level))
        .format(|out, record| {
            let (level, time) = (record.level(), out.timestamp());
            let style = out.default_level_style(level);
            let text = printable(&record.args().to_string(), MAX_LINE);
            let target = record.target();
            writeln!(out, "[{time} {style}{level:<5}{style:#} {target}] {text}")
        })
        .init();
}
