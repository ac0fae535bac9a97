//! Arrays of a batch that every call reuses.

use numpy::{Element, PyArray1, PyArrayMethods, PyReadwriteArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PySlice;

/// The values of an array that the batch reuses.
pub(crate) fn values<'a, T: Element, D: numpy::ndarray::Dimension>(
    array: &'a mut PyReadwriteArray<'_, T, D>,
    expected: usize,
) -> PyResult<&'a mut [T]> {
    let values = array.as_slice_mut()?;
    if values.len() == expected {
        Ok(values)
    } else {
        Err(PyRuntimeError::new_err(
            "an array of the batch was reshaped or resized",
        ))
    }
}

/// An array that is written; another user of it is an error instead of a panic.
pub(crate) fn writable<'py, T: Element, D: numpy::ndarray::Dimension>(
    array: &Bound<'py, numpy::PyArray<T, D>>,
) -> PyResult<PyReadwriteArray<'py, T, D>> {
    array.try_readwrite().map_err(|error| {
        PyRuntimeError::new_err(format!("an array of the batch cannot be written: {error}"))
    })
}

/// An array for lists of varying lengths. It grows when necessary.
pub(crate) struct Lists {
    values: Py<PyArray1<i32>>,
    offsets: Py<PyArray1<i64>>,
}

impl Lists {
    pub(crate) fn new(py: Python<'_>, lists: usize) -> Lists {
        Lists {
            values: PyArray1::zeros(py, 0, false).unbind(),
            offsets: PyArray1::zeros(py, lists + 1, false).unbind(),
        }
    }

    /// Replaces the contents by these lists.
    pub(crate) fn fill<'py, 's>(
        &mut self,
        py: Python<'py>,
        lists: impl Iterator<Item = &'s [u16]> + Clone,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let total: usize = lists.clone().map(<[u16]>::len).sum();
        if self.values.bind(py).len() < total {
            self.values = PyArray1::zeros(py, total.next_power_of_two(), false).unbind();
        }
        {
            let mut offsets = writable(self.offsets.bind(py))?;
            let mut values = writable(self.values.bind(py))?;
            let (offsets, values) = (offsets.as_slice_mut()?, values.as_slice_mut()?);
            let mut end = 0_i64;
            let mut targets = values.iter_mut();
            for (offset, list) in offsets.iter_mut().skip(1).zip(lists) {
                end += i64::try_from(list.len()).unwrap_or(0);
                *offset = end;
                for (value, target) in list.iter().zip(&mut targets) {
                    *target = (*value).into();
                }
            }
        }
        let end = isize::try_from(total).unwrap_or(isize::MAX);
        let values = self.values.bind(py).get_item(PySlice::new(py, 0, end, 1))?;
        Ok((values, self.offsets.bind(py).clone().into_any()))
    }
}
