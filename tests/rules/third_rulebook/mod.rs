//! A third game, written with nothing but the library's public parts: proof that everything above the rules plays any rule book.
//!
//! It is standard Hive without expansions on a hexagon of 61 cells, whose edge helps to surround a bee. Only the line in `cli::games`
//! is missing for the command line.

mod board;
mod small;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use wabe::analysis::{Analyst, Reviewer};
use wabe::arena::{
    self, EngineSpec, Format, GameSettings, Games, OpeningSettings, Openings, PairRecord, Plan,
    RunEnd, Schedule, Shard, Tally,
};
use wabe::dataset::{DatasetReader, DatasetWriter, label};
use wabe::evaluation::NetworkEvaluator;
use wabe::game::{Game, Record};
use wabe::hive::perft::perft_bulk;
use wabe::hive::{ByColor, Color};
use wabe::replay::{self, Album, Replay};
use wabe::search::{Limits, SystemClock, bench};
use wabe::tuning::{ExampleSets, NetworkTraining, Targets, Training};
use wabe::view::terminal::{Look, draw};

use self::small::{Move, Position, Small};

fn evaluator() -> NetworkEvaluator<Small> {
    NetworkEvaluator::built_in()
}

fn engines() -> [EngineSpec; 2] {
    ["mcts:nodes=20,memory=4", "greedy"].map(|engine| engine.parse().unwrap())
}

/// Two pairs of games.
fn pairs() -> Vec<PairRecord> {
    let openings = OpeningSettings {
        seed: 3,
        plies: 3,
        balanced: false,
    };
    let plan = Plan {
        engines: &engines(),
        schedule: &Schedule::new(Format::RoundRobin, 2, 2),
        shard: Shard::WHOLE,
        done: 0,
        games: &Games::<Small> {
            variant: Small,
            openings: Openings::Drawn(openings),
            max_plies: Small::MAX_PLIES,
        },
        settings: &GameSettings::default(),
        concurrency: 2,
        spectator: None,
    };
    let mut pairs = Vec::new();
    let end = arena::run(&plan, &AtomicBool::new(false), |pair| {
        pairs.push(pair);
        ControlFlow::Continue(())
    });
    assert_eq!(end.unwrap(), RunEnd::Complete);
    pairs
}

/// A game that the rules ended.
fn played() -> Record<Small> {
    let [mcts, greedy] = engines();
    let opening = Record::new(Small, Small::plain_start(Small));
    let mut last = opening.clone();
    let game = arena::play_one(
        &ByColor {
            red: mcts,
            blue: greedy,
        },
        &opening,
        Small::MAX_PLIES,
        &GameSettings::default(),
        &AtomicBool::new(false),
        |ply| last.clone_from(ply.record),
    );
    let game = game.unwrap().unwrap();
    assert!(game.record.end.is_regular(), "{:?}", game.record.end);
    assert_eq!(
        last.ending().map(|ending| ending.winner()),
        Some(game.record.result.winner()),
        "{last}"
    );
    last
}

#[test]
fn the_edge_ends_placements_and_games_but_is_no_gate() {
    let start = Small::plain_start(Small);
    // 61 cells and 4 kinds; then each kind beside the first piece, all but the bee.
    let beside: u64 = 4 * 4 * (37 * 6 + 18 * 4 + 6 * 3);
    assert_eq!(
        [perft_bulk(&start, 1), perft_bulk(&start, 2)],
        [244, beside]
    );

    let cornered: Position = "20 - 4,0:rQ;3,0:bA;4,-1:bS;3,1:bG;2,1:bQ -/-"
        .parse()
        .unwrap();
    assert_eq!(
        cornered.outcome().and_then(|o| o.winner()),
        Some(Color::Blue)
    );
    // Out of the corner, between an ant and the edge.
    let at_the_edge: Position = "20 - 4,0:rQ;3,0:bA;3,1:bQ -/-".parse().unwrap();
    let out: Move = "drag 4,0 4,-1".parse().unwrap();
    assert_eq!(at_the_edge.check(out), Ok(()));
}

#[test]
fn it_is_played_in_the_arena() {
    let pairs = pairs();
    assert_eq!(pairs.len(), 2);
    for pair in &pairs {
        for game in &pair.games {
            assert!(game.end.is_regular(), "{:?}", game.end);
            let mut record: Record<Small> = pair.opening.parse().unwrap();
            record.play_texts(game.moves.split(';')).unwrap();
        }
    }
    // The second player of each opening's three plies moves first after it; the greedy engine looks at every move, the other one at 20.
    let tally = Tally::of::<Small>(&pairs);
    let nodes_a_move =
        |engine| tally.engines[&engine].nodes / tally.engines[&engine].moves() as u64;
    assert!(nodes_a_move(0) <= 20 && nodes_a_move(1) > 20, "{tally:?}");
}

#[test]
fn the_search_does_the_same_every_time() {
    let signatures = || {
        let mut signatures = Vec::new();
        let clock = SystemClock::since(Instant::now());
        bench(&evaluator(), 100, &clock, |b| signatures.push(b.signature)).unwrap();
        signatures
    };
    assert_eq!(signatures().len(), 2);
    assert_eq!(signatures(), signatures());
}

#[test]
fn its_games_are_read_shown_and_analysed() {
    let game = played();
    let text = format!("{game}\n");
    assert!(Small::recognises(&text));
    let replays = replay::read::<Small>(text.as_bytes()).unwrap();
    assert_eq!(replays, [Replay::of(game.clone())]);

    let json = replays[0].json();
    assert_eq!(json["game"], "Small");
    assert_eq!(
        json["plies"].as_array().unwrap().len(),
        game.plies().len() + 1
    );
    let album = Album::from(&replays[0]);
    assert_eq!(album.pages[0].scene.fields.len(), 61);
    let drawn = draw(&album.pages[0].scene, Look::Plain).to_string();
    let labels = |arrow| drawn.matches(arrow).count();
    // One for each of nine lines, and one in the legend.
    assert_eq!([labels('↘'), labels('↗')], [10, 10], "{drawn}");

    let analyst = || Analyst::new(&evaluator(), Limits::Nodes(20), 4);
    let before = game.after(game.plies().len() - 1).unwrap();
    let analysis = analyst().analyze(&before, 3);
    assert!(!analysis.lines.is_empty());
    assert!(!analysis.table(&before).is_empty());
    let first = [game.after(6).unwrap()];
    let reviewed = Reviewer::new(analyst(), analyst()).review(&first, |_, _| true);
    assert_eq!(reviewed.len(), 6);
}

#[test]
fn a_network_is_trained_on_its_positions() {
    let mut labelled = Vec::new();
    for (game, (pair, played)) in (0..).zip(
        pairs()
            .iter()
            .flat_map(|pair| pair.games.iter().map(move |game| (pair, game))),
    ) {
        let winner = played.result.winner();
        let positions = label::<Small>(game, &pair.opening, &played.moves, &played.scores, winner);
        labelled.extend(positions.unwrap());
    }
    let mut writer = DatasetWriter::new(Vec::new()).unwrap();
    writer.append(&labelled).unwrap();
    let file = writer.finish().unwrap();
    let read: Result<Vec<_>, _> = DatasetReader::new(&file[..]).unwrap().collect();
    assert_eq!(read.unwrap(), labelled);

    let targets = Targets {
        result_share: 0.5,
        held_out_share: 0.25,
        seed: 1,
    };
    let mut sets = ExampleSets::<Small>::new(&std::env::temp_dir(), targets).unwrap();
    for position in &labelled {
        sets.push(0, position).unwrap();
    }
    sets.finish().unwrap();
    let settings = NetworkTraining {
        epochs: 1,
        batch: 32,
        learning_rate: 0.004,
        decay: 0.01,
        seed: 1,
    };
    let mut training = Training::new(&sets, settings);
    training.epoch(&sets).unwrap();
    let network = training.best().unwrap().clone();
    assert!(NetworkEvaluator::<Small>::new(Arc::new(network)).is_ok());
}
