//! Drawings of a [`Diagram`](crate::diagram::Diagram): [`svg`] as vector graphics, [`terminal`]
//! with characters.

pub mod svg;
pub mod terminal;
#[cfg(test)]
mod tests;

/// Escapes text for HTML and XML, in content and in quoted attributes.
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
