//! Writes a recorded game or an arena run as a single HTML file that works without a server.
//!
//! The file contains the page with all its scripts, and the answers to the requests that it will
//! send. The page's modules import each other as `wabe/NAME.js`. The import map of the page maps
//! these names to its folder, that of the file to `data:` URLs.

#[cfg(feature = "server")]
use std::collections::HashMap;
use std::fmt::Write;
#[cfg(feature = "server")]
use std::path::PathBuf;

use serde::Serialize;

use super::answer::{info, opened, welcome};
use super::assets::{ASSETS, Asset};
use super::protocol::{OpenedGame, ReviewedMove, View, Welcome};
use super::view::view;
use crate::BoardGame;
#[cfg(feature = "server")]
use wabe_arena::{CountedGame, GameEnd, GameNumber, Standings};
use wabe_records::Replay;
use wabe_records::view::escape;

/// The data embedded in an offline page.
#[derive(Serialize)]
struct Recording<'a> {
    welcome: Welcome,
    /// All positions of the game in `welcome.first`.
    views: Vec<View>,
    /// The text of the game.
    record: String,
    reviewed: Option<&'a [ReviewedMove]>,
}

/// The data embedded in the report of an arena run.
#[cfg(feature = "server")]
#[derive(Serialize)]
struct Report<'a> {
    welcome: Welcome,
    standings: &'a Standings,
    games: Vec<ReportedGame>,
}

/// Number of the pair and of the game in it, from 1, indices of the engines on both sides, winning
/// side, end, number of plies, and name of the recording. An array in JSON, because there may be many
/// games.
#[cfg(feature = "server")]
#[derive(Serialize)]
struct ReportedGame(u64, u64, [usize; 2], Option<u8>, GameEnd, usize, String);

/// Writes the report of an arena run as an HTML page. `recordings` are the files of the
/// games that were written.
#[cfg(feature = "server")]
pub fn report_page<G: BoardGame>(
    variant: G::Variant,
    standings: &Standings,
    games: &[CountedGame],
    recordings: &HashMap<GameNumber, PathBuf>,
) -> String {
    let names: Vec<&str> = (standings.engines.iter())
        .map(|engine| engine.name.as_str())
        .collect();
    let line = |game: &CountedGame| {
        let GameNumber { pair, game: number } = game.number;
        let (winner, end, plies) = (game.winner, game.end, game.plies);
        let file = recordings
            .get(&game.number)
            .and_then(|path| path.file_name());
        let file = file.unwrap_or_default().to_string_lossy().into_owned();
        ReportedGame(pair + 1, number + 1, game.engines, winner, end, plies, file)
    };
    let report = Report {
        welcome: Welcome {
            games: vec![info::<G>(variant)],
            levels: Vec::new(),
            game: standings.game.clone(),
            ..welcome()
        },
        standings,
        games: games.iter().map(line).collect(),
    };
    page(&names.join(" – "), &report)
}

/// Writes a recorded game as an HTML page, optionally with its review. Omits variations.
pub fn offline_page<G: BoardGame>(replay: &Replay<G>, reviewed: Option<&[ReviewedMove]>) -> String {
    let game = OpenedGame {
        variations: Vec::new(),
        ..opened(replay)
    };
    let title = match &game.names {
        [red, blue] if red.is_empty() && blue.is_empty() => "wabe".to_owned(),
        [red, blue] => format!("{red} – {blue}"),
    };
    let recording = Recording {
        welcome: Welcome {
            games: vec![info::<G>(replay.record.variant())],
            levels: Vec::new(),
            game: game.line.game.clone(),
            first: vec![game],
            ..welcome()
        },
        views: views(replay),
        record: replay.record.to_string(),
        reviewed,
    };
    page(&title, &recording)
}

fn views<G: BoardGame>(replay: &Replay<G>) -> Vec<View> {
    let mut views = Vec::with_capacity(replay.positions());
    replay.for_each_position(|game| {
        // Offline pages cannot play moves.
        views.push(View {
            moves: Vec::new(),
            ..view(game)
        });
    });
    views
}

fn page(title: &str, recording: &impl Serialize) -> String {
    let mut styles = String::new();
    let mut imports = serde_json::Map::new();
    for asset in ASSETS {
        if asset.path.ends_with(".css") {
            styles.push_str(&asset.sent());
        } else if asset.path.ends_with(".js") {
            imports.insert(module_name(asset.path), data_url(asset).into());
        }
    }
    let map = serde_json::json!({ "imports": imports });
    let recording = serde_json::to_string(recording).unwrap_or_default();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>{}</title>\n\
         <link rel=\"icon\" href=\"data:,\">\n<style>{styles}</style>\n<script type=\"importmap\">{}</script>\n\
         <script type=\"application/json\" id=\"recording\">{}</script>\n\
         <script type=\"module\">import '{}';</script></head>\n<body>{}</body></html>\n",
        escape(title),
        in_script(&map.to_string()),
        in_script(&recording),
        module_name("app.js"),
        body(),
    )
}

/// Contents of the `body` element in `index.html`.
fn body() -> &'static str {
    let page = Asset::at("").map_or("", |asset| asset.content);
    let inside = page
        .split_once("<body>")
        .and_then(|(_, after)| after.split_once("</body>"));
    inside.map_or("", |(inside, _)| inside)
}

/// Escapes JSON for a script element.
fn in_script(json: &str) -> String {
    json.replace('<', "\\u003c")
}

/// A module's name in the import map.
fn module_name(path: &str) -> String {
    format!("wabe/{path}")
}

fn data_url(asset: &Asset) -> String {
    let mut url = String::from("data:text/javascript;charset=utf-8,");
    for c in asset.sent().chars() {
        match c {
            '%' | '#' | '"' | '\\' | '\t' | '\n' | '\r' => {
                let _ = write!(url, "%{:02X}", u32::from(c));
            }
            c => url.push(c),
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::standings;
    use wabe_hive::game::{Adjudication, Record};
    use wabe_hive::standard::GameType;
    use wabe_hive::standard::Standard;

    /// Relative imports cannot be resolved in `data:` URLs.
    #[test]
    fn modules_import_by_names_of_the_map() {
        let modules = ASSETS.iter().filter(|asset| asset.path.ends_with(".js"));
        let mut count = 0;
        for asset in modules {
            let (path, text) = (asset.path, asset.content);
            for quote in ['\'', '"'] {
                for relative in ["from .", "from.", "\nimport ."] {
                    let relative = relative.replace('.', &format!("{quote}."));
                    assert!(!text.contains(&relative), "{relative} in {path}");
                }
            }
            let imports = text
                .split(['\'', '"'])
                .filter(|part| part.starts_with("wabe/"));
            for import in imports {
                let exists = ASSETS.iter().any(|asset| module_name(asset.path) == import);
                assert!(exists, "{import} in {path}");
                count += 1;
            }
        }
        assert!(count > 100, "{count}");
    }

    #[test]
    fn views_continue_after_a_repetition() {
        let shuffle = r"wQ \wS1;bQ bG1/;wQ -wS1;bQ bG1-";
        let start = "Base;InProgress;White[1];wS1;bG1 wS1-;wQ -wS1;bQ bG1-";
        let game = [start].into_iter().chain([shuffle; 3]).collect::<Vec<_>>();
        let record: Record<Standard> = game.join(";").parse().unwrap();
        let plies = record.plies().len();
        assert_eq!(views(&Replay::new(record)).len(), plies + 1);
        let mut resigned: Record<Standard> = start.parse().unwrap();
        resigned.set_agreement(Some(Adjudication::Draw));
        let last = views(&Replay::new(resigned)).pop().unwrap();
        let reason = last.ending.map(|ending| ending.reason);
        assert_eq!(reason.as_deref(), Some("agreement"));
    }

    #[test]
    fn report_page_lists_games_and_recordings() {
        let standings = standings(["greedy", "random name='</script><script>alert(1)</script>'"]);
        let game = CountedGame {
            number: GameNumber { pair: 2, game: 0 },
            engines: [0, 1],
            winner: None,
            end: GameEnd::PlyLimit,
            plies: 300,
        };
        let files = HashMap::from([(game.number, "games/pair-3-game-1_2.uhp".into())]);
        let page = report_page::<Standard>(GameType::default(), &standings, &[game], &files);
        let line = r#""games":[[3,1,[0,1],null,"ply_limit",300,"pair-3-game-1_2.uhp"]]"#;
        assert!(page.contains(line));
        assert!(!page.contains("<script>alert") && page.contains("&lt;script&gt;alert(1)"));
    }

    #[test]
    fn offline_page_escapes_names_in_scripts() {
        let record = "Base;InProgress;Black[1];wA1".parse().unwrap();
        let mut replay: Replay<Standard> = Replay::new(record);
        replay.names.red = "</script><script>alert(1)</script>".to_owned();
        replay.remarks.insert(1, "<!-- </SCRIPT>".to_owned());
        let page = offline_page(&replay, None);
        assert!(!page.contains("<script>alert") && !page.contains("<!-- </SCRIPT>"));
        assert!(page.contains("&lt;script&gt;alert(1)"));
    }
}
