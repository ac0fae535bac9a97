//! How large the terminal is.

use crate::view::terminal::Size;

/// `None` where the terminal does not tell, or says that it has no lines or columns.
pub(super) fn terminal_size() -> Option<Size> {
    let (columns, rows) = crossterm::terminal::size().ok()?;
    let size = Size {
        columns: columns.into(),
        rows: rows.into(),
    };
    (columns > 0 && rows > 0).then_some(size)
}
