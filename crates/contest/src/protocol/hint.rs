//! The comment that players attach to moves.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use wabe_hive::Solved;

/// The text of a move's `<hint>`.
///
/// These parts in this order, separated by spaces:
///
/// ```text
/// score=0.523 proof=win visits=12345 nodes=20000 pv=set A -3,1; drag 0,0 1,-1; skip
/// ```
///
/// - `score`: the expected score of the side to move, from 0 (loss) to 1 (win), with three
///   decimals;
/// - `proof`: the proven result for that side: `win`, `draw` or `loss`;
/// - `plies`: plies until the end of the game, for a proven win or loss;
/// - `visits`: visits of the move;
/// - `nodes`: iterations of the search;
/// - `pv`: the principal variation, starting with the move, separated by `; `.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hint {
    /// Expected score of the side to move, in `0..=1`.
    pub score: Option<f64>,
    /// The proven result for the side to move.
    pub proof: Option<Solved>,
    /// Plies until the end of the game, including the move; only for a proven win or loss.
    pub plies: Option<u16>,
    /// Visits of the move.
    pub visits: Option<u64>,
    /// Iterations of the search.
    pub nodes: Option<u64>,
    /// The principal variation in the game's notation, starting with the move.
    pub pv: Vec<String>,
}

impl Hint {
    /// The hint for a choice with this PV.
    #[cfg(feature = "net")]
    pub fn from_choice<R: wabe_hive::RuleBook>(
        choice: &wabe_engine::search::Choice<R>,
        pv: Vec<String>,
    ) -> Hint {
        Hint {
            score: choice.best.score,
            proof: choice.best.proof,
            plies: choice.best.plies,
            visits: Some(choice.best.visits),
            nodes: Some(choice.nodes),
            pv,
        }
    }
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            self.score.map(|score| format!("score={score:.3}")),
            self.proof.map(|proof| format!("proof={proof}")),
            self.plies.map(|plies| format!("plies={plies}")),
            self.visits.map(|visits| format!("visits={visits}")),
            self.nodes.map(|nodes| format!("nodes={nodes}")),
            (!self.pv.is_empty()).then(|| format!("pv={}", self.pv.join("; "))),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        f.write_str(&parts.join(" "))
    }
}

/// A text that is not a [`Hint`]. Other programs use their own formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not a hint like `score=0.523 visits=12345 pv=skip`")]
pub struct ParseHintError;

impl FromStr for Hint {
    type Err = ParseHintError;

    fn from_str(text: &str) -> Result<Hint, ParseHintError> {
        let hint = parse(text).filter(|hint| *hint != Hint::default());
        hint.ok_or(ParseHintError)
    }
}

fn parse(text: &str) -> Option<Hint> {
    let mut hint = Hint::default();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (name, tail) = rest.split_once('=')?;
        if name == "pv" {
            hint.pv = tail.split(';').map(|mv| mv.trim().to_owned()).collect();
            let is_complete = hint.pv.iter().all(|mv| !mv.is_empty());
            return is_complete.then_some(hint);
        }
        let (value, tail) = tail.split_once(' ').unwrap_or((tail, ""));
        match name {
            "score" => {
                let score = value.parse().ok()?;
                hint.score = (0.0..=1.0).contains(&score).then_some(score);
                hint.score?;
            }
            "plies" => hint.plies = Some(value.parse().ok()?),
            "visits" => hint.visits = Some(value.parse().ok()?),
            "nodes" => hint.nodes = Some(value.parse().ok()?),
            "proof" => {
                let proofs = [Solved::Loss, Solved::Draw, Solved::Win];
                let proof = proofs.into_iter().find(|p| p.to_string() == value);
                hint.proof = Some(proof?);
            }
            _ => return None,
        }
        rest = tail.trim_start();
    }
    Some(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_round_trip() {
        for text in [
            "score=0.523 proof=win plies=7 visits=12345 nodes=20000 pv=set A -3,1; drag 0,0 1,-1; skip",
            "visits=0 pv=skip",
            "score=1.000",
            "proof=draw",
        ] {
            assert_eq!(text.parse::<Hint>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn other_texts_are_rejected() {
        for text in [
            "",
            "hello",
            "score=high",
            "score=2",
            "score=NaN",
            "visits=-1",
            "pv=",
            "a=b",
        ] {
            assert_eq!(text.parse::<Hint>(), Err(ParseHintError), "{text}");
        }
    }
}
