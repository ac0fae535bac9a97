//! Python exceptions.

use std::error::Error;
use std::fmt::Display;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::{PyErr, create_exception};

create_exception!(
    wabe,
    IllegalMove,
    PyValueError,
    "A move or action that is not legal in the position."
);

/// An error with its causes.
pub(crate) fn with_causes(error: &dyn Error) -> String {
    let causes = std::iter::successors(error.source(), |&cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

/// A `ValueError` with this message.
pub(crate) fn value_error(message: impl Display) -> PyErr {
    PyValueError::new_err(message.to_string())
}

/// An `IllegalMove` with this message.
pub(crate) fn illegal_move(message: impl Display) -> PyErr {
    IllegalMove::new_err(message.to_string())
}

/// A `RuntimeError` with this message.
pub(crate) fn runtime_error(message: impl Display) -> PyErr {
    PyRuntimeError::new_err(message.to_string())
}
