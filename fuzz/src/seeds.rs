//! Seeds for all targets, taken from test data.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use serde_json::{Value, json};

use wabe_arena::ArenaGame;
use wabe_arena::dataset::{
    GameWriter, InnerPosition, Label, SearchSummary, TrainingGame, TrainingPly,
};
use wabe_contest::protocol::{Frame, Framer, ServerData, ServerMessage};
use wabe_hive::Position;
use wabe_hive::contest::Contest;
use wabe_hive::game::Record;
use wabe_hive::standard::Standard;
use wabe_records::{Recorded, Replay};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data");
const OWN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/seeds");

/// Maximum size of a seed, in bytes.
const MAX_SEED: usize = 1 << 15;

/// Seeds for the targets `engines` and `options`.
const OPTIONS: &[&str] = &[
    "mcts:nodes=5,seed=7 name='the new one'",
    "mcts:level=3,threads=2,memory=64,exploration=0.5",
    "greedy:time=10",
    "'cmd:java -jar bot.jar' time=500 dir=bots env='A=1' log=bot.log",
    "'uhp:nokamute uhp' set='TableSizeMiB 64' depth=3",
    "wabe:old/wabe nodes=500",
    "python3 bots/clever.py --fast",
    "score=0.05,plies=6",
    "1/4",
    "server",
    "Base+MLP",
    "wS1",
    "rA 0,0>1,-1",
];

/// Writes seeds. Keeps at most one per length and target.
struct Seeds<'a> {
    folder: &'a Path,
    written: BTreeSet<(&'static str, usize)>,
}

impl Seeds<'_> {
    fn add(&mut self, target: &'static str, seed: impl AsRef<[u8]>) {
        let seed = seed.as_ref();
        let seed = &seed[..seed.len().min(MAX_SEED)];
        if self.written.insert((target, seed.len())) {
            let folder = self.folder.join(target);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(format!("seed-{}", seed.len())), seed).unwrap();
        }
    }

    fn add_json(&mut self, target: &'static str, seed: &Value) {
        self.add(target, seed.to_string());
    }
}

/// Writes all seeds, one folder per target.
pub fn write(folder: &Path) {
    let seeds = &mut Seeds {
        folder,
        written: BTreeSet::new(),
    };
    contest(seeds);
    standard(seeds);
    training_games::<Contest>(seeds, "contest_training");
    training_games::<Standard>(seeds, "standard_training");
    for text in read_files(OWN) {
        seeds.add("journal", text);
    }
    for text in OPTIONS {
        seeds.add("engines", text);
        seeds.add("options", text);
    }
    for target in ["network", "training"] {
        seeds.add(target, [0u8]);
        seeds.add(target, [1u8, 0, 1, 0, 0, 5, 5, 8, 0, 0, 0x80, 9, 9]);
        seeds.add(target, [0u8, 0, 7]);
    }
    let moves = (0..60).flat_map(|n| [10, n * 3]);
    let game: Vec<u8> = [0, 0, 0, 0, 4].into_iter().chain(moves).collect();
    seeds.add("room", &game);
    seeds.add("room", &game[..40]);
    seeds.add(
        "room",
        [&[200][..], &game[1..21], &[3, 0, 4, 1, 7, 250, 1, 1]].concat(),
    );
    seeds.add(
        "last_move",
        b"\x07<hint>a&#x0;</hint><piece owner='RED'/><destination class='field'/>",
    );
    seeds.add_json("board", &json!({"ask": "hello", "version": 2}));
    let edit = json!({"ask": "edit", "id": 2, "game": "contest", "setup": {"turn": 3, "obstacles": [[0, 1]],
        "stacks": [{"at": [0, 0], "pieces": [[0, "A"], [1, "B"]]}], "reserves": ["QS", "Q"]}});
    seeds.add_json("board", &edit);
}

/// Reads all files of a folder, decompressed and sorted by name.
fn read_files(folder: &str) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    let read = |path: &PathBuf| {
        let bytes = fs::read(path).ok()?;
        if !wabe_files::is_gzip(&bytes) {
            return Some(bytes);
        }
        let mut unpacked = Vec::new();
        MultiGzDecoder::new(&bytes[..])
            .read_to_end(&mut unpacked)
            .ok()?;
        Some(unpacked)
    };
    paths.iter().filter_map(read).collect()
}

/// Contest seeds.
fn contest(seeds: &mut Seeds<'_>) {
    let mut positions: Vec<Position<Contest>> = Vec::new();
    for stream in read_files(&format!("{DATA}/transcripts")) {
        seeds.add("framer", [&[99][..], &stream].concat());
        seeds.add("session", [&[99][..], &stream].concat());
        seeds.add("lobby", &stream);
        seeds.add("observer", &stream);
        add_recording(seeds, "contest_replay", &stream);
        let mut framer = Framer::default();
        framer.feed(&stream);
        while let Ok(Some(Frame::Message(message))) = framer.next_frame() {
            seeds.add("client_message", message);
            seeds.add("server_message", message);
            if let Ok(ServerMessage::Room {
                data: ServerData::State(state),
                ..
            }) = ServerMessage::read(message)
            {
                positions.extend(state.position());
            }
        }
    }
    for position in &positions {
        seeds.add("contest_record", position.to_string());
        add_board_requests(seeds, &Record::<Contest>::from_position(*position), "xml");
    }
}

/// Seeds for standard Hive.
fn standard(seeds: &mut Seeds<'_>) {
    let crises = fs::read_to_string(format!("{DATA}/hive-crises.txt")).unwrap();
    let mut texts: Vec<String> = crises
        .lines()
        .take(40)
        .filter_map(|line| Some(line.split_once(' ')?.1.to_owned()))
        .collect();
    for text in read_files(&format!("{DATA}/standard")) {
        // The other files are game strings, an analysis and an archive, which the reader detects.
        let is_sgf = text.trim_ascii_start().starts_with(b"(");
        add_recording(seeds, if is_sgf { "sgf" } else { "game_strings" }, &text);
        texts.extend(String::from_utf8_lossy(&text).lines().map(str::to_owned));
    }
    texts.push("Base+MLP".to_owned());
    texts.push("Base;InProgress;White[2];wS1;bS1 wS1-".to_owned());
    for text in &texts {
        let Ok(record) = text.parse::<Record<Standard>>() else {
            continue;
        };
        seeds.add("standard_record", text);
        add_recording(seeds, "game_strings", text.as_bytes());
        seeds.add(
            "uhp",
            format!("newgame {text}\nvalidmoves\nplay pass\nundo 2\noptions\n"),
        );
        add_board_requests(seeds, &record, "pgn");
        let mut replay = Replay::new(record);
        replay.remarks.insert(1, "a remark".to_owned());
        for form in Standard::FORMATS.iter().filter(|form| form.name == "pgn") {
            let text = (form.write)(&replay).unwrap_or_default();
            add_recording(seeds, "pgn", text.as_bytes());
        }
    }
}

/// Adds a recording to its target and to `open`. Also adds it to `repetitive`, split into parts.
fn add_recording(seeds: &mut Seeds<'_>, target: &'static str, text: &[u8]) {
    seeds.add(target, text);
    seeds.add("open", text);
    let (beginning, rest) = text.split_at(text.len().min(300));
    let (part, end) = rest.split_at(rest.len() / 2);
    seeds.add("repetitive", [beginning, part, end].join(&0));
}

/// Adds a page's requests for a game.
fn add_board_requests<G: ArenaGame>(seeds: &mut Seeds<'_>, record: &Record<G>, form: &str) {
    let moves: Vec<&str> = record.plies().iter().map(|ply| ply.text.as_str()).collect();
    let game = record.variant().to_string();
    let line = json!({"game": game, "start": record.start().to_string(), "moves": moves});
    seeds.add_json("board", &json!({"ask": "show", "id": 1, "line": line}));
    let export = json!({"ask": "export", "id": 1, "line": line, "form": form, "names": ["a", "b"], "remarks": [[0, "c"]],
        "glyphs": [[1, "!"]], "variations": []});
    seeds.add_json("board", &export);
    let source = json!({"text": record.to_string()});
    seeds.add_json("board", &json!({"ask": "open", "id": 1, "source": source}));
}

/// Adds a game of each variant, with a search before every ply.
fn training_games<G: ArenaGame>(seeds: &mut Seeds<'_>, target: &'static str) {
    for (number, variant) in (1..).zip(G::variants()) {
        let start = G::plain_start(variant);
        let mut position = start;
        let mut plies = Vec::new();
        while plies.len() < 30 && position.outcome().is_none() {
            let moves = position.legal_moves();
            let mv = moves[plies.len() * 7 * number as usize % moves.len()];
            let label = |score, levels| Label {
                score,
                visits: vec![3; levels],
            };
            let inner = InnerPosition {
                path: vec![mv],
                label: label(400, 0),
            };
            let is_full = plies.len() % 3 == 0;
            let continues = position.after(mv).outcome().is_none();
            let search = SearchSummary {
                root: label(500, if is_full { moves.len() } else { 0 }),
                is_full,
                is_kept: is_full,
                inner: if is_full && continues {
                    vec![inner]
                } else {
                    Vec::new()
                },
            };
            let search = Some(search);
            plies.push(TrainingPly { mv, search });
            position.play(mv);
        }
        let winner = None;
        let game = TrainingGame::<G> {
            number,
            variant,
            start,
            plies,
            winner,
        };
        let mut record = vec![1];
        record.extend(game.to_record(true).unwrap());
        seeds.add(target, record);
        let mut file = vec![2];
        let mut writer = GameWriter::new(&mut file, true).unwrap();
        writer.append(&game).unwrap();
        seeds.add(target, file);
    }
}
