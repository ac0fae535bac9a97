//! Checks of keyword arguments.

use pyo3::PyResult;

use crate::error::value_error;

/// A number that must be at least 1.
///
/// # Errors
/// `ValueError` with the argument's name.
pub(crate) fn positive(name: &str, value: i64) -> PyResult<u64> {
    match u64::try_from(value) {
        Ok(value @ 1..) => Ok(value),
        _ => Err(value_error(format_args!(
            "{name}={value}: expected at least 1"
        ))),
    }
}
