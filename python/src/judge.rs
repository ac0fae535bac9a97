//! The Python function that evaluates the leaves of a tree search: its arguments and its answer.

use numpy::{
    PyArray1, PyArray2, PyArray4, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2,
    PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyTuple};
use rayon::ThreadPool;
use rayon::prelude::*;

use wabe_engine::evaluation::Features;

use crate::action::Actions;
use crate::error::{runtime_error, value_error};
use crate::observation::{MAX_FEATURES, Observed, Planes, list_features, numbers, observe, planes};
use crate::tree::{Leaf, Tree};

/// Allowed deviation of a value from -1..=1, for rounding errors.
const TOLERANCE: f32 = 1e-3;

/// A game whose positions a judge can evaluate.
pub(crate) trait Judgeable: Actions + Features + Observed {}

impl<G: Actions + Features + Observed> Judgeable for G {}

/// The arguments of a judge.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum InputKind {
    Planes,
    Features,
}

/// The arrays that a judge receives, with one row per leaf. They are reused.
pub(crate) enum Inputs {
    Planes {
        planes: Py<PyArray4<u8>>,
        numbers: Py<PyArray2<u8>>,
        /// The values set in each row of `planes`.
        set: Vec<Vec<u32>>,
    },
    Features {
        features: Py<PyArray2<i32>>,
        rows: usize,
    },
}

impl Inputs {
    pub(crate) fn new<G: Observed>(
        py: Python<'_>,
        kind: InputKind,
        rows: usize,
        variant: G::Variant,
    ) -> Inputs {
        match kind {
            InputKind::Planes => {
                let side = G::side(variant);
                let shape = [rows, planes::<G>(), side, side];
                Inputs::Planes {
                    planes: PyArray4::zeros(py, shape, false).unbind(),
                    numbers: PyArray2::zeros(py, [rows, numbers::<G>()], false).unbind(),
                    set: vec![Vec::new(); rows],
                }
            }
            InputKind::Features => Inputs::Features {
                features: PyArray2::zeros(py, [rows, MAX_FEATURES], false).unbind(),
                rows,
            },
        }
    }

    /// Number of leaves that fit.
    pub(crate) fn rows(&self) -> usize {
        match self {
            Inputs::Planes { set, .. } => set.len(),
            Inputs::Features { rows, .. } => *rows,
        }
    }

    /// Calls the judge with the leaves in the first rows and empty rows after them.
    pub(crate) fn judge<'py, G: Judgeable>(
        &mut self,
        py: Python<'py>,
        judge: &Py<PyAny>,
        pool: &ThreadPool,
        variant: G::Variant,
        leaves: &[(usize, Leaf<G>)],
    ) -> PyResult<Bound<'py, PyAny>> {
        let busy = |error| runtime_error(format_args!("the inputs of the judge: {error}"));
        match self {
            Inputs::Planes {
                planes,
                numbers,
                set,
            } => {
                {
                    let mut drawn = planes.bind(py).try_readwrite().map_err(busy)?;
                    let mut rest = numbers.bind(py).try_readwrite().map_err(busy)?;
                    let arrays = (drawn.as_slice_mut()?, rest.as_slice_mut()?);
                    py.detach(|| pool.install(|| draw_leaves(arrays, set, variant, leaves)));
                }
                judge.bind(py).call1((&*planes, &*numbers))
            }
            Inputs::Features { features, .. } => {
                {
                    let mut values = features.bind(py).try_readwrite().map_err(busy)?;
                    let values = values.as_slice_mut()?;
                    py.detach(|| pool.install(|| list_leaves(values, leaves)));
                }
                judge.bind(py).call1((&*features,))
            }
        }
    }
}

/// Writes planes and numbers of the leaves, and zeros into the rows after them.
fn draw_leaves<G: Observed>(
    (drawn, rest): (&mut [u8], &mut [u8]),
    set: &mut [Vec<u32>],
    variant: G::Variant,
    leaves: &[(usize, Leaf<G>)],
) {
    let side = G::side(variant);
    let (values, count) = (planes::<G>() * side * side, numbers::<G>());
    let rows = drawn.par_chunks_mut(values).zip(rest.par_chunks_mut(count));
    let rows = rows.zip(set).enumerate();
    rows.for_each(|(row, ((drawn, rest), set))| {
        let mut planes = Planes::new(drawn, set);
        match leaves.get(row) {
            Some((_, leaf)) => observe(&leaf.view(), side, &mut planes, rest),
            None => rest.fill(0),
        }
    });
}

/// Writes the features of the leaves, and none into the rows after them.
fn list_leaves<G: Judgeable>(values: &mut [i32], leaves: &[(usize, Leaf<G>)]) {
    let rows = values.par_chunks_mut(MAX_FEATURES).enumerate();
    rows.for_each(|(row, slots)| match leaves.get(row) {
        Some((_, leaf)) => list_features(leaf.view().position, slots),
        None => slots.fill(i32::try_from(G::FEATURE_COUNT).unwrap_or(i32::MAX)),
    });
}

/// The answers of a judge.
pub(crate) struct Judged<'py> {
    pub(crate) logits: PyReadonlyArray2<'py, f32>,
    pub(crate) values: PyReadonlyArray1<'py, f32>,
}

/// A part of the answer as an array of float32 with this shape.
fn to_array<'py>(
    numpy: &Bound<'py, PyModule>,
    name: &str,
    answer: &Bound<'py, PyAny>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let options = [("dtype", "float32")].into_py_dict(numpy.py())?;
    let array = numpy.call_method("ascontiguousarray", (answer,), Some(&options))?;
    let untyped = array.cast::<PyUntypedArray>()?;
    // A column of values is as good as a list.
    let found = untyped.shape();
    if found == shape {
        return Ok(array);
    }
    if let ([rows], [r, 1]) = (shape, found)
        && rows == r
    {
        return array.call_method1("reshape", (*rows,));
    }
    Err(value_error(format_args!(
        "the judge's {name}: expected shape {shape:?}, found {found:?}"
    )))
}

impl<'py> Judged<'py> {
    pub(crate) fn new<G: Actions>(
        answer: &Bound<'py, PyAny>,
        rows: usize,
    ) -> PyResult<Judged<'py>> {
        let py = answer.py();
        let pair = answer.cast::<PyTuple>().ok().filter(|pair| pair.len() == 2);
        let Some(pair) = pair else {
            return Err(PyTypeError::new_err(format!(
                "the judge: expected a tuple (policy, value), found {}",
                answer.get_type().name()?
            )));
        };
        let numpy = py.import("numpy")?;
        let logits = to_array(&numpy, "policy", &pair.get_item(0)?, &[rows, G::ACTIONS])?;
        let values = to_array(&numpy, "value", &pair.get_item(1)?, &[rows])?;
        Ok(Judged {
            logits: logits.cast::<PyArray2<f32>>()?.try_readonly()?,
            values: values.cast::<PyArray1<f32>>()?.try_readonly()?,
        })
    }
}

/// The priors of a leaf's moves and its value, or what is wrong with them.
pub(crate) type Evaluation<G> = Result<(Vec<(wabe_hive::Move<G>, u32, f32)>, f32), String>;

pub(crate) fn evaluation<G: Actions>(leaf: &Leaf<G>, logits: &[f32], value: f32) -> Evaluation<G> {
    if value.is_nan() || value.abs() > 1.0 + TOLERANCE {
        return Err(format!("value {value}: expected -1 to 1"));
    }
    let mut moves = Vec::new();
    for (mv, action) in Tree::leaf_moves(leaf) {
        let logit = logits.get(action as usize).copied().unwrap_or(f32::NAN);
        if !logit.is_finite() {
            return Err(format!("policy of action {action}: {logit}"));
        }
        moves.push((mv, action, logit));
    }
    let highest = moves
        .iter()
        .map(|&(.., logit)| logit)
        .fold(f32::MIN, f32::max);
    let mut sum = 0.0;
    for (.., logit) in &mut moves {
        *logit = (*logit - highest).exp();
        sum += *logit;
    }
    for (.., logit) in &mut moves {
        *logit /= sum;
    }
    Ok((moves, value.clamp(-1.0, 1.0)))
}
