//! Pictures of positions.
//!
//! - A [`Diagram`](crate::diagram::Diagram) is the content of a picture.
//! - [`terminal`] draws it with characters.
//! - [`svg`] draws vector graphics.

pub mod svg;
pub mod terminal;
#[cfg(test)]
mod tests;

/// Escapes text for a page, in content and in quoted attributes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}
