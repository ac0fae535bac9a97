//! `wabe uhp`: runs as a UHP engine.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::mpsc::channel;

use anyhow::Context;

use super::outputs::{cannot_write, check_no_input};
use super::signals::{exit_when_unread, on_signals};
use crate::errors::UsageError;
use crate::exit::Exit;
use wabe_contest::client::Interruption;
use wabe_uhp::{Ending, Event, Options, Session, start_input};

/// Run as a UHP engine for standard Hive
///
/// Reads commands of the Universal Hive Protocol from standard input; `help` lists them. Add `wabe
/// uhp` as an engine to MzingaViewer or another viewer.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Append the dialogue to this file
    ///
    /// Input follows `> `, output `< `.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,

    /// Set an option, e.g. `Strength=5` (repeatable)
    #[arg(long, value_name = "NAME=VALUE", value_parser = name_and_value)]
    set: Vec<(String, String)>,
}

fn name_and_value(text: &str) -> Result<(String, String), &'static str> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    let mut options = Options::default();
    for (name, value) in &args.set {
        options.set(name, value).map_err(UsageError::new)?;
    }
    let log = args.log.as_deref();
    let open = |path| {
        let network = options.evaluation.as_ref().map(|(_, file)| file.path());
        check_no_input(path, network)?;
        let file = File::options().create(true).append(true).open(path);
        file.with_context(|| cannot_write(path))
    };
    let log = log.map(open).transpose()?;
    let (sender, events) = channel();
    let interrupts = sender.clone();
    let is_terminal = io::stdin().is_terminal();
    on_signals(move |signal| {
        if signal != Interruption::Interrupt {
            std::process::exit(signal.exit_code().into());
        }
        let event = if is_terminal {
            Event::Interrupt
        } else {
            Event::Stop
        };
        interrupts.send(event).is_ok()
    })?;
    let input = sender.clone();
    exit_when_unread();
    let session = Session::new(events, sender, options, io::stdout().lock(), log);
    let unanswered = start_input(|| io::stdin().lock(), input).context("cannot read the input")?;
    let session = session.with_queue_limit(unanswered);
    Ok(match session.run()? {
        Ending::Exit => Exit::Success,
        Ending::Interrupted => Interruption::Interrupt.into(),
    })
}
