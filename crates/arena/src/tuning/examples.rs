//! Training and validation examples: features and targets of positions, in temporary files.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::path::Path;

use crc32fast::Hasher;
use rand::seq::SliceRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::SplitMix64;

use crate::dataset::LabelledPosition;
use wabe_engine::evaluation::{Bucket, Feature, Features, features_of};
use wabe_hive::RuleBook;

/// How targets are computed, and which games form the validation set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Targets {
    /// Weight of the game's result in a target, in `0..=1`. The rest is the search's expected
    /// score. Positions that did not occur in the game use only that.
    pub result_share: f32,
    /// Share of games in the validation set, in `0..=1`.
    pub validation_share: f64,
    /// Random seed for choosing the validation set.
    pub seed: u64,
}

impl Targets {
    /// The target of a position, in `0..=1`.
    pub fn target<R: RuleBook>(&self, labelled: &LabelledPosition<R>) -> f32 {
        let expected = labelled.expected_score() as f32;
        match labelled.score() {
            Some(result) => {
                self.result_share * result as f32 + (1.0 - self.result_share) * expected
            }
            None => expected,
        }
    }

    /// True if a position belongs to the validation set. All positions of a game go to the same
    /// set, because they are similar. `file` is the index of the game's file.
    pub fn is_validation<R: RuleBook>(&self, file: u32, labelled: &LabelledPosition<R>) -> bool {
        let game = u64::from(file) << 32 | u64::from(labelled.game);
        SplitMix64::seed_from_u64(self.seed ^ game.rotate_left(17))
            .random_bool(self.validation_share.clamp(0.0, 1.0))
    }
}

/// The features and the target of a position.
#[derive(Clone, Debug)]
pub(super) struct Example {
    pub(super) features: Vec<Feature>,
    pub(super) bucket: Bucket,
    /// Number of plies played, capped at 255.
    pub(super) plies: u8,
    /// The expected score to be learnt, in `0..=1`.
    pub(super) target: f32,
    /// Game result for the side to move, in `0..=1`; `None` if the position did not occur in the
    /// game.
    pub(super) result: Option<f32>,
}

impl Example {
    /// Decodes an example. Returns it with the rest of `bytes`, or `None` at the end.
    fn read(bytes: &[u8]) -> Option<(Example, &[u8])> {
        let (&[count, bucket, plies, result, a, b, c, d], rest) = bytes.split_first_chunk()?;
        let (features, rest) = rest.split_at_checked(2 * usize::from(count))?;
        let number = |pair: &[u8]| usize::from(u16::from_le_bytes([pair[0], pair[1]]));
        let example = Example {
            features: (features.chunks_exact(2))
                .map(|pair| Feature::new(number(pair)))
                .collect(),
            bucket: Bucket::new(usize::from(bucket)),
            plies,
            target: f32::from_le_bytes([a, b, c, d]),
            result: (result < NO_RESULT).then(|| f32::from(result) / 2.0),
        };
        Some((example, rest))
    }
}

/// Shuffles the examples, and maps each through a random symmetry from these tables.
pub(super) fn shuffle(
    mut examples: Vec<Example>,
    symmetry_tables: &[Vec<Feature>],
    rng: &mut impl Rng,
) -> Vec<Example> {
    examples.shuffle(rng);
    for example in &mut examples {
        let table = &symmetry_tables[rng.random_range(0..symmetry_tables.len())];
        for feature in &mut example.features {
            *feature = table[feature.number()];
        }
    }
    examples
}

/// Encodes a missing result. Results are encoded as half points.
const NO_RESULT: u8 = 3;

/// Maximum number of features per example.
const MAX_FEATURES: usize = 255;

/// Number of examples per block. A block covers only a few games.
const BLOCK: usize = 64;

/// Examples in an unnamed temporary file, in blocks that can be read separately.
#[derive(Debug)]
pub struct ExampleFile {
    file: File,
    /// The last block, not yet written to the file.
    last: Vec<u8>,
    /// End of each block in the file, in bytes.
    ends: Vec<u64>,
    /// Number of examples.
    len: usize,
    /// CRC-32 of the complete blocks.
    checksum: u32,
}

impl ExampleFile {
    fn create(folder: &Path) -> io::Result<ExampleFile> {
        Ok(ExampleFile {
            file: tempfile::tempfile_in(folder)?,
            last: Vec::new(),
            ends: Vec::new(),
            len: 0,
            checksum: 0,
        })
    }

    fn push<R: Features>(&mut self, labelled: &LabelledPosition<R>, target: f32) -> io::Result<()> {
        let position = &labelled.position;
        let mut features: Vec<Feature> = Vec::with_capacity(128);
        features_of(position, &mut |feature| features.push(feature));
        features.truncate(MAX_FEATURES);
        let bucket = R::bucket(position, position.turn());
        self.last.extend([
            u8::try_from(features.len()).unwrap_or(u8::MAX),
            u8::try_from(bucket.number()).unwrap_or(u8::MAX),
            u8::try_from(position.turn()).unwrap_or(u8::MAX),
            labelled
                .result
                .map_or(NO_RESULT, |score| score.half_points()),
        ]);
        self.last.extend(target.to_le_bytes());
        for feature in features {
            self.last.extend((feature.number() as u16).to_le_bytes());
        }
        self.len += 1;
        if self.len.is_multiple_of(BLOCK) {
            self.end_block()?;
        }
        Ok(())
    }

    /// Writes the last block.
    fn end_block(&mut self) -> io::Result<()> {
        let end = self.ends.last().unwrap_or(&0) + self.last.len() as u64;
        self.file.write_all(&self.last)?;
        let mut hasher = Hasher::new_with_initial(self.checksum);
        hasher.update(&self.last);
        self.checksum = hasher.finalize();
        self.last.clear();
        self.ends.push(end);
        Ok(())
    }

    /// Number of examples.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if the file contains no examples.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// CRC-32 of the complete blocks.
    pub(super) fn checksum(&self) -> u32 {
        self.checksum
    }

    /// Number of complete blocks. [`ExampleSets::finish`] completes the last one.
    pub(super) fn blocks(&self) -> usize {
        self.ends.len()
    }

    /// Reads the examples of these blocks.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(super) fn read(&self, blocks: &[usize]) -> io::Result<Vec<Example>> {
        let mut examples = Vec::new();
        let mut bytes = Vec::new();
        for &block in blocks {
            let Some(&end) = self.ends.get(block) else {
                continue;
            };
            let start = block.checked_sub(1).map_or(0, |before| self.ends[before]);
            let mut file = &self.file;
            file.seek(SeekFrom::Start(start))?;
            bytes.clear();
            file.take(end - start).read_to_end(&mut bytes)?;
            let mut rest = bytes.as_slice();
            while let Some((example, after)) = Example::read(rest) {
                examples.push(example);
                rest = after;
            }
        }
        Ok(examples)
    }
}

/// Training examples, and validation examples from other games.
#[derive(Debug)]
pub struct ExampleSets<R: Features> {
    /// The training examples.
    pub training: ExampleFile,
    /// The validation examples.
    pub validation: ExampleFile,
    targets: Targets,
    game: PhantomData<R>,
}

impl<R: Features> ExampleSets<R> {
    /// Creates empty sets. Examples are stored in temporary files in `folder`, about 200 bytes
    /// each.
    ///
    /// # Errors
    /// When the files cannot be created.
    pub fn new(folder: &Path, targets: Targets) -> io::Result<ExampleSets<R>> {
        Ok(ExampleSets {
            training: ExampleFile::create(folder)?,
            validation: ExampleFile::create(folder)?,
            targets,
            game: PhantomData,
        })
    }

    /// Adds a position. `file` is the index of its file, because game numbers repeat across files.
    ///
    /// # Errors
    /// When the position cannot be written.
    pub fn push(&mut self, file: u32, labelled: &LabelledPosition<R>) -> io::Result<()> {
        let set = if self.targets.is_validation(file, labelled) {
            &mut self.validation
        } else {
            &mut self.training
        };
        set.push(labelled, self.targets.target(labelled))
    }

    /// Completes both sets. No positions can be added afterwards.
    ///
    /// # Errors
    /// When the last positions cannot be written.
    pub fn finish(&mut self) -> io::Result<()> {
        self.training.end_block()?;
        self.validation.end_block()
    }
}
