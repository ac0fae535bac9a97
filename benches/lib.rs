//! Benchmarks of parts of wabe: see `protocol.rs` and `rules.rs`.
