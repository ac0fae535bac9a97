//! Text from outside: names, comments, errors of other programs.

/// Longest name that is shown, in characters.
pub const NAME: usize = 100;

/// Longest comment or error that is shown, in characters.
pub const SENTENCE: usize = 300;

/// Foreign text on one line, safe for a terminal: characters that control a terminal, break the
/// line or change the direction of writing become blanks, and the text is cut after `most`
/// characters.
pub fn printable(text: &str, most: usize) -> String {
    let mut characters = text.chars();
    let mut shown: String = characters.by_ref().take(most).map(visible).collect();
    if characters.next().is_some() {
        shown.push('…');
    }
    shown
}

/// Text on several lines, some of it foreign, made safe for a terminal.
pub fn printable_lines(text: &str) -> String {
    let keep = |c: char| if c == '\n' { c } else { visible(c) };
    text.chars().map(keep).collect()
}

/// Foreign text on several lines, each [`printable`]: at most the last `most` characters.
pub fn printable_end(text: &str, most: usize) -> String {
    let characters = text.trim().chars();
    let hidden = characters.clone().count().saturating_sub(most);
    let shown: String = characters.skip(hidden).collect();
    let lines: Vec<String> = shown.lines().map(|line| printable(line, most)).collect();
    lines.join("\n")
}

/// The characters of the bytes 0x80 to 0x9f in Windows-1252. Beyond, it agrees with Unicode.
const WINDOWS_1252: &str = "€\u{fffd}‚ƒ„…†‡ˆ‰Š‹Œ\u{fffd}Ž\u{fffd}\u{fffd}‘’“”•–—˜™š›œ\u{fffd}žŸ";

/// The text of a file. Bytes that are not UTF-8 are read as Windows-1252, whatever the file says
/// about its encoding.
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

/// True for a whole number, however large.
pub fn is_whole(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The character, or a blank if it acts on the terminal or the layout of the text.
pub fn visible(character: char) -> char {
    let acts = character.is_control()
        || matches!(
            character,
            // Direction of writing, line and paragraph separators, annotations, tags.
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
                | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
        );
    if acts { ' ' } else { character }
}

/// Cuts a text that is longer than `most` bytes.
pub fn cut(mut text: String, most: usize) -> String {
    text.truncate(text.floor_char_boundary(most));
    text.shrink_to_fit();
    text
}

/// The conversions of `#[serde(try_from = "String", into = "String")]` for a type that is stored in
/// its text form.
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
    fn bytes_that_are_not_utf8_are_windows_1252() {
        let decode = |bytes: &[u8]| decode(bytes.to_vec());
        assert_eq!(decode("Söhne ½".as_bytes()), "Söhne ½");
        assert_eq!(decode(b"S\xf6hne \xbd \x80\x9f\x81"), "Söhne ½ €Ÿ\u{fffd}");
        // Both in one file, and a character that is cut off.
        assert_eq!(decode(b"\xf6 \xc3\xb6 \xc3"), "ö ö Ã");
        assert_eq!(WINDOWS_1252.chars().count(), 32);
    }

    #[test]
    fn text_that_does_things_becomes_blanks_and_long_text_is_cut() {
        assert_eq!(
            printable("a\x1b[2J\r\nb\u{202e}c\u{2028}ü🐝", 20),
            "a [2J  b c ü🐝"
        );
        assert_eq!(printable(&"x".repeat(1 << 20), 3), "xxx…");
        assert_eq!(printable_end(" a\nb\x07\n\u{1b}c \n", 9), "a\nb \n c");
        assert_eq!(printable_end("one\ntwo", 5), "e\ntwo");
        assert_eq!(cut("aü".to_owned(), 2), "a");
        assert_eq!(cut("aü".to_owned(), 3), "aü");
    }
}
