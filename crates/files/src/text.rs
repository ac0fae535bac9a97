//! Untrusted text: names, comments and errors of other programs.

/// Maximum length of a displayed name, in characters.
pub const MAX_NAME: usize = 100;

/// Maximum length of a displayed comment or error, in characters.
pub const MAX_DETAIL: usize = 300;

/// Makes untrusted text safe to print on one line. Characters that control the terminal, break the
/// line or change the text direction become spaces. The text is truncated to `max_chars`
/// characters.
pub fn printable(text: &str, max_chars: usize) -> String {
    let mut characters = text.chars();
    let mut shown: String = characters.by_ref().take(max_chars).map(visible).collect();
    if characters.next().is_some() {
        shown.push('…');
    }
    shown
}

/// Makes untrusted text safe to print and keeps its line breaks.
pub fn printable_lines(text: &str) -> String {
    let keep = |c: char| if c == '\n' { c } else { visible(c) };
    text.chars().map(keep).collect()
}

/// Makes the last `max_chars` characters of untrusted text safe to print and keeps their line
/// breaks.
pub fn printable_end(text: &str, max_chars: usize) -> String {
    let characters = text.trim().chars();
    let hidden = characters.clone().count().saturating_sub(max_chars);
    let shown: String = characters.skip(hidden).collect();
    let lines: Vec<String> = shown
        .lines()
        .map(|line| printable(line, max_chars))
        .collect();
    lines.join("\n")
}

/// The characters of the bytes 0x80 to 0x9f in Windows-1252. All other bytes match Unicode.
const WINDOWS_1252: &str = "€\u{fffd}‚ƒ„…†‡ˆ‰Š‹Œ\u{fffd}Ž\u{fffd}\u{fffd}‘’“”•–—˜™š›œ\u{fffd}žŸ";

/// Decodes the text of a file. Bytes that are not UTF-8 are read as Windows-1252, regardless of any
/// declared encoding.
pub fn decode(bytes: Vec<u8>) -> String {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return text,
        Err(error) => error.into_bytes(),
    };
    let character = |&byte: &u8| match byte {
        0x80..0xa0 => WINDOWS_1252.chars().nth(usize::from(byte - 0x80)),
        _ => Some(char::from(byte)),
    };
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().filter_map(character));
    }
    text
}

/// True if the text consists of decimal digits. The number may be too large for any integer type.
pub fn is_whole(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The character, or a space if it affects the terminal or the layout of the text.
pub fn visible(character: char) -> char {
    let is_unsafe = character.is_control()
        || matches!(
            character,
            // Text direction, line and paragraph separators, annotations, tags.
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
                | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
        );
    if is_unsafe { ' ' } else { character }
}

/// Truncates a text to at most `max_bytes` bytes, at a character boundary.
pub fn cut(mut text: String, max_bytes: usize) -> String {
    text.truncate(text.floor_char_boundary(max_bytes));
    text.shrink_to_fit();
    text
}

/// Implements the conversions for `#[serde(try_from = "String", into = "String")]` through the text
/// form of a type.
#[macro_export]
macro_rules! stored_as_text {
    ($type:ty, $error:ty) => {
        impl TryFrom<String> for $type {
            type Error = $error;

            fn try_from(text: String) -> Result<$type, $error> {
                text.parse()
            }
        }

        impl From<$type> for String {
            fn from(value: $type) -> String {
                value.to_string()
            }
        }
    };
}

pub use crate::stored_as_text;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decode_falls_back_to_windows_1252() {
        let decode = |bytes: &[u8]| decode(bytes.to_vec());
        assert_eq!(decode("Söhne ½".as_bytes()), "Söhne ½");
        assert_eq!(decode(b"S\xf6hne \xbd \x80\x9f\x81"), "Söhne ½ €Ÿ\u{fffd}");
        // Both encodings in one file, and a truncated character.
        assert_eq!(decode(b"\xf6 \xc3\xb6 \xc3"), "ö ö Ã");
        assert_eq!(WINDOWS_1252.chars().count(), 32);
    }

    #[test]
    fn printable_replaces_unsafe_characters() {
        assert_eq!(
            printable("a\x1b[2J\r\nb\u{202e}c\u{2028}ü🐝", 20),
            "a [2J  b c ü🐝"
        );
        assert_eq!(printable(&"x".repeat(1 << 20), 3), "xxx…");
    }

    #[test]
    fn printable_end_keeps_the_last_lines() {
        assert_eq!(printable_end(" a\nb\x07\n\u{1b}c \n", 9), "a\nb \n c");
        assert_eq!(printable_end("one\ntwo", 5), "e\ntwo");
    }

    #[test]
    fn cut_keeps_whole_characters() {
        assert_eq!(cut("aü".to_owned(), 2), "a");
        assert_eq!(cut("aü".to_owned(), 3), "aü");
    }
}
