//! `wabe positions`: counts, samples and converts labelled positions.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use tempfile::NamedTempFile;

use super::exit::Exit;
use super::labelled_files::{for_each_position, game_of};
use super::outputs::cannot_write;
use crate::dataset::{DatasetSummary, DatasetWriter, LabelledPosition, Reservoir};
use crate::files;
use crate::game::Game;
use crate::games::ForGame;

/// Count, sample and print labelled positions, as `wabe arena --positions` writes them
///
/// Prints how many positions and games there are, how the games ended for the side to move, and the mean squared error of the
/// search's expected scores, by plies played. A file that breaks off is used as far as it goes; then the exit status is 1. All files
/// must be of one game.
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
    game_of(&args.files)?.dispatch(args)
}

impl ForGame for Args {
    type Output = anyhow::Result<Exit>;

    fn run<G: Game>(self, _variant: G::Variant) -> anyhow::Result<Exit> {
        let mut sink = Sink::<G>::open(&self)?;
        let mut games = GameNumbers::default();
        let mut renumbered = |file, labelled: LabelledPosition<G>| LabelledPosition {
            game: games.number(file, labelled.game),
            ..labelled
        };
        let complete = if let Some(size) = self.sample {
            let mut sample = Reservoir::new(size, self.seed);
            let complete = for_each_position(&self.files, |file, labelled| {
                sample.offer(renumbered(file, labelled));
                Ok(())
            })?;
            for labelled in sample.into_sample() {
                sink.add(&labelled)?;
            }
            complete
        } else {
            for_each_position(&self.files, |file, labelled| {
                sink.add(&renumbered(file, labelled))
            })?
        };
        sink.finish()?;
        Ok(Exit::of(complete))
    }
}

/// Numbers that tell games of several files apart.
///
/// A game keeps its own number, as the shards of a run need it, unless a game of an earlier file has it.
#[derive(Debug, Default)]
struct GameNumbers {
    /// By the number given: a game's file, and its number there.
    games: HashMap<u32, (u32, u32)>,
    /// The numbers of the games that could not keep theirs.
    moved: HashMap<(u32, u32), u32>,
}

impl GameNumbers {
    fn number(&mut self, file: u32, game: u32) -> u32 {
        let wanted = (file, game);
        if *self.games.entry(game).or_insert(wanted) == wanted {
            return game;
        }
        if let Some(&number) = self.moved.get(&wanted) {
            return number;
        }
        // From the other end, which files of positions do not use.
        let free = u32::MAX - u32::try_from(self.moved.len()).unwrap_or(u32::MAX);
        let number = (0..=free)
            .rev()
            .find(|number| !self.games.contains_key(number))
            .unwrap_or(game);
        self.games.insert(number, wanted);
        self.moved.insert(wanted, number);
        number
    }
}

type FileWriter<G> = DatasetWriter<G, BufWriter<File>>;

/// The destination of the positions.
struct Sink<'a, G: Game> {
    print: bool,
    /// The failure to print, after which nothing more is printed.
    unprinted: Option<io::Error>,
    summary: DatasetSummary,
    /// The path, the temporary file that becomes it, and the writer to that file.
    writer: Option<(&'a Path, NamedTempFile, FileWriter<G>)>,
}

impl<G: Game> Sink<'_, G> {
    fn open(args: &Args) -> anyhow::Result<Sink<'_, G>> {
        let writer = args.output.as_deref().map(|path| {
            let context = || cannot_write(path);
            if path.exists() {
                return Err(anyhow!("the file exists").context(context()));
            }
            let file = files::begin(path).with_context(context)?;
            let through = file.as_file().try_clone().with_context(context)?;
            let writer = DatasetWriter::new(BufWriter::new(through)).with_context(context)?;
            Ok((path, file, writer))
        });
        Ok(Sink {
            print: args.print,
            unprinted: None,
            summary: DatasetSummary::default(),
            writer: writer.transpose()?,
        })
    }

    fn add(&mut self, labelled: &LabelledPosition<G>) -> anyhow::Result<()> {
        self.summary.add(labelled);
        if self.print
            && self.unprinted.is_none()
            && let Err(error) = writeln!(io::stdout().lock(), "{labelled}")
        {
            // The file is written all the same.
            match &self.writer {
                Some(_) => self.unprinted = Some(error),
                None => return Err(error.into()),
            }
        }
        if let Some((path, _, writer)) = &mut self.writer {
            writer
                .append([labelled])
                .with_context(|| cannot_write(path))?;
        }
        Ok(())
    }

    fn finish(self) -> anyhow::Result<()> {
        if let Some((path, file, writer)) = self.writer {
            let written = writer.finish();
            written
                .and_then(|_| files::keep_new(file, path))
                .with_context(|| cannot_write(path))?;
        }
        if !self.print {
            write!(io::stdout().lock(), "{}", self.summary)?;
        }
        Ok(self.unprinted.map_or(Ok(()), Err)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_of_several_files_are_told_apart_and_those_of_shards_keep_their_numbers() {
        let mut games = GameNumbers::default();
        let mut numbers = |file, wanted: [u32; 4]| wanted.map(|game| games.number(file, game));
        assert_eq!(numbers(0, [0, 1, 4, 0]), [0, 1, 4, 0]);
        assert_eq!(numbers(1, [2, 3, 2, 3]), [2, 3, 2, 3]);
        let [zero, one, zero_again, five] = numbers(2, [0, 1, 0, 5]);
        assert_eq!((zero, five), (zero_again, 5));
        assert!(zero > 5 && one > 5 && zero != one);
        // A number that was given to a game is taken, too.
        let [other, ..] = numbers(3, [zero, zero, zero, zero]);
        assert!(other != zero && other != one);
    }
}
