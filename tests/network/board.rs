//! The board's web server over real sockets.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest;
use tungstenite::http::HeaderValue;
use tungstenite::{Message, WebSocket};

use crate::background::Background;
use crate::common::wabe::WABE;
use crate::server::binary::Server;
use crate::server::referee::{Referee, slot};
use wabe_arena::{GameEnd, GameRecord, WatchedPly};
use wabe_board::{BoardOptions, Budget, LiveGames, Origin, serve};
use wabe_hive::ByColor;
use wabe_hive::game::{Game, Record};
use wabe_hive::standard::Standard;

/// Timeout that makes a hanging test fail.
const TIMEOUT: Duration = Duration::from_secs(60);

struct Board {
    address: SocketAddr,
    budget: Arc<Budget>,
    live: Arc<LiveGames>,
    _server: Background,
}

impl Board {
    fn start() -> Board {
        Board::with("127.0.0.1:0", None)
    }

    fn with(address: &'static str, token: Option<&str>) -> Board {
        Board::with_pings(address, token, Duration::from_secs(30))
    }

    fn with_pings(address: &'static str, token: Option<&str>, ping_interval: Duration) -> Board {
        let (budget, live) = (Budget::new(2, 64), Arc::<LiveGames>::default());
        let mut options = BoardOptions::new(Arc::clone(&budget), Arc::clone(&live));
        options.token = token.map(str::to_owned);
        options.welcome.game = "contest".to_owned();
        options.welcome.programs = address.starts_with("127.");
        options.ping_interval = ping_interval;
        let server = Background::start(address, move |listener, stopped| async move {
            let stopped = async {
                let _ = stopped.await;
            };
            serve(listener, options, stopped).await.unwrap();
        });
        Board {
            address: server.address,
            budget,
            live,
            _server: server,
        }
    }

    fn stream(&self) -> TcpStream {
        let address = SocketAddr::from(([127, 0, 0, 1], self.address.port()));
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        stream
    }

    /// Requests a file. Returns the headers and the body.
    fn get(&self, path: &str, headers: &str) -> String {
        let host = if headers.contains("Host:") {
            String::new()
        } else {
            format!("Host: {}\r\n", self.address)
        };
        let mut stream = self.stream();
        let request = format!("GET {path} HTTP/1.1\r\n{host}{headers}Connection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Connects a page with this origin. Returns the status code on failure.
    fn connect(&self, origin: Option<&str>) -> Result<Page, u16> {
        self.connect_with(origin.map(|origin| ("Origin", origin.to_owned())))
    }

    /// Connects a page with this token.
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

    /// Connects a page and completes the handshake.
    fn page(&self) -> Page {
        let mut page = self.connect(None).unwrap();
        assert!(page.is_welcome());
        page
    }

    fn wait_for_free_threads(&self) {
        while self.budget.free_threads() < 2 {
            std::thread::yield_now();
        }
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

    fn next_that(&mut self, predicate: impl Fn(&Value) -> bool) -> Value {
        loop {
            let reply = self.next();
            if predicate(&reply) {
                return reply;
            }
        }
    }

    fn next_of_kind(&mut self, kind: &str) -> Value {
        self.next_that(|reply| reply["is"] == kind)
    }

    /// Sends the first message. Returns whether it is accepted.
    fn is_welcome(&mut self) -> bool {
        self.ask(json!({"ask": "hello", "version": 3}))["is"] == "welcome"
    }

    fn assert_answered(&mut self) {
        let opened = self.ask(json!({"ask": "new", "id": 1, "game": "Base"}));
        assert_eq!(opened["is"], "opened");
    }

    /// Starts an endless search and waits for its first report.
    fn search(&mut self) -> Value {
        let line = json!({"game": "contest", "moves": []});
        let effort = json!({"lines": 2, "threads": 2});
        self.send(json!({"ask": "search", "id": 7, "line": line, "effort": effort}));
        self.next_of_kind("progress")
    }

    /// Requests a move from a program.
    fn consult(&mut self, game: &str, moves: &[&str], program: &str) -> Value {
        let line = json!({"game": game, "moves": moves});
        self.ask(
            json!({"ask": "consult", "id": 1, "line": line, "program": program, "time_ms": 1000}),
        )
    }

    fn problem(&mut self) -> String {
        self.next_of_kind("problem")["problem"].to_string()
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
fn page_is_served_only_to_its_own_origin() {
    let board = Board::start();
    let page = board.get("/", "").to_ascii_lowercase();
    assert!(page.starts_with("http/1.1 200"), "{page}");
    assert!(page.contains("content-security-policy: default-src 'none'; script-src 'self'"));
    assert!(page.contains("x-content-type-options: nosniff"));
    let tag = page.lines().find_map(|line| line.strip_prefix("etag: "));
    let if_none_match = format!("If-None-Match: {}\r\n", tag.unwrap());
    let port = board.address.port();
    for (path, headers, status) in [
        ("/", &*if_none_match, 304),
        ("/nothing", "", 404),
        ("/../Cargo.toml", "", 404),
        ("/", &format!("Host: localhost:{port}\r\n"), 200),
        ("/", "Host: evil.example:1\r\n", 403),
        ("/", "Host: 127.0.0.1:1\r\n", 403),
        ("/", "Host: localhost.evil.example:1\r\n", 403),
    ] {
        let answer = board.get(path, headers);
        let expected = format!("HTTP/1.1 {status}");
        assert!(answer.starts_with(&expected), "{path} {headers}: {answer}");
    }
    let elsewhere = format!("http://127.0.0.1:{}", port ^ 1);
    let encrypted = format!("https://{}", board.address);
    assert!(board.connect(Some(&encrypted)).is_ok());
    for origin in ["http://evil.example", "null", &elsewhere] {
        assert_eq!(board.connect(Some(origin)).err(), Some(403), "{origin}");
    }
    let own = format!("http://127.0.0.1:{port}");
    assert!(board.connect(Some(&own)).is_ok());
}

#[test]
fn public_boards_require_a_token() {
    let board = Board::with("0.0.0.0:0", Some("secret"));
    for token in ["", "Secret", "secre", "secret2"] {
        let mut page = board.connect_as(token).unwrap();
        assert!(!page.is_welcome() && page.has_ended());
    }
    assert!(!board.connect(None).unwrap().is_welcome());
    // Long messages are rejected without a token.
    let mut page = board.connect_as("Secret").unwrap();
    let _ = page.socket.send(Message::text("x".repeat(5 << 10)));
    assert!(page.has_ended());
    // Clients without a token do not count as pages.
    let silent: Vec<_> = (0..80).map(|_| board.connect(None).unwrap()).collect();
    assert!(board.connect_as("secret").unwrap().is_welcome());
    drop(silent);
    // They cannot start programs.
    let board = Board::with("0.0.0.0:0", None);
    let mut page = board.page();
    let reply = page.consult("Base", &[], "uhp:true");
    assert_eq!(reply["problem"]["code"], "programs_disabled");
}

#[test]
fn open_pages_are_limited() {
    let board = Board::start();
    let mut pages: Vec<_> = (0..64).map(|_| board.page()).collect();
    let mut late = board.connect(None).unwrap();
    assert_eq!(late.next()["problem"]["code"], "too_many_pages");
    pages.pop();
    while !board.connect(None).unwrap().is_welcome() {
        std::thread::yield_now();
    }
}

#[test]
fn malformed_requests_get_problems() {
    let board = Board::start();
    let mut other = board.page();
    for (first, part) in [
        (json!({"ask": "hello", "version": 0}), "version"),
        (json!({"ask": "watch", "id": 1}), "hello"),
        (json!(["no request"]), "hello"),
        (json!("x".repeat(5 << 10)), "hello"),
    ] {
        let mut page = board.connect(None).unwrap();
        page.send(first);
        assert!(page.problem().contains(part) && page.has_ended());
    }
    let mut page = board.page();
    for text in [
        "",
        "{",
        "[]",
        r#"{"ask":"nothing"}"#,
        r#"{"ask":"new","id":-1,"game":"Base"}"#,
    ] {
        page.socket.send(Message::text(text)).unwrap();
        page.problem();
    }
    page.assert_answered();
    // A message above the limit. The server may close the connection before all of it has been
    // sent.
    let _ = page.socket.send(Message::text("x".repeat(25 << 20)));
    assert!(page.has_ended());
    other.assert_answered();
}

#[test]
fn closing_a_page_ends_its_search() {
    let board = Board::start();
    let mut page = board.page();
    let mut nodes = page.search()["findings"]["nodes"].as_u64().unwrap();
    assert_eq!(board.budget.free_threads(), 0);
    for _ in 0..2 {
        let progress = page.next_of_kind("progress");
        let more = progress["findings"]["nodes"].as_u64().unwrap();
        assert!(more > nodes);
        nodes = more;
    }
    // Other requests are answered during the search.
    let line = json!({"game": "contest", "moves": []});
    page.send(json!({"ask": "show", "id": 8, "line": line}));
    page.next_of_kind("shown");
    page.send(json!({"ask": "stop"}));
    assert_eq!(page.next_of_kind("found")["id"], 7);
    // A closed connection.
    page.search();
    drop(page);
    board.wait_for_free_threads();
    let board = Board::with_pings("127.0.0.1:0", None, Duration::from_millis(300));
    let mut page = board.page();
    page.search();
    // A page that does not read, and so does not answer pings.
    board.wait_for_free_threads();
    assert!(page.has_ended());
}

#[test]
fn live_games_are_sent_from_the_start() {
    let board = Board::start();
    let names = ByColor {
        red: "<b>one</b>".to_owned(),
        blue: "two".to_owned(),
    };
    let mut record: Record<Standard> =
        Record::from_position(Standard::plain_start(Default::default()));
    let mut game = (board.live).begin(Origin::Match, record.clone(), names);
    let mut play = |text, elapsed_ms| {
        record.play_text(text).unwrap();
        game.add(&WatchedPly {
            record: &record,
            elapsed: Duration::from_millis(elapsed_ms),
            score: Some(0.75),
            comment: None,
        });
    };
    play("wA1", 120);

    let mut page = board.page();
    let live = page.ask(json!({"ask": "watch", "id": 1}));
    assert_eq!(live["games"][0]["names"], json!(["<b>one</b>", "two"]));
    let number = &live["games"][0]["number"];
    let following = page.ask(json!({"ask": "follow", "id": 2, "number": number}));
    assert_eq!(following["game"]["line"]["moves"], json!(["wA1"]));
    assert_eq!(following["scores"], json!([[1, 0.75]]));
    assert_eq!(following["game"]["times"], json!([[1, 120]]));
    play("bA1 wA1-", 0);
    let following = page.next_of_kind("following");
    assert_eq!(following["scores"], json!([[1, 0.75], [2, 0.25]]));
    assert_eq!(following["running"], true);
    game.end(&GameRecord {
        end: GameEnd::Agreement,
        ..GameRecord::new(ByColor { red: 0, blue: 1 })
    });
    let following = page.next_that(|reply| reply["is"] == "following" && reply["running"] == false);
    assert_eq!(following["game"]["result"]["reason"], "agreement");
}

/// A request to watch games on a referee.
fn observe(address: &str, password: &str, room: Value) -> Value {
    json!({
        "ask": "observe", "id": 1, "address": address, "password": password, "room": room,
    })
}

#[test]
fn observe_follows_games_to_the_end() {
    let referee = Referee::start(|_| {});
    let board = Board::start();
    let mut page = board.page();
    let mut admin = referee.administrator();
    let prepared = admin.prepare(&[slot("Rot"), slot("Blau")]);
    let address = referee.address.to_string();
    for (address, password, room, problem) in [
        ("here", "x", Value::Null, "bad_address"),
        ("127.0.0.1:1", "x", Value::Null, "no_server"),
        (&*address, "wrong", json!("some room"), "closed"),
        (
            &address,
            "examplepassword",
            json!("no such room"),
            "rejected",
        ),
    ] {
        page.send(observe(address, password, room));
        let answer = page.problem();
        assert!(answer.contains(problem), "{address}: {answer}");
    }
    page.send(observe(&address, "examplepassword", json!(prepared.room.0)));
    page.next_of_kind("observing");
    page.send(json!({"ask": "watch", "id": 2}));
    let players = prepared.codes.iter().map(|code| {
        let mut player = referee.connect();
        player.join_prepared(code);
        std::thread::spawn(move || player.play_to_end(5))
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
fn serve_shows_its_games_on_the_board() {
    let (server, mut log) = Server::start_logging("--time 0 --board 0");
    let line = log.next().unwrap().unwrap();
    let url = line.strip_prefix("wabe: watch at http://").unwrap();
    let url = url.strip_suffix("#watch").unwrap();
    let stream = TcpStream::connect(url.trim_end_matches('/')).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    let (socket, _) = tungstenite::client(format!("ws://{url}ws"), stream).unwrap();
    let mut page = Page { socket };
    assert!(page.is_welcome());
    page.send(json!({"ask": "watch", "id": 1}));
    let players = server.joined_players();
    let players = players.map(|mut p| std::thread::spawn(move || p.play_to_end(3)));
    let ended = |reply: &Value| reply["games"][0]["running"] == false;
    let live = page.next_that(ended);
    assert!(live["games"][0]["plies"].as_u64().unwrap() > 6, "{live}");
    assert_eq!(live["games"].as_array().unwrap().len(), 1);
    for player in players {
        player.join().unwrap();
    }
}

#[test]
fn serve_shows_its_board_on_the_address_of_listen() {
    let (_server, log) = Server::start_logging("--listen 0.0.0.0 --board 0");
    let mut lines = log.map(|line| line.unwrap());
    let line = lines
        .find(|line| line.starts_with("wabe: watch at"))
        .unwrap();
    let (_, fragment) = line.split_once('#').unwrap();
    assert!(fragment.starts_with("token="), "{line}");
    assert!(fragment.ends_with("&watch"), "{line}");
}

#[test]
fn consult_plays_with_programs() {
    let board = Board::start();
    let mut page = board.page();
    for (game, first, program) in [
        ("Base", ["wA1", "wG1"], format!("uhp:'{WABE} uhp' depth=1")),
        (
            "contest",
            ["set A 0,0", "set G 1,1"],
            format!("wabe:'{WABE} play' nodes=20"),
        ),
    ] {
        let mut consult = |moves: &[&str]| {
            let reply = page.consult(game, moves, &program);
            assert_eq!(reply["is"], "found", "{reply}");
            reply["move"].as_str().unwrap().to_owned()
        };
        let second = consult(&first[..1]);
        let line = json!({"game": game, "moves": [first[0], second]});
        let shown = board
            .page()
            .ask(json!({"ask": "show", "id": 2, "line": line}));
        let third = shown["view"]["moves"][0]["text"].as_str().unwrap();
        consult(&[first[0], &second, third]);
        // The move is taken back and replaced, then played again twice.
        for moves in [&first[1..], &first[..1], &first[..1]] {
            consult(moves);
        }
    }
    for (program, problem) in [
        ("uhp:./no-such-engine", "program_not_started"),
        ("cmd:./bot", "other_game_program"),
        ("uhp:'", "quote"),
    ] {
        let reply = page.consult("Base", &[], program);
        assert_eq!(reply["is"], "problem", "{reply}");
        assert!(reply["problem"].to_string().contains(problem));
    }
}

/// The fake browser records its arguments and the file that they name.
#[cfg(target_os = "linux")]
#[test]
fn browser_arguments_do_not_contain_tokens() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;

    use crate::common::wabe::{command, kill, script};

    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let lines = "cd \"$OUT\" && stat -c %a \"$1\" >mode && cp \"$1\" page && echo \"$@\" >seen.new && mv seen.new seen";
    script(folder.path(), "xdg-open", lines);
    let path = format!("{}:/usr/bin:/bin", folder.path().display());
    let mut board = command("board --listen localhost --port 0 --allow-programs --library")
        .arg(at("library"))
        .envs([("PATH", path.as_str()), ("DISPLAY", ":0")])
        .env("OUT", folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(board.stdout.take().unwrap()).lines();
    let url = lines.next().unwrap().unwrap();
    let (_, token) = url.split_once("#token=").unwrap();
    while !at("seen").exists() {
        assert!(board.try_wait().unwrap().is_none(), "wabe has exited");
        std::thread::yield_now();
    }
    let read = |name| std::fs::read_to_string(at(name)).unwrap();
    let arguments = read("seen");
    assert!(!arguments.contains(token), "{arguments}");
    assert_eq!(read("mode").trim(), "600");
    assert!(read("page").contains(&url), "{}", read("page"));
    assert!(kill("INT", board.id()) && board.wait().unwrap().success());
    assert!(!std::fs::exists(arguments.trim()).unwrap(), "{arguments}");
}
