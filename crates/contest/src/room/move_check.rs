//! Checks moves, and explains illegal ones in the wording of the contest's server.

use crate::protocol::{WireAction, WireCoordinates, WireMove, WirePiece, WirePlace};
use wabe_hive::contest::{BEE_DUE_TURN, Kind, Move, Position};
use wabe_hive::hex::{Cell, CellSet as _, ContestBoard, Grid as _};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MoveRejection {
    /// The move violates a rule. Contains the contest server's message.
    Violation(String),
    /// The contest's server fails on the move and drops the player without an error.
    Unreadable(String),
}

/// Translates a move if it is legal in `position`.
///
/// # Errors
/// When the move is illegal: the first error that the contest's server reports.
pub(super) fn to_legal_move(position: &Position, mv: &WireMove) -> Result<Move, MoveRejection> {
    let legal = mv.to_move(position.side_to_move());
    let legal = legal.ok().filter(|&mv| position.check(mv).is_ok());
    legal.ok_or_else(|| {
        let checked = match &mv.action {
            WireAction::Skip => {
                let text = "Skipping a turn is only allowed when no other moves can be made";
                return MoveRejection::Violation(text.to_owned());
            }
            WireAction::Set { piece, destination } => check_set(position, *piece, destination),
            WireAction::Drag { start, destination } => check_drag(position, start, destination),
        };
        let rejection = match checked {
            Err(rejection) => rejection,
            // The contest's server accepts the move although it is illegal.
            Ok(()) => {
                MoveRejection::Violation("A newly placed piece must touch an own piece".into())
            }
        };
        match rejection {
            MoveRejection::Violation(text) => {
                MoveRejection::Violation(format!("{text}; move was {}", describe(&mv.action)))
            }
            unreadable @ MoveRejection::Unreadable(_) => unreadable,
        }
    })
}

fn violation<T>(text: impl Into<String>) -> Result<T, MoveRejection> {
    Err(MoveRejection::Violation(text.into()))
}

fn field(at: WireCoordinates) -> Result<Cell, MoveRejection> {
    let cell = at.hex().and_then(ContestBoard::cell);
    cell.ok_or_else(|| MoveRejection::Unreadable(format!("the board has no field {at}")))
}

fn check_cube(at: WireCoordinates) -> Result<(), MoveRejection> {
    if at.is_cube() {
        return Ok(());
    }
    let fault = format!("the coordinates {at} do not add up to 0");
    Err(MoveRejection::Unreadable(fault))
}

/// Checks that the destination is on the board and not obstructed by a bramble.
fn check_target(position: &Position, destination: &WirePlace) -> Result<Cell, MoveRejection> {
    let at = destination.at;
    let radius = i64::from(ContestBoard::RADIUS);
    if at.x.max(at.y) > radius || at.x.min(at.y) < -radius {
        return violation(format!("Destination {at} is out of bounds"));
    }
    let cell = field(at)?;
    if position.obstacles().contains(cell) {
        return violation("The target field is obstructed");
    }
    Ok(cell)
}

/// Checks a placement in the order of the contest's server.
fn check_set(
    position: &Position,
    piece: WirePiece,
    destination: &WirePlace,
) -> Result<(), MoveRejection> {
    let to = check_target(position, destination)?;
    if position.occupied().contains(to) {
        return violation("Set destination is not empty");
    }
    let mover = position.side_to_move();
    if piece.owner != Some(mover) {
        let player = mover.to_string().to_uppercase();
        return violation(format!(
            "The piece {piece} does not belong to the current Player({player})"
        ));
    }
    let own = position.tops(mover);
    let others = position.tops(mover.opponent());
    let touches_other = ContestBoard::ring(others, to) != 0;
    if own.is_empty() && !others.is_empty() && !(touches_other && destination.at.is_cube()) {
        return violation("Your first piece has to touch the piece of the other player");
    }
    let is_in_reserve = |kind: Kind| position.reserve(mover).count(kind) > 0;
    if !piece.kind.is_some_and(is_in_reserve) {
        return violation(format!(
            "Piece {piece} is not an undeployed piece of the current player"
        ));
    }
    let is_bee_due = position.turn() >= BEE_DUE_TURN && position.bee(mover).is_none();
    if is_bee_due && piece.kind != Some(Kind::Bee) {
        return violation("The bee must be placed in fourth round latest");
    }
    check_cube(destination.at)?;
    if ContestBoard::ring(own, to) == 0 {
        return violation("A newly placed piece must touch an own piece");
    }
    if touches_other {
        return violation("A newly placed piece must not touch a piece of the other player");
    }
    Ok(())
}

/// Checks a drag move in the order of the contest's server. Called only for illegal moves, so the
/// last check for each kind of piece is omitted.
fn check_drag(
    position: &Position,
    start: &WirePlace,
    destination: &WirePlace,
) -> Result<(), MoveRejection> {
    let to = check_target(position, destination)?;
    let mover = position.side_to_move();
    if position.bee(mover).is_none() {
        return violation("You have to place the Bee to be able to perform dragmoves");
    }
    let from = field(start.at)?;
    let Some(top) = position.top(from) else {
        return violation("There is no piece to move");
    };
    if top.color != mover {
        return violation("Trying to move piece of the other player");
    }
    if start.at == destination.at {
        return violation("Destination and start are equal");
    }
    if position.occupied().contains(to) && top.kind != Kind::Beetle {
        return violation("Only beetles are allowed to climb on other Pieces");
    }
    if start.at.is_cube() && !position.unpinned(mover).contains(from) {
        return violation("Moving piece would disconnect swarm");
    }
    let (start, end) = (start.at, destination.at);
    let axes = [(start.x, end.x), (start.y, end.y), (start.z, end.z)];
    let steps = axes.map(|(from, to)| from.abs_diff(to));
    let distance = steps
        .iter()
        .fold(0, |sum: u64, &step| sum.saturating_add(step))
        / 2;
    match top.kind {
        Kind::Bee | Kind::Beetle if distance != 1 => {
            return violation("Destination field is not next to start field");
        }
        Kind::Grasshopper if !steps.contains(&0) => {
            return violation("Grasshopper can only move in straight lines");
        }
        Kind::Grasshopper if distance == 1 => {
            return violation("Grasshopper has to jump over at least one piece");
        }
        Kind::Ant | Kind::Spider => check_cube(start)?,
        Kind::Bee | Kind::Beetle | Kind::Grasshopper => {
            check_cube(start)?;
            check_cube(end)?;
        }
    }
    violation(match top.kind {
        Kind::Ant => "No path found for Ant move",
        Kind::Spider => "No path found for Spider move",
        Kind::Bee => "There is no path to your destination",
        Kind::Beetle => "Beetle has to move along swarm",
        Kind::Grasshopper => "Grasshopper can only jump over occupied fields",
    })
}

/// Describes a move like the contest's server.
fn describe(action: &WireAction) -> String {
    match action {
        WireAction::Set { piece, destination } => {
            let (owner, kind) = piece.names();
            format!("Set {owner} {kind} to {}", destination.at)
        }
        WireAction::Drag { start, destination } => {
            format!("Drag from {} to {}", start.at, destination.at)
        }
        WireAction::Skip => "Skip".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wabe_hive::{Color, PieceKind as _};

    fn parse_place(at: &str) -> WirePlace {
        let numbers: Vec<i64> = at.split(',').map(|n| n.parse().unwrap()).collect();
        let (x, y) = (numbers[0], numbers[1]);
        let z = numbers.get(2).copied().unwrap_or(-x - y);
        WirePlace::plain(WireCoordinates { x, y, z })
    }

    /// Parses `set COLOR KIND AT`, `drag FROM TO` or `skip`. Computes a missing third coordinate.
    fn parse_move(text: &str) -> WireMove {
        let words: Vec<&str> = text.split(' ').collect();
        let owner = |word| match word {
            "RED" => Some(Color::Red),
            "BLUE" => Some(Color::Blue),
            _ => None,
        };
        let kind = |word: &str| {
            let kinds = Kind::ALL.iter().copied();
            kinds
                .into_iter()
                .find(|kind| kind.name().to_uppercase() == word)
        };
        let action = match words[..] {
            ["set", color, name, at] => WireAction::Set {
                piece: WirePiece {
                    owner: owner(color),
                    kind: kind(name),
                },
                destination: parse_place(at),
            },
            ["drag", from, to] => WireAction::Drag {
                start: parse_place(from),
                destination: parse_place(to),
            },
            _ => WireAction::Skip,
        };
        WireMove { hint: None, action }
    }

    /// Errors of the contest's server, release 20.3.4: position, illegal move and message. `-`
    /// marks moves on which the server fails. The server accepts the moves of the last four lines.
    const SERVER_ERRORS: &str = "
        start: skip: Skipping a turn is only allowed when no other moves can be made
        bees: set BLUE ANT -1,1: The piece Piece(owner=BLUE, type=ANT) does not belong to the current Player(RED)
        bees: set null ANT -1,1: The piece Piece(owner=null, type=ANT) does not belong to the current Player(RED)
        bees: set null null -1,1: The piece Piece(owner=null, type=null) does not belong to the current Player(RED)
        bees: set RED null -1,1: Piece Piece(owner=RED, type=null) is not an undeployed piece of the current player
        bees: set RED BEE -1,1: Piece Piece(owner=RED, type=BEE) is not an undeployed piece of the current player
        bees: set RED BEE -3,0: Piece Piece(owner=RED, type=BEE) is not an undeployed piece of the current player
        bees: set RED BEE 0,0: Set destination is not empty
        bees: set BLUE ANT 1,-1: Set destination is not empty
        bees: set BLUE ANT -4,1: The target field is obstructed
        bees: set BLUE ANT 6,0: Destination (6,0,-6) is out of bounds
        bees: set RED ANT 0,-6: Destination (0,-6,6) is out of bounds
        bees: set RED ANT 100,-50,-50: Destination (100,-50,-50) is out of bounds
        bees: set RED ANT 5,5: -
        bees: set RED ANT 3,3: -
        bees: set RED ANT -5,-1: -
        bees: set RED ANT -1,1,1: -
        bees: set RED ANT -1,1,-2147483648: -
        bees: set RED ANT 1,0: A newly placed piece must not touch a piece of the other player
        bees: set RED ANT 2,-1: A newly placed piece must touch an own piece
        bees: set RED ANT -3,0: A newly placed piece must touch an own piece
        first: set BLUE ANT 3,-3: Your first piece has to touch the piece of the other player
        first: set BLUE ANT 1,-1,1: Your first piece has to touch the piece of the other player
        first: set BLUE ANT 0,0: Set destination is not empty
        late: set RED ANT -3,3: The bee must be placed in fourth round latest
        late: set RED ANT -4,0: The bee must be placed in fourth round latest
        late: set RED BEE -4,0: A newly placed piece must touch an own piece
        late: drag -2,2 -1,0: You have to place the Bee to be able to perform dragmoves
        late: drag 0,0 6,0: Destination (6,0,-6) is out of bounds
        late: skip: Skipping a turn is only allowed when no other moves can be made
        bees: drag -2,0 -1,0: There is no piece to move
        bees: drag -4,1 -1,0: There is no piece to move
        bees: drag 6,0 -1,0: -
        bees: drag 5,5 -1,0: -
        bees: drag 0,0 6,0: Destination (6,0,-6) is out of bounds
        bees: drag 0,0 5,5: -
        bees: drag 0,0 -4,1: The target field is obstructed
        bees: drag 1,-1 1,0: Trying to move piece of the other player
        bees: drag 1,-1 1,-1: Trying to move piece of the other player
        bees: drag 0,0 0,0: Destination and start are equal
        bees: drag 0,0 1,-1: Only beetles are allowed to climb on other Pieces
        bees: drag 0,0 0,0,-1: Only beetles are allowed to climb on other Pieces
        bees: drag 0,0 2,-1: Destination field is not next to start field
        bees: drag 0,0 -1,1: There is no path to your destination
        bees: drag 0,0 1,0,0: Destination field is not next to start field
        bees: drag 0,0,-1 1,0: Destination field is not next to start field
        ant: drag -1,1,1 0,1: -
        ant: drag -1,1 0,1,0: No path found for Ant move
        spider: drag -1,1 1,1,-1: No path found for Spider move
        grasshopper: drag -1,1,1 3,-3: Grasshopper can only move in straight lines
        grasshopper: drag -1,1,1 3,-3,1: -
        bees: drag 0,0,1 1,0,-1: -
        ant: drag 0,0 1,0: Moving piece would disconnect swarm
        ant: drag -1,1 -2,1: No path found for Ant move
        ant: drag -1,1 0,0: Only beetles are allowed to climb on other Pieces
        beetle: drag -1,1 -2,1: Beetle has to move along swarm
        beetle: drag -1,1 1,0: Destination field is not next to start field
        beetle: drag -1,1,1 0,0: -
        spider: drag -1,1 0,1: No path found for Spider move
        grasshopper: drag -1,1 1,0: Grasshopper can only move in straight lines
        grasshopper: drag -1,1 0,1: Grasshopper has to jump over at least one piece
        grasshopper: drag -1,1 1,1: Grasshopper can only jump over occupied fields
        covered: set RED ANT -3,0: Your first piece has to touch the piece of the other player
        covered: drag 1,0 1,1: Trying to move piece of the other player
        covered: set RED ANT 1,1: A newly placed piece must touch an own piece
        grasshopper: drag -1,1,7 -1,2: -
        start: set RED null 0,0: Piece Piece(owner=RED, type=null) is not an undeployed piece of the current player
        start: set RED ANT 0,0,1: -";

    fn position(name: &str) -> Position {
        let row = |kind| {
            let reserve = "AAABBGGSSS".replacen(kind, "", 1);
            format!("4 - -1,1:r{kind};0,0:rQ;1,-1:bQ;2,-2:bA {reserve}/AABBGGSSS")
        };
        let text = match name {
            "start" => "0 - - AAABBGGQSSS/AAABBGGQSSS".to_owned(),
            "first" => "1 - 0,0:rA AABBGGQSSS/AAABBGGQSSS".to_owned(),
            "bees" => "2 -4,1;-5,1 0,0:rQ;1,-1:bQ AAABBGGSSS/AAABBGGSSS".to_owned(),
            "late" => {
                let stacks = "-2,2:rA;-1,1:rA;0,0:rS;1,-1:bQ;2,-2:bA;3,-3:bA";
                format!("6 - {stacks} ABBGGQSS/ABBGGSSS")
            }
            "covered" => "6 - 1,-1:bQ;1,0:rQbB AAABBGGSSS/AAABGGSSS".to_owned(),
            "ant" => row("A"),
            "beetle" => row("B"),
            "spider" => row("S"),
            _ => row("G"),
        };
        text.parse().unwrap()
    }

    #[test]
    fn rejections_match_the_contest_server() {
        for line in SERVER_ERRORS.trim().lines() {
            let parts: Vec<&str> = line.trim().split(": ").collect();
            let [name, mv, expected] = parts[..] else {
                panic!("{line}");
            };
            let found = match to_legal_move(&position(name), &parse_move(mv)).unwrap_err() {
                MoveRejection::Unreadable(_) => "-".to_owned(),
                MoveRejection::Violation(text) => text,
            };
            let (text, described) = found.split_once("; move was ").unwrap_or((&found, "Skip"));
            assert_eq!(text, expected, "{line}");
            let expected = match mv {
                "set BLUE ANT -1,1" => "Set BLUE ANT to (-1,1,0)",
                "set null ANT -1,1" => "Set null ANT to (-1,1,0)",
                "drag 0,0 1,-1" => "Drag from (0,0,0) to (1,-1,0)",
                _ => described,
            };
            assert_eq!(described, expected, "{line}");
        }
    }
}
