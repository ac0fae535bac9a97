//! Results files, training data, networks and command-line values.

use std::env::temp_dir;
use std::fs;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Arc, OnceLock};

use crate::round_trip;
use wabe_arena::ArenaGame;
use wabe_arena::dataset::{GameReader, GameWriter, TrainingGame};
use wabe_arena::tuning::{ExampleSets, NetworkTraining, Targets, Training};
use wabe_arena::{
    EngineSpec, Journal, PairRecord, RunSettings, ScoreRule, Shard, Standings, Summary, Tally,
};
use wabe_contest::protocol::Hint;
use wabe_engine::evaluation::{Evaluator, Network, NetworkEvaluator};
use wabe_engine::search::{PlayerKind, PlayerSpec};
use wabe_hive::contest::{Contest, Deal};
use wabe_hive::standard::PieceName;
use wabe_hive::standard::{GameType, Standard};
use wabe_records::games::GameName;
use wabe_records::with_game;

/// Path of a temporary file for this process.
fn temp_path(name: &str) -> PathBuf {
    temp_dir().join(format!("wabe-fuzz-{}-{name}", process::id()))
}

/// A readable results file can be resumed and copied, and merged if its pairs are valid.
pub fn journal(data: &[u8]) {
    let (path, copy) = (temp_path("journal"), temp_path("copy"));
    fs::write(&path, data).unwrap();
    let load = |path: &Path| Journal::load::<RunSettings, PairRecord>(path);
    let Ok((settings, pairs)) = load(&path) else {
        return;
    };
    let resume = |path: &Path| Journal::resume::<_, PairRecord>(path, &settings).unwrap();
    assert_eq!(resume(&path).1, pairs);
    let _ = fs::remove_file(&copy);
    let mut written = resume(&copy).0;
    pairs.iter().for_each(|pair| written.append(pair).unwrap());
    drop(written);
    assert_eq!(load(&copy).unwrap(), (settings.clone(), pairs.clone()));
    if settings.check(&pairs).is_ok()
        && let Ok(game) = settings.game.parse::<GameName>()
    {
        with_game!(game, |G, _variant| merge::<G>(&settings, &pairs));
    }
}

/// Computes what `wabe arena merge` prints and reports.
fn merge<G: ArenaGame>(settings: &RunSettings, pairs: &[PairRecord]) {
    let tally = Tally::new::<G>(pairs);
    let summary = Summary::new::<G>(&settings.engines, &tally, None);
    let game = settings.game.clone();
    let standings = Standings::new(game, settings, &tally, None, None);
    let _ = (summary.to_string(), standings);
}

/// Training games round-trip. The first byte selects the format: record without visits, record with
/// visits, or file.
pub fn training_games<G: ArenaGame>(data: &[u8]) {
    let Some((&form, data)) = data.split_first() else {
        return;
    };
    let games: Vec<TrainingGame<G>> = match form {
        0 | 1 => TrainingGame::from_record(7, data, form == 1)
            .into_iter()
            .collect(),
        _ => match GameReader::new(data) {
            Ok(reader) => reader.filter_map(Result::ok).collect(),
            Err(_) => return,
        },
    };
    let mut written = Vec::new();
    let mut writer = GameWriter::new(&mut written, true).unwrap();
    for game in &games {
        game.positions();
        writer.append(game).unwrap();
    }
    let again = GameReader::<G, _>::new(&written[..]).unwrap();
    assert_eq!(again.map(Result::unwrap).collect::<Vec<_>>(), games);
}

/// Damages a valid file. Every six bytes of `data` are a patch: an offset of four bytes, and two
/// new bytes. The remaining bytes of `data` truncate the file or are appended.
fn damage(valid: &[u8], data: &[u8]) -> Vec<u8> {
    let mut bytes = valid.to_vec();
    let patches = data.chunks_exact(6);
    let rest = patches.remainder();
    for patch in patches {
        let offset = u32::from_le_bytes([patch[0], patch[1], patch[2], patch[3] & 0x7f]) as usize;
        // Half of the patches go to the header.
        let end = if patch[3] & 0x80 == 0 {
            valid.len()
        } else {
            64
        };
        for (byte, new) in bytes.iter_mut().skip(offset % end).zip(&patch[4..]) {
            *byte = *new;
        }
    }
    match rest {
        [0, count, ..] => bytes.truncate(bytes.len().saturating_sub(usize::from(*count))),
        rest => bytes.extend(rest),
    }
    bytes
}

/// A readable network round-trips, and evaluates positions without overflow.
pub fn network(data: &[u8]) {
    let _ = Network::from_bytes(data);
    static VALID: OnceLock<[Vec<u8>; 2]> = OnceLock::new();
    let [contest, standard] = VALID.get_or_init(|| {
        [
            NetworkEvaluator::<Contest>::built_in().network().to_bytes(),
            NetworkEvaluator::<Standard>::built_in()
                .network()
                .to_bytes(),
        ]
    });
    match data.split_first() {
        Some((0..128, data)) => evaluate::<Contest>(&damage(contest, data)),
        Some((_, data)) => evaluate::<Standard>(&damage(standard, data)),
        None => {}
    }
}

fn evaluate<G: ArenaGame>(bytes: &[u8]) {
    let Ok(network) = Network::from_bytes(bytes) else {
        return;
    };
    assert_eq!(
        Network::from_bytes(&network.to_bytes()).as_ref(),
        Ok(&network)
    );
    let Ok(evaluator) = NetworkEvaluator::<G>::new(Arc::new(network)) else {
        return;
    };
    let start = G::plain_start(G::Variant::default());
    assert!((0.0..=1.0).contains(&evaluator.evaluate(&start)));
}

/// A readable training state can be resumed, and is written unchanged. Other bytes do not affect
/// the training.
pub fn training(data: &[u8]) {
    static VALID: OnceLock<(ExampleSets<Contest>, Vec<u8>)> = OnceLock::new();
    let settings = NetworkTraining {
        units: 64,
        epochs: 2,
        batch: 1,
        learning_rate: 0.1,
        decay: 0.0,
        seed: 1,
    };
    let (sets, valid) = VALID.get_or_init(|| {
        let targets = Targets {
            result_share: 0.5,
            validation_share: 0.5,
            seed: 1,
        };
        let sets = ExampleSets::new(&temp_dir(), targets).unwrap();
        let mut training = Training::new(&sets, settings);
        training.epoch(&sets).unwrap();
        let valid = training.to_bytes();
        (sets, valid)
    });
    let bytes = damage(valid, data);
    let mut training = Training::new(sets, settings);
    let before = training.to_bytes();
    let after = if training.resume(&bytes) {
        bytes
    } else {
        before
    };
    assert!(training.to_bytes() == after);
}

/// Engine specifications round-trip.
pub fn engines(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    round_trip::<EngineSpec>(&text);
    round_trip::<PlayerSpec>(&text);
    for engine in [
        EngineSpec::from_command_line::<Contest>(&text, &[]),
        EngineSpec::from_command_line::<Standard>(&text, &[]),
    ]
    .into_iter()
    .flatten()
    {
        round_trip::<EngineSpec>(&engine.to_string());
    }
}

/// Option values round-trip.
pub fn options(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    round_trip::<ScoreRule>(&text);
    round_trip::<Shard>(&text);
    round_trip::<GameName>(&text);
    round_trip::<Deal>(&text);
    round_trip::<GameType>(&text);
    round_trip::<PlayerKind>(&text);
    round_trip::<PieceName>(&text);
    round_trip::<wabe_hive::contest::Move>(&text);
    round_trip::<wabe_hive::standard::Move>(&text);
    // Scores are rounded when they are written.
    if let Ok(hint) = text.parse::<Hint>() {
        let rounded = hint.to_string();
        round_trip::<Hint>(&rounded);
        assert!(rounded.parse::<Hint>().is_ok());
    }
}
