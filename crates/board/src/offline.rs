//! A recorded game as one page that needs no server.
//!
//! It is the board's own page, with all its files embedded and with the answers to its requests.
//! Scripts in `data:` addresses cannot name each other by relative paths, so they get names in an
//! import map.

use std::fmt::Write;

use serde::Serialize;

use super::answer::{info, opened, welcome};
use super::assets::{ASSETS, Asset};
use super::protocol::{OpenedGame, ReviewedMove, View, Welcome};
use super::view::view;
use crate::BoardGame;
use wabe_records::Replay;
use wabe_records::view::escape;

/// The data of such a page.
#[derive(Serialize)]
struct Recording<'a> {
    welcome: Welcome,
    /// For each game of the welcome, its positions from the first on.
    views: Vec<Vec<View>>,
    /// For each game its text form.
    records: Vec<String>,
    /// The moves of the first game's review.
    reviewed: Option<&'a [ReviewedMove]>,
}

/// The page of a recorded game, or of one with its review, without variations.
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
        views: vec![views(replay)],
        records: vec![replay.record.to_string()],
        reviewed,
    };
    page(&title, &recording)
}

fn views<G: BoardGame>(replay: &Replay<G>) -> Vec<View> {
    let mut views = Vec::with_capacity(replay.positions());
    replay.for_each_position(|game| {
        // Without a server, no move can be played.
        let moves = Vec::new();
        views.push(View {
            moves,
            ..view(game)
        });
    });
    views
}

fn page(title: &str, recording: &Recording<'_>) -> String {
    let mut styles = String::new();
    let mut imports = serde_json::Map::new();
    for asset in ASSETS {
        if asset.path.ends_with(".css") {
            styles.push_str(asset.content);
        } else if asset.path.ends_with(".js") {
            imports.insert(name_of(asset.path), data_url(asset).into());
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
        name_of("app.js"),
        body(),
    )
}

/// The content of the body of the board's page.
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

/// The name of a script in the import map.
fn name_of(path: &str) -> String {
    format!("wabe/{path}")
}

fn data_url(asset: &Asset) -> String {
    let mut url = String::from("data:text/javascript;charset=utf-8,");
    for c in with_names(asset).chars() {
        match c {
            '%' | '#' | '"' | '\\' | '\t' | '\n' | '\r' => {
                let _ = write!(url, "%{:02X}", u32::from(c));
            }
            c => url.push(c),
        }
    }
    url
}

/// A script with its relative imports replaced by the names of the import map: nothing else in it
/// is a relative path of a script.
fn with_names(asset: &Asset) -> String {
    let folder = asset.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut out = String::with_capacity(asset.content.len());
    for part in asset.content.split_inclusive(['\'', '"']) {
        let path = part.strip_suffix(['\'', '"']);
        match path.and_then(|path| resolved(folder, path)) {
            Some(path) => out.extend([&*name_of(&path), &part[part.len() - 1..]]),
            None => out.push_str(part),
        }
    }
    out
}

/// Resolves a relative path of a script in `folder`, from the page's folder.
fn resolved(folder: &str, path: &str) -> Option<String> {
    if !path.starts_with('.') {
        return None;
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    let path = parts.join("/");
    ASSETS
        .iter()
        .any(|asset| asset.path == path)
        .then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wabe_hive::game::{Adjudication, Record};
    use wabe_hive::standard::Standard;

    #[test]
    fn every_import_of_every_script_is_in_the_page() {
        for asset in ASSETS.iter().filter(|asset| asset.path.ends_with(".js")) {
            let text = with_names(asset);
            for relative in [
                "from './",
                "from '../",
                "from\"./",
                "from\"../",
                "import './",
            ] {
                assert!(!text.contains(relative), "{relative} in {}", asset.path);
            }
            let is_first = asset.path == "app.js";
            assert!(!is_first || text.contains("from 'wabe/vendor/lit-html/lit-html.js'"));
        }
    }

    #[test]
    fn a_game_that_was_played_on_after_a_repetition_is_shown_to_its_end() {
        let dance = r"wQ \wS1;bQ bG1/;wQ -wS1;bQ bG1-";
        let start = "Base;InProgress;White[1];wS1;bG1 wS1-;wQ -wS1;bQ bG1-";
        let game = [start].into_iter().chain([dance; 3]).collect::<Vec<_>>();
        let record: Record<Standard> = game.join(";").parse().unwrap();
        let plies = record.plies().len();
        assert_eq!(views(&Replay::new(record)).len(), plies + 1);
        let mut resigned: Record<Standard> = start.parse().unwrap();
        resigned.set_agreement(Some(Adjudication::Draw));
        let last = views(&Replay::new(resigned)).pop().unwrap();
        let reason = last.ending.and_then(|ending| ending.reason);
        assert_eq!(reason.as_deref(), Some("agreement"));
    }

    #[test]
    fn names_and_remarks_cannot_break_out_of_the_page() {
        let record = "Base;InProgress;Black[1];wA1".parse().unwrap();
        let mut replay: Replay<Standard> = Replay::new(record);
        replay.names.red = "</script><script>alert(1)</script>".to_owned();
        replay.remarks.insert(1, "<!-- </SCRIPT>".to_owned());
        let page = offline_page(&replay, None);
        assert!(!page.contains("<script>alert") && !page.contains("<!-- </SCRIPT>"));
        assert!(page.contains("&lt;script&gt;alert(1)"));
    }
}
