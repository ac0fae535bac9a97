//! The engine's side of a page, without threads.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::answer::{answer, welcome};
use super::protocol::{
    Problem, Reply, ReplyMessage, Request, RequestMessage, SearchRequest, VERSION, Welcome,
};
use super::search::{DEFAULT_MIB, SearchResources, Task, begin};
use wabe_engine::search::Clock;

/// Length of a slice of a search.
const SLICE: Duration = Duration::from_millis(20);

/// Maximum memory of a search, in MiB. WebAssembly can address 4 GiB, but phones provide less.
const MAX_MIB: usize = 1024;

/// Allocates resources for a search, given the maximum number of threads, the maximum memory in
/// MiB, a seed, and the flag that ends a slice.
pub(super) type Allocate =
    Box<dyn FnMut(usize, usize, u64, Arc<AtomicBool>) -> Result<SearchResources, Problem>>;

/// The engine's side of a page on the caller's thread. [`step`](Session::step) searches for some
/// milliseconds, so that the caller can handle requests in between.
pub struct Session {
    allocate: Allocate,
    seeds: Xoshiro256PlusPlus,
    /// The running search or review, with the id of its request.
    running: Option<(Option<u32>, Box<dyn Task>)>,
}

/// A clock that starts when another clock shows a given time.
struct ElapsedSince {
    clock: Arc<dyn Clock + Send>,
    started: Duration,
}

impl Clock for ElapsedSince {
    fn elapsed(&self) -> Duration {
        self.clock.elapsed().saturating_sub(self.started)
    }
}

impl Session {
    /// Creates a single-threaded session. `clock` may start at any time. Clock and seed are
    /// parameters because WebAssembly provides neither.
    pub fn new(clock: Arc<dyn Clock + Send>, seed: u64) -> Session {
        let allocate = move |_, memory_mib: usize, seed, stop| {
            Ok(SearchResources {
                threads: 1,
                memory_mib: memory_mib.min(MAX_MIB),
                seed,
                clock: Box::new(ElapsedSince {
                    clock: Arc::clone(&clock),
                    started: clock.elapsed(),
                }),
                slice: SLICE,
                stop,
                share: Box::new(()),
            })
        };
        Session::with_allocator(Box::new(allocate), seed)
    }

    /// Creates a session whose searches get their resources from `allocate`.
    pub(super) fn with_allocator(allocate: Allocate, seed: u64) -> Session {
        Session {
            allocate,
            seeds: Xoshiro256PlusPlus::seed_from_u64(seed),
            running: None,
        }
    }

    /// Handles a request in JSON.
    pub fn take_json(&mut self, request: &str) -> Vec<ReplyMessage> {
        match RequestMessage::from_json(request) {
            Ok(message) => self.take(message, Arc::default()),
            Err(answer) => vec![*answer],
        }
    }

    /// Handles a request. Answers immediately unless it needs a search. `stop` ends slices of the
    /// search.
    pub(super) fn take(
        &mut self,
        RequestMessage { id, request }: RequestMessage,
        stop: Arc<AtomicBool>,
    ) -> Vec<ReplyMessage> {
        let mut answers = Vec::new();
        match self.begin(id, request, stop, &mut answers) {
            Ok(reply) => answers.extend(reply.map(|reply| ReplyMessage { id, reply })),
            Err(problem) => answers.push(ReplyMessage::problem(id, problem)),
        }
        answers
    }

    /// True while there is a search or review for [`step`](Session::step) to continue.
    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Runs a slice of the search, or a position of the review.
    pub fn step(&mut self) -> Vec<ReplyMessage> {
        let mut replies = Vec::new();
        let Some((id, mut running)) = self.running.take() else {
            return Vec::new();
        };
        // Drop a finished task first, so that its threads and memory are free when the page is
        // notified.
        if !running.step(&mut replies) {
            self.running = Some((id, running));
        }
        let answers = replies.into_iter().map(|reply| ReplyMessage { id, reply });
        answers.collect()
    }

    /// Stops the search or review, and returns its final answer.
    pub(super) fn stop(&mut self) -> Option<ReplyMessage> {
        let (id, mut running) = self.running.take()?;
        let reply = running.stop();
        Some(ReplyMessage { id, reply })
    }

    /// Answers a request, or starts its search. If that ends another search, its final answer is
    /// added to `answers`.
    fn begin(
        &mut self,
        id: Option<u32>,
        request: Request,
        stop: Arc<AtomicBool>,
        answers: &mut Vec<ReplyMessage>,
    ) -> Result<Option<Reply>, Problem> {
        match request {
            Request::Hello { version } if version != VERSION => Err(Problem::OtherVersion),
            Request::Hello { .. } => Ok(Some(Reply::Welcome(Welcome {
                threads: 1,
                memory_mib: MAX_MIB,
                ..welcome()
            }))),
            Request::Search(_) | Request::Review(_) => {
                answers.extend(self.stop());
                let (threads, memory_mib) = match &request {
                    Request::Search(SearchRequest { effort, .. }) => {
                        (effort.threads, effort.memory_mib)
                    }
                    _ => (1, 0),
                };
                let memory_mib = match memory_mib {
                    0 => DEFAULT_MIB,
                    requested => requested,
                };
                let seed = self.seeds.next_u64();
                let resources = (self.allocate)(threads.max(1), memory_mib, seed, stop)?;
                self.running = Some((id, begin(&request, resources)?));
                Ok(None)
            }
            Request::Stop {} => {
                answers.extend(self.stop());
                Ok(None)
            }
            Request::Consult(_)
            | Request::Watch {}
            | Request::Follow { .. }
            | Request::Observe(_) => Err(Problem::NeedsServer),
            request if request.is_for_library() => Err(Problem::NeedsServer),
            request => answer(request, self.seeds.next_u64()).map(Some),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use serde_json::{Value, json};

    use super::*;
    use crate::answer::record_of;
    use crate::protocol::GameLine;
    use wabe_engine::evaluation::NetworkEvaluator;
    use wabe_engine::search::{Limits, MctsOptions, Player};

    /// A clock that advances by 1 ms per reading.
    #[derive(Default)]
    struct CountingClock(AtomicU64);

    impl Clock for CountingClock {
        fn elapsed(&self) -> Duration {
            Duration::from_millis(self.0.fetch_add(1, Ordering::Relaxed))
        }
    }

    fn session() -> Session {
        Session::new(Arc::new(CountingClock::default()), 7)
    }

    fn ask(session: &mut Session, request: &Value) -> Vec<Value> {
        let replies = session.take_json(&request.to_string());
        replies.iter().map(|reply| json!(reply)).collect()
    }

    /// Steps the session until the search or review ends. Returns all answers.
    fn run_to_end(session: &mut Session) -> Vec<Value> {
        let mut replies = Vec::new();
        while session.is_running() {
            replies.extend(session.step().iter().map(|reply| json!(reply)));
        }
        replies
    }

    fn search_request(id: u32, moves: &[&str], effort: &Value) -> Value {
        json!({"ask": "search", "id": id, "line": {"game": "Base", "moves": moves}, "effort": effort})
    }

    #[test]
    fn sliced_search_equals_continuous_search() {
        let opening = ["wS1", "bS1 wS1-", "wQ -wS1", "bQ bS1/"];
        let found = |nodes: u64| {
            let mut session = session();
            let effort = json!({"nodes": nodes, "lines": 3, "memory_mib": 16});
            assert_eq!(
                ask(&mut session, &search_request(1, &opening, &effort)).len(),
                0
            );
            let replies = run_to_end(&mut session);
            let (found, progress) = replies.split_last().unwrap();
            assert!(progress.iter().all(|reply| reply["is"] == "progress"));
            let bytes = |reply: &Value| reply["memory_bytes"].as_u64().unwrap();
            let memory = progress.iter().map(bytes);
            assert!(memory.clone().is_sorted());
            assert!(memory.clone().all(|bytes| (1..=17 << 20).contains(&bytes)));
            (found.clone(), progress.len())
        };
        let (long, reports) = found(6_000);
        assert_eq!(long["findings"]["nodes"], 6_000);
        assert!(reports > 0);
        let Value::Array(lines) = &long["findings"]["lines"] else {
            panic!("{long}");
        };
        assert_eq!(lines.len(), 3);
        let line: GameLine =
            serde_json::from_value(json!({"game": "Base", "moves": opening})).unwrap();
        let record = record_of::<wabe_hive::standard::Standard>(&line, Default::default()).unwrap();
        let options = MctsOptions {
            memory_mib: 16,
            seed: Xoshiro256PlusPlus::seed_from_u64(7).next_u64(),
            ..MctsOptions::for_analysis::<wabe_hive::standard::Standard>()
        };
        let mut player =
            wabe_engine::search::MctsPlayer::new(&NetworkEvaluator::built_in(), options);
        let choice = player.choose_within(&record, Limits::Nodes(6_000));
        assert_eq!(long["move"], record.write(choice.unwrap().best.mv));
        let visits: Vec<u64> = player.lines(3).iter().map(|line| line.visits).collect();
        let sliced: Vec<u64> = lines.iter().filter_map(|l| l["visits"].as_u64()).collect();
        assert_eq!(sliced, visits);
    }

    #[test]
    fn search_ends_on_time_limit_stop_or_next_search() {
        let clock = Arc::new(CountingClock::default());
        let mut session = Session::new(clock.clone(), 7);
        let time = json!({"time_ms": 100, "memory_mib": 16});
        ask(&mut session, &search_request(1, &[], &time));
        let replies = run_to_end(&mut session);
        assert_eq!(replies.len(), 1);
        assert_eq!(replies[0]["is"], "found");
        assert!(clock.elapsed() >= Duration::from_millis(100));

        let endless = json!({"lines": 1, "memory_mib": 16});
        ask(&mut session, &search_request(2, &["wS1"], &endless));
        let before_the_first_slice = ask(&mut session, &json!({"ask": "stop"}));
        assert_eq!(before_the_first_slice[0]["id"], 2);
        assert!(before_the_first_slice[0]["move"].is_string());
        assert!(!session.is_running());
        assert_eq!(ask(&mut session, &json!({"ask": "stop"})).len(), 0);

        // A new search ends the one that is running.
        ask(&mut session, &search_request(3, &["wS1"], &endless));
        session.step();
        let ended = ask(&mut session, &search_request(4, &["wA1"], &endless));
        assert_eq!(
            (&ended[0]["is"], &ended[0]["id"]),
            (&json!("found"), &json!(3))
        );
        assert!(session.is_running());
    }

    #[test]
    fn review_reports_each_position() {
        let mut session = session();
        let moves = ["wS1", "bS1 wS1-", "wQ -wS1", "bQ bS1/"];
        let review = |from: u64| json!({"ask": "review", "id": 5, "line": {"game": "Base", "moves": moves}, "from": from, "nodes": 40});
        let reviewing =
            |done: u32, all: u32| json!({"is": "reviewing", "id": 5, "done": done, "all": all});
        let stopped = json!({"is": "reviewed", "id": 5, "plies": []});
        ask(&mut session, &review(0));
        let replies = run_to_end(&mut session);
        let (last, progress) = replies.split_last().unwrap();
        assert_eq!(progress.len(), 5);
        assert_eq!(progress[4], reviewing(4, 5));
        assert_eq!(last["plies"].as_array().unwrap().len(), 4);

        ask(&mut session, &review(3));
        let replies = run_to_end(&mut session);
        assert_eq!(replies.len(), 3, "{replies:?}");
        assert_eq!(replies[1], reviewing(1, 2));
        let ply = &replies[2]["plies"][0];
        assert_eq!((&ply["ply"], &ply["text"]), (&json!(4), &json!("bQ bS1/")));
        ask(&mut session, &review(u64::MAX));
        assert_eq!(run_to_end(&mut session)[1], stopped);

        ask(&mut session, &review(0));
        session.step();
        assert_eq!(ask(&mut session, &json!({"ask": "stop"})), [stopped]);
    }

    #[test]
    fn session_rejects_requests_for_the_server() {
        let mut session = session();
        let welcome = ask(&mut session, &json!({"ask": "hello", "version": VERSION}));
        assert_eq!(
            (&welcome[0]["is"], &welcome[0]["threads"]),
            (&json!("welcome"), &json!(1))
        );
        let shown = json!({"ask": "show", "id": 1, "line": {"game": "contest", "moves": []}});
        assert_eq!(ask(&mut session, &shown)[0]["is"], "shown");
        for request in [
            json!({"ask": "hello", "version": VERSION + 1}),
            json!({"ask": "watch", "id": 1}),
            json!({"ask": "observe", "id": 1, "address": "a:1", "password": "", "room": null}),
            json!({"ask": "consult", "id": 1, "line": {"game": "Base", "moves": []}, "program": "rm", "time_ms": 1}),
            json!({"ask": "search", "id": 1, "line": {"game": "Base", "moves": ["wQ", "wQ"]}, "effort": {}}),
            json!({"ask": "search", "id": 1, "line": {"game": "go", "moves": []}, "effort": {}}),
            json!("not a request"),
        ] {
            assert_eq!(ask(&mut session, &request)[0]["is"], "problem", "{request}");
        }
        assert!(!session.is_running());
    }
}
