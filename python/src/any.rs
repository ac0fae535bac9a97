//! Values of either game, such as records, batches and searches.

/// A value for the contest, or the same for standard Hive.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Any<C, S> {
    /// The Software Challenge.
    Contest(C),
    /// Standard Hive.
    Standard(S),
}

/// Evaluates an expression with the value in an [`Any`]: `with_any!(game, |record|
/// record.is_over())`.
macro_rules! with_any {
    ($any:expr, |$value:ident| $result:expr) => {
        match $any {
            $crate::any::Any::Contest($value) => $result,
            $crate::any::Any::Standard($value) => $result,
        }
    };
}
pub(crate) use with_any;

impl<C, S> Any<C, S> {
    pub(crate) fn contest(self) -> Option<C> {
        match self {
            Any::Contest(value) => Some(value),
            Any::Standard(_) => None,
        }
    }

    pub(crate) fn standard(self) -> Option<S> {
        match self {
            Any::Contest(_) => None,
            Any::Standard(value) => Some(value),
        }
    }
}
