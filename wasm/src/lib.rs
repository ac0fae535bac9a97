//! The engine as a WebAssembly module: requests and answers of `wabe_board::protocol` in JSON.
//!
//! The host provides a clock, `env.now`, in milliseconds, and calls `open` once. For each request
//! it calls `input`, writes the bytes to the returned address, and calls `take`. It calls `step`
//! while `is_running` returns true. `take`, `step` and `bench` return the length of their answer in
//! bytes. The answer, a JSON list of replies, is at `output` until the next call. `worker.js` is a
//! host.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use wabe_board::Session;
use wabe_board::protocol::ReplyMessage;
use wabe_engine::Playable;
use wabe_engine::evaluation::NetworkEvaluator;
use wabe_engine::search::{Clock, bench as bench_game};
use wabe_hive::contest::Contest;
use wabe_hive::standard::Standard;

#[link(wasm_import_module = "env")]
unsafe extern "C" {
    safe fn now() -> f64;
}

/// The host's clock.
struct HostClock;

impl Clock for HostClock {
    fn elapsed(&self) -> Duration {
        Duration::try_from_secs_f64(now() / 1000.0).unwrap_or_default()
    }
}

#[derive(Default)]
struct Module {
    session: Option<Session>,
    input: Vec<u8>,
    output: Vec<u8>,
}

thread_local! {
    static MODULE: RefCell<Module> = RefCell::default();
}

impl Module {
    fn answer(&mut self, replies: &[ReplyMessage]) -> usize {
        self.output = serde_json::to_vec(replies).unwrap_or_default();
        self.output.len()
    }
}

/// Starts a session with a random seed.
#[unsafe(no_mangle)]
pub extern "C" fn open(seed: u64) {
    MODULE.with_borrow_mut(|module| {
        module.session = Some(Session::new(Arc::new(HostClock), seed));
    });
}

/// Returns the address for a request of `length` bytes.
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> *mut u8 {
    MODULE.with_borrow_mut(|module| {
        module.input.resize(length, 0);
        module.input.as_mut_ptr()
    })
}

/// Returns the address of the last answer.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    MODULE.with_borrow(|module| module.output.as_ptr())
}

/// Handles the request at `input`. Returns the length of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn take() -> usize {
    MODULE.with_borrow_mut(|module| {
        let input = std::mem::take(&mut module.input);
        let request = String::from_utf8_lossy(&input);
        let session = module.session.as_mut();
        let replies = session.map_or_else(Vec::new, |session| session.take_json(&request));
        module.answer(&replies)
    })
}

/// Runs the current search for some milliseconds. Returns the length of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn step() -> usize {
    MODULE.with_borrow_mut(|module| {
        let session = module.session.as_mut();
        let replies = session.map_or_else(Vec::new, Session::step);
        module.answer(&replies)
    })
}

/// True while a search is running.
#[unsafe(no_mangle)]
pub extern "C" fn is_running() -> bool {
    MODULE.with_borrow(|module| (module.session.as_ref()).is_some_and(Session::is_running))
}

/// Runs `wabe bench` for the contest or for standard Hive. Returns the length of the answer, which
/// is a JSON object.
#[unsafe(no_mangle)]
pub extern "C" fn bench(is_contest: bool, nodes: u32) -> usize {
    let answer = if is_contest {
        run_bench::<Contest>(nodes)
    } else {
        run_bench::<Standard>(nodes)
    };
    MODULE.with_borrow_mut(|module| {
        module.output = answer.to_string().into_bytes();
        module.output.len()
    })
}

fn run_bench<G: Playable>(nodes: u32) -> serde_json::Value {
    let (mut signature, mut searched, mut elapsed) = (0, 0, Duration::ZERO);
    let evaluator = NetworkEvaluator::<G>::built_in();
    let result = bench_game(&evaluator, nodes.into(), &HostClock, |benched| {
        signature = benched.signature;
        searched += benched.choice.nodes;
        elapsed += benched.elapsed;
    });
    serde_json::json!({
        "signature": format!("{signature:016x}"),
        "nodes": searched,
        "per_second": searched as f64 / elapsed.as_secs_f64(),
        "problem": result.err().map(|error| error.to_string()),
    })
}
