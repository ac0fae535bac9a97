//! A game in words and pictures while it is played.
//!
//! A [`Display`] shows it in a terminal: every ply with the board after it, then the result.

mod display;
mod history;

use std::time::Duration;
use wabe_arena::ArenaGame;

use wabe_contest::protocol::Hint;
use wabe_engine::search::Proof;
use wabe_files::text::{self, printable};
use wabe_hive::game::{Paint, Record};
use wabe_hive::hex::Grid;
use wabe_hive::{ByColor, Color, KindOf, Move, PieceKind};
use wabe_records::Timing;
use wabe_records::layout::Layout;
use wabe_records::scene::Scene;
use wabe_records::view::terminal::{Line, Look, Role, Text};

pub(crate) use display::{Display, DisplayOptions};

/// Plies of a principal variation that are shown after the move itself.
const SHOWN_VARIATION: usize = 4;

/// Longest foreign hint that is shown, in characters.
const SHOWN_HINT: usize = 120;

/// A ply as it is shown.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ShownPly {
    /// Plies played, this one included.
    pub(crate) turn: u16,
    /// The side that made it.
    pub(crate) color: Color,
    /// The side's name and paint.
    pub(crate) side: Paint,
    /// The move as the game writes it.
    pub(crate) text: String,
    /// The move in words.
    pub(crate) action: String,
    /// The player's expected score, if it gives one.
    pub(crate) score: Option<f64>,
    /// The player's opinion of the move, in words.
    pub(crate) opinion: String,
    /// Time taken.
    pub(crate) time: Duration,
    /// The position after it.
    pub(crate) scene: Scene,
}

impl ShownPly {
    /// The last ply of a game with the player's comment on it; `None` before the first. `layouts` are those before and after it.
    pub(crate) fn new<G: ArenaGame>(
        record: &Record<G>,
        layouts: [&Layout<G>; 2],
        time: Duration,
        comment: Option<&str>,
    ) -> Option<ShownPly> {
        let ply = record.plies().last()?;
        let hint = comment.map(str::parse::<Hint>);
        let color = record.position().side_to_move().opponent();
        let [before, after] = layouts;
        Some(ShownPly {
            turn: record.position().turn(),
            color,
            side: G::SIDES[color],
            text: ply.text.clone(),
            action: action(record, ply.mv),
            score: hint.as_ref().and_then(|hint| hint.as_ref().ok()?.score),
            opinion: match (hint, comment) {
                (Some(Ok(hint)), _) => opinion(&hint),
                (_, Some(words)) => format!("says: {}", printable(words, SHOWN_HINT)),
                (_, None) => opinion(&Hint::default()),
            },
            time,
            scene: Scene::new(record, after, before),
        })
    }
}

/// The players.
pub(crate) fn players(names: &ByColor<String>, sides: ByColor<Paint>, look: Look) -> Text {
    Color::ALL
        .into_iter()
        .map(|color| {
            let side = sides[color];
            Line::new()
                .styled(look.style(Role::Side(side)), format!("{side:5}"))
                .text(format!(" {}", printable(&names[color], text::NAME)))
        })
        .collect()
}

/// A ply: the move, its time, and the player's opinion. Always two lines.
pub(crate) fn ply(shown: &ShownPly, look: Look) -> Text {
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

/// The result: the sentence, the players, and their times.
pub(crate) fn result(
    sentence: &str,
    names: &ByColor<String>,
    sides: ByColor<Paint>,
    timing: &Timing,
    look: Look,
) -> Text {
    let mut text = Text::new();
    text.push(Line::new().styled(look.style(Role::Strong), sentence.to_owned()));
    for color in Color::ALL {
        let name = printable(&names[color], text::NAME);
        text.push(format!("{:<5} {name}", sides[color]));
    }
    for color in Color::ALL {
        text.push(format!("{:<5} {}", sides[color], timing.of(color)));
    }
    text
}

fn action<G: ArenaGame>(record: &Record<G>, mv: Move<G>) -> String {
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

/// The opinion that a hint expresses.
fn opinion(hint: &Hint) -> String {
    let mut parts = Vec::new();
    match (hint.proof, hint.score) {
        (Some(proof), _) => {
            let certainty = match proof {
                Proof::Win => "certain to win",
                Proof::Draw => "certain of a draw",
                Proof::Loss => "certain to lose",
            };
            parts.push(match hint.plies {
                Some(1) => format!("{certainty} with this move"),
                Some(plies) => format!("{certainty} within {plies} plies"),
                None => certainty.to_owned(),
            });
        }
        (None, Some(score)) => parts.push(format!("expected score {score:.2}")),
        (None, None) => {}
    }
    if let Some(visits) = hint.visits.filter(|&visits| visits > 0) {
        parts.push(format!("looked at it {visits} times"));
    }
    let expected = hint.variation.iter().skip(1).take(SHOWN_VARIATION);
    let expected: Vec<&str> = expected.map(String::as_str).collect();
    if !expected.is_empty() {
        parts.push(format!("then {}", expected.join("; ")));
    }
    if parts.is_empty() {
        "no comment".to_owned()
    } else {
        parts.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wabe_hive::Position;
    use wabe_hive::contest::Contest;

    const TWO_BEES: &str = "2 - 0,0:rQ;1,0:bQ AAABBGGSSS/AAABBGGSSS";

    fn shown(mv: &str, comment: Option<&str>) -> ShownPly {
        let start: Position<Contest> = TWO_BEES.parse().unwrap();
        let mut record = Record::from(start);
        record.play_text(mv).unwrap();
        let layout = Layout::start(&start);
        let time = Duration::from_millis(412);
        ShownPly::new(&record, [&layout, &layout], time, comment).unwrap()
    }

    #[test]
    fn moves_are_told_in_words_and_in_their_text_form() {
        let told = |mv| {
            let text = ply(&shown(mv, None), Look::Plain);
            text.lines()[0].to_string()
        };
        assert_eq!(
            told("set A -1,0"),
            " 3. red places an ant on -1,0 (set A -1,0, 0.41 s)"
        );
        assert_eq!(
            told("drag 0,0 0,1"),
            " 3. red moves its bee from 0,0 to 0,1 (drag 0,0 0,1, 0.41 s)"
        );
    }

    #[test]
    fn hints_are_put_into_words_and_other_opinions_are_quoted() {
        let told = |comment| shown("set A -1,0", Some(comment)).opinion;
        assert_eq!(
            told("score=0.523 visits=1200 pv=set A -1,0; drag 1,0 0,1; skip"),
            "expected score 0.52, looked at it 1200 times, then drag 1,0 0,1; skip"
        );
        assert_eq!(told("score=1.000 proof=win visits=0"), "certain to win");
        assert_eq!(told("visits=0 pv=set A -1,0"), "no comment");
        assert_eq!(told("depth 3\u{1b}[2J\n!"), "says: depth 3 [2J !");
        assert_eq!(shown("set A -1,0", None).opinion, "no comment");
    }
}
