//! What a search thinks of positions and of whole games.

use std::fmt;

use crate::hive::Color;
use crate::hive::contest::{Contest, Move, Position};
use crate::replay::Replay;
use crate::search::{
    ContestEvaluator, Limits, Line, MctsOptions, MctsPlayer, Player, Proof, unstopped,
};

/// A searching player that is asked about one position after the other.
#[derive(Debug)]
pub struct Analyst {
    player: MctsPlayer<Contest, ContestEvaluator>,
    limits: Limits,
}

/// What a search found in a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// The best moves, best first.
    pub lines: Vec<Line<Contest>>,
    /// Search iterations.
    pub nodes: u64,
}

/// A position of a game as the analyst sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct ReviewedPly {
    /// Plies played before.
    pub turn: u16,
    /// The move that was played.
    pub played: Move,
    /// The move that the analyst would have played.
    pub best: Move,
    /// Red's expected score after the move, in `0..=1`.
    pub red_score: f64,
    /// Red's exact result after the move, if it is known.
    pub red_proof: Option<Proof>,
    /// How much expected score the mover gave away, at least 0.
    pub loss: f64,
}

impl ReviewedPly {
    /// Who moved.
    pub fn mover(&self) -> Color {
        Color::to_move(self.turn)
    }
}

impl fmt::Display for Analysis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self
            .lines
            .iter()
            .map(|line| line.mv.to_string().len())
            .max()
            .unwrap_or(0);
        for (rank, line) in (1..).zip(&self.lines) {
            let mv = line.mv.to_string();
            let judgement = match (line.proof, line.score) {
                (Some(proof), _) => proof.to_string(),
                (None, Some(score)) => format!("{:.1}%", 100.0 * score),
                (None, None) => "-".to_owned(),
            };
            write!(
                f,
                "{rank:3}. {mv:width$}  {judgement:>6}  {:>9} visits",
                line.visits
            )?;
            for (i, next) in line.continuation.iter().enumerate() {
                write!(f, "{}{next}", if i == 0 { "  then " } else { "; " })?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl Analyst {
    /// An analyst that judges with `evaluator` and spends `limits` on each position and at most `memory_mib` MiB on its tree.
    pub fn new(evaluator: ContestEvaluator, limits: Limits, memory_mib: usize) -> Analyst {
        let options = MctsOptions {
            memory_mib,
            ..MctsOptions::default()
        };
        Analyst {
            player: MctsPlayer::new(evaluator, options),
            limits,
        }
    }

    /// The `most` best moves of a position; none when the game is over.
    pub fn analyze(&mut self, position: &Position, most: usize) -> Analysis {
        let choice = unstopped(self.limits, |control| self.player.choose(position, control));
        let Some(choice) = choice else {
            return Analysis {
                lines: Vec::new(),
                nodes: 0,
            };
        };
        // Where there was nothing to choose there was no search either.
        let lines = if choice.nodes == 0 && choice.best.visits == 0 {
            vec![choice.best]
        } else {
            self.player.lines(most)
        };
        Analysis {
            lines,
            nodes: choice.nodes,
        }
    }

    /// Every move of a recorded game whose position before it was recorded too, in order. `progress` hears of each before it
    /// is searched.
    pub fn review(
        &mut self,
        replay: &Replay,
        mut progress: impl FnMut(usize, usize),
    ) -> Vec<ReviewedPly> {
        self.player.new_game();
        let mut judged: Vec<Judged> = Vec::with_capacity(replay.plies.len());
        for (i, ply) in replay.plies.iter().enumerate() {
            progress(i, replay.plies.len());
            judged.push(self.judge(&ply.position));
        }
        let steps = replay.plies.windows(2).zip(judged.windows(2));
        steps
            .filter_map(|(plies, judged)| {
                let played = plies[1].last_move?;
                let position = plies[0].position;
                // Where the recording is damaged, plies are missing.
                if plies[1].position.turn() != position.turn() + 1 {
                    return None;
                }
                let mover = position.side_to_move();
                let red_view = |score: f64| {
                    if mover == Color::Red {
                        score
                    } else {
                        1.0 - score
                    }
                };
                let after = judged[1].score_of(mover);
                Some(ReviewedPly {
                    turn: position.turn(),
                    played,
                    best: judged[0].best.unwrap_or(played),
                    red_score: red_view(after),
                    red_proof: judged[1].proof_of(Color::Red),
                    loss: (judged[0].score_of(mover) - after).max(0.0),
                })
            })
            .collect()
    }

    fn judge(&mut self, position: &Position) -> Judged {
        let side = position.side_to_move();
        if let Some(outcome) = position.outcome() {
            let proof = Proof::of(outcome, side);
            return Judged {
                side,
                best: None,
                score: f64::from(proof.score()),
                proof: Some(proof),
            };
        }
        let line = self.analyze(position, 1).lines.into_iter().next();
        Judged {
            side,
            best: line.as_ref().map(|line| line.mv),
            score: line.as_ref().and_then(|line| line.score).unwrap_or(0.5),
            proof: line.and_then(|line| line.proof),
        }
    }
}

/// What the search says of a position, as `side` sees it.
struct Judged {
    side: Color,
    best: Option<Move>,
    score: f64,
    proof: Option<Proof>,
}

impl Judged {
    fn score_of(&self, color: Color) -> f64 {
        if color == self.side {
            self.score
        } else {
            1.0 - self.score
        }
    }

    fn proof_of(&self, color: Color) -> Option<Proof> {
        self.proof.map(|proof| {
            if color == self.side {
                proof
            } else {
                proof.reversed()
            }
        })
    }
}
