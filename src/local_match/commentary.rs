//! A match in words.

use std::time::Duration;

use crate::client::ScoreLine;
use crate::game::{Game, Layout, Paint, Record, Scene};
use crate::hex::Grid;
use crate::hive::contest::{Contest, Move as ContestMove, Position};
use crate::hive::{ByColor, Color, KindOf, Move, PieceKind};
use crate::protocol::{GameResult, Hint};
use crate::replay::Timing;
use crate::search::Proof;
use crate::view::terminal::{Line, Look, Role, Text};

/// Plies of a principal variation that are shown after the move itself.
const SHOWN_VARIATION: usize = 4;

/// Longest foreign hint that is shown, in characters.
const SHOWN_HINT: usize = 120;

/// A ply as it is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownPly {
    /// Plies played, this one included.
    pub turn: u16,
    /// Who made it.
    pub color: Color,
    /// The side's name and paint.
    pub side: Paint,
    /// The move as the game writes it.
    pub text: String,
    /// The move in words.
    pub action: String,
    /// The player's expected score, as far as it says so.
    pub score: Option<f64>,
    /// The player's opinion of the move, in words.
    pub opinion: String,
    /// Time taken.
    pub time: Duration,
    /// The position after it.
    pub scene: Scene,
}

impl ShownPly {
    /// The last ply of a game; `None` before the first. `layouts` are those before and after it.
    pub fn new<G: Game>(
        record: &Record<G>,
        layouts: [&Layout<G>; 2],
        time: Duration,
        score: Option<f64>,
    ) -> Option<ShownPly> {
        let ply = record.plies().last()?;
        let color = record.position().side_to_move().opponent();
        let [before, after] = layouts;
        Some(ShownPly {
            turn: record.position().turn(),
            color,
            side: G::SIDES[color],
            text: ply.text.clone(),
            action: action(record, ply.mv),
            score,
            opinion: score.map_or_else(
                || "no comment".to_owned(),
                |score| format!("expected score {score:.2}"),
            ),
            time,
            scene: Scene::new(record, after, before),
        })
    }

    /// A ply of the contest's game from `before`, with the player's hint; `None` if the move is not legal there.
    pub fn of_contest(
        before: &Position,
        mv: ContestMove,
        hint: Option<&str>,
        time: Duration,
    ) -> Option<ShownPly> {
        let mut record = Record::<Contest>::from(*before);
        record.play(mv).ok()?;
        let layout = Layout::start(before);
        let parsed: Option<Hint> = hint.and_then(|hint| hint.parse().ok());
        let score = parsed.as_ref().and_then(|hint| hint.score);
        let shown = ShownPly::new(&record, [&layout, &layout], time, score)?;
        Some(ShownPly {
            opinion: opinion(hint, parsed.as_ref()),
            ..shown
        })
    }
}

/// Who plays.
pub fn players(names: &ByColor<String>, sides: ByColor<Paint>, look: Look) -> Text {
    Color::ALL
        .into_iter()
        .map(|color| {
            let side = sides[color];
            Line::new()
                .styled(look.style(Role::Side(side)), format!("{side:5}"))
                .text(format!(" {}", printable(&names[color], usize::MAX)))
        })
        .collect()
}

/// A ply: the move, its time, and the player's opinion. Always two lines.
pub fn ply(shown: &ShownPly, look: Look) -> Text {
    let mut text = Text::new();
    text.push(
        Line::new()
            .text(format!("{:2}. ", shown.turn))
            .styled(look.style(Role::Side(shown.side)), shown.side.to_string())
            .text(format!(
                " {} ({}, {:.2} s)",
                shown.action,
                shown.text,
                shown.time.as_secs_f64()
            )),
    );
    text.push(Line::new().styled(look.style(Role::Faint), format!("    {}", shown.opinion)));
    text
}

/// The result: who has won and why, both scores, and the times.
pub fn result(
    result: &GameResult,
    last: Option<&Position>,
    names: &ByColor<String>,
    timing: &Timing,
    look: Look,
) -> Text {
    let mut text = Text::new();
    text.push(Line::new().styled(look.style(Role::Strong), verdict(result, last)));
    for color in Color::ALL {
        let line = ScoreLine {
            color,
            result,
            name: &names[color],
        };
        text.push(printable(&line.to_string(), usize::MAX));
    }
    push_times(&mut text, Contest::SIDES, timing);
    text
}

/// The result of a game without a referee on the network: the sentence, the players, and the times.
pub fn result_of_game(
    sentence: &str,
    names: &ByColor<String>,
    sides: ByColor<Paint>,
    timing: &Timing,
    look: Look,
) -> Text {
    let mut text = Text::new();
    text.push(Line::new().styled(look.style(Role::Strong), sentence.to_owned()));
    for color in Color::ALL {
        let name = printable(&names[color], usize::MAX);
        text.push(format!("{:<5} {name}", sides[color]));
    }
    push_times(&mut text, sides, timing);
    text
}

fn push_times(text: &mut Text, sides: ByColor<Paint>, timing: &Timing) {
    for color in Color::ALL {
        text.push(format!("{:<5} {}", sides[color], timing.of(color)));
    }
}

/// Who broke off the game, and how; nothing for a game that was played to its end by the rules.
pub fn faults(result: &GameResult) -> Vec<String> {
    Color::ALL
        .into_iter()
        .filter_map(|color| {
            let score = &result.scores[color];
            let fault = score.cause.fault()?;
            let reason = result.reason(color).filter(|reason| reason != fault);
            let reason = reason.map_or(String::new(), |reason| {
                format!(" ({})", printable(&reason, SHOWN_HINT * 4))
            });
            Some(format!("{color} {fault}: {}{reason}", score.cause))
        })
        .collect()
}

/// Who has won and why, in a sentence.
fn verdict(result: &GameResult, last: Option<&Position>) -> String {
    let winner = result.winner.as_ref().map(|winner| winner.color);
    let at_fault = Color::ALL
        .into_iter()
        .find_map(|color| Some((color, result.scores[color].cause.fault()?)));
    match (winner, at_fault) {
        (Some(winner), Some((color, fault))) => format!("{winner} wins: {color} {fault}"),
        (None, Some((color, fault))) => format!("nobody wins: {color} {fault}"),
        (winner, None) => match (last.and_then(Position::outcome), winner) {
            (Some(outcome), _) => outcome.to_string(),
            (None, Some(winner)) => format!("{winner} wins"),
            (None, None) => "draw".to_owned(),
        },
    }
}

fn action<G: Game>(record: &Record<G>, mv: Move<G>) -> String {
    let at = |prefix: &str, cell| {
        if G::Grid::IS_UNBOUNDED {
            String::new()
        } else {
            format!(" {prefix} {}", G::Grid::hex(cell))
        }
    };
    match mv {
        Move::Place { kind, to } => {
            let name = kind.name();
            let article = if kind == KindOf::<G>::BEE {
                "its"
            } else if name.starts_with('a') {
                "an"
            } else {
                "a"
            };
            format!("places {article} {name}{}", at("on", to))
        }
        Move::Drag { from, to } => {
            let piece = record.position().top(to);
            let name = piece.map_or("piece", |piece| piece.kind.name());
            format!("moves its {name}{}{}", at("from", from), at("to", to))
        }
        Move::Pass => "has no move and skips".to_owned(),
    }
}

/// The player's opinion, as far as it gives one.
fn opinion(hint: Option<&str>, parsed: Option<&Hint>) -> String {
    let Some(text) = hint else {
        return "no comment".to_owned();
    };
    let Some(hint) = parsed else {
        return format!("says: {}", printable(text, SHOWN_HINT));
    };
    let mut parts = Vec::new();
    match (hint.proof, hint.score) {
        (Some(proof), _) => parts.push(
            match proof {
                Proof::Win => "certain to win",
                Proof::Draw => "certain of a draw",
                Proof::Loss => "certain to lose",
            }
            .to_owned(),
        ),
        (None, Some(score)) => parts.push(format!("expected score {score:.2}")),
        (None, None) => {}
    }
    if let Some(visits) = hint.visits.filter(|&visits| visits > 0) {
        parts.push(format!("looked at it {visits} times"));
    }
    let expected: Vec<String> = hint
        .variation
        .iter()
        .skip(1)
        .take(SHOWN_VARIATION)
        .map(ToString::to_string)
        .collect();
    if !expected.is_empty() {
        parts.push(format!("then {}", expected.join("; ")));
    }
    if parts.is_empty() {
        "no comment".to_owned()
    } else {
        parts.join(", ")
    }
}

/// Foreign text on one line, without what would make a terminal do things.
fn printable(text: &str, limit: usize) -> String {
    let replace = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().map(replace).take(limit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Cause, Fragment, Score, Winner};

    fn shown(before: &str, mv: &str, hint: Option<&str>) -> ShownPly {
        let (before, mv) = (before.parse().unwrap(), mv.parse().unwrap());
        ShownPly::of_contest(&before, mv, hint, Duration::from_millis(412)).unwrap()
    }

    const TWO_BEES: &str = "2 - 0,0:rQ;1,0:bQ AAABBGGSSS/AAABBGGSSS";

    #[test]
    fn moves_are_told_in_words_and_in_their_text_form() {
        let told = |before, mv| {
            let text = ply(&shown(before, mv, None), Look::Plain);
            text.lines()[0].to_string()
        };
        assert_eq!(
            told(TWO_BEES, "set A -1,0"),
            " 3. red places an ant on -1,0 (set A -1,0, 0.41 s)"
        );
        assert_eq!(
            told(TWO_BEES, "drag 0,0 0,1"),
            " 3. red moves its bee from 0,0 to 0,1 (drag 0,0 0,1, 0.41 s)"
        );
    }

    #[test]
    fn hints_of_our_own_form_are_put_into_words_and_others_are_quoted() {
        let told = |hint| shown(TWO_BEES, "set A -1,0", hint).opinion;
        assert_eq!(
            told(Some(
                "score=0.523 visits=1200 pv=set A -1,0; drag 1,0 0,1; skip"
            )),
            "expected score 0.52, looked at it 1200 times, then drag 1,0 0,1; skip"
        );
        assert_eq!(
            told(Some("score=1.000 proof=win visits=0")),
            "certain to win"
        );
        assert_eq!(told(Some("visits=0 pv=set A -1,0")), "no comment");
        assert_eq!(told(None), "no comment");
        assert_eq!(told(Some("depth 3\u{1b}[2J\n!")), "says: depth 3 [2J !");
    }

    fn game_result(winner: Option<Color>, causes: [Cause; 2]) -> GameResult {
        let score = |cause| Score {
            cause,
            reason: None,
            match_points: 0,
            free_fields: 0,
        };
        GameResult {
            definition: Fragment::contest(),
            scores: ByColor {
                red: score(causes[0]),
                blue: score(causes[1]),
            },
            winner: winner.map(|color| Winner {
                color,
                display_name: String::new(),
            }),
        }
    }

    #[test]
    fn verdicts_name_the_reason_or_who_broke_what() {
        let running: Position = TWO_BEES.parse().unwrap();
        let over: Position = "60 - 0,0:rQ;1,-1:bA;2,-2:bQ AAABBGGSSS/AABBGGSSS"
            .parse()
            .unwrap();
        let regular = [Cause::Regular; 2];
        assert_eq!(
            verdict(&game_result(None, regular), Some(&over)),
            over.outcome().unwrap().to_string()
        );
        assert!(faults(&game_result(None, regular)).is_empty());
        let left = game_result(Some(Color::Red), [Cause::Regular, Cause::Left]);
        assert_eq!(
            verdict(&left, Some(&running)),
            "red wins: blue left the game"
        );
        assert_eq!(faults(&left), ["blue left the game: LEFT"]);
        let deserted = game_result(None, [Cause::Left; 2]);
        assert_eq!(
            verdict(&deserted, Some(&running)),
            "nobody wins: red left the game"
        );
        assert_eq!(faults(&deserted).len(), 2);
    }
}
