//! Values of options.

use std::str::FromStr;

use anyhow::Context;

pub(super) use crate::bot::{Seconds, at_least_one, network_file, number};

pub(super) fn positive<T: FromStr + Into<f64> + Copy>(text: &str) -> Result<T, String> {
    let holds = |&number: &T| number.into() > 0.0 && number.into().is_finite();
    number(text, holds, "a number above 0")
}

pub(super) fn positive_share(text: &str) -> Result<f64, String> {
    let holds = |&share: &f64| share > 0.0 && share <= 1.0;
    number(text, holds, "a share above 0 and at most 1")
}

/// The default number of games played at the same time.
pub(super) fn available_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// A runtime with that many threads.
pub(super) fn runtime(threads: usize) -> anyhow::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .enable_all()
        .build()
        .context("cannot start the asynchronous runtime")
}
