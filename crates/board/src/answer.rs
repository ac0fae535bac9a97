//! Answers requests that need no search.

use std::io::Cursor;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::assets::ASSETS;
use super::offline::offline_page;
use super::opening::{continuations, keys};
use super::plausible;
use super::protocol::{
    BoardSetup, ENGINE, ExportRequest, GameInfo, GameLine, KindInfo, MAX_GAME_PLIES, OpenedGame,
    Problem, Reply, Request, SetupStack, Source, VERSION, Variation, Welcome, WireResult,
};
use super::view::{recorded_end, view};
use crate::BoardGame;
use wabe_contest::protocol::{Cause, UNKNOWN_PLAYER};
use wabe_engine::search::Level;
use wabe_hive::game::{Adjudication, Record};
use wabe_hive::hex::{Grid, Hex};
use wabe_hive::{ByColor, Color, KindOf, Piece, PieceKind, Position, Reserve, Setup, Stack};
use wabe_records::diagram::DrawnGame;
use wabe_records::games::{GameName, word_of};
use wabe_records::with_game;
use wabe_records::{FileFormat, MAX_VARIATION_DEPTH, MAX_VARIATIONS, Replay, StatedResult, read};

/// The export format for offline pages.
const OFFLINE_PAGE: &str = "html";

/// Answers a request that needs no search. `seed` is used for random setups unless the request
/// contains one.
///
/// # Errors
/// When the request contains an invalid game, text or setup.
pub(super) fn answer(request: Request, seed: u64) -> Result<Reply, Problem> {
    let games = match request {
        Request::New {
            game,
            seed: requested,
        } => {
            let seed = requested.unwrap_or(seed);
            let game = parse_game(&game)?;
            vec![with_game!(game, |G, variant| new_game::<G>(seed, variant))]
        }
        Request::Open { source } => open(source)?,
        Request::Edit { game, setup } => {
            let game = parse_game(&game)?;
            vec![with_game!(game, |G, variant| edit::<G>(&setup, variant))?]
        }
        Request::Show { line } => {
            return with_game!(parse_game(&line.game)?, |G, variant| show::<G>(
                &line, variant
            ));
        }
        Request::Keys { line } => {
            return with_game!(parse_game(&line.game)?, |G, variant| keys_of::<G>(
                &line, variant
            ));
        }
        Request::Export(request) => {
            let game = parse_game(&request.line.game)?;
            return with_game!(game, |G, variant| export::<G>(request, variant));
        }
        _ => return Err(Problem::invalid_request("unexpected request")),
    };
    Ok(Reply::Opened { games })
}

/// Finds a game by its name.
pub(super) fn parse_game(word: &str) -> Result<GameName, Problem> {
    Ok(word.parse::<GameName>()?)
}

/// All supported games.
pub(super) fn games() -> Vec<GameInfo> {
    let info = |game| with_game!(game, |G, variant| info::<G>(variant));
    GameName::all().into_iter().map(info).collect()
}

/// The welcome message without threads and memory, which depend on the engine.
pub(super) fn welcome() -> Welcome {
    Welcome {
        version: VERSION,
        engine: ENGINE.to_owned(),
        games: games(),
        levels: Level::all().map(Level::nodes).collect(),
        ..Welcome::default()
    }
}

/// Describes a game to a page.
pub(super) fn info<G: BoardGame>(variant: G::Variant) -> GameInfo {
    let start = G::plain_start(variant);
    let kinds = KindOf::<G>::ALL.iter().copied();
    // Offline pages are built from the embedded files, which only the server contains.
    let page = (!ASSETS.is_empty()).then_some(OFFLINE_PAGE);
    let own_forms = G::FORMATS.iter().map(|form| form.name);
    GameInfo {
        word: word_of::<G>(variant),
        sides: [G::SIDES.red.name(), G::SIDES.blue.name()],
        has_edge: !G::Grid::IS_UNBOUNDED,
        kinds: kinds
            .filter(|&kind| G::has(variant, kind))
            .map(|kind| KindInfo {
                letter: kind.letter(),
                name: kind.name(),
                count: start.reserve(Color::Red).count(kind),
            })
            .collect(),
        bee: G::BEE,
        forms: own_forms.chain(page).collect(),
    }
}

fn new_game<G: BoardGame>(seed: u64, variant: G::Variant) -> OpenedGame {
    let start = G::start(variant, &mut Xoshiro256PlusPlus::seed_from_u64(seed));
    opened(&Replay::new(Record::<G>::new(variant, start)))
}

/// A player's name, or an empty string for the protocol's placeholder.
pub(super) fn known_name(name: String) -> String {
    match name.as_str() {
        UNKNOWN_PLAYER => String::new(),
        _ => name,
    }
}

/// Converts a recording for a page. Truncates games after [`MAX_GAME_PLIES`] plies.
pub fn opened<G: BoardGame>(replay: &Replay<G>) -> OpenedGame {
    let ByColor { red, blue } = replay.names.clone();
    let plies = replay.record.plies().len();
    let has_ended = replay.record.is_over() || replay.stated.is_some();
    let milliseconds = |time: &Duration| u64::try_from(time.as_millis()).ok();
    OpenedGame {
        line: line_of(&replay.record),
        names: [red, blue].map(known_name),
        tags: replay.tags.clone(),
        remarks: replay.remarks.clone().into_iter().collect(),
        glyphs: replay.glyphs.clone().into_iter().collect(),
        variations: (replay.variations.iter())
            .filter(|variation| variation.after < MAX_GAME_PLIES)
            .cloned()
            .collect(),
        times: (replay.times.iter())
            .filter_map(|(&ply, time)| Some((ply, milliseconds(time)?)))
            .collect(),
        result: has_ended.then(|| recorded_end(replay)),
        damage: match plies {
            ..=MAX_GAME_PLIES => replay.damage.clone().map(Problem::from_damage::<G>),
            _ => Some(Problem::CutOffGame {
                plies,
                max: MAX_GAME_PLIES,
            }),
        },
    }
}

/// Encodes a game as a line.
fn line_of<G: BoardGame>(record: &Record<G>) -> GameLine {
    let variant = record.variant();
    let default_starts = [Some(G::plain_start(variant)), G::lenient_start(variant)];
    let plies = record.plies().iter().take(MAX_GAME_PLIES);
    GameLine {
        game: word_of::<G>(variant),
        start: (!default_starts.contains(&Some(*record.start())))
            .then(|| record.start().to_string()),
        moves: plies.map(|ply| ply.text.clone()).collect(),
    }
}

fn open_file<G: BoardGame>(bytes: &[u8]) -> Result<Vec<OpenedGame>, Problem> {
    let replays = read::<G>(Cursor::new(bytes)).map_err(Problem::from_replay::<G>)?;
    Ok(replays.iter().map(opened).collect())
}

fn open_line<G: BoardGame>(line: &GameLine, variant: G::Variant) -> Result<OpenedGame, Problem> {
    Ok(opened(&Replay::new(record_of::<G>(line, variant)?)))
}

fn open(source: Source) -> Result<Vec<OpenedGame>, Problem> {
    let bytes = match source {
        Source::Line(line) => {
            let game = parse_game(&line.game)?;
            let opened = with_game!(game, |G, variant| open_line::<G>(&line, variant));
            return opened.map(|game| vec![game]);
        }
        Source::Text(text) => text.into_bytes(),
        Source::Base64(text) => BASE64_STANDARD
            .decode(text)
            .map_err(Problem::invalid_request)?,
    };
    let game = GameName::from_recording(&bytes).unwrap_or_default();
    with_game!(game, |G, _variant| open_file::<G>(&bytes))
}

/// Replays a line.
///
/// # Errors
/// When it is too long, its start position is invalid, or a move is illegal.
pub(super) fn record_of<G: BoardGame>(
    line: &GameLine,
    variant: G::Variant,
) -> Result<Record<G>, Problem> {
    if line.moves.len() > MAX_GAME_PLIES {
        return Err(Problem::too_many_plies());
    }
    let start = match &line.start {
        Some(text) => text
            .parse::<Position<G>>()
            .map_err(|error| Problem::from_position::<G>(&error))?,
        None => G::plain_start(variant),
    };
    let played_from = |start| {
        let mut record = Record::new(variant, start);
        let moves = line.moves.iter().map(String::as_str);
        record.play_texts(moves).map(|()| record)
    };
    played_from(start).or_else(|error| {
        let lenient = G::lenient_start(variant).filter(|_| line.start.is_none());
        let played = lenient.and_then(|start| played_from(start).ok());
        played.ok_or_else(|| Problem::from_record::<G, _>(error))
    })
}

fn show<G: BoardGame>(line: &GameLine, variant: G::Variant) -> Result<Reply, Problem> {
    let game = DrawnGame::new(record_of::<G>(line, variant)?);
    Ok(Reply::Shown {
        record: game.record.to_string(),
        view: Box::new(view(&game)),
    })
}

fn keys_of<G: BoardGame>(line: &GameLine, variant: G::Variant) -> Result<Reply, Problem> {
    let record = record_of::<G>(line, variant)?;
    Ok(Reply::Keys {
        keys: keys(&record),
        moves: continuations(&record),
    })
}

fn edit<G: BoardGame>(edited: &BoardSetup, variant: G::Variant) -> Result<OpenedGame, Problem> {
    let hex = |&[x, y]: &[i8; 2]| Hex::new(x, y);
    let kind_of = |letter: char| {
        let kind = KindOf::<G>::from_letter(letter).filter(|&kind| G::has(variant, kind));
        kind.ok_or_else(|| Problem::invalid_request(format!("unknown piece {letter}")))
    };
    let mut stacks = Vec::new();
    for SetupStack { at, pieces } in &edited.stacks {
        let piece = |&(side, letter): &(u8, char)| -> Result<_, Problem> {
            Ok(Piece::new(color_of(side)?, kind_of(letter)?))
        };
        stacks.push(Stack {
            hex: hex(at),
            pieces: pieces.iter().map(piece).collect::<Result<_, _>>()?,
        });
    }
    let mut reserve: ByColor<Reserve<KindOf<G>>> = ByColor::from_fn(|_| Reserve::empty());
    for (color, letters) in Color::ALL.into_iter().zip(&edited.reserves) {
        for letter in letters.chars() {
            reserve[color].add(kind_of(letter)?);
        }
    }
    let setup: Setup<G> = Setup {
        turn: edited.turn,
        obstacles: edited.obstacles.iter().map(hex).collect(),
        stacks,
        reserve,
    };
    let position = setup.build();
    let position = position.map_err(|error| Problem::from_position::<G>(&error))?;
    plausible::check(&setup)?;
    Ok(opened(&Replay::new(Record::<G>::new(variant, position))))
}

/// Converts the number of a side.
fn color_of(side: u8) -> Result<Color, Problem> {
    let color = Color::ALL.get(usize::from(side)).copied();
    color.ok_or_else(|| Problem::invalid_request(format!("unknown side {side}")))
}

pub(super) fn export<G: BoardGame>(
    request: ExportRequest,
    variant: G::Variant,
) -> Result<Reply, Problem> {
    let mut record = record_of::<G>(&request.line, variant)?;
    let stated = request
        .result
        .map(|result| state_result(result, &mut record));
    let [red, blue] = request.names;
    let mut remaining = MAX_VARIATIONS;
    let replay = Replay {
        names: ByColor { red, blue },
        tags: request.tags,
        stated: stated.transpose()?.flatten(),
        remarks: request.remarks.into_iter().collect(),
        glyphs: request.glyphs.into_iter().collect(),
        variations: check_variations(request.variations, &record, 0, &mut remaining)?,
        ..Replay::new(record)
    };
    let form: Option<&FileFormat<G>> = G::FORMATS.iter().find(|form| form.name == request.form);
    let text = match form {
        Some(form) => (form.write)(&replay).ok_or(Problem::CannotExport)?,
        None if request.form == OFFLINE_PAGE && !ASSETS.is_empty() => {
            offline_page(&replay, request.reviewed.as_deref())
        }
        None => return Err(Problem::invalid_request("unknown format")),
    };
    let name = format!("{}.{}", request.line.game, request.form);
    Ok(Reply::Exported { name, text })
}

/// Applies an agreed result to the record, or returns a result that only the recording states.
fn state_result<G: BoardGame>(
    WireResult { winner, reason }: WireResult,
    record: &mut Record<G>,
) -> Result<Option<StatedResult>, Problem> {
    let winner = winner.map(color_of).transpose()?;
    let loser = winner.map(Color::opponent);
    let agreement = match (&*reason, loser) {
        ("resignation", Some(loser)) => Some(Adjudication::Resignation(loser)),
        ("agreement", None) => Some(Adjudication::Draw),
        _ => None,
    };
    if agreement.is_some() {
        record.set_agreement(agreement);
        return Ok(None);
    }
    // The inverse of `view::fault`.
    let cause = Some(Cause::from_name(&reason.to_uppercase()));
    let cause = cause.filter(|cause| !matches!(cause, Cause::Regular | Cause::Unknown));
    let by_loser = |fault: &str| loser.map(|loser| format!("{} {fault}", G::SIDES[loser]));
    let text = match (&*reason, cause.and_then(Cause::fault)) {
        (_, Some(fault)) => by_loser(fault),
        ("time", _) => by_loser("ran out of time"),
        ("ply_limit", _) => Some("ply limit".to_owned()),
        ("disputed", _) => Some("disputed end".to_owned()),
        ("stated", _) => None,
        _ => Some(reason),
    };
    Ok(Some(StatedResult {
        winner,
        cause: loser.and(cause),
        reason: text,
        ..StatedResult::default()
    }))
}

/// Checks variations of `record` and rewrites their moves in the game's notation. `depth` is the
/// nesting depth, `remaining` the number of variations that are still allowed.
fn check_variations<G: BoardGame>(
    variations: Vec<Variation>,
    record: &Record<G>,
    depth: usize,
    remaining: &mut usize,
) -> Result<Vec<Variation>, Problem> {
    let check = |mut variation: Variation| -> Result<Variation, Problem> {
        if *remaining == 0 || depth >= MAX_VARIATION_DEPTH {
            return Err(Problem::too_many_variations());
        }
        *remaining -= 1;
        let after = variation.after;
        let start = record.after(after).filter(|start| {
            start.plies().len() < record.plies().len() && !variation.moves.is_empty()
        });
        let mut line = start.ok_or(Problem::LoneVariation)?;
        line.play_texts(variation.moves.iter().map(String::as_str))
            .map_err(Problem::from_record::<G, _>)?;
        let texts = line.plies().iter().skip(after);
        variation.moves = texts.map(|ply| ply.text.clone()).collect();
        variation.variations = check_variations(variation.variations, &line, depth + 1, remaining)?;
        Ok(variation)
    };
    variations.into_iter().map(check).collect()
}
