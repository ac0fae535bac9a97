//! `wabe generate`: shell completions and man pages, for packagers.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap_complete::Shell;

use crate::exit::Exit;

/// Print a shell's completions, or write man pages into a folder
#[derive(Debug, clap::Args)]
#[command(hide = true)]
pub(crate) struct Args {
    #[command(flatten)]
    output: Output,
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct Output {
    /// Print this shell's completions
    #[arg(long, value_name = "SHELL")]
    completions: Option<Shell>,

    /// Write one man page per command into this folder
    #[arg(long, value_name = "DIR")]
    man: Option<PathBuf>,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    if let Some(shell) = args.output.completions {
        std::io::stdout().write_all(&completions(shell))?;
    }
    if let Some(folder) = &args.output.man {
        write_pages(folder)
            .with_context(|| format!("cannot write man pages into {}", folder.display()))?;
    }
    Ok(Exit::Success)
}

/// Generated in memory, because `clap_complete` panics on write errors.
fn completions(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut crate::command(), "wabe", &mut script);
    script
}

fn write_pages(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    // The footer of each page contains the version of its command.
    clap_mangen::generate_to(crate::command().propagate_version(true), folder)
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    fn commands() -> Vec<String> {
        let command = crate::command();
        let shown = command.get_subcommands().filter(|c| !c.is_hide_set());
        shown.map(|c| c.get_name().to_owned()).collect()
    }

    #[test]
    fn completions_cover_all_commands() {
        for &shell in Shell::value_variants() {
            let script = String::from_utf8(completions(shell)).unwrap();
            for command in commands() {
                assert!(script.contains(&command), "{shell}: {command}");
            }
        }
    }

    #[test]
    fn man_pages_cover_all_commands() {
        let folder = tempfile::tempdir().unwrap();
        let pages = folder.path().join("share/man1");
        write_pages(&pages).unwrap();
        for command in commands() {
            let page = fs::read_to_string(pages.join(format!("wabe-{command}.1"))).unwrap();
            assert!(page.contains(".SH SYNOPSIS"), "{command}");
        }
    }
}
