//! The lexical structure of markup, one byte after the other.

use super::Malformation;

/// A complete piece of markup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// `<name …>`
    Start { name_len: usize },
    /// `<name …/>`
    Empty { name_len: usize },
    /// `</name>`
    End { name_len: usize },
    /// `<![CDATA[…]]>`
    CData,
    /// A comment, a processing instruction or the XML declaration.
    Ignorable,
}

/// Where in a piece of markup the lexer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Behind `<`.
    Open,
    StartName {
        len: usize,
    },
    /// Between attributes; `spaced` says whether whitespace came last, as it must before a name.
    InTag {
        name_len: usize,
        spaced: bool,
    },
    AttributeName {
        name_len: usize,
    },
    /// Behind an attribute's name and whitespace.
    BeforeEquals {
        name_len: usize,
    },
    BeforeValue {
        name_len: usize,
    },
    Value {
        name_len: usize,
        quote: u8,
    },
    /// Behind the `/` of an empty element's tag.
    Slash {
        name_len: usize,
    },
    EndName {
        len: usize,
    },
    /// Behind an end tag's name and whitespace.
    EndSpace {
        name_len: usize,
    },
    /// Behind `<!`.
    Bang,
    /// Behind `<!-`.
    CommentDash,
    /// In a comment, behind this many of the two dashes of `-->`.
    Comment {
        dashes: u8,
    },
    /// In the word `CDATA[`, behind this many of its letters.
    CDataWord {
        matched: u8,
    },
    /// In a CDATA section, behind this many of the two brackets of `]]>`.
    CData {
        brackets: u8,
    },
    /// In a processing instruction, perhaps behind a `?`.
    Instruction {
        question: bool,
    },
}

const CDATA_WORD: &[u8] = b"CDATA[";

/// Reads one piece of markup that begins with a `<` which the caller has seen.
#[derive(Clone, Debug)]
pub(super) struct Lexer {
    state: Option<State>,
}

impl Lexer {
    pub(super) const fn new() -> Lexer {
        Lexer { state: None }
    }

    /// Whether the next byte is text or a `<`, not part of markup.
    pub(super) fn is_idle(&self) -> bool {
        self.state.is_none()
    }

    /// The caller has read a `<`.
    pub(super) fn begin(&mut self) {
        self.state = Some(State::Open);
    }

    /// Reads on until the markup is complete or `bytes` ends. Returns how many bytes it took and what is complete.
    pub(super) fn scan(&mut self, bytes: &[u8]) -> (usize, Result<Option<Token>, Malformation>) {
        let mut at = 0;
        while let (Some(state), Some(&byte)) = (self.state, bytes.get(at)) {
            // The long stretches are skipped at once.
            if let State::Value { quote, .. } = state {
                let end = |&b: &u8| b == quote || b == b'<';
                let rest = bytes.get(at..).unwrap_or_default();
                let skipped = rest.iter().position(end).unwrap_or(rest.len());
                if skipped > 0 {
                    at += skipped;
                    continue;
                }
            }
            match step(state, byte) {
                Ok(Step::To(next)) => self.state = Some(next),
                Ok(Step::Done(token)) => {
                    self.state = None;
                    return (at + 1, Ok(Some(token)));
                }
                Err(fault) => return (at, Err(fault)),
            }
            at += 1;
        }
        (at, Ok(None))
    }
}

enum Step {
    To(State),
    Done(Token),
}

fn step(state: State, byte: u8) -> Result<Step, Malformation> {
    let space = is_space(byte);
    Ok(Step::To(match (state, byte) {
        (State::Open, b'/') => State::EndName { len: 0 },
        (State::Open, b'!') => State::Bang,
        (State::Open, b'?') => State::Instruction { question: false },
        (State::Open, b) if starts_name(b) => State::StartName { len: 1 },
        (State::Open, _) => return Err(Malformation::Markup),

        (State::StartName { len }, b) if continues_name(b) => State::StartName { len: len + 1 },
        (State::StartName { len: name_len } | State::InTag { name_len, .. }, b'>') => {
            return Ok(Step::Done(Token::Start { name_len }));
        }
        (State::StartName { len: name_len } | State::InTag { name_len, .. }, b'/') => {
            State::Slash { name_len }
        }
        (State::StartName { len: name_len } | State::InTag { name_len, .. }, _) if space => {
            State::InTag {
                name_len,
                spaced: true,
            }
        }
        (
            State::InTag {
                name_len,
                spaced: true,
            },
            b,
        ) if starts_name(b) => State::AttributeName { name_len },
        (State::Slash { name_len }, b'>') => return Ok(Step::Done(Token::Empty { name_len })),

        (State::AttributeName { name_len }, b) if continues_name(b) => {
            State::AttributeName { name_len }
        }
        (State::AttributeName { name_len } | State::BeforeEquals { name_len }, b'=') => {
            State::BeforeValue { name_len }
        }
        (State::AttributeName { name_len } | State::BeforeEquals { name_len }, _) if space => {
            State::BeforeEquals { name_len }
        }
        (State::BeforeValue { name_len }, b'"' | b'\'') => State::Value {
            name_len,
            quote: byte,
        },
        (State::BeforeValue { name_len }, _) if space => State::BeforeValue { name_len },
        (State::Value { name_len, quote }, b) if b == quote => State::InTag {
            name_len,
            spaced: false,
        },
        (State::Value { name_len, quote }, b) if b != b'<' => State::Value { name_len, quote },

        (State::EndName { len: 0 }, b) if starts_name(b) => State::EndName { len: 1 },
        (State::EndName { len: 0 }, _) => return Err(Malformation::Tag),
        (State::EndName { len }, b) if continues_name(b) => State::EndName { len: len + 1 },
        (State::EndName { len: name_len } | State::EndSpace { name_len }, b'>') => {
            return Ok(Step::Done(Token::End { name_len }));
        }
        (State::EndName { len: name_len } | State::EndSpace { name_len }, _) if space => {
            State::EndSpace { name_len }
        }

        (State::Bang, b'-') => State::CommentDash,
        (State::Bang, b'[') => State::CDataWord { matched: 0 },
        (State::Bang, b'D') => return Err(Malformation::Doctype),
        (State::CommentDash, b'-') => State::Comment { dashes: 0 },
        (State::Comment { dashes: 2 }, b'>') => return Ok(Step::Done(Token::Ignorable)),
        (State::Comment { dashes }, b'-') => State::Comment {
            dashes: (dashes + 1).min(2),
        },
        (State::Comment { .. }, _) => State::Comment { dashes: 0 },
        (State::CDataWord { matched }, b) if CDATA_WORD.get(usize::from(matched)) == Some(&b) => {
            if usize::from(matched) + 1 == CDATA_WORD.len() {
                State::CData { brackets: 0 }
            } else {
                State::CDataWord {
                    matched: matched + 1,
                }
            }
        }
        (State::CData { brackets: 2 }, b'>') => return Ok(Step::Done(Token::CData)),
        (State::CData { brackets }, b']') => State::CData {
            brackets: (brackets + 1).min(2),
        },
        (State::CData { .. }, _) => State::CData { brackets: 0 },
        (State::Instruction { question: true }, b'>') => return Ok(Step::Done(Token::Ignorable)),
        (State::Instruction { .. }, b) => State::Instruction {
            question: b == b'?',
        },

        (State::Bang | State::CommentDash | State::CDataWord { .. }, _) => {
            return Err(Malformation::Markup);
        }
        _ => return Err(Malformation::Tag),
    }))
}

/// XML's whitespace.
pub(super) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// Letters beyond ASCII are taken for name characters without looking closer.
const fn starts_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b':' | 0x80..)
}

const fn continues_name(byte: u8) -> bool {
    starts_name(byte) || byte.is_ascii_digit() || matches!(byte, b'-' | b'.')
}
