//! The size of the terminal.

use wabe_records::view::terminal::Size;

/// The size of the terminal; `None` if it does not report one, or reports no lines or columns.
pub(super) fn terminal_size() -> Option<Size> {
    let (columns, rows) = crossterm::terminal::size().ok()?;
    let size = Size {
        columns: columns.into(),
        rows: rows.into(),
    };
    (columns > 0 && rows > 0).then_some(size)
}
