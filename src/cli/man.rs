//! `wabe man`: the command line, as man pages.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use clap::CommandFactory;

use super::{Cli, Exit};

/// Write man pages, one per command
///
/// To read one: wabe man pages && man ./pages/wabe-arena.1
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The folder; created if missing
    folder: PathBuf,
}

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    let context = || format!("cannot write man pages into {}", args.folder.display());
    fs::create_dir_all(&args.folder).with_context(context)?;
    // The footer of each page shows its command's version.
    let command = Cli::command().propagate_version(true);
    clap_mangen::generate_to(command, &args.folder).with_context(context)?;
    Ok(Exit::Success)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_gets_a_page() {
        let folder = tempfile::tempdir().unwrap();
        let pages = folder.path().join("share/man1");
        run(Args {
            folder: pages.clone(),
        })
        .unwrap();
        let page = |name: &str| fs::read_to_string(pages.join(format!("{name}.1"))).unwrap();
        assert!(page("wabe").contains("wabe\\-uhp(1)"));
        assert!(page("wabe-arena").contains("\\-\\-engine"));
        for command in Cli::command()
            .get_subcommands()
            .filter(|c| !c.is_hide_set())
        {
            assert!(page(&format!("wabe-{}", command.get_name())).contains(".SH SYNOPSIS"));
        }
    }

    #[test]
    fn a_file_in_the_way_is_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let folder = file.path().to_owned();
        let error = run(Args { folder }).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("cannot write man pages into ")
        );
    }
}
