//! A game in portable game notation.

use std::fmt::Write;

use super::{OWN_TAGS, UNKNOWN};
use crate::standard::final_state;
use crate::{Glyph, Replay, Variation};
use wabe_files::text::{printable, printable_lines};
use wabe_hive::game::Ply;
use wabe_hive::standard::Wide;

/// The tags that every file has, after the game type.
const USUAL_TAGS: [&str; 4] = ["Date", "Event", "Site", "Round"];

/// Longest value of a tag, in characters.
const MAX_VALUE: usize = 1_000;

/// The game in portable game notation, as MzingaViewer writes and reads it; `None` for one that begins with another
/// position than its game type's.
pub(in crate::standard) fn write_pgn(replay: &Replay<Wide>) -> Option<String> {
    let game = &replay.record;
    if !game.has_game_string() {
        return None;
    }
    let result = final_state(replay).to_string();
    let value_of = |name| {
        let mut tags = replay.tags.iter();
        let found = tags.find(|(tag, _)| tag == name);
        found.map_or("", |(_, value)| value.as_str())
    };
    let mut text = String::new();
    push_tag(&mut text, "GameType", &game.variant().to_string());
    // A value without a printable character counts as unknown.
    let is_known = |value: &str| !printable(value, MAX_VALUE).trim().is_empty();
    for name in USUAL_TAGS {
        let value = match value_of(name) {
            value if name == "Date" && !is_known(value) => "????.??.??",
            value => value,
        };
        push_tag(&mut text, name, value);
    }
    for (name, player) in [("White", &replay.names.red), ("Black", &replay.names.blue)] {
        push_tag(
            &mut text,
            name,
            if is_known(player) { player } else { UNKNOWN },
        );
    }
    push_tag(&mut text, "Result", &result);
    for (name, value) in &replay.tags {
        let is_written = |names: &[&str]| names.contains(&name.as_str());
        if !is_written(&USUAL_TAGS) && !is_written(&OWN_TAGS) {
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

/// A text in braces, which cannot be nested; `None` for a blank text.
fn comment(text: &str) -> Option<String> {
    let text = printable_lines(text);
    // Blanks around it would not be read back.
    let text = text.trim();
    (!text.is_empty()).then(|| format!("{{{}}}", text.replace('{', "(").replace('}', ")")))
}

/// The sign of a judgement, after a space.
fn nag(glyph: &Glyph) -> String {
    let number = (1..).zip(Glyph::ALL).find(|(_, other)| other == glyph);
    number.map_or_else(String::new, |(number, _)| format!(" ${number}"))
}

/// Writes the variations that replace a ply, each in parentheses after a space.
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

/// Writes a tag. Characters that would end its name or its line are replaced.
fn push_tag(text: &mut String, name: &str, value: &str) {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name: String = name
        .chars()
        .map(|c| if is_plain(c) { c } else { '_' })
        .collect();
    let value = printable(value, MAX_VALUE).replace('"', "'");
    let _ = writeln!(text, "[{name} \"{}\"]", value.trim());
}
