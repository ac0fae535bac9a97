//! Invalid messages, and messages that are missing from the recorded sessions.

use proptest::prelude::*;

use super::*;
use wabe_hive::contest::Kind;
use wabe_hive::{ByColor, Color, Piece};

fn room() -> RoomId {
    RoomId("a & b".to_owned())
}

fn drag(hint: Option<&str>) -> WireMove {
    let at = |x, y, z| WireCoordinates { x, y, z };
    WireMove {
        hint: hint.map(str::to_owned),
        action: WireAction::Drag {
            start: WirePlace {
                at: at(9, 9, -18),
                field: Some(FieldContents {
                    obstructed: true,
                    pieces: vec![
                        Piece::new(Color::Blue, Kind::Bee).into(),
                        WirePiece::default(),
                    ],
                }),
            },
            destination: WirePlace::plain(at(-1 << 31, 0, (1 << 31) - 1)),
        },
    }
}

fn score(cause: Cause) -> Score {
    Score {
        cause,
        reason: Some("it's\nover <\"&>".to_owned()),
        match_points: 1,
        free_fields: -1,
    }
}

#[test]
fn server_messages_round_trip() {
    let data = [
        ServerData::Welcome(Color::Blue),
        ServerData::MoveRequest,
        ServerData::Paused,
        ServerData::Error {
            message: "no".to_owned(),
            original: None,
        },
        ServerData::Error {
            message: "no".to_owned(),
            original: Some(drag(None)),
        },
        ServerData::Result(Box::new(GameResult {
            scores: ByColor {
                red: score(Cause::Unknown),
                blue: score(Cause::HardTimeout),
            },
            winner: None,
        })),
    ];
    let messages = data
        .map(|data| ServerMessage::Room { room: room(), data })
        .into_iter()
        .chain([
            ServerMessage::Joined(room()),
            ServerMessage::Left(room()),
            ServerMessage::CloseConnection,
            ServerMessage::Prepared {
                room: room(),
                reservations: vec![ReservationCode("<1>".to_owned()); 2],
            },
            ServerMessage::Observed(room()),
            ServerMessage::Testing(false),
            ServerMessage::JoinedGameRoom {
                room: room(),
                existing: true,
            },
            ServerMessage::PlayerScore(PlayerScore {
                display_name: "Rot".to_owned(),
                number_of_tests: 3,
                values: ["1".to_owned(), "-1.000000".to_owned()],
            }),
        ]);
    for message in messages {
        assert_eq!(ServerMessage::read(&message.to_xml()), Ok(message));
    }
}

#[test]
fn client_messages_round_trip() {
    let messages = [
        ClientMessage::Join {
            game_type: GAME_TYPE.to_owned(),
        },
        ClientMessage::JoinPrepared(ReservationCode("'\"".to_owned())),
        ClientMessage::Move {
            room: room(),
            mv: drag(Some("0.5 <&> \t\n ∅")),
        },
        ClientMessage::CloseConnection,
        ClientMessage::Authenticate {
            password: "p&p".to_owned(),
        },
        ClientMessage::Prepare {
            game_type: GAME_TYPE.to_owned(),
            slots: vec![
                Slot {
                    display_name: "Blau Ü".to_owned(),
                    can_timeout: false,
                    should_be_paused: true,
                };
                2
            ],
        },
        ClientMessage::Observe(room()),
        ClientMessage::Pause {
            room: room(),
            pause: true,
        },
        ClientMessage::Step {
            room: room(),
            forced: true,
        },
        ClientMessage::Cancel(room()),
        ClientMessage::Timeout {
            room: room(),
            activate: false,
            slot: 1,
        },
        ClientMessage::TestMode(true),
        ClientMessage::ScoreForPlayer {
            display_name: "Rot".to_owned(),
        },
        ClientMessage::FreeReservation(ReservationCode("RC".to_owned())),
    ];
    for message in messages {
        assert_eq!(ClientMessage::read(&message.to_xml()), Ok(message));
    }
}

#[test]
fn unknown_parts_of_server_messages_are_skipped() {
    assert_eq!(
        ServerMessage::read("<news a='b'><c/></news>"),
        Ok(ServerMessage::Unknown("news".to_owned()))
    );
    let message = "<room a='' roomId='7'><new/><data class='paused'><new/></data></room>";
    let read = ServerMessage::read(message);
    assert!(matches!(read, Ok(ServerMessage::Room { .. })), "{read:?}");
}

#[test]
fn integers_are_decoded_as_in_java() {
    let step = |slot: &str| {
        let message = format!("<timeout roomId='7' activate='TRUE' slot='{slot}'/>");
        match ClientMessage::read(&message) {
            Ok(ClientMessage::Timeout { slot, activate, .. }) if activate => Some(slot),
            _ => None,
        }
    };
    for (text, number) in [
        ("-1", -1),
        ("-01", -1),
        ("-0x1", -1),
        ("-#1", -1),
        ("0xFFFFFFFF", -1),
        ("4294967295", -1),
        ("037777777777", -1),
        ("2147483648", -1 << 31),
        ("-2147483648", -1 << 31),
        ("&#45;1", -1),
        ("+1", 1),
        ("0X1f", 31),
        ("010", 8),
        ("-0", 0),
    ] {
        assert_eq!(step(text), Some(number), "{text}");
    }
    let invalid = "|-|--1|0x-1| 0|0 |0.0|08|0e0|null|4294967296|-2147483649|0x100000000|\n-1|0x";
    for text in invalid.split('|') {
        assert_eq!(step(text), None, "{text}");
    }
}

#[test]
fn optional_values_have_defaults() {
    let read = |message| ClientMessage::read(message).unwrap();
    assert_eq!(
        read("<step roomId='7'/>"),
        ClientMessage::Step {
            room: RoomId("7".to_owned()),
            forced: false
        }
    );
    assert_eq!(
        read("<prepare gameType='g'><slot displayName='A'/></prepare>"),
        ClientMessage::Prepare {
            game_type: "g".to_owned(),
            slots: vec![Slot {
                display_name: "A".to_owned(),
                can_timeout: true,
                should_be_paused: false
            }]
        }
    );
    assert_eq!(read("<close/>"), ClientMessage::CloseConnection);
    assert_eq!(
        ServerMessage::read("<close/>"),
        Ok(ServerMessage::CloseConnection)
    );
}

#[test]
fn errors_name_problem_with_place() {
    let set = |inner: &str| format!("<room roomId='7'><data class='setmove'>{inner}</data></room>");
    let destination = "<destination x='1' y='2' z='-3'/>";
    let piece = "<piece owner='RED' type='ANT'/>";
    for (message, expected) in [
        (
            set(destination),
            "in room/data: the element <piece> is missing",
        ),
        (
            set("<piece owner='GREEN' type='ANT'/>"),
            "in room/data/piece: `GREEN` is not a colour (RED or BLUE)",
        ),
        (
            set("<piece owner='RED' type='WASP'/>"),
            "in room/data/piece: `WASP` is not a kind of piece",
        ),
        (
            set(&format!("{piece}<destination x='1' y='2.5' z='3'/>")),
            "in room/data/destination: `2.5` is not an integer",
        ),
        (
            set(&format!("{piece}<destination x='99999999999999999999'/>")),
            "in room/data/destination: `99999999999999999999` is not an integer",
        ),
        (
            set(&format!("{piece}{destination}<hint>a</hint><hint>b</hint>")),
            "in room/data/hint: the element <hint> occurs twice",
        ),
        (
            set("<hint>&bogus;</hint>"),
            "malformed XML: unknown entity `bogus`",
        ),
        (set("]]>"), "malformed XML: `]]>` in a text"),
        (
            set("<piece owner='RED' owner='RED' type='ANT'/>"),
            "malformed XML: position 18: duplicated attribute, previous declaration at position 6",
        ),
    ] {
        let error = ClientMessage::read(&message).unwrap_err();
        assert_eq!(error.to_string(), expected, "{message}");
    }
    assert_eq!(
        ServerMessage::read("<joined/>").unwrap_err().to_string(),
        "in joined: the attribute `roomId` is missing"
    );
    let result = "<room roomId='7'><data class='result'><score cause='LEFT'><part>0</part><part>1</part></score></data></room>";
    assert_eq!(
        ServerMessage::read(result).unwrap_err().to_string(),
        "in room/data: expected 2 <score>, found 1"
    );
}

#[test]
fn errors_truncate_values() {
    let long = "x".repeat(100_000);
    let message = format!("<room roomId='7'><data class='welcomeMessage' color='{long}'/></room>");
    let error = ServerMessage::read(&message).unwrap_err().to_string();
    assert!(error.len() < 200, "{error}");
}

#[test]
fn truncated_hints_round_trip() {
    let hint = "\u{1}".repeat(5000);
    let message =
        format!("<room roomId='7'><data class='skipmove'><hint>{hint}</hint></data></room>");
    let read = ClientMessage::read(&message).unwrap();
    let ClientMessage::Move {
        mv: WireMove {
            hint: Some(hint), ..
        },
        ..
    } = &read
    else {
        panic!("{read:?}");
    };
    assert_eq!(hint.len(), 4095);
    assert_eq!(ClientMessage::read(&read.to_xml()), Ok(read));
}

#[test]
fn unknown_causes_are_accepted() {
    let score = "<score cause='METEOR'><part>0</part><part>1</part></score>";
    let message = format!("<room roomId='7'><data class='result'>{score}{score}</data></room>");
    let ServerMessage::Room {
        data: ServerData::Result(result),
        ..
    } = ServerMessage::read(&message).unwrap()
    else {
        panic!("not a result");
    };
    assert_eq!(result.scores.red.cause, Cause::Unknown);
}

proptest! {
    #[test]
    fn any_text_round_trips(text in "\\PC*", lines in "[\\t\\n a-z]{0,20}") {
        let text = text.replace(['\u{fffe}', '\u{ffff}'], "") + &lines;
        let join = ClientMessage::Join { game_type: text.clone() };
        prop_assert_eq!(ClientMessage::read(&join.to_xml()), Ok(join));
        let mv = ClientMessage::Move {
            room: RoomId(text.clone()),
            mv: WireMove { hint: Some(text), action: WireAction::Skip },
        };
        prop_assert_eq!(ClientMessage::read(&mv.to_xml()), Ok(mv));
    }

    #[test]
    fn written_messages_are_framed_as_one(text in any::<String>()) {
        let message = ClientMessage::Join { game_type: text }.to_xml();
        let mut framer = Framer::default();
        framer.feed(STREAM_OPEN.as_bytes());
        framer.feed(message.as_bytes());
        prop_assert_eq!(framer.next_frame(), Ok(Some(Frame::Message(message.trim_start()))));
        prop_assert!(ClientMessage::read(message.trim_start()).is_ok());
    }

    #[test]
    fn reading_never_panics(
        name in prop::sample::select(vec!["room", "joined", "prepare", "playerScore", "step", "timeout"]),
        inner in "(<(data|state|board|fields|field|score|part|hint|slot) (class|x|roomId)='(memento|result|setmove|1|)'/?>|&#x?[0-9]{1,9};|[a-z/<>&]){0,12}",
    ) {
        let message = format!("<{name} roomId='1' slot='x'>{inner}</{name}>");
        let _ = ServerMessage::read(&message);
        let _ = ClientMessage::read(&message);
        let _ = ServerMessage::read(&inner);
    }
}
