//! What stands beside the board: whose turn it is, the reserves, the stacks, and how to read the drawing.

use super::{Line, Look, Role, Text};
use crate::hex::{ContestBoard, Grid};
use crate::hive::contest::{ContestPiece, Kind, LAST_TURN, Position};
use crate::hive::{Color, Outcome, PieceKind};

/// Whose turn it is, both reserves, the free fields around the bees, what lies in the stacks, and the signs of the drawing.
pub fn legend(position: &Position, look: Look) -> Text {
    let mut text = Text::new();
    text.push(Line::new().styled(look.style(Role::Strong), round(position)));
    text.push(to_move(position, look));
    text.push("");
    push_reserves(&mut text, position, look);
    text.push("");
    push_signs(&mut text, look);
    push_stacks(&mut text, position, look);
    text
}

fn round(position: &Position) -> String {
    let rounds = LAST_TURN / 2;
    let round = (position.turn() / 2 + 1).min(rounds);
    format!("round {round} of {rounds}")
}

fn to_move(position: &Position, look: Look) -> Line {
    match position.outcome() {
        None => side(position.side_to_move(), look).text(" to move"),
        Some(Outcome::Win { winner, .. }) => side(winner, look).text(" has won"),
        Some(Outcome::Draw { .. }) => Line::from("draw"),
    }
}

fn side(color: Color, look: Look) -> Line {
    Line::new().styled(look.style(Role::Side(color)), color.to_string())
}

fn push_reserves(text: &mut Text, position: &Position, look: Look) {
    text.push(
        Line::new()
            .text(format!("{:16}", "in reserve"))
            .styled(look.style(Role::Side(Color::Red)), "red")
            .text("  ")
            .styled(look.style(Role::Side(Color::Blue)), "blue"),
    );
    for &kind in Kind::ALL {
        let count = |color| match position.reserve(color).count(kind) {
            0 => "-".to_owned(),
            count => count.to_string(),
        };
        text.push(table_row(
            &format!("  {} {}", kind.letter(), kind.name()),
            [count(Color::Red), count(Color::Blue)],
        ));
    }
    let free = |color| match position.free_around_bee(color) {
        None => "-".to_owned(),
        Some(count) => count.to_string(),
    };
    text.push(table_row(
        "free around bee",
        [free(Color::Red), free(Color::Blue)],
    ));
}

fn table_row(name: &str, [red, blue]: [String; 2]) -> Line {
    Line::from(format!("{name:16}{red:>3}  {blue:>4}"))
}

fn push_signs(text: &mut Text, look: Look) {
    let red = look.style(Role::Piece(ContestPiece::new(Color::Red, Kind::Beetle)));
    let beetle = match look {
        Look::Plain => "rB²",
        Look::Color => " B²",
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
    text.push(sign(red, beetle, "red beetle, 2 high"));
    text.push(sign(
        look.style(Role::Bramble),
        "▒▒▒",
        "bramble: stays empty",
    ));
    text.push(sign(mark, "(·)[ ]", "last move: from, to"));
    text.push(sign(faint, "1↘ 2↗", "lead to field 1,2"));
}

fn push_stacks(text: &mut Text, position: &Position, look: Look) {
    for (row, cell) in position.stacked().into_iter().enumerate() {
        if row == 0 {
            text.push("");
            text.push("stacks, top first");
        }
        let mut line = Line::from(format!("  {:6}", ContestBoard::hex(cell).to_string()));
        let mut pieces: Vec<ContestPiece> = position.stack(cell).collect();
        pieces.reverse();
        for (i, piece) in pieces.into_iter().enumerate() {
            if i > 0 {
                line = line.text(" ");
            }
            line = line.styled(look.style(Role::Piece(piece)), piece.to_string());
        }
        text.push(line);
    }
}
