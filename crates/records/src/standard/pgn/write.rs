//! Writing PGN.

use std::fmt::Write;

use super::UNKNOWN;
use crate::standard::final_state;
use crate::{Glyph, Replay, Variation};
use wabe_files::text::{printable, printable_lines};
use wabe_hive::game::Ply;
use wabe_hive::standard::Standard;

/// Maximum length of a tag's value, in characters.
const MAX_VALUE: usize = 1_000;

/// Writes a game in MzingaViewer's dialect. Returns `None` if it does not start from the start
/// position of its game type.
pub(in crate::standard) fn write_pgn(replay: &Replay<Standard>) -> Option<String> {
    let game = &replay.record;
    if !game.has_game_string() {
        return None;
    }
    let (variant, result) = (game.variant().to_string(), final_state(replay).to_string());
    let value_of = |name: &str| {
        let found = replay.tags.iter().find(|(tag, _)| tag == name);
        found.map_or("", |(_, value)| value.as_str())
    };
    let standard_tags = [
        ("GameType", variant.as_str()),
        ("Date", known_or(value_of("Date"), "????.??.??")),
        ("Event", value_of("Event")),
        ("Site", value_of("Site")),
        ("Round", value_of("Round")),
        ("White", known_or(&replay.names.red, UNKNOWN)),
        ("Black", known_or(&replay.names.blue, UNKNOWN)),
        ("Result", &result),
    ];
    let mut text = String::new();
    for (name, value) in standard_tags {
        push_tag(&mut text, name, value);
    }
    for (name, value) in &replay.tags {
        if !standard_tags.iter().any(|(known, _)| known == name) {
            push_tag(&mut text, name, value);
        }
    }
    text.push('\n');
    let comment_at = |position| replay.remarks.get(&position).and_then(|text| comment(text));
    if let Some(comment) = comment_at(0) {
        let _ = writeln!(text, "{comment}");
    }
    for (number, Ply { text: mv, .. }) in (1..).zip(game.plies()) {
        let _ = writeln!(text, "{number}. {mv}");
        let mut notes = replay.glyphs.get(&number).map_or_else(String::new, nag);
        if let Some(comment) = comment_at(number) {
            notes = format!("{notes} {comment}");
        }
        push_variations(&mut notes, &replay.variations, number);
        let notes = notes.trim_start();
        if !notes.is_empty() {
            let begin = if notes.starts_with('{') { "" } else { "{} " };
            let end = if notes.ends_with('}') { "" } else { " {}" };
            let _ = writeln!(text, "{begin}{notes}{end}");
        }
    }
    if final_state(replay).is_over() {
        let _ = writeln!(text, "\n{result}");
    }
    Some(text)
}

/// The value, or `unknown` if it contains no printable characters.
fn known_or<'a>(value: &'a str, unknown: &'a str) -> &'a str {
    if printable(value, MAX_VALUE).trim().is_empty() {
        unknown
    } else {
        value
    }
}

/// Puts a text in braces and replaces nested braces; `None` for a blank text.
fn comment(text: &str) -> Option<String> {
    let text = printable_lines(text);
    // The parser also trims comments.
    let text = text.trim();
    (!text.is_empty()).then(|| format!("{{{}}}", text.replace('{', "(").replace('}', ")")))
}

/// The numeric glyph, after a space.
fn nag(glyph: &Glyph) -> String {
    let number = (1..).zip(Glyph::ALL).find(|(_, other)| other == glyph);
    number.map_or_else(String::new, |(number, _)| format!(" ${number}"))
}

/// Writes the alternatives to a ply, each in parentheses after a space.
fn push_variations(text: &mut String, variations: &[Variation], ply: usize) {
    let others = variations.iter().filter(|other| other.after + 1 == ply);
    for variation in others {
        text.push_str(" (");
        for (number, mv) in (ply..).zip(&variation.moves) {
            let space = if number > ply { " " } else { "" };
            let _ = write!(text, "{space}{number}. {mv}");
            for (_, glyph) in variation.glyphs.iter().filter(|(at, _)| *at == number) {
                text.push_str(&nag(glyph));
            }
            let remarks = variation.remarks.iter().filter(|(at, _)| *at == number);
            for comment in remarks.filter_map(|(_, remark)| comment(remark)) {
                let _ = write!(text, " {comment}");
            }
            push_variations(text, &variation.variations, number);
        }
        text.push(')');
    }
}

/// Writes a tag. Replaces characters that would end the name, the value or the line.
fn push_tag(text: &mut String, name: &str, value: &str) {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name: String = name
        .chars()
        .map(|c| if is_plain(c) { c } else { '_' })
        .collect();
    let value = printable(value, MAX_VALUE).replace('"', "'");
    let _ = writeln!(text, "[{name} \"{}\"]", value.trim());
}
