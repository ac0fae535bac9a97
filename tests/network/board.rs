//! The board's web server, at its real sockets.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::Stdio;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tungstenite::client::IntoClientRequest;
use tungstenite::http::HeaderValue;
use tungstenite::{Message, WebSocket};
use wabe_board::{BoardOptions, Budget, LiveGames, LivePlies, serve};
use wabe_hive::ByColor;
use wabe_hive::game::{Game, Record};
use wabe_hive::standard::Wide;

use crate::server::binary::Server;
use crate::server::referee::{Referee, slot};

/// Nothing takes that long.
const PATIENCE: Duration = Duration::from_secs(60);

struct Board {
    address: SocketAddr,
    budget: Arc<Budget>,
    live: Arc<LiveGames>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Board {
    fn start() -> Board {
        Board::with("127.0.0.1:0", None)
    }

    fn with(address: &'static str, token: Option<&str>) -> Board {
        Board::with_pings(address, token, BoardOptions::BETWEEN_PINGS)
    }

    fn with_pings(address: &'static str, token: Option<&str>, between_pings: Duration) -> Board {
        let (budget, live) = (Budget::new(2, 64), Arc::<LiveGames>::default());
        let options = BoardOptions {
            token: token.map(str::to_owned),
            saved: None,
            watch: false,
            first: Vec::new(),
            game: "contest".to_owned(),
            budget: Arc::clone(&budget),
            live: Arc::clone(&live),
            programs: address.starts_with("127."),
            between_pings,
        };
        let (tell_address, told) = std::sync::mpsc::channel();
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Runtime::new().unwrap();
            runtime.block_on(async {
                let listener = TcpListener::bind(address).await.unwrap();
                tell_address.send(listener.local_addr().unwrap()).unwrap();
                let stopped = async {
                    let _ = stopped.await;
                };
                serve(listener, options, stopped).await.unwrap();
            });
        });
        Board {
            address: told.recv().unwrap(),
            budget,
            live,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    fn stream(&self) -> TcpStream {
        let address = SocketAddr::from(([127, 0, 0, 1], self.address.port()));
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// The answer to a request for a file, headers and body.
    fn get(&self, path: &str, headers: &str) -> String {
        let host = match headers.contains("Host:") {
            true => String::new(),
            false => format!("Host: {}\r\n", self.address),
        };
        let mut stream = self.stream();
        let request = format!("GET {path} HTTP/1.1\r\n{host}{headers}Connection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// A page with that origin; the error's status where it is refused.
    fn connect(&self, origin: Option<&str>) -> Result<Page, u16> {
        self.connect_with(origin.map(|origin| ("Origin", origin.to_owned())))
    }

    /// A page whose address has that token.
    fn connect_as(&self, token: &str) -> Result<Page, u16> {
        let protocols = format!("wabe, wabe.token.{token}");
        self.connect_with(Some(("Sec-WebSocket-Protocol", protocols)))
    }

    fn connect_with(&self, header: Option<(&'static str, String)>) -> Result<Page, u16> {
        let url = format!("ws://127.0.0.1:{}/ws", self.address.port());
        let mut request = url.into_client_request().unwrap();
        if let Some((name, value)) = header {
            let value = HeaderValue::from_str(&value).unwrap();
            request.headers_mut().insert(name, value);
        }
        match tungstenite::client(request, self.stream()) {
            Ok((socket, _)) => Ok(Page { socket }),
            Err(tungstenite::HandshakeError::Failure(tungstenite::Error::Http(answer))) => {
                Err(answer.status().as_u16())
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// A page that was welcomed.
    fn page(&self) -> Page {
        let mut page = self.connect(None).unwrap();
        let welcome = page.ask(json!({"ask": "hello", "version": 1}));
        assert_eq!(welcome["is"], "welcome", "{welcome}");
        page
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        let _ = self.stop.take().unwrap().send(());
        self.thread.take().unwrap().join().unwrap();
    }
}

struct Page {
    socket: WebSocket<TcpStream>,
}

impl Page {
    fn send(&mut self, request: Value) {
        self.socket
            .send(Message::text(request.to_string()))
            .unwrap();
    }

    fn next(&mut self) -> Value {
        loop {
            if let Message::Text(text) = self.socket.read().unwrap() {
                return serde_json::from_str(&text).unwrap();
            }
        }
    }

    fn ask(&mut self, request: Value) -> Value {
        self.send(request);
        self.next()
    }

    fn next_that(&mut self, is_meant: impl Fn(&Value) -> bool) -> Value {
        loop {
            let reply = self.next();
            if is_meant(&reply) {
                return reply;
            }
        }
    }

    fn has_ended(&mut self) -> bool {
        loop {
            match self.socket.read() {
                Ok(Message::Close(_)) | Err(_) => return true,
                Ok(_) => {}
            }
        }
    }
}

#[test]
fn the_page_is_served_with_a_strict_policy_and_only_once() {
    let board = Board::start();
    let page = board.get("/", "");
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    let lower = page.to_ascii_lowercase();
    assert!(lower.contains("content-security-policy: default-src 'none'; script-src 'self'"));
    assert!(lower.contains("x-content-type-options: nosniff"));
    let tag = lower.lines().find_map(|line| line.strip_prefix("etag: "));
    let again = board.get("/", &format!("If-None-Match: {}\r\n", tag.unwrap()));
    assert!(again.starts_with("HTTP/1.1 304"), "{again}");
    assert!(board.get("/nothing", "").starts_with("HTTP/1.1 404"));
    assert!(board.get("/../Cargo.toml", "").starts_with("HTTP/1.1 404"));
}

#[test]
fn foreign_names_and_pages_are_refused() {
    let board = Board::start();
    let port = board.address.port();
    for host in ["evil.example", "127.0.0.1", "localhost.evil.example"] {
        let answer = board.get("/", &format!("Host: {host}:1\r\n"));
        assert!(answer.starts_with("HTTP/1.1 403"), "{host}: {answer}");
    }
    let named = board.get("/", &format!("Host: localhost:{port}\r\n"));
    assert!(named.starts_with("HTTP/1.1 200"));
    assert_eq!(board.connect(Some("http://evil.example")).err(), Some(403));
    assert_eq!(board.connect(Some("null")).err(), Some(403));
    let elsewhere = format!("http://127.0.0.1:{}", port ^ 1);
    assert_eq!(board.connect(Some(&elsewhere)).err(), Some(403));
    let own = format!("http://127.0.0.1:{port}");
    assert!(board.connect(Some(&own)).is_ok());
}

#[test]
fn a_board_that_others_reach_wants_its_token() {
    let board = Board::with("0.0.0.0:0", Some("secret"));
    let hello = json!({"ask": "hello", "version": 1});
    for token in ["", "Secret", "secre", "secret2"] {
        let mut page = board.connect_as(token).unwrap();
        let answer = page.ask(hello.clone());
        assert_eq!(answer["is"], "problem");
        assert!(page.has_ended());
    }
    let mut page = board.connect(None).unwrap();
    assert_eq!(page.ask(hello.clone())["is"], "problem");
    let mut page = board.connect_as("secret").unwrap();
    assert_eq!(page.ask(hello)["is"], "welcome");
    // A stranger's message is not even read.
    let mut page = board.connect_as("Secret").unwrap();
    let _ = page.socket.send(Message::text("x".repeat(5 << 10)));
    assert!(page.has_ended());
}

#[test]
fn clients_without_the_token_take_no_place() {
    let board = Board::with("0.0.0.0:0", Some("secret"));
    let silent: Vec<_> = (0..80).map(|_| board.connect(None).unwrap()).collect();
    let mut page = board.connect_as("secret").unwrap();
    let hello = json!({"ask": "hello", "version": 1});
    assert_eq!(page.ask(hello)["is"], "welcome");
    drop(silent);
}

#[test]
fn pages_are_limited() {
    let board = Board::start();
    let mut pages: Vec<_> = (0..64).map(|_| board.page()).collect();
    let mut late = board.connect(None).unwrap();
    assert_eq!(late.next()["message"], "Too many pages are open.");
    pages.pop();
    while board
        .connect(None)
        .unwrap()
        .ask(json!({"ask": "hello", "version": 1}))["is"]
        != "welcome"
    {
        std::thread::yield_now();
    }
}

#[test]
fn a_page_that_answers_no_pings_is_given_up_and_its_engine_freed() {
    let board = Board::with_pings("127.0.0.1:0", None, Duration::from_millis(300));
    let mut page = board.page();
    let line = json!({"game": "Base", "moves": []});
    let effort = json!({"lines": 1, "threads": 2});
    page.send(json!({"ask": "search", "id": 1, "line": line, "effort": effort}));
    page.next_that(|reply| reply["is"] == "progress");
    // It reads nothing from here on, so it answers nothing.
    while board.budget.free_threads() < 2 {
        std::thread::yield_now();
    }
    assert!(page.has_ended());
}

#[test]
fn a_page_begins_with_a_hello_of_the_same_version() {
    let board = Board::start();
    for (first, part) in [
        (json!({"ask": "hello", "version": 0}), "version"),
        (json!({"ask": "watch", "id": 1}), "hello"),
        (json!(["no request"]), "hello"),
        (json!("x".repeat(5 << 10)), "hello"),
    ] {
        let mut page = board.connect(None).unwrap();
        let answer = page.ask(first);
        assert!(
            answer["message"].as_str().unwrap().contains(part),
            "{answer}"
        );
        assert!(page.has_ended());
    }
}

#[test]
fn what_is_no_request_is_answered_and_the_page_continues() {
    let board = Board::start();
    let mut page = board.page();
    for text in [
        "",
        "{",
        "[]",
        r#"{"ask":"nothing"}"#,
        r#"{"ask":"new","id":-1,"game":"Base"}"#,
    ] {
        page.socket.send(Message::text(text)).unwrap();
        let answer = page.next();
        assert_eq!(answer["is"], "problem", "{text}");
    }
    let opened = page.ask(json!({"ask": "new", "id": 1, "game": "Base"}));
    assert_eq!(opened["is"], "opened");
}

#[test]
fn a_message_beyond_the_limit_ends_the_page_alone() {
    let board = Board::start();
    let mut other = board.page();
    let mut page = board.page();
    // The server may close while this is still being sent.
    let _ = page.socket.send(Message::text("x".repeat(25 << 20)));
    assert!(page.has_ended());
    let opened = other.ask(json!({"ask": "new", "id": 1, "game": "Base"}));
    assert_eq!(opened["is"], "opened");
}

#[test]
fn a_page_that_closes_gives_its_threads_back() {
    let board = Board::start();
    let mut page = board.page();
    let line = json!({"game": "Base", "moves": []});
    let effort = json!({"lines": 1, "threads": 2});
    page.send(json!({"ask": "search", "id": 1, "line": line, "effort": effort}));
    page.next_that(|reply| reply["is"] == "progress");
    assert_eq!(board.budget.free_threads(), 0);
    drop(page);
    while board.budget.free_threads() < 2 {
        std::thread::yield_now();
    }
}

#[test]
fn analysis_is_drawn_while_it_runs() {
    let board = Board::start();
    let mut page = board.page();
    let line = json!({"game": "contest", "moves": []});
    page.send(json!({"ask": "search", "id": 7, "line": line, "effort": {"lines": 2}}));
    let mut nodes = 0;
    for _ in 0..3 {
        let progress = page.next_that(|reply| reply["is"] == "progress");
        let more = progress["findings"]["nodes"].as_u64().unwrap();
        assert!(more > nodes);
        nodes = more;
    }
    // Requests are answered meanwhile.
    page.send(json!({"ask": "show", "id": 8, "line": line}));
    page.next_that(|reply| reply["is"] == "shown");
    page.send(json!({"ask": "stop"}));
    let found = page.next_that(|reply| reply["is"] == "found");
    assert_eq!(found["id"], 7);
}

#[test]
fn live_games_are_listed_and_followed_from_their_start() {
    let board = Board::start();
    let names = ByColor {
        red: "<b>one</b>".to_owned(),
        blue: "two".to_owned(),
    };
    let mut record: Record<Wide> = Record::from(Wide::plain_start(Default::default()));
    let mut plies = LivePlies::new(record.clone(), names);
    let game = board.live.begin("pair 1".to_owned(), &plies);
    record.play_text("wA1").unwrap();
    plies.add(&record, Duration::from_millis(120), Some(0.75), None);
    game.show(&plies);

    let mut page = board.page();
    let live = page.ask(json!({"ask": "watch", "id": 1}));
    assert_eq!(live["games"][0]["names"], json!(["<b>one</b>", "two"]));
    let number = &live["games"][0]["number"];
    let following = page.ask(json!({"ask": "follow", "id": 2, "number": number}));
    assert_eq!(following["game"]["line"]["moves"], json!(["wA1"]));
    assert_eq!(following["scores"], json!([[1, 0.75]]));
    assert_eq!(following["game"]["times"], json!([[1, 120]]));
    record.play_text("bA1 wA1-").unwrap();
    plies.add(&record, Duration::ZERO, Some(0.75), None);
    game.show(&plies);
    let following = page.next_that(|reply| reply["is"] == "following");
    assert_eq!(following["scores"], json!([[1, 0.75], [2, 0.25]]));
    assert_eq!(following["running"], true);
    game.end("draw by agreement".to_owned());
    let following = page.next_that(|reply| reply["is"] == "following" && reply["running"] == false);
    assert_eq!(following["game"]["result"]["sentence"], "draw by agreement");
}

#[test]
fn a_game_on_a_referee_is_watched_to_its_end() {
    let referee = Referee::start(|_| {});
    let board = Board::start();
    let mut page = board.page();
    let mut admin = referee.administrator();
    let prepared = admin.prepare(&[slot("Rot"), slot("Blau")]);
    let request = json!({
        "ask": "observe", "id": 1, "address": referee.address.to_string(),
        "password": "examplepassword", "room": prepared.room.0,
    });
    assert_eq!(page.ask(request)["is"], "observing");
    page.send(json!({"ask": "watch", "id": 2}));
    let players = prepared.codes.iter().map(|code| {
        let mut player = referee.connect();
        player.join_prepared(code);
        std::thread::spawn(move || player.play_to_the_end(5))
    });
    let players: Vec<_> = players.collect();
    let live = page.next_that(|reply| reply["is"] == "live" && !reply["games"][0].is_null());
    assert_eq!(live["games"][0]["names"], json!(["Rot", "Blau"]));
    let number = live["games"][0]["number"].clone();
    page.send(json!({"ask": "follow", "id": 3, "number": number}));
    let over = page.next_that(|reply| reply["is"] == "following" && reply["running"] == false);
    assert!(over["game"]["line"]["moves"].as_array().unwrap().len() > 6);
    assert!(over["game"]["result"]["reason"].is_string(), "{over}");
    for player in players {
        player.join().unwrap();
    }
}

#[test]
fn a_served_game_is_watched_on_the_referees_own_board() {
    let mut server = Server::start_with(&["--no-timeout", "--board", "0"], |command| {
        command.stderr(Stdio::piped());
    });
    let mut lines = BufReader::new(server.child.stderr.take().unwrap()).lines();
    let line = lines.next().unwrap().unwrap();
    let url = line.strip_prefix("wabe: watch at http://").unwrap();
    let url = url.strip_suffix("#watch").unwrap();
    let stream = TcpStream::connect(url.trim_end_matches('/')).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let (socket, _) = tungstenite::client(format!("ws://{url}ws"), stream).unwrap();
    let mut page = Page { socket };
    assert_eq!(
        page.ask(json!({"ask": "hello", "version": 1}))["is"],
        "welcome"
    );
    page.send(json!({"ask": "watch", "id": 1}));
    let players = [(); 2].map(|()| {
        let mut player = server.connect();
        player.join();
        player.skip_to("joined");
        std::thread::spawn(move || player.play_to_the_end(3))
    });
    let ended = |reply: &Value| reply["games"][0]["running"] == false;
    let live = page.next_that(ended);
    assert!(live["games"][0]["plies"].as_u64().unwrap() > 6, "{live}");
    assert_eq!(live["games"].as_array().unwrap().len(), 1);
    for player in players {
        player.join().unwrap();
    }
}

#[test]
fn a_referee_that_cannot_be_watched_is_told() {
    let referee = Referee::start(|_| {});
    let board = Board::start();
    let mut page = board.page();
    let mut problem = |address: &str, password: &str, room: Value| {
        page.send(json!({
            "ask": "observe", "id": 1, "address": address, "password": password, "room": room,
        }));
        let reply = page.next_that(|reply| reply["is"] == "problem");
        reply["message"].as_str().unwrap().to_owned()
    };
    let address = referee.address.to_string();
    assert!(problem("here", "x", Value::Null).contains("`here`"));
    assert!(problem("127.0.0.1:1", "x", Value::Null).contains("cannot connect"));
    assert!(problem(&address, "wrong", json!("some room")).contains("refuses"));
    assert!(problem(&address, "examplepassword", json!("no such room")).contains("refuses"));
}

#[test]
fn programs_play_a_side_and_follow_a_move_taken_back() {
    let board = Board::start();
    let mut page = board.page();
    let wabe = env!("CARGO_BIN_EXE_wabe");
    for (game, first, program) in [
        ("Base", ["wA1", "wG1"], format!("uhp:'{wabe} uhp' depth=1")),
        (
            "contest",
            ["set A 0,0", "set G 1,1"],
            format!("wabe:'{wabe} play' nodes=20"),
        ),
    ] {
        let mut consult = |moves: &[&str]| {
            let line = json!({"game": game, "moves": moves});
            page.ask(json!({"ask": "consult", "id": 1, "line": line, "program": program, "time_ms": 1000}))
        };
        let reply = consult(&first[..1]);
        assert_eq!(reply["is"], "found", "{reply}");
        let second = reply["move"].as_str().unwrap().to_owned();
        let mut page = board.page();
        let line = json!({"game": game, "moves": [first[0], second]});
        let shown = page.ask(json!({"ask": "show", "id": 2, "line": line}));
        let third = shown["view"]["moves"][0]["text"].as_str().unwrap();
        let reply = consult(&[first[0], &second, third]);
        assert_eq!(reply["is"], "found", "{reply}");
        // A move taken back, another one, and the first one once more, twice.
        for moves in [&first[1..], &first[..1], &first[..1]] {
            let reply = consult(moves);
            assert_eq!(reply["is"], "found", "{reply}");
        }
    }
    let mut problem = |program: &str| {
        let line = json!({"game": "Base", "moves": []});
        let reply = page.ask(
            json!({"ask": "consult", "id": 1, "line": line, "program": program, "time_ms": 1000}),
        );
        assert_eq!(reply["is"], "problem", "{reply}");
        reply["message"].as_str().unwrap().to_owned()
    };
    assert!(problem("uhp:./no-such-engine").contains("`./no-such-engine`"));
    assert!(problem("cmd:./bot").contains("contest"));
    assert!(problem("uhp:'").contains("quote"));
}

#[test]
fn a_board_starts_no_programs_unless_it_was_told_to() {
    let board = Board::with("0.0.0.0:0", None);
    let mut page = board.page();
    let line = json!({"game": "Base", "moves": []});
    let reply = page.ask(
        json!({"ask": "consult", "id": 1, "line": line, "program": "uhp:true", "time_ms": 1000}),
    );
    let message = reply["message"].as_str().unwrap();
    assert!(message.contains("--allow-programs"), "{message}");
}

/// A browser that is not one: it keeps its arguments, and the file that they name.
#[cfg(target_os = "linux")]
#[test]
fn a_token_is_on_no_command_line() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let script = "#!/bin/sh\ncd \"$OUT\" && stat -c %a \"$1\" >mode && cp \"$1\" page && echo \"$@\" >seen.new && mv seen.new seen\n";
    std::fs::write(at("xdg-open"), script).unwrap();
    std::fs::set_permissions(at("xdg-open"), PermissionsExt::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", folder.path().display());
    let mut board = std::process::Command::new(env!("CARGO_BIN_EXE_wabe"))
        .args(["board", "--port", "0", "--allow-programs"])
        .envs([("PATH", path.as_str()), ("DISPLAY", ":0")])
        .env("OUT", folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(board.stdout.take().unwrap()).lines();
    let url = lines.next().unwrap().unwrap();
    let (_, token) = url.split_once("#token=").unwrap();
    while !at("seen").exists() {
        assert!(board.try_wait().unwrap().is_none(), "wabe has ended");
        std::thread::yield_now();
    }
    let read = |name| std::fs::read_to_string(at(name)).unwrap();
    let arguments = read("seen");
    assert!(!arguments.contains(token), "{arguments}");
    assert_eq!(read("mode").trim(), "600");
    assert!(read("page").contains(&url), "{}", read("page"));
    let pid = board.id().to_string();
    let killed = std::process::Command::new("kill")
        .args(["-INT", &pid])
        .status();
    assert!(killed.unwrap().success() && board.wait().unwrap().success());
    assert!(
        !std::path::Path::new(arguments.trim()).exists(),
        "{arguments}"
    );
}
