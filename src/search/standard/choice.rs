//! Which of the searched moves is played.

use crate::hive::standard::Wide;
use crate::hive::standard::notation::Game;
use crate::search::{Line, Proof};

/// The expected score of a draw.
const DRAW: f64 = 0.5;

/// The best of `lines`, the search's own choice first among them, when moves that draw by repetition count as draws: the search
/// does not know what was on the board before. `None` without lines.
pub fn choose_in_game<'l>(game: &Game, lines: &'l [Line<Wide>]) -> Option<&'l Line<Wide>> {
    let chosen = lines.first()?;
    let score = |line: &Line<Wide>| match line.proof {
        Some(proof) => f64::from(proof.score()),
        None => line.score.unwrap_or(DRAW),
    };
    if game.repeats(chosen.mv) {
        // Whatever else was searched thoroughly and promises more.
        let enough = chosen.visits / 20;
        return lines
            .iter()
            .filter(|line| line.visits >= enough && line.proof != Some(Proof::Loss))
            .filter(|line| score(line) > DRAW && !game.repeats(line.mv))
            .max_by_key(|line| (line.proof == Some(Proof::Win), line.visits))
            .or(Some(chosen));
    }
    if score(chosen) < DRAW {
        let drawing = lines.iter().find(|line| game.repeats(line.mv));
        return drawing.or(Some(chosen));
    }
    Some(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Black can repeat for the third time with its queen.
    fn before_the_third() -> Game {
        let dance = r"wQ \wS1;bQ bG1/;wQ -wS1;bQ bG1-";
        format!(r"Base;;;wS1;bG1 wS1-;wQ -wS1;bQ bG1-;{dance};wQ \wS1;bQ bG1/;wQ -wS1")
            .parse()
            .unwrap()
    }

    fn line(game: &Game, text: &str, score: f64, visits: u64) -> Line<Wide> {
        Line {
            score: Some(score),
            visits,
            ..Line::unjudged(game.read(text).unwrap())
        }
    }

    #[test]
    fn a_better_side_avoids_the_draw_and_a_worse_one_seeks_it() {
        let game = before_the_third();
        let repeating = |score| line(&game, "bQ bG1-", score, 90);
        let other = |score| line(&game, "bA1 bQ-", score, 40);
        assert!(game.repeats(repeating(0.5).mv) && !game.repeats(other(0.5).mv));
        let pick = |lines: &[Line<Wide>]| game.write(choose_in_game(&game, lines).unwrap().mv);
        assert_eq!(
            pick(&[repeating(0.8), other(0.7)]),
            game.write(other(0.7).mv)
        );
        assert_eq!(
            pick(&[repeating(0.8), other(0.3)]),
            game.write(repeating(0.8).mv)
        );
        assert_eq!(
            pick(&[other(0.2), repeating(0.1)]),
            game.write(repeating(0.1).mv)
        );
        assert_eq!(
            pick(&[other(0.7), repeating(0.6)]),
            game.write(other(0.7).mv)
        );
    }
}
