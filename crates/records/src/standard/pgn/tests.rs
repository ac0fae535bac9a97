use super::*;
use wabe_hive::Color;

fn read_first(text: &str) -> Replay<Standard> {
    read_pgn(text).unwrap().swap_remove(0)
}

fn read_game_string(text: &str) -> String {
    read_first(text).record.to_string()
}

const GAME: &str = "Base;InProgress;White[3];wS1;bG1 -wS1;wQ wS1-;bQ -bG1";

#[test]
fn read_accepts_different_layouts() {
    for moves in [
        "1. wS1\n2. bG1 -wS1\n3. wQ wS1-\n4. bQ -bG1\n",
        "1. wS1 .\r\n2. bG1 -wS1\r\n3. wQ wS1-\r\n4. bQ -bG1",
        "1. wS1 bG1 -wS1 2. wQ wS1- bQ -bG1 *",
        "1.wS1 1...bG1 -wS1 2.wQ wS1- 2...bQ -bG1",
        "1. wS1\n% no\n2. bG1 -wS1;end\n3. wQ wS1- $9 4. bQ -bG1 (wA1 {)}) $",
        "1. wS1 \n2. bG1\n-wS1\n3. wQ wS1- {hm}\n4. bQ -bG1 InProgress",
    ] {
        assert_eq!(
            read_game_string(&format!("[GameType \"Base\"]\n\n{moves}")),
            GAME,
            "{moves}"
        );
    }
}

#[test]
fn read_infers_game_type_from_pieces() {
    assert_eq!(
        read_game_string("1. wS1\n2. bG1 -wS1\n3. wQ wS1-\n4. bQ -bG1\n"),
        GAME
    );
    assert!(read_game_string("1. wS1\n2. bL -wS1\n3. wP wS1-\n").starts_with("Base+LP;"));
}

/// hivegame.com writes draws with fractions.
#[test]
fn read_accepts_fractions_for_draws() {
    for result in ["½-½", "½–½", "1/2-1/2", "1/2"] {
        let winner = |text: String| read_first(&text).winner();
        let tag = format!("[Result \"{result}\"]\n\n1. wS1\n");
        assert_eq!(winner(tag), Some(None), "{result}");
        assert_eq!(winner(format!("1. wS1 {result}")), Some(None), "{result}");
    }
    // The fraction as a byte in Windows-1252.
    let text = b"[Result \"\xbd-\xbd\"]\n\n1. wS1\n";
    let replay = &crate::read::<Standard>(&text[..]).unwrap()[0];
    assert_eq!(replay.winner(), Some(None));
}

#[test]
fn read_rejects_extra_words() {
    for (text, plies, problem) in [
        (
            "1. wS1\n2. bS1 wS1- junk\n3. wQ -wS1",
            2,
            "line 2, ply 3: `junk`: Unable to parse",
        ),
        (
            "1. wS1 1-0 2. bS1 wS1-",
            1,
            "line 1, ply 2: `2.` comes after the result",
        ),
        (
            "1. wS1 1-0 (1. wG1)",
            1,
            "line 1, ply 2: `1.` comes after the result",
        ),
        (
            "{before} (1. wG1) 1. wS1",
            1,
            "line 1: variation without a move before it",
        ),
    ] {
        let replay = read_first(text);
        assert_eq!(replay.record.plies().len(), plies, "{text}");
        let damage = replay.damage.unwrap().to_string();
        assert!(damage.starts_with(problem), "{damage}");
    }
    let replay = read_first("1. wS1 1-0 {resigned} 1-0");
    assert_eq!(replay.damage, None);
    assert_eq!(replay.remarks[&1], "resigned");
}

#[test]
fn read_accepts_several_tags_per_line() {
    let replay = read_first("[White \"A\"] [Black \"]\"] [Event \"\"] 1. wS1");
    assert_eq!((&*replay.names.red, &*replay.names.blue), ("A", "]"));
    assert_eq!(replay.record.plies().len(), 1);
}

#[test]
fn unknown_game_type_damages_only_its_game() {
    let text = "[GameType \"Base+X\"]\n1. wS1\n[GameType \"Base\"]\n1. wG1\n2. bM wG1-";
    let replays = read_pgn(text).unwrap();
    assert_eq!(replays[0].record.plies().len(), 1);
    let damage = replays[0].damage.as_ref().unwrap().to_string();
    assert!(
        damage.starts_with("line 1: `Base+X` is not a game type"),
        "{damage}"
    );
    assert_eq!(
        replays[1].record.to_string(),
        "Base+M;InProgress;White[2];wG1;bM wG1-"
    );
}

#[test]
fn variations_use_the_files_piece_numbers() {
    let text = "1. wS2 2. bA3 wS2- 3. wS1 -wS2 (3. wQ -wS2 4. bA1 bA3- 5. wS1 -wQ) 4. bQ bA3-";
    let replay = read_first(text);
    assert_eq!(replay.damage, None);
    assert_eq!(
        replay.variations[0].moves,
        ["wQ -wS1", "bA2 bA1-", "wS2 -wQ"]
    );
}

#[test]
fn read_separates_games_by_tags_or_results() {
    for text in [
        "1. wS1 1-0\n\n1. wG1\n2. bG1 wG1- 0-1\n1.wA1 *",
        "[White \"A\"]\n[Result \"1-0\"]\n[White \"B\"]\n[Black \"x\"]\n[White \"C\"]\n1. wA1",
    ] {
        assert_eq!(read_pgn(text).unwrap().len(), 3, "{text}");
    }
    let winners: Vec<_> = read_pgn("1. wS1 1-0\n1. wG1 0-1\n1. wA1 1/2-1/2")
        .unwrap()
        .iter()
        .map(Replay::winner)
        .collect();
    let won_by = |color| Some(Some(color));
    assert_eq!(
        winners,
        [won_by(Color::Red), won_by(Color::Blue), Some(None)]
    );
}

#[test]
fn write_escapes_tag_names() {
    let text = "[White \"A\"]\n[Whi-te \"EVIL\"]\n[GameT-ype \"x\"]\n[R\u{1b}\u{e9} \"a\u{202e}\u{1b}b\"]\n1. wS1";
    let written = write_pgn(&read_first(text)).unwrap();
    assert!(
        written.contains("[Whi_te \"EVIL\"]\n[GameT_ype \"x\"]\n[R__ \"a  b\"]"),
        "{written}"
    );
    let again = read_first(&written);
    assert_eq!(again.names.red, "A");
    assert_eq!(
        again
            .tags
            .iter()
            .filter(|(name, _)| name == "Whi_te")
            .count(),
        1
    );
}

#[test]
fn read_skips_tags_without_a_name() {
    for text in ["[ \"a\"]\n1. wS1", "[\n1. wS1", "[]\n1. wS1"] {
        let replay = read_first(text);
        assert_eq!(replay.tags, [], "{text}");
        let written = write_pgn(&replay).unwrap();
        assert_eq!(write_pgn(&read_first(&written)).unwrap(), written);
    }
}

#[test]
fn games_round_trip() {
    let text = "[GameType \"Base\"]\n[Date \"2026.11.21\"]\n[Event \"\"]\n[Site \"here\"]\n[Round \"\"]\n\
        [White \"A\"]\n[Black \"B\"]\n[Result \"BlackWins\"]\n[Mood \"good\"]\n\n\
        1. wS1\n{why\nnot}\n2. bG1 /wS1\n\nBlackWins\n";
    assert_eq!(write_pgn(&read_first(text)).unwrap(), text);
}

const ANNOTATED: &str = "[GameType \"Base\"]\n[Date \"????.??.??\"]\n[Event \"\"]\n[Site \"\"]\n[Round \"\"]\n\
    [White \"A\"]\n[Black \"B\"]\n[Result \"InProgress\"]\n\n{before}\n\
    1. wS1\n{} $1 (1. wG1 $3 {why\nnot}) (1. wA1 2. bA1 wA1- (2. bG1 wA1- $6 3. wQ -wA1) (2. bS1 wA1-)) {}\n\
    2. bG1 -wS1\n{plain}\n3. wQ wS1-\n{} $4 {bad}\n4. bQ -bG1\n{} (4. bQ /bG1 {else}) {}\n";

#[test]
fn annotations_round_trip() {
    let replay = read_first(ANNOTATED);
    assert_eq!(replay.record.to_string(), GAME);
    assert_eq!(replay.damage, None);
    assert_eq!(
        Vec::from_iter(replay.glyphs.clone()),
        [(1, Glyph::Good), (3, Glyph::Blunder)]
    );
    let [good, other, late] = &replay.variations[..] else {
        panic!("{:?}", replay.variations);
    };
    assert_eq!((good.after, &good.moves[..]), (0, &["wG1".to_owned()][..]));
    assert_eq!(good.glyphs, [(1, Glyph::Brilliant)]);
    assert_eq!(good.remarks, [(1, "why\nnot".to_owned())]);
    assert_eq!((other.moves.len(), other.variations.len()), (2, 2));
    assert_eq!(other.variations[0].moves, ["bG1 wA1-", "wQ -wA1"]);
    assert_eq!((other.variations[0].after, late.after), (1, 3));
    assert_eq!(write_pgn(&replay).unwrap(), ANNOTATED);
}

/// Reads moves like MzingaViewer. A comment may span several lines and ends with a brace at the end
/// of a line.
fn read_like_mzinga(text: &str) -> Vec<&str> {
    let mut in_comment = false;
    let mut moves = Vec::new();
    for line in text.lines().map(str::trim) {
        let begins = in_comment || line.starts_with('{');
        in_comment = begins && !line.ends_with('}');
        if !begins && !line.is_empty() && !line.starts_with('[') {
            moves.push(line.trim_start_matches(|c: char| c == '.' || c.is_ascii_digit()));
        }
    }
    moves
}

#[test]
fn mzinga_ignores_annotations() {
    let moves = read_like_mzinga(ANNOTATED);
    assert_eq!(moves, [" wS1", " bG1 -wS1", " wQ wS1-", " bQ -bG1"]);
}

#[test]
fn damaged_variations_do_not_affect_the_game() {
    let read = |notes: &str| {
        let replay = read_first(&format!(
            "[GameType \"Base\"]\n\n1. wS1\n{notes}\n2. bG1 -wS1\n3. wQ wS1-\n4. bQ -bG1\n"
        ));
        assert_eq!(replay.record.to_string(), GAME, "{notes}");
        (replay.variations, replay.damage)
    };
    for notes in [")", "()", "(*)", "($4)", "({x})"] {
        assert_eq!(read(notes), (Vec::new(), None), "{notes}");
    }
    let (variations, damage) = read("(1. wG1 2. bG1 wX9 3. wQ -wG1)");
    assert_eq!(variations[0].moves, ["wG1"]);
    assert!(damage.unwrap().to_string().contains("in a variation"));
    let (variations, damage) = read(&"(wG1) ".repeat(MAX_VARIATIONS + 1));
    assert_eq!(variations.len(), MAX_VARIATIONS);
    assert!(damage.unwrap().to_string().contains("left out"));
    let (open, close) = ("(wG1 ".repeat(100_000), ")".repeat(100_000));
    assert!(read(&(open + &close)).1.is_some());
}

#[test]
fn unclosed_variations_end_with_the_game() {
    let replays =
        read_pgn("[White \"A\"]\n1. wS1 (1. wG1 2. bG1 wG1- \n[White \"B\"]\n1. wA1\n").unwrap();
    assert_eq!(replays.len(), 2);
    assert_eq!(replays[0].variations[0].moves.len(), 2);
}

#[test]
fn write_rejects_games_from_other_positions() {
    let game = read_first("1. wS1\n2. bG1 -wS1");
    let middle = wabe_hive::game::Record::new(GameType::default(), *game.record.position());
    assert_eq!(write_pgn(&Replay::new(middle)), None);
}

#[test]
fn write_escapes_delimiters() {
    let mut replay = read_first("1. wS1");
    replay.names.red = "\"]\n[X \"".to_owned();
    replay.remarks.insert(1, "{ a } b".to_owned());
    let again = read_first(&write_pgn(&replay).unwrap());
    assert_eq!(again.names.red, "'] [X '");
    assert_eq!(again.remarks[&1], "( a ) b");
    assert!(again.tags.iter().all(|(name, _)| name != "X"));
}

#[test]
fn write_treats_unprintable_texts_as_unknown() {
    for game in [
        "1. wS1",
        "[White \"\0\u{1b}\"]\n[Date \"\u{2}\"]\n1. wS1",
        "{\0\u{4}}\n1. wS1 {\u{1b}} ({\0} 1. wA1 {\0})",
    ] {
        let text = write_pgn(&read_first(game)).unwrap();
        assert!(text.contains("[White \"?\"]\n[Black \"?\"]"), "{text}");
        assert!(text.contains("[Date \"????.??.??\"]"), "{text}");
        let again = read_first(&text);
        assert_eq!(write_pgn(&again).unwrap(), text);
        assert_eq!(again.names, ByColor::default());
        assert!(again.remarks.is_empty(), "{text}");
    }
}
