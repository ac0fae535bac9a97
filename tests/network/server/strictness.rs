//! Outcomes of a client's bytes, as measured on the contest's server, release 20.3.4.

use wabe_contest::protocol::{Cause, ServerData, ServerMessage};
use wabe_contest::room::Start;
use wabe_contest::server::StartSource;

use super::peer::Peer;
use super::referee::Referee;

const BEES: &str = "2 - 0,0:rQ;1,-1:bQ AAABBGGSSS/AAABBGGSSS";

fn referee() -> Referee {
    Referee::start(|config| {
        config.start = StartSource::Loaded(Box::new(Start {
            position: BEES.parse().unwrap(),
            last_move: None,
        }));
    })
}

/// Lets red send bytes instead of its move. The outcome: the contents of `lastMove` as blue gets
/// them, or the cause for which red has lost, with the reason if it broke a rule.
fn outcome(referee: &Referee, sent: &[u8]) -> String {
    let mut red = referee.connect();
    red.join();
    red.skip_to("joined");
    let mut blue = referee.connect();
    blue.join();
    red.skip_to("request");
    blue.skip_to("state 2");
    let room = red.room.clone().unwrap().0;
    let pieces = sent.split(|&byte| byte == b'@');
    red.send_bytes(&pieces.collect::<Vec<_>>().join(room.as_bytes()));
    let text = blue.next_text().unwrap();
    let ServerMessage::Room { data, .. } = ServerMessage::read(&text).unwrap() else {
        panic!("{text}");
    };
    match data {
        ServerData::State(_) => {
            let (_, last) = text.split_once("<lastMove class=").unwrap();
            let (last, _) = last.split_once("</lastMove>").unwrap();
            let (_, last) = last.split_once('>').unwrap();
            last.split("\n  ").map(str::trim_start).collect()
        }
        ServerData::Result(result) => {
            let score = &result.scores.red;
            match score.cause {
                Cause::RuleViolation => {
                    let heard = red.rest();
                    let reason = score.reason.clone().unwrap();
                    let error = format!("error: Ungueltiger Zug von 'Unknown'.\n{reason}");
                    assert_eq!(heard, [&error, "result", "left", "close"]);
                    reason
                }
                cause => {
                    assert_eq!(red.rest(), [""; 0], "dropped players get no result");
                    format!("{cause:?}").to_uppercase()
                }
            }
        }
        other => panic!("{other:?}"),
    }
}

fn check(rows: &[(String, String)]) {
    let referee = referee();
    let mut wrong = Vec::new();
    for (sent, expected) in rows {
        let outcome = outcome(&referee, sent.as_bytes());
        if outcome != *expected {
            wrong.push(format!("{sent}\n    {outcome}\n    instead of {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// `{P}` and `{D}` stand for the usual piece and destination.
fn expand(text: &str) -> String {
    text.replace("{P}", r#"<piece owner="RED" type="ANT"/>"#)
        .replace("{D}", r#"<destination x="-1" y="1" z="0"/>"#)
}

fn moves(class: &str, rows: &[(&str, &str)]) {
    let rows = rows.iter().map(|(inner, expected)| {
        let message = format!("<room roomId='@'><data class='{class}'>{inner}</data></room>");
        (expand(&message), expand(expected))
    });
    check(&rows.collect::<Vec<_>>());
}

const LEFT: &str = "LEFT";
const PLAIN: &str = "{P}{D}";
const NO_MOVE: &str = "Unknown hat kein Zug-Objekt gesendet.";

#[test]
fn moves_reject_unknown_elements() {
    moves(
        "setmove",
        &[
            ("<note/>{P}{D}", LEFT),
            ("{P}<note>x</note>{D}", LEFT),
            ("{P}{D}<note/>", LEFT),
            ("<piece owner='RED' type='ANT'><note/></piece>{D}", LEFT),
            (
                "{P}<destination x='-1' y='1' z='0'><note/></destination>",
                LEFT,
            ),
            ("{P}{P}{D}", LEFT),
            ("{P}{D}{D}", LEFT),
            ("{D}", LEFT),
            ("{P}", LEFT),
            ("", LEFT),
            ("{P}{D}<start x='0' y='0' z='0'/>", LEFT),
            ("<PIECE owner='RED' type='ANT'/>{D}", LEFT),
            ("<x:piece owner='RED' type='ANT'/>{D}", LEFT),
            ("{D}{P}", PLAIN),
            ("<piece class='piece' owner='RED' type='ANT'/>{D}", PLAIN),
            ("<piece class='field' owner='RED' type='ANT'/>{D}", LEFT),
            ("{P}<destination class='foo' x='-1' y='1' z='0'/>", LEFT),
            (
                "{P}<destination class='sc.plugin2020.util.CubeCoordinates' x='-1' y='1' z='0'/>",
                PLAIN,
            ),
            (
                "{P}<destination x='-1' y='1' z='0' isObstructed='false'/>",
                PLAIN,
            ),
            (
                "{P}<destination x='-1' y='1' z='0'><piece owner='RED'/></destination>",
                LEFT,
            ),
            (
                "{P}<destination class='sc.plugin2020.Field' x='-1' y='1' z='0' isObstructed='abc'/>",
                "{P}<destination class=\"field\" x=\"-1\" y=\"1\" z=\"0\" isObstructed=\"false\"/>",
            ),
            (
                "{P}<destination class='field' x='-1' y='1' z='0'><isObstructed>True</isObstructed>\
                 <piece owner='BLUE'/><piece type='BEE'/><piece/></destination>",
                "{P}<destination class=\"field\" x=\"-1\" y=\"1\" z=\"0\" isObstructed=\"true\">\
                 <piece owner=\"BLUE\"/><piece type=\"BEE\"/><piece/></destination>",
            ),
            (
                "{P}<destination class='field' x='-1' y='1' z='0'><note/></destination>",
                LEFT,
            ),
            (
                "{P}<destination class='field' x='-1' y='1' z='0'><piece owner='red'/></destination>",
                LEFT,
            ),
        ],
    );
    moves(
        "sc.plugin2020.DragMove",
        &[
            (
                "<start x='0' y='0' z='0'><note/></start><destination x='1' y='0' z='-1'/>",
                LEFT,
            ),
            ("<start/><start/><destination x='1' y='0' z='-1'/>", LEFT),
            ("{P}<start/><destination x='1' y='0' z='-1'/>", LEFT),
            ("<start/>", LEFT),
            (
                "<destination x='1' z='-1'/><start/>",
                "<start x=\"0\" y=\"0\" z=\"0\"/><destination x=\"1\" y=\"0\" z=\"-1\"/>",
            ),
        ],
    );
    let skip = "Skipping a turn is only allowed when no other moves can be made";
    moves(
        "skipmove",
        &[
            ("<note/>", LEFT),
            ("{P}", LEFT),
            ("<hint>x</hint>", skip),
            ("", skip),
        ],
    );
}

#[test]
fn moves_accept_every_form_of_values() {
    moves(
        "sc.plugin2020.SetMove",
        &[
            (
                "<piece><owner>RED</owner><type>ant</type></piece>{D}",
                PLAIN,
            ),
            ("<piece type='ANT'><owner>Red</owner></piece>{D}", PLAIN),
            (
                "<piece owner='RED' type='ANT'><owner>BLUE</owner></piece>{D}",
                LEFT,
            ),
            ("<piece owner='RED'><type> ANT </type></piece>{D}", LEFT),
            ("<piece owner='red' type='ANT'/>{D}", LEFT),
            ("<piece owner='RED' type='Ant'/>{D}", LEFT),
            ("<piece owner='RED' type='&#65;NT'/>{D}", PLAIN),
            (
                "{P}<destination><x>-1</x><y>1</y><z>0</z></destination>",
                PLAIN,
            ),
            (
                "{P}<destination y='1' z='0'><x a='1'>-0x1<b/></x></destination>",
                PLAIN,
            ),
            (
                "{P}<destination x='-1' y='1' z='0'><x>-1</x></destination>",
                LEFT,
            ),
            (
                "{P}<destination><x>-1</x><x>-1</x><y>1</y></destination>",
                LEFT,
            ),
            ("{P}<destination y='1' z='0'><x/></destination>", LEFT),
            ("{P}<destination x='0xFFFFFFFF' y='+1' z='#0'/>", PLAIN),
            ("{P}<destination x='-01' y='1'/>", PLAIN),
            ("{P}<destination x='-1' y='1' z='08'/>", LEFT),
            ("{P}<destination x='-1.0' y='1' z='0'/>", LEFT),
            (
                "{P}<destination/>",
                "Set destination is not empty; move was Set RED ANT to (0,0,0)",
            ),
            (
                "{P}<destination x='010' y='-8'/>",
                "Destination (8,-8,0) is out of bounds; move was Set RED ANT to (8,-8,0)",
            ),
            ("{P}<destination x='5' y='5' z='-10'/>", LEFT),
            ("{P}<destination x='-1' y='1' z='1'/>", LEFT),
            (
                "<piece type='ANT'/>{D}",
                "The piece Piece(owner=null, type=ANT) does not belong to the current Player(RED); \
                 move was Set null ANT to (-1,1,0)",
            ),
        ],
    );
}

#[test]
fn hints_are_read_like_the_contest() {
    moves(
        "setmove",
        &[
            ("<hint>hello</hint>{P}{D}", "<hint>hello</hint>{P}{D}"),
            ("{P}{D}<hint>a</hint><hint>b</hint>", LEFT),
            ("{P}{D}<hint/>", "<hint></hint>{P}{D}"),
            (
                "{P}{D}<hint a='1'>a<b><b/></b>c</hint>",
                "<hint>a</hint>{P}{D}",
            ),
            (
                "{P}{D}<hint class='string'>x</hint>",
                "<hint>x</hint>{P}{D}",
            ),
            ("{P}{D}<hint class='int'>1</hint>", LEFT),
            ("{P}{D}<hint class='null'/>", PLAIN),
            (
                "{P}{D}<hint>x<![CDATA[<y>&]]><!-- c -- d -->z<?p q?></hint>",
                "<hint>x&lt;y&gt;&amp;z</hint>{P}{D}",
            ),
            (
                "{P}{D}<hint>&amp;&lt;&gt;&quot;&apos;></hint>",
                "<hint>&amp;&lt;&gt;&quot;&apos;&gt;</hint>{P}{D}",
            ),
            (
                "{P}{D}<hint>\u{7f}\u{85}a\r\nb</hint>",
                "<hint>&#x7f;&#x85;a\nb</hint>{P}{D}",
            ),
            ("{P}{D}<hint>&foo;</hint>", LEFT),
            ("{P}{D}<hint>&nbsp;</hint>", LEFT),
            ("{P}{D}<hint>&#99999999999;</hint>", LEFT),
            ("{P}{D}<hint>&#;</hint>", LEFT),
            ("{P}{D}<hint>&#xZZ;</hint>", LEFT),
            ("{P}{D}<hint>&#X41;</hint>", LEFT),
            ("{P}{D}<hint>&;</hint>", LEFT),
            ("{P}{D}<hint>a & b</hint>", LEFT),
            ("{P}{D}<hint>a&</hint>", LEFT),
            ("{P}{D}<hint>a]]>b</hint>", LEFT),
            // The contest's server sends on references that XML forbids.
            (
                "{P}{D}<hint>a&#0;&#x1;\0&#xD800;&#-1;&#xFFFE;b</hint>",
                "<hint>a\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}b</hint>{P}{D}",
            ),
        ],
    );
    let referee = referee();
    let long = "x".repeat(1_100_000);
    for (sent, kept) in [
        (format!("{{P}}{{D}}<hint>{long}</hint>"), Some(4096)),
        (format!("{{P}}{{D}}<!--{long}-->"), None),
        (format!("{{P}}{long}{{D}}"), None),
    ] {
        let sent = expand(&format!(
            "<room roomId='@'><data class='setmove'>{sent}</data></room>"
        ));
        let hint = kept.map(|length| format!("<hint>{}</hint>", "x".repeat(length)));
        let expected = expand(&(hint.unwrap_or_default() + PLAIN));
        assert!(outcome(&referee, sent.as_bytes()) == expected);
    }
    let sent =
        expand("<room roomId='@'><data class='setmove'>{P}{D}<hint>a!b</hint></data></room>");
    let sent: Vec<u8> = sent
        .bytes()
        .map(|b| if b == b'!' { 0xff } else { b })
        .collect();
    assert_eq!(
        outcome(&referee, &sent),
        expand("<hint>a\u{fffd}b</hint>{P}{D}")
    );
}

#[test]
fn markup_is_judged_like_the_contest() {
    moves(
        "setmove",
        &[
            ("abc{P}d&amp;f{D}ghi", PLAIN),
            ("<piece owner='RED' type='ANT'>abc</piece>{D}", PLAIN),
            (
                "{P}<!-- a -- b --><?php x ?><![CDATA[abc]]><!DOCTYPE a>\0{D}",
                PLAIN,
            ),
            ("{P}<?xml version='1.0'?>{D}", LEFT),
            ("{P}&foo;{D}", LEFT),
            ("<piece owner=RED type=ANT/>{D}", LEFT),
            ("<piece owner='RED' type='ANT' foo/>{D}", LEFT),
            ("<piece owner='RED' owner='RED' type='ANT'/>{D}", LEFT),
            (
                "<piece owner = 'RED'type='ANT' foo='<' a:b='&#0;\n' xmlns='u' />{D}",
                PLAIN,
            ),
            ("<piece owner='RED' type='ANT' foo='&foo;'/>{D}", LEFT),
            ("<piece owner='RED' type='ANT' foo='a & b'/>{D}", LEFT),
            ("<piece owner='RED' type='ANT'></pice>{D}", LEFT),
            ("<piece owner='RED' type='ANT'></piece >{D}", PLAIN),
            ("<piece owner='RED' type='ANT'></piece a='1'>{D}", LEFT),
            ("<{P}{D}", LEFT),
            ("< piece owner='RED' type='ANT'/>{D}", LEFT),
        ],
    );
}

#[test]
fn messages_are_judged_like_the_contest() {
    let mv = "<data class='setmove'>{P}{D}</data>";
    let rows = [
        ("<room roomId='@' a='1'>MOVE</room>", PLAIN),
        (
            "<room roomId='@'><data class='setmove' hint='x' b='2'>{P}{D}</data></room>",
            PLAIN,
        ),
        (
            "<room roomId='@'><data class='foo' resolves-to='setmove'>{P}{D}</data></room>",
            PLAIN,
        ),
        ("<room><roomId>@</roomId>MOVE</room>", PLAIN),
        (
            "<sc.protocol.responses.RoomPacket roomId='@'>MOVE</sc.protocol.responses.RoomPacket>",
            PLAIN,
        ),
        (
            "abc<!-- c --><?a b?><!DOCTYPE a [<!ENTITY b 'c'>]><room roomId='@'>x MOVE y</room>",
            PLAIN,
        ),
        (
            "<pause roomId='@' pause='true'/><authenticate password='examplepassword'/><room roomId='@'>MOVE</room>",
            PLAIN,
        ),
        ("<room roomId='@'><roomId>@</roomId>MOVE</room>", LEFT),
        ("<room roomId='@'>MOVEMOVE</room>", LEFT),
        ("<room roomId='@'><note/>MOVE</room>", LEFT),
        ("<room roomId='@'>MOVE<note/></room>", LEFT),
        ("<room roomId='@'><setmove>{P}{D}</setmove></room>", LEFT),
        ("<?xml version='1.0'?><room roomId='@'>MOVE</room>", LEFT),
        ("MOVE", LEFT),
        ("<setmove>{P}{D}</setmove>", LEFT),
        ("<foo/>", LEFT),
        ("<left roomId='@'/>", LEFT),
        ("<welcomeMessage color='red'/>", LEFT),
        ("</room>", LEFT),
        ("<room roomId='@'/>", NO_MOVE),
        ("<room roomId='@'>abc</room>", NO_MOVE),
        (
            "<room roomId='@'><data class='null'>{P}</data></room>",
            NO_MOVE,
        ),
        ("<room roomId='@'><data class='memento'/></room>", NO_MOVE),
        (
            "<room roomId='@'><data class='memento'><state/></data></room>",
            LEFT,
        ),
        (
            "<room roomId='@'><data class='SetMove'>{P}{D}</data></room>",
            LEFT,
        ),
        (
            "<room roomId='@'><data class='setmove '>{P}{D}</data></room>",
            LEFT,
        ),
        ("<room roomId='@'><data class=''/></room>", LEFT),
        ("<room roomId='@'><data>{P}{D}</data></room>", LEFT),
        ("<room roomId='@'><data/></room>", LEFT),
    ];
    let rows = rows.map(|(sent, expected)| (expand(&sent.replace("MOVE", mv)), expand(expected)));
    check(&rows);
}

/// Messages to a connection that sends these bytes.
fn answer(referee: &Referee, bytes: &[u8]) -> Vec<String> {
    let mut peer = Peer::connect_silently(referee.address);
    peer.send_bytes(bytes);
    peer.close_writing();
    peer.rest()
}

#[test]
fn joins_are_judged_like_the_contest() {
    let join = "<join gameType='swc_2020_hive'/>";
    for (sent, expected) in [
        (format!("<object-stream a='1'>{join}"), "joined"),
        (
            format!("<!DOCTYPE protocol SYSTEM \"file:///x\"><protocol>{join}"),
            "joined",
        ),
        (
            format!("<!DOCTYPE a [<!ENTITY a \"b\">]><protocol>{join}"),
            "joined",
        ),
        (
            format!("<?xml version='1.1' standalone='yes'?><protocol>{join}"),
            "joined",
        ),
        (
            format!("\u{feff}<?xml version='1.0' encoding='UTF-8'?><protocol>{join}"),
            "joined",
        ),
        (
            format!("abc\0<!-- c --><?a b?><protocol>abc{join}"),
            "joined",
        ),
        (
            "<protocol><join><gameType>swc_2020_hive</gameType></join>".into(),
            "joined",
        ),
        (
            "<protocol><join gameType='swc_2020_hive' a='1'>abc</join>".into(),
            "joined",
        ),
        (
            "<protocol><sc.protocol.requests.JoinRoomRequest gameType='swc_2020_hive'/>".into(),
            "joined",
        ),
        (format!("\n<?xml version='1.0'?><protocol>{join}"), ""),
        (
            format!("<?xml version='1.0'?><?xml version='1.0'?><protocol>{join}"),
            "",
        ),
        (
            "<!DOCTYPE p [<!ENTITY a \"swc_2020_hive\">]><p><join gameType='&a;'/>".into(),
            "",
        ),
        (join.to_owned(), ""),
        (format!("<protocol/>{join}"), ""),
        (format!("<protocol><foo/>{join}"), ""),
        (
            "<protocol><join gameType='swc_2020_hive'><foo/></join>".into(),
            "",
        ),
        (
            "<protocol><join gameType='swc_2020_hive'><gameType>swc_2020_hive</gameType></join>"
                .into(),
            "",
        ),
        ("<protocol><JOIN gameType='swc_2020_hive'/>".into(), ""),
        ("<protocol><join/>".into(), "close"),
        ("<protocol><join gametype='swc_2020_hive'/>".into(), "close"),
        ("<protocol><joinPrepared/>".into(), "close"),
        ("<protocol><authenticate/>".into(), "close"),
        (
            "<protocol><room roomId='x'><data class='skipmove'/></room>".into(),
            "close",
        ),
        ("<protocol><room roomId='x'/>".into(), "close"),
    ] {
        let answer = answer(&referee(), sent.as_bytes()).concat();
        assert_eq!(answer, expected, "{sent}");
    }
    let referee = referee();
    for form in [
        "<joinPrepared><reservationCode>@</reservationCode></joinPrepared>",
        "<sc.protocol.requests.JoinPreparedRoomRequest reservationCode='@' a='1'/>",
    ] {
        let mut admin = referee.administrator();
        let prepared = admin.prepare(&[]);
        let mut players = prepared.codes.iter().map(|code| {
            let mut peer = referee.connect();
            peer.send_text(&form.replace('@', &code.0));
            peer
        });
        let (mut red, _blue) = (players.next().unwrap(), players.next().unwrap());
        red.skip_to("request");
    }
}
