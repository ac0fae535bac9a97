//! Small files, packed above all, take neither much memory nor much time.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use wabe_contest::protocol::{RoomId, ServerData, ServerMessage, WireMove, WireState};
use wabe_hive::ByColor;
use wabe_hive::contest::{Contest, Deal, MoveList};
use wabe_hive::game::Record;
use wabe_hive::standard::Wide;
use wabe_records::{Recorded, Replay, ReplayError, read};

/// A file that unpacks to `text` again and again.
fn packed(beginning: &str, text: &str, times: usize) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(beginning.as_bytes()).unwrap();
    for _ in 0..times {
        encoder.write_all(text.as_bytes()).unwrap();
    }
    encoder.finish().unwrap()
}

fn games<G: Recorded>(file: &[u8]) -> Result<Vec<Replay<G>>, ReplayError> {
    read::<G>(file)
}

#[test]
fn a_game_of_a_million_plies_is_read_as_far_as_games_may_be_long() {
    let beginning = "Base;InProgress;White[1];wS1;bS1 wS1-";
    let file = packed(beginning, ";wQ /wS1;bQ bS1/;wQ -wS1;bQ bS1-", 250_000);
    let game = &games::<Wide>(&file).unwrap()[0];
    assert_eq!(game.record.plies().len(), 10_000);
    let damage = game.damage.as_ref().unwrap().to_string();
    assert!(damage.contains("more than 10000 plies"), "{damage}");
    let text = beginning.to_owned() + &";wQ /wS1;bQ bS1/;wQ -wS1;bQ bS1-".repeat(2_500);
    let error = text.parse::<Record<Wide>>().unwrap_err().to_string();
    assert!(error.contains("more than 10000 plies"), "{error}");
}

#[test]
fn a_text_that_unpacks_to_too_much_is_refused_with_the_limit() {
    for beginning in ["Base;InProgress;White[1];", "[White \"A\"]", "(;GM[27]"] {
        let file = packed(beginning, &" ".repeat(1 << 16), 300);
        let error = games::<Wide>(&file).unwrap_err().to_string();
        assert!(error.contains("16 MiB"), "{error}");
    }
}

#[test]
fn long_hints_are_cut_when_they_are_read() {
    let mut position = Deal::Server.start(Default::default());
    let mut file = "<protocol>".to_owned();
    for _ in 0..10 {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let mover = position.side_to_move();
        let hint = Some("x".repeat(200_000));
        let last_move = WireMove::new(moves[0], mover, hint);
        position.play(moves[0]);
        let state = WireState::new(&position, ByColor::default(), Some(last_move));
        let message = ServerMessage::Room {
            room: RoomId("1".to_owned()),
            data: ServerData::State(Box::new(state)),
        };
        file += &message.to_xml();
    }
    let replay = &games::<Contest>(&packed(&file, "", 0)).unwrap()[0];
    assert_eq!(replay.remarks.len(), 10);
    assert!(replay.remarks.values().all(|hint| hint.len() == 4096));
}
