//! Criterion benchmarks; see `protocol.rs` and `rules.rs`.
