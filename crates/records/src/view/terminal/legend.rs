//! The legend of the board: the side to move, the reserves, the stacks, and the signs.

use super::{Line, Look, Role, Text};
use crate::scene::{Figure, Pile, Scene, Stage};
use wabe_hive::game::Paint;
use wabe_hive::{ByColor, Color};

/// Widths of the columns in the table of reserves: the names', and each side's numbers'.
const NAMES: usize = 16;
const NUMBERS: [usize; 2] = [3, 6];

/// The side to move, both reserves, the free fields around the bees, the signs of the drawing, and the stacks.
pub fn legend(scene: &Scene, look: Look) -> Text {
    legend_with(scene, look, true)
}

/// The legend, with or without the signs.
pub(super) fn legend_with(scene: &Scene, look: Look, has_signs: bool) -> Text {
    let mut text = Text::new();
    text.push(Line::new().styled(look.style(Role::Strong), scene.progress.as_str()));
    text.push(match scene.stage {
        Stage::ToMove(paint) => side(paint, look).text(" to move"),
        Stage::Won(paint) => side(paint, look).text(" has won"),
        Stage::Drawn => Line::from("draw"),
    });
    text.push("");
    push_reserves(&mut text, scene, look);
    if has_signs {
        text.push("");
        push_signs(&mut text, scene, look);
    }
    push_stacks(&mut text, scene, look);
    text
}

fn side(paint: Paint, look: Look) -> Line {
    Line::new().styled(look.style(Role::Side(paint)), paint.to_string())
}

fn push_reserves(text: &mut Text, scene: &Scene, look: Look) {
    let mut heading = Line::from("in reserve");
    let mut end = NAMES;
    for (color, width) in Color::ALL.into_iter().zip(NUMBERS) {
        end += width;
        let name = scene.paints[color].to_string();
        let gap = end.saturating_sub(heading.width() + name.len());
        heading = heading
            .text(" ".repeat(gap))
            .styled(look.style(Role::Side(scene.paints[color])), name);
    }
    text.push(heading);
    for kind in &scene.reserves {
        let counts = ByColor::from_fn(|color| match kind.counts[color] {
            0 => "-".to_owned(),
            count => count.to_string(),
        });
        text.push(table_row(
            &format!("  {} {}", kind.letter, kind.name),
            &counts,
        ));
    }
    let free = ByColor::from_fn(|color| match scene.free_around_bee[color] {
        None => "-".to_owned(),
        Some(count) => count.to_string(),
    });
    let label = format!("free around {}", scene.bee);
    let label = match label.len() {
        0..=NAMES => label,
        _ => format!("free round {}", scene.bee),
    };
    text.push(table_row(&label, &free));
}

fn table_row(name: &str, counts: &ByColor<String>) -> Line {
    let [first, second] = NUMBERS;
    Line::from(format!(
        "{name:NAMES$}{:>first$}{:>second$}",
        counts.red, counts.blue
    ))
}

fn push_signs(text: &mut Text, scene: &Scene, look: Look) {
    let paint = scene.paints[Color::Red];
    let beetle = Figure {
        paint,
        letter: 'B',
        number: None,
        name: "beetle",
        is_bee: false,
    };
    let owner = match look {
        Look::Plain => paint.letter(),
        Look::Color => ' ',
    };
    let mark = look.style(Role::Mark);
    let faint = look.style(Role::Faint);
    let sign = |style, sign: &str, meaning: &str| {
        Line::new().styled(style, sign).text(format!(
            "{:width$}{meaning}",
            "",
            width = 7 - Line::from(sign).width()
        ))
    };
    text.push(sign(
        look.style(Role::Piece(beetle)),
        &format!("{owner}B²"),
        &format!("{paint} beetle, 2 high"),
    ));
    if !scene.obstacles.is_empty() {
        text.push(sign(
            look.style(Role::Bramble),
            "▒▒▒",
            "bramble: stays empty",
        ));
    }
    text.push(sign(mark, "(·)[ ]", "last move: from, to"));
    if scene.has_coordinates {
        text.push(sign(faint, "1↘ 2↗", "lead to field 1,2"));
    }
}

fn push_stacks(text: &mut Text, scene: &Scene, look: Look) {
    let stacks = scene.piles.iter().filter(|pile| pile.height() > 1);
    for (row, pile) in stacks.enumerate() {
        if row == 0 {
            text.push("");
            text.push("stacks, top first");
        }
        text.push(stack(pile, scene.has_coordinates, look));
    }
}

fn stack(pile: &Pile, has_coordinates: bool, look: Look) -> Line {
    let mut line = if has_coordinates {
        Line::from(format!("  {:6}", pile.spot.to_string()))
    } else {
        Line::from("  ")
    };
    for (i, figure) in pile.figures().rev().enumerate() {
        if i > 0 {
            line = line.text(" ");
        }
        line = line.styled(look.style(Role::Piece(figure)), figure.to_string());
    }
    line
}
