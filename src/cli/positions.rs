//! `wabe positions`: looks into files of labelled positions.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::Exit;
use super::labelled_files::for_each_position;
use crate::dataset::{DatasetSummary, DatasetWriter, LabelledPosition, Reservoir};

/// Count, sample and print labelled positions, as `wabe arena --positions` writes them
///
/// Prints how many positions and games there are, how the games ended for the side to move, and the mean squared error of the
/// search's expected scores, by plies played. A file that breaks off is used as far as it goes, and exits with 1.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files of labelled positions, or results of `wabe arena`
    #[arg(required = true)]
    files: Vec<PathBuf>,

    /// Take a random sample of N positions instead of all
    #[arg(long, value_name = "N")]
    sample: Option<usize>,

    /// Decides the sample
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,

    /// Print the positions: position, expected score, result and plies to the end, with tabs between them
    #[arg(long)]
    print: bool,

    /// Write the positions to a new file of labelled positions
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    let mut sink = Sink::open(&args)?;
    let complete = if let Some(size) = args.sample {
        let mut sample = Reservoir::new(size, args.seed);
        let complete = for_each_position(&args.files, |_, labelled| {
            sample.offer(labelled);
            Ok(())
        })?;
        for labelled in sample.into_sample() {
            sink.add(&labelled)?;
        }
        complete
    } else {
        for_each_position(&args.files, |_, labelled| sink.add(&labelled))?
    };
    sink.finish()?;
    Ok(if complete {
        Exit::Success
    } else {
        Exit::Failure
    })
}

/// Where the positions go.
struct Sink {
    print: bool,
    summary: DatasetSummary,
    writer: Option<(PathBuf, DatasetWriter<BufWriter<File>>)>,
}

impl Sink {
    fn open(args: &Args) -> anyhow::Result<Sink> {
        let writer = args.output.as_ref().map(|path| create(path)).transpose()?;
        Ok(Sink {
            print: args.print,
            summary: DatasetSummary::default(),
            writer,
        })
    }

    fn add(&mut self, labelled: &LabelledPosition) -> anyhow::Result<()> {
        self.summary.add(labelled);
        if self.print {
            writeln!(std::io::stdout().lock(), "{labelled}")?;
        }
        if let Some((path, writer)) = &mut self.writer {
            writer
                .write([labelled])
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(())
    }

    fn finish(self) -> anyhow::Result<()> {
        if let Some((path, writer)) = self.writer {
            writer
                .finish()
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        if !self.print {
            write!(std::io::stdout().lock(), "{}", self.summary)?;
        }
        Ok(())
    }
}

fn create(path: &Path) -> anyhow::Result<(PathBuf, DatasetWriter<BufWriter<File>>)> {
    let context = || format!("cannot write {}", path.display());
    let file = File::create_new(path).with_context(context)?;
    let writer = DatasetWriter::new(BufWriter::new(file)).with_context(context)?;
    Ok((path.to_owned(), writer))
}
