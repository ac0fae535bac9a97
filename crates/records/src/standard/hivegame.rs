//! Formats of hivegame.com: analyses, which are move trees in JSON, and links with a game string.
//!
//! Source: its public repository (hiveboardgame/hive, July 2026). An analysis lists nodes with
//! their parents. The first child of each node is the main line:
//!
//! ```json
//! {"current_node": null,
//!  "tree": {"name": "analysis", "nodes": [
//!    {"node_id": -1, "value": null, "parent": null},
//!    {"node_id": 0, "value": {"turn": 1, "piece": "wS1", "position": ""}, "parent": -1}]},
//!  "hashes": {}, "game_type": "MLP", "annotations": {}}
//! ```
//!
//! Arrows and marks on the board are ignored.

use std::collections::HashMap;

use percent_encoding::percent_decode_str;
use serde::Deserialize;

use super::moves::WrittenMove;
use super::pgn::ParsedLine;
use crate::{Damage, Fault, MAX_VARIATION_DEPTH, MAX_VARIATIONS, Replay, ReplayError};
use wabe_hive::game::MAX_PLIES;
use wabe_hive::standard::{GameType, Standard};

/// True if the first line is a link with a game string.
pub(super) fn looks_like_link(text: &str) -> bool {
    let link = text.lines().next().unwrap_or_default();
    game_string_of_link(link).is_some()
}

/// The game string in a link, `https://hivegame.com/analysis?uhp=…`.
pub(super) fn game_string_of_link(text: &str) -> Option<String> {
    let link = text.strip_prefix("https://");
    let (_, query) = link
        .or_else(|| text.strip_prefix("http://"))?
        .split_once('?')?;
    let query = query.split('#').next()?;
    let value = query.split('&').find_map(|part| part.strip_prefix("uhp="));
    let value = value?.replace('+', " ");
    let text = percent_decode_str(&value).decode_utf8_lossy();
    // An unescaped plus in `Base+MLP` was decoded as a blank.
    Some(match text.strip_prefix("Base ") {
        Some(rest) => format!("Base+{rest}"),
        None => text.into_owned(),
    })
}

/// True if a text starts with the first key of an analysis.
pub(super) fn looks_like_analysis(text: &str) -> bool {
    let inside = text.strip_prefix('{').map(str::trim_start);
    inside.is_some_and(|inside| inside.starts_with("\"current_node\""))
}

#[derive(Deserialize)]
struct Analysis {
    tree: Tree,
    game_type: String,
}

#[derive(Deserialize)]
struct Tree {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    node_id: i32,
    /// `None` for the empty board. Older files do not contain this node.
    value: Option<Turn>,
    parent: Option<i32>,
}

#[derive(Deserialize)]
struct Turn {
    piece: String,
    position: String,
}

/// Reads an analysis as one game with variations.
///
/// # Errors
/// When the JSON or the game type is invalid.
pub(super) fn read_analysis(text: &str) -> Result<Vec<Replay<Standard>>, ReplayError> {
    let analysis: Analysis = serde_json::from_str(text).map_err(|error| {
        let fault = Fault::Other(format!("not an analysis of hivegame.com: {error}"));
        ReplayError::Unreadable(Box::new(Damage::at(error.line(), 0, fault)))
    })?;
    let letters = &analysis.game_type;
    let game_type = letters
        .parse::<GameType>()
        .or_else(|error| format!("Base+{letters}").parse().map_err(|_| error))
        .map_err(|error| ReplayError::Unreadable(Box::new(Damage::at(1, 0, error.into()))))?;
    let mut moves = Moves::default();
    let mut first = Vec::new();
    for node in analysis.tree.nodes {
        match (node.value, node.parent) {
            (Some(turn), None) => first.push((node.node_id, turn)),
            (Some(turn), Some(parent)) => {
                let children = moves.children.entry(parent).or_default();
                children.push((node.node_id, turn));
            }
            (None, _) => moves.starts.push(node.node_id),
        }
    }
    for start in std::mem::take(&mut moves.starts) {
        first.extend(moves.children.remove(&start).unwrap_or_default());
    }
    let mut game = ParsedLine::default();
    moves.extend_line(&mut game, first, 0);
    let mut replay = game.into_replay(game_type);
    if moves.is_truncated {
        replay
            .damage
            .get_or_insert_with(|| Damage::at(1, 0, Fault::TooManyVariations));
    }
    Ok(vec![replay])
}

/// The moves of a tree that are not yet part of a line.
#[derive(Default)]
struct Moves {
    /// Moves by parent node, main line first.
    children: HashMap<i32, Vec<(i32, Turn)>>,
    starts: Vec<i32>,
    variations: usize,
    /// True if a variation exceeded the limits.
    is_truncated: bool,
}

impl Moves {
    /// Appends the first of these moves and its successors to a line, and the others as variations.
    fn extend_line(&mut self, line: &mut ParsedLine, first: Vec<(i32, Turn)>, depth: usize) {
        let mut nodes = first.into_iter();
        while line.moves.len() <= MAX_PLIES
            && let Some((node, turn)) = nodes.next()
        {
            let after = line.after + line.moves.len();
            line.moves.push(WrittenMove {
                line: 1,
                text: format!("{} {}", turn.piece, turn.position)
                    .trim()
                    .to_owned(),
            });
            for other in nodes.by_ref() {
                if self.variations >= MAX_VARIATIONS || depth >= MAX_VARIATION_DEPTH {
                    self.is_truncated = true;
                    break;
                }
                self.variations += 1;
                let mut variation = ParsedLine::variation(after);
                self.extend_line(&mut variation, vec![other], depth + 1);
                line.variations.push(variation);
            }
            // Removing the children breaks cycles, because each node is used only once.
            nodes = self.children.remove(&node).unwrap_or_default().into_iter();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn analysis(nodes: &[(i32, &str, Option<i32>)]) -> String {
        let nodes = nodes.iter().map(|(id, mv, parent)| {
            let (piece, position) = mv.split_once(' ').unwrap_or((mv, ""));
            let turn = match *mv {
                "" => serde_json::Value::Null,
                _ => serde_json::json!({"turn": id + 1, "piece": piece, "position": position}),
            };
            serde_json::json!({"node_id": id, "value": turn, "parent": parent})
        });
        let nodes: Vec<_> = nodes.collect();
        format!(
            r#"{{"current_node":null,"tree":{{"name":"analysis","nodes":{}}},"hashes":{{"17":0}},"game_type":"MLP","annotations":{{}}}}"#,
            serde_json::json!(nodes)
        )
    }

    fn read(text: &str) -> Replay<Standard> {
        crate::read(text.as_bytes()).unwrap().swap_remove(0)
    }

    #[test]
    fn read_analysis_keeps_variations() {
        let replay = read(&analysis(&[
            (-1, "", None),
            (0, "wS1", Some(-1)),
            (1, "bG1 wS1-", Some(0)),
            (2, "wQ -wS1", Some(1)),
            (3, "bA1 wS1-", Some(0)),
            (4, "wM -wS1", Some(3)),
            (5, "wL -wS1", Some(3)),
            (6, "wG1 .", Some(-1)),
        ]));
        assert_eq!(replay.damage, None);
        assert_eq!(
            replay.record.to_string(),
            "Base+MLP;InProgress;Black[2];wS1;bG1 wS1-;wQ -wS1"
        );
        let [first, second] = &replay.variations[..] else {
            panic!("{:?}", replay.variations);
        };
        assert_eq!(
            (first.after, &first.moves[..]),
            (0, &["wG1".to_owned()][..])
        );
        assert_eq!(second.moves, ["bA1 wS1-", "wM -wS1"]);
        assert_eq!(second.variations[0].moves, ["wL -wS1"]);
    }

    #[test]
    fn read_analysis_without_start_node() {
        let replay = read(&analysis(&[(0, "wS1", None), (1, "bG1 wS1-", Some(0))]));
        assert_eq!(replay.record.plies().len(), 2);
    }

    #[test]
    fn read_analysis_survives_malformed_trees() {
        let duplicates =
            (0..60).flat_map(|id| [(id, "wS1", Some(id - 1)), (id, "wG1", Some(id - 1))]);
        let cycle = [
            (-1, "", None),
            (0, "wS1", Some(-1)),
            (1, "bS1 wS1-", Some(1)),
        ];
        for nodes in [
            &duplicates.collect::<Vec<_>>()[..],
            &cycle,
            &[(-1, "", None)],
            &[(0, "", Some(0)), (0, "wS1", Some(0))],
            &[],
        ] {
            assert!(read(&analysis(nodes)).positions() <= 2);
        }
        let wide: Vec<_> = (0..2000).map(|id| (id, "wS1", Some(-1))).collect();
        let replay = read(&analysis(&[&[(-1, "", None)], &wide[..]].concat()));
        assert_eq!(replay.variations.len(), MAX_VARIATIONS);
        assert!(replay.damage.unwrap().to_string().contains("left out"));
    }

    #[test]
    fn read_analysis_rejects_other_json() {
        for text in [
            "{\"current_node\"",
            "{\"current_node\":1}",
            "{\"current_node\":null,\"tree\":{\"nodes\":[]},\"game_type\":\"X\"}",
        ] {
            assert!(crate::read::<Standard>(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn links_are_decoded() {
        let game = "Base+M;InProgress;White[2];wM;bS1 wM-";
        for link in [
            "https://hivegame.com/analysis?uhp=Base%2BM%3BInProgress%3BWhite%5B2%5D%3BwM%3BbS1%20wM-",
            "https://hivegame.com/analysis?move=3&uhp=Base+M;;;wM;bS1+wM-#board",
            "http://localhost:3000/analysis?uhp=wM;bS1%20wM-",
        ] {
            assert_eq!(read(link).record.to_string(), game, "{link}");
        }
        for link in [
            "https://hivegame.com/game/abc",
            "uhp=wS1",
            "https://x?uh=wS1",
        ] {
            assert!(!looks_like_link(link), "{link}");
        }
    }
}
