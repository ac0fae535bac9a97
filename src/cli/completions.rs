//! `wabe completions`: the command line, for shells.

use std::io::Write;

use clap::CommandFactory;
use clap_complete::Shell;

use super::{Cli, Exit};

/// Print a shell's completions of this command line
///
/// For bash: wabe completions bash > ~/.local/share/bash-completion/completions/wabe
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The shell
    shell: Shell,
}

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    std::io::stdout().write_all(&script(args.shell))?;
    Ok(Exit::Success)
}

/// In memory, because `clap_complete` panics if it cannot write.
fn script(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "wabe", &mut script);
    script
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    #[test]
    fn every_shell_gets_every_subcommand() {
        for &shell in Shell::value_variants() {
            let script = String::from_utf8(script(shell)).unwrap();
            for command in Cli::command()
                .get_subcommands()
                .filter(|c| !c.is_hide_set())
            {
                assert!(script.contains(command.get_name()), "{shell}: {command}");
            }
        }
    }
}
