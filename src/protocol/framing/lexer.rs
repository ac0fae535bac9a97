//! Finds the end of a piece of markup, byte by byte.
//!
//! Tags are checked on the way, attributes included. A lost quote or bracket is then noticed at the next `<`: everything after it
//! would otherwise count as part of the tag, up to the limit on messages.

/// A complete piece of markup. The name of a tag is [`Lexer::name_len`] bytes long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// `<name …>`
    Start,
    /// `<name …/>`
    Empty,
    /// `</name>`
    End,
    /// `<![CDATA[…]]>`
    CData,
    /// A comment, a processing instruction or the XML declaration.
    Ignorable,
}

/// The state, named after the bytes read last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Text, not markup.
    Text,
    /// `<`
    Open,
    /// Part of a start tag's name.
    StartName,
    /// Whitespace in a start tag, or an attribute's value; only after whitespace may a name follow.
    InTag { spaced: bool },
    /// Part of an attribute's name.
    AttributeName,
    /// An attribute's name and whitespace.
    BeforeEquals,
    /// An attribute's `=`, perhaps with whitespace.
    BeforeValue,
    /// Part of an attribute's value in these quotes.
    Value { quote: u8 },
    /// The `/` of an empty element's tag.
    Slash,
    /// `</`
    EndOpen,
    /// Part of an end tag's name.
    EndName,
    /// An end tag's name and whitespace.
    EndSpace,
    /// `<!`
    Bang,
    /// `<!-`
    CommentDash,
    /// Part of a comment, with this many dashes of `-->`.
    Comment { dashes: u8 },
    /// `<![` and this many bytes of `CDATA[`.
    CDataWord { matched: usize },
    /// Part of a CDATA section, with this many brackets of `]]>`.
    CData { brackets: u8 },
    /// Part of a processing instruction, perhaps the `?` of `?>`.
    Instruction { question: bool },
}

const CDATA_WORD: &[u8] = b"CDATA[";

/// Reads one piece of markup, whose `<` the caller has seen.
#[derive(Clone, Debug)]
pub(super) struct Lexer {
    state: State,
    name_len: usize,
}

enum Step {
    To(State),
    Done(Token),
}

impl Lexer {
    pub(super) const fn new() -> Lexer {
        Lexer {
            state: State::Text,
            name_len: 0,
        }
    }

    /// True if the next byte is text or a `<`, not part of markup.
    pub(super) fn is_idle(&self) -> bool {
        self.state == State::Text
    }

    /// The length of the tag's name.
    pub(super) fn name_len(&self) -> usize {
        self.name_len
    }

    /// Begins a piece of markup, after its `<`.
    pub(super) fn begin(&mut self) {
        self.state = State::Open;
        self.name_len = 0;
    }

    /// Reads until the markup is complete or `bytes` end. Returns how many bytes it took, and the markup if complete.
    pub(super) fn scan(&mut self, bytes: &[u8]) -> (usize, Result<Option<Token>, &'static str>) {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            // Values are long: most of their bytes are skipped at once.
            if let State::Value { quote } = self.state {
                let end = |&b: &u8| b == quote || b == b'<';
                let rest = bytes.get(at..).unwrap_or_default();
                let skipped = rest.iter().position(end).unwrap_or(rest.len());
                if skipped > 0 {
                    at += skipped;
                    continue;
                }
            }
            match step(self.state, byte) {
                Ok(Step::To(next)) => {
                    self.name_len += usize::from(matches!(next, State::StartName | State::EndName));
                    self.state = next;
                }
                Ok(Step::Done(token)) => {
                    self.state = State::Text;
                    return (at + 1, Ok(Some(token)));
                }
                Err(fault) => return (at, Err(fault)),
            }
            at += 1;
        }
        (at, Ok(None))
    }
}

fn step(state: State, byte: u8) -> Result<Step, &'static str> {
    use State::*;
    let space = is_space(byte);
    Ok(Step::To(match (state, byte) {
        (Open, b'/') => EndOpen,
        (Open, b'!') => Bang,
        (Open, b'?') => Instruction { question: false },
        (Open, b) if starts_name(b) => StartName,

        (StartName | InTag { .. }, b'>') => return Ok(Step::Done(Token::Start)),
        (StartName | InTag { .. }, b'/') => Slash,
        (StartName | InTag { .. }, _) if space => InTag { spaced: true },
        (StartName, b) if continues_name(b) => StartName,
        (InTag { spaced: true }, b) if starts_name(b) => AttributeName,
        (Slash, b'>') => return Ok(Step::Done(Token::Empty)),

        (AttributeName, b) if continues_name(b) => AttributeName,
        (AttributeName | BeforeEquals, b'=') => BeforeValue,
        (AttributeName | BeforeEquals, _) if space => BeforeEquals,
        (BeforeValue, b'"' | b'\'') => Value { quote: byte },
        (BeforeValue, _) if space => BeforeValue,
        (Value { quote }, b) if b == quote => InTag { spaced: false },
        (Value { quote }, b) if b != b'<' => Value { quote },

        (EndOpen, b) if starts_name(b) => EndName,
        (EndName, b) if continues_name(b) => EndName,
        (EndName | EndSpace, b'>') => return Ok(Step::Done(Token::End)),
        (EndName | EndSpace, _) if space => EndSpace,

        (Bang, b'-') => CommentDash,
        (Bang, b'[') => CDataWord { matched: 0 },
        // They could define entities, which no message needs.
        (Bang, b'D') => return Err("document type declarations are not accepted"),
        (CommentDash, b'-') => Comment { dashes: 0 },
        (Comment { dashes: 2 }, b'>') => return Ok(Step::Done(Token::Ignorable)),
        (Comment { dashes }, b'-') => Comment {
            dashes: (dashes + 1).min(2),
        },
        (Comment { .. }, _) => Comment { dashes: 0 },
        (CDataWord { matched }, b) if CDATA_WORD.get(matched) == Some(&b) => match matched + 1 {
            all if all == CDATA_WORD.len() => CData { brackets: 0 },
            matched => CDataWord { matched },
        },
        (CData { brackets: 2 }, b'>') => return Ok(Step::Done(Token::CData)),
        (CData { brackets }, b']') => CData {
            brackets: (brackets + 1).min(2),
        },
        (CData { .. }, _) => CData { brackets: 0 },
        (Instruction { question: true }, b'>') => return Ok(Step::Done(Token::Ignorable)),
        (Instruction { .. }, b) => Instruction {
            question: b == b'?',
        },

        (Open | Bang | CommentDash | CDataWord { .. }, _) => {
            return Err("`<` begins neither a tag nor a comment");
        }
        _ => return Err("a tag is not well-formed"),
    }))
}

/// XML's whitespace.
pub(super) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// All bytes beyond ASCII count as letters.
const fn starts_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b':' | 0x80..)
}

const fn continues_name(byte: u8) -> bool {
    starts_name(byte) || byte.is_ascii_digit() || matches!(byte, b'-' | b'.')
}
