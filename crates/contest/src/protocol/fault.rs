//! Malformed messages in words.

use std::error::Error;

use super::framing::FramingError;
use wabe_files::text::{SENTENCE, printable};

/// Bytes of a stream that are quoted before and after the place of a fault.
const QUOTED: usize = 60;

/// The fault of a client whose message cannot be read, as a predicate.
pub const MALFORMED: &str = "sent a malformed message";

/// Describes a message that cannot be read, the `number`th of its stream, which begins at byte `from`: its fault and its beginning.
pub fn malformed_message(number: u64, from: u64, error: &dyn Error, text: &str) -> String {
    let error = printable(&error.to_string(), SENTENCE);
    format!(
        "message {number} at byte {from}: {error}{}",
        quotation(text)
    )
}

fn quotation(text: &str) -> String {
    match printable(text, 2 * QUOTED) {
        // Others read the description, so it quotes no password.
        text if text.is_empty() || text.contains("password") => String::new(),
        text => format!(", in `{text}`"),
    }
}

/// Describes a stream that cannot be read any further: its fault and the text there. `chunk` holds the bytes read last, `before` is the
/// number of bytes before them.
pub fn malformed_stream(number: u64, error: &FramingError, before: u64, chunk: &[u8]) -> String {
    let at = match error {
        FramingError::Malformed { offset, .. } => offset.saturating_sub(before),
        FramingError::TooLarge { .. } | FramingError::TooDeep { .. } => chunk.len() as u64,
    };
    let at = usize::try_from(at).unwrap_or(chunk.len()).min(chunk.len());
    let quoted = at.saturating_sub(QUOTED)..chunk.len().min(at + QUOTED);
    let text = String::from_utf8_lossy(chunk.get(quoted).unwrap_or_default());
    let error = printable(&error.to_string(), SENTENCE);
    format!("message {number}: {error}{}", quotation(&text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Framer, Limits};

    #[test]
    fn the_place_and_the_text_of_a_fault_are_named() {
        let mut framer = Framer::new(Limits::default());
        let chunks = [&b"<protocol><a/>"[..], b"<room>\x1b[2J</rum></room>"];
        framer.feed(chunks[0]);
        while framer.next_frame().unwrap().is_some() {}
        framer.feed(chunks[1]);
        let error = framer.next_frame().unwrap_err();
        assert_eq!(
            malformed_stream(2, &error, 14, chunks[1]),
            "message 2: malformed XML at byte 30: `</rum>` ends <room>, in `<room> [2J</rum></room>`"
        );
        let error = std::io::Error::other("wrong");
        let told = malformed_message(3, 7, &error, "<data\n/>");
        assert_eq!(told, "message 3 at byte 7: wrong, in `<data />`");
        assert_eq!(
            malformed_message(1, 7, &error, ""),
            "message 1 at byte 7: wrong"
        );
    }
}
