//! The first inputs of all targets, from the data of wabe's tests.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use serde_json::{Value, json};
use wabe::dataset::{DatasetWriter, LabelledPosition, Visits, tells_visits};
use wabe::game::{Game, Record};
use wabe::hive::contest::Contest;
use wabe::hive::standard::Wide;
use wabe::hive::{Move, MoveList, Position};
use wabe::protocol::{Frame, Framer, Limits, ServerData, ServerMessage};
use wabe::replay::{Recorded, Replay};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data");
const OWN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/seeds");

/// Longest seed, in bytes.
const LONGEST: usize = 1 << 15;

/// Texts that readers of options and engines take.
const WORDS: &[&str] = &[
    "mcts:nodes=5,seed=7 name='the new one'",
    "mcts:level=3,threads=2,memory=64,exploration=0.5",
    "greedy:time=10",
    "'cmd:java -jar bot.jar' time=500 dir=bots env='A=1' log=bot.log limit=memory:512",
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

/// The seeds of a target, at most one of each length.
struct Seeds<'a> {
    folder: &'a Path,
    written: BTreeSet<(&'static str, usize)>,
}

impl Seeds<'_> {
    fn add(&mut self, target: &'static str, seed: impl AsRef<[u8]>) {
        let seed = seed.as_ref();
        let seed = &seed[..seed.len().min(LONGEST)];
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

/// Writes all seeds, each target's into a folder of its own.
pub fn write(folder: &Path) {
    let seeds = &mut Seeds {
        folder,
        written: BTreeSet::new(),
    };
    let positions = contest(seeds);
    labelled(seeds, "contest_positions", &positions);
    let positions = standard(seeds);
    labelled(seeds, "standard_positions", &positions);
    for text in files(OWN) {
        seeds.add("journal", text);
    }
    for text in WORDS {
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
    seeds.add_json("board", &json!({"ask": "hello", "version": 1}));
    let edit = json!({"ask": "edit", "id": 2, "game": "contest", "setup": {"turn": 3, "obstacles": [[0, 1]],
        "stacks": [{"at": [0, 0], "pieces": [[0, "A"], [1, "B"]]}], "reserves": ["QS", "Q"]}});
    seeds.add_json("board", &edit);
}

/// The unpacked files of a folder, in the order of their names.
fn files(folder: &str) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    let read = |path: &PathBuf| {
        let bytes = fs::read(path).ok()?;
        if !wabe::replay::is_gzip(&bytes) {
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

/// The contest's seeds, and positions from them.
fn contest(seeds: &mut Seeds<'_>) -> Vec<Position<Contest>> {
    let mut positions = Vec::new();
    for stream in files(&format!("{DATA}/transcripts")) {
        seeds.add("framer", [&[99][..], &stream].concat());
        seeds.add("session", [&[99][..], &stream].concat());
        seeds.add("lobby", &stream);
        seeds.add("observer", &stream);
        recording(seeds, "contest_replay", &stream);
        let mut framer = Framer::new(Limits::default());
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
        board(seeds, &Record::<Contest>::from(*position), "xml");
    }
    positions
}

/// Standard Hive's seeds, and positions from them.
fn standard(seeds: &mut Seeds<'_>) -> Vec<Position<Wide>> {
    let crises = fs::read_to_string(format!("{DATA}/hive-crises.txt")).unwrap();
    let mut texts: Vec<String> = crises
        .lines()
        .take(40)
        .filter_map(|line| Some(line.split_once(' ')?.1.to_owned()))
        .collect();
    for text in files(&format!("{DATA}/standard")) {
        // The others are game strings, an analysis and an archive, which the reader tells apart.
        let is_sgf = text.trim_ascii_start().starts_with(b"(");
        recording(seeds, if is_sgf { "sgf" } else { "game_strings" }, &text);
        texts.extend(String::from_utf8_lossy(&text).lines().map(str::to_owned));
    }
    texts.push("Base+MLP".to_owned());
    texts.push("Base;InProgress;White[2];wS1;bS1 wS1-".to_owned());
    let mut positions = Vec::new();
    for text in &texts {
        let Ok(record) = text.parse::<Record<Wide>>() else {
            continue;
        };
        positions.push(*record.position());
        seeds.add("standard_record", text);
        recording(seeds, "game_strings", text.as_bytes());
        seeds.add("uhp_answers", answers(&record));
        seeds.add(
            "uhp",
            format!("newgame {text}\nvalidmoves\nplay pass\nundo 2\noptions\n"),
        );
        board(seeds, &record, "pgn");
        let mut replay = Replay::of(record);
        replay.remarks.insert(1, "a remark".to_owned());
        for form in Wide::FORMS.iter().filter(|form| form.name == "pgn") {
            let text = (form.write)(&replay).unwrap_or_default();
            recording(seeds, "pgn", text.as_bytes());
        }
    }
    positions
}

/// A file for a target, for a page, and with a part of it to repeat.
fn recording(seeds: &mut Seeds<'_>, target: &'static str, text: &[u8]) {
    seeds.add(target, text);
    seeds.add("open", text);
    let (beginning, rest) = text.split_at(text.len().min(300));
    let (part, end) = rest.split_at(rest.len() / 2);
    seeds.add("repetitive", [beginning, part, end].join(&0));
}

/// The answers of two engines that play this game: each also hears of its own moves.
fn answers(record: &Record<Wide>) -> Vec<u8> {
    let mut sides = [0, 1].map(|_| "id x\nBase+MLP\nok\nBase+MLP\nok\n".to_owned());
    for (number, ply) in record.plies().iter().enumerate() {
        sides[number % 2] += &format!("{}\nok\n", ply.text);
        for side in &mut sides {
            *side += "Base+MLP;InProgress\nok\n";
        }
    }
    sides.join("\0").into_bytes()
}

/// A page's questions about a game.
fn board<G: Game>(seeds: &mut Seeds<'_>, record: &Record<G>, form: &str) {
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

/// The first moves of a position of standard Hive; files of the contest have none.
fn visits<G: Game>(position: &Position<G>) -> Vec<Visits<G>> {
    if !tells_visits::<G>() {
        return Vec::new();
    }
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    let moves = moves.iter().filter(|&&mv| mv != Move::Pass).take(3);
    moves.map(|&mv| Visits { mv, share: 200 }).collect()
}

fn labelled<G: Game>(seeds: &mut Seeds<'_>, target: &'static str, positions: &[Position<G>]) {
    for positions in positions.chunks(5).take(30) {
        let mut writer = DatasetWriter::<G, _>::new(Vec::new()).unwrap();
        let labelled: Vec<LabelledPosition<G>> = (0..)
            .zip(positions)
            .map(|(game, position)| LabelledPosition {
                game,
                position: *position,
                expected_thousandths: Some(500),
                result: None,
                plies_to_end: 1,
                visits: visits(position),
            })
            .collect();
        writer.append(&labelled).unwrap();
        seeds.add(target, writer.finish().unwrap());
    }
}
