//! A match in words.

use std::time::Duration;

use super::{Contender, Played};
use crate::client::ScoreLine;
use crate::hex::{ContestBoard, Grid};
use crate::hive::contest::{Kind, Move, Position};
use crate::hive::{ByColor, Color};
use crate::protocol::{GameResult, Hint};
use crate::replay::Timing;
use crate::search::Proof;
use crate::view::terminal::{Line, Look, Role, Text};

/// How much of a principal variation is shown, in plies after the move itself.
const SHOWN_VARIATION: usize = 4;

/// Longest foreign hint that is shown, in characters.
const SHOWN_HINT: usize = 120;

/// Who plays.
pub fn players(contenders: &ByColor<Contender>, look: Look) -> Text {
    Color::ALL
        .into_iter()
        .map(|color| {
            Line::new()
                .styled(
                    look.style(Role::Side(color.into())),
                    format!("{:5}", color.to_string()),
                )
                .text(format!(
                    " {}",
                    printable(&contenders[color].to_string(), usize::MAX)
                ))
        })
        .collect()
}

/// A ply: who did what in which time, and what the player thinks of it. Always two lines.
pub fn ply(played: &Played, look: Look) -> Text {
    let mut text = Text::new();
    text.push(
        Line::new()
            .text(format!("{:2}. ", played.position.turn()))
            .styled(
                look.style(Role::Side(played.color.into())),
                played.color.to_string(),
            )
            .text(format!(
                " {} ({}, {})",
                action(played),
                played.mv,
                seconds(played.time)
            )),
    );
    text.push(Line::new().styled(look.style(Role::Faint), format!("    {}", opinion(played))));
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
    for color in Color::ALL {
        let label = color.to_string();
        text.push(format!("{label:<5} {}", timing.of(color)));
    }
    text
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

fn action(played: &Played) -> String {
    let kind = |cell| {
        let piece = played.position.top(cell);
        piece.map_or("piece", |piece| piece.kind.name())
    };
    match played.mv {
        Move::Place { kind, to } => {
            let name = kind.name();
            let article = match kind {
                Kind::Bee => "its",
                Kind::Ant => "an",
                _ => "a",
            };
            format!("places {article} {name} on {}", ContestBoard::hex(to))
        }
        Move::Drag { from, to } => format!(
            "moves its {} from {} to {}",
            kind(to),
            ContestBoard::hex(from),
            ContestBoard::hex(to)
        ),
        Move::Pass => "has no move and skips".to_owned(),
    }
}

/// What the player thinks, as far as it says so.
fn opinion(played: &Played) -> String {
    let Some(text) = &played.hint else {
        return "no comment".to_owned();
    };
    let Some(hint) = parsed_hint(played) else {
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
        .map(Move::to_string)
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

fn parsed_hint(played: &Played) -> Option<Hint> {
    played.hint.as_ref()?.parse().ok()
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
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

    fn played(before: &str, mv: &str, hint: Option<&str>) -> Played {
        let before: Position = before.parse().unwrap();
        let mv: Move = mv.parse().unwrap();
        Played {
            color: before.side_to_move(),
            mv,
            hint: hint.map(str::to_owned),
            time: Duration::from_millis(412),
            position: before.after(mv),
        }
    }

    const TWO_BEES: &str = "2 - 0,0:rQ;1,0:bQ AAABBGGSSS/AAABBGGSSS";

    #[test]
    fn moves_are_told_in_words_and_in_their_text_form() {
        let told = |before, mv| {
            let text = ply(&played(before, mv, None), Look::Plain);
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
        assert_eq!(
            told(TWO_BEES, "skip"),
            " 3. red has no move and skips (skip, 0.41 s)"
        );
    }

    #[test]
    fn hints_of_our_own_form_are_put_into_words_and_others_are_quoted() {
        let told = |hint| opinion(&played(TWO_BEES, "set A -1,0", hint));
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
