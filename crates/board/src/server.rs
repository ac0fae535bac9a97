//! The web server: serves the page's files, and a WebSocket per open page.

use std::collections::HashSet;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::ops::ControlFlow;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::ws::{Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::extract::{Request as HttpRequest, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HOST, IF_NONE_MATCH, ORIGIN,
    REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::answer::welcome;
use super::assets::{Asset, TAG, import_map};
use super::budget::Budget;
use super::library::Library;
use super::live::{LiveGames, Rooms};
use super::page_session::{PageSession, ReplySink};
use super::protocol::{
    MAX_REQUEST_BYTES, ObserveRequest, Problem, Reply, ReplyMessage, Request, RequestMessage,
    VERSION, Welcome,
};
use wabe_contest::client::{Address, ClientError, observe};
use wabe_contest::protocol::ServerMessage;
use wabe_engine::search::REPORT_INTERVAL;

/// Maximum number of open pages.
const MAX_PAGES: usize = 64;

/// Maximum number of HTTP connections besides open pages. Further ones wait.
const MAX_CONNECTIONS: usize = 128;

/// Maximum duration of an HTTP connection before it becomes a WebSocket. Clients can reconnect.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(60);

/// Delay after a failed `accept`, which usually means that too many files are open.
const ACCEPT_BACKOFF: Duration = Duration::from_secs(1);

/// The WebSocket subprotocol. The page sends its token as a second one, see [`TOKEN_PREFIX`].
const SUBPROTOCOL: &str = "wabe";

/// Prefix of the subprotocol that contains the token.
const TOKEN_PREFIX: &str = "wabe.token.";

/// Timeout for the headers of a request, and then for a page's `hello`.
const HELLO_TIMEOUT: Duration = Duration::from_secs(10);

/// Timeout for sending an answer, without the time for its length. Slower pages are disconnected.
const SEND_TIMEOUT: Duration = Duration::from_secs(5);

/// The slowest connection that receives long answers, in bytes per second.
const MIN_SEND_RATE: f64 = 100_000.0;

/// Maximum number of consecutive unanswered pings. Pages cannot answer while they send a large
/// message.
const MAX_UNANSWERED_PINGS: u32 = 3;

/// Maximum number of connections to referees.
const MAX_OBSERVED: usize = 16;

/// Content security policy: pages load only the server's own files. The import map, the only
/// inline script, is allowed by its hash.
static POLICY: LazyLock<String> = LazyLock::new(|| {
    let hash = BASE64_STANDARD.encode(Sha256::digest(import_map()));
    format!(
        "default-src 'none'; script-src 'self' 'sha256-{hash}'; style-src 'self'; \
         img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'"
    )
});

/// Options of [`serve`].
#[derive(Clone, Debug)]
pub struct BoardOptions {
    /// Access token for pages; `None` to admit all.
    pub token: Option<String>,
    /// Sent to every page.
    pub welcome: Welcome,
    /// Shared by all searches.
    pub budget: Arc<Budget>,
    /// Games that pages can watch.
    pub live: Arc<LiveGames>,
    /// Where pages save games; `None` to let the browser keep them.
    pub library: Option<Arc<Library>>,
    /// Interval between pings to a page. Three unanswered ones close the connection.
    pub ping_interval: Duration,
}

impl BoardOptions {
    /// Defaults: no token, no programs, no games to show first, a ping every 30 s.
    pub fn new(budget: Arc<Budget>, live: Arc<LiveGames>) -> BoardOptions {
        BoardOptions {
            token: None,
            welcome: Welcome {
                threads: budget.threads,
                memory_mib: budget.memory_mib,
                ..welcome()
            },
            budget,
            live,
            library: None,
            ping_interval: Duration::from_secs(30),
        }
    }
}

struct Shared {
    options: BoardOptions,
    /// Allowed values of the `Host` header; `None` for all.
    hosts: Option<Vec<String>>,
    /// Connections to referees.
    observed: Mutex<HashSet<ObserveRequest>>,
    pages: Arc<Semaphore>,
}

impl Shared {
    fn observed(&self) -> MutexGuard<'_, HashSet<ObserveRequest>> {
        self.observed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Connects to a referee, unless it is already connected: pages repeat their requests when they
    /// reconnect. All pages see its games.
    fn observe(self: &Arc<Shared>, id: Option<u32>, task: ObserveRequest, sink: &ReplySink) {
        let problem = |problem| sink(ReplyMessage::problem(id, problem));
        if self.hosts.is_none() {
            // Pages on other machines could use this to probe the server's network.
            return problem(Problem::CannotWatch);
        }
        let mut observed = self.observed();
        if observed.contains(&task) {
            let reply = Reply::Observing;
            return sink(ReplyMessage { id, reply });
        }
        if observed.len() >= MAX_OBSERVED {
            return problem(Problem::TooManyServers);
        }
        observed.insert(task.clone());
        drop(observed);
        let (shared, sink) = (Arc::clone(self), Arc::clone(sink));
        tokio::spawn(async move {
            task.run(id, Arc::clone(&shared.options.live), sink).await;
            shared.observed().remove(&task);
        });
    }
}

/// Serves the board until `stop` completes, then disconnects open pages.
///
/// # Errors
/// When the listener fails.
pub async fn serve(
    listener: TcpListener,
    options: BoardOptions,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let address = listener.local_addr()?;
    let shared = Arc::new(Shared {
        hosts: allowed_hosts(address),
        observed: Mutex::default(),
        options,
        pages: Arc::new(Semaphore::new(MAX_PAGES)),
    });
    let app = Router::new()
        .route("/ws", any(websocket))
        .fallback(serve_file)
        .layer(from_fn_with_state(Arc::clone(&shared), guard))
        .with_state(shared);
    tokio::select! {
        () = accept_all(listener, app) => {}
        () = stop => {}
    }
    Ok(())
}

/// Accepts and serves connections. Drops clients that are too slow to send a request or read its
/// answer.
async fn accept_all(listener: TcpListener, app: Router) {
    let service = TowerToHyperService::new(app);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HELLO_TIMEOUT);
    let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    while let Ok(permit) = Arc::clone(&permits).acquire_owned().await {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                log::warn!("cannot accept a connection: {error}");
                tokio::time::sleep(ACCEPT_BACKOFF).await;
                continue;
            }
        };
        let (http, service) = (http.clone(), service.clone());
        tokio::spawn(async move {
            let served = http.serve_connection(TokioIo::new(stream), service);
            match timeout(CONNECTION_TIMEOUT, served.with_upgrades()).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => log::debug!("connection failed: {error}"),
                Err(_) => log::debug!("connection timed out"),
            }
            drop(permit);
        });
    }
}

/// Allowed `Host` values of a server on loopback, as protection against DNS rebinding. `None` for
/// other addresses.
fn allowed_hosts(address: SocketAddr) -> Option<Vec<String>> {
    if !address.ip().is_loopback() {
        return None;
    }
    let ip = match address.ip() {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    };
    let names = ["127.0.0.1", "localhost", "[::1]", &ip];
    let port = address.port();
    let mut hosts: Vec<String> = names.iter().map(|name| format!("{name}:{port}")).collect();
    if port == 80 {
        hosts.extend(names.map(str::to_owned));
    }
    Some(hosts)
}

/// Rejects requests with a foreign host or origin. Adds security headers to responses.
async fn guard(State(shared): State<Arc<Shared>>, request: HttpRequest, next: Next) -> Response {
    if let Err(message) = check_origin(&shared, request.headers()) {
        return (StatusCode::FORBIDDEN, message).into_response();
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, &**POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
    ] {
        // Fails only for control characters.
        headers.extend(HeaderValue::from_str(value).map(|value| (name, value)));
    }
    response
}

fn check_origin(shared: &Shared, headers: &HeaderMap) -> Result<(), &'static str> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let host = text(HOST).unwrap_or_default();
    if let Some(hosts) = &shared.hosts
        && !hosts.iter().any(|own| own.eq_ignore_ascii_case(host))
    {
        return Err("This host name is not allowed.\n");
    }
    // Only browsers send an origin. It is https behind a proxy that encrypts.
    let own = ["http", "https"].map(|scheme| format!("{scheme}://{host}"));
    if headers
        .get_all(ORIGIN)
        .iter()
        .any(|origin| own.iter().all(|own| origin != own))
    {
        return Err("Requests from other origins are not allowed.\n");
    }
    Ok(())
}

async fn serve_file(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    if method != Method::GET && method != Method::HEAD {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    let Some(asset) = Asset::at(uri.path()) else {
        return (StatusCode::NOT_FOUND, "Not found.\n").into_response();
    };
    let caching = [(ETAG, TAG.as_str()), (CACHE_CONTROL, "no-cache")];
    if headers.get(IF_NONE_MATCH).is_some_and(|tag| *tag == **TAG) {
        return (StatusCode::NOT_MODIFIED, caching).into_response();
    }
    let content_type = [(CONTENT_TYPE, asset.content_type())];
    (caching, content_type, asset.sent()).into_response()
}

async fn websocket(State(shared): State<Arc<Shared>>, upgrade: WebSocketUpgrade) -> Response {
    let page = admit(&shared, &upgrade);
    upgrade
        .protocols([SUBPROTOCOL])
        .max_message_size(MAX_REQUEST_BYTES)
        .max_frame_size(MAX_REQUEST_BYTES)
        .on_upgrade(move |mut socket| async move {
            let admitted = match page {
                Ok(page) => receive_hello(&mut socket).await.map(|()| page),
                Err(problem) => Err(Some(problem)),
            };
            match admitted {
                // The only possible error is that the page has disconnected. Ignored here and
                // below.
                Ok(_page) => drop(run_page(&shared, socket).await),
                Err(Some(problem)) => {
                    let _ = send(&mut socket, &ReplyMessage::problem(None, problem)).await;
                }
                Err(None) => {}
            }
        })
}

/// Checks the token first, so unauthenticated clients cannot use up the page limit.
fn admit(shared: &Shared, upgrade: &WebSocketUpgrade) -> Result<OwnedSemaphorePermit, Problem> {
    let mut tokens = (upgrade.requested_protocols())
        .filter_map(|name| name.to_str().ok()?.strip_prefix(TOKEN_PREFIX));
    if let Some(token) = &shared.options.token
        && !tokens.any(|sent| sent == token)
    {
        return Err(Problem::TokenExpected);
    }
    let page = Arc::clone(&shared.pages).try_acquire_owned();
    page.map_err(|_| Problem::TooManyPages)
}

/// Waits for the page's `hello`. The error is for the page; `None` if it has disconnected.
async fn receive_hello(socket: &mut WebSocket) -> Result<(), Option<Problem>> {
    let first = async {
        loop {
            if let Some(text) = receive(socket).await? {
                return Ok(text);
            }
        }
    };
    let first: Result<_, Disconnected> = timeout(HELLO_TIMEOUT, first).await.map_err(|_| None)?;
    let first = first.map_err(|Disconnected| None)?;
    let first = RequestMessage::from_json(&first).map(|message| message.request);
    match first {
        Ok(Request::Hello { version: VERSION }) => Ok(()),
        Ok(Request::Hello { .. }) => Err(Some(Problem::OtherVersion)),
        _ => Err(Some(Problem::HelloExpected)),
    }
}

struct Disconnected;

async fn send(socket: &mut WebSocket, answer: &ReplyMessage) -> Result<(), Disconnected> {
    let text = serde_json::to_string(answer).map_err(|_| Disconnected)?;
    send_message(socket, Message::Text(text.into())).await
}

async fn send_message(socket: &mut WebSocket, message: Message) -> Result<(), Disconnected> {
    let length = match &message {
        Message::Text(text) => text.len(),
        _ => 0,
    };
    let length_time = Duration::from_secs_f64(length as f64 / MIN_SEND_RATE);
    let sent = timeout(SEND_TIMEOUT + length_time, socket.send(message));
    sent.await
        .map_err(|_| Disconnected)?
        .map_err(|_| Disconnected)
}

/// Waits for a message from the page. Returns `None` for a ping or pong.
async fn receive(socket: &mut WebSocket) -> Result<Option<Utf8Bytes>, Disconnected> {
    match socket.recv().await {
        Some(Ok(Message::Text(text))) => Ok(Some(text)),
        Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(None),
        Some(Ok(Message::Binary(_) | Message::Close(_)) | Err(_)) | None => Err(Disconnected),
    }
}

/// Answers a page's requests until it disconnects.
async fn run_page(shared: &Arc<Shared>, mut socket: WebSocket) -> Result<(), Disconnected> {
    let reply = Reply::Welcome(Welcome {
        library: shared.options.library.is_some(),
        ..shared.options.welcome.clone()
    });
    send(&mut socket, &ReplyMessage { id: None, reply }).await?;

    let _page = shared.options.live.open_page();
    let (sender, mut replies) = mpsc::unbounded_channel();
    let sink: ReplySink = Arc::new(move |reply| {
        // Fails if the page has disconnected.
        let _ = sender.send(reply);
    });
    let BoardOptions { budget, live, .. } = &shared.options;
    let mut session = PageSession::new(Arc::clone(budget), Arc::clone(live), Arc::clone(&sink));
    let mut reports = interval(REPORT_INTERVAL);
    reports.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut pings = interval(shared.options.ping_interval.max(Duration::from_millis(1)));
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut unanswered = 0;
    loop {
        tokio::select! {
            received = receive(&mut socket) => {
                let received = received?;
                unanswered = 0;
                if let Some(text) = received {
                    shared.handle(&text, &mut session, &sink);
                }
            }
            Some(reply) = replies.recv() => send(&mut socket, &reply).await?,
            _ = reports.tick() => session.report_live(),
            _ = pings.tick() => {
                if unanswered >= MAX_UNANSWERED_PINGS {
                    return Err(Disconnected);
                }
                unanswered += 1;
                // Browsers answer pings without running the page's scripts.
                send_message(&mut socket, Message::Ping(Bytes::new())).await?;
            }
        }
    }
}

impl Shared {
    /// Handles a message from a page.
    fn handle(self: &Arc<Shared>, text: &str, session: &mut PageSession, sink: &ReplySink) {
        let RequestMessage { id, request } = match RequestMessage::from_json(text) {
            Ok(message) => message,
            Err(answer) => return sink(*answer),
        };
        match (request, &self.options.library) {
            (Request::Observe(task), _) => self.observe(id, task, sink),
            (Request::Consult(_), _) if !self.options.welcome.programs => {
                sink(ReplyMessage::problem(id, Problem::ProgramsDisabled));
            }
            // Reading files or parsing a long recording must not block other pages.
            (request, Some(library)) if request.is_for_library() => {
                sink(
                    match tokio::task::block_in_place(|| library.answer(request)) {
                        Ok(reply) => ReplyMessage { id, reply },
                        Err(problem) => ReplyMessage::problem(id, problem),
                    },
                );
            }
            (request, _) => {
                tokio::task::block_in_place(|| session.take(RequestMessage { id, request }));
            }
        }
    }
}

impl ObserveRequest {
    /// Watches games until the room is closed or the connection ends.
    async fn run(&self, id: Option<u32>, live: Arc<LiveGames>, sink: ReplySink) {
        let send_observing = || {
            let reply = Reply::Observing;
            sink(ReplyMessage { id, reply });
        };
        let Some(address) = self.address() else {
            let address = self.address.clone();
            return sink(ReplyMessage::problem(id, Problem::BadAddress { address }));
        };
        let mut rooms = Rooms::new(live, self.address.clone());
        let room = self.room.as_deref();
        // If no room was requested, the referee sends nothing until a game begins or the password
        // is rejected, so do not wait for a message.
        let mut is_confirmed = room.is_none();
        let connected = || {
            if room.is_none() {
                send_observing();
            }
        };
        let mut rejection = None;
        let observed = observe(&address, &self.password, room, connected, |message| {
            if let ServerMessage::Error { message } = message {
                // Only wabe's referee sends this. The contest's server just closes the connection.
                rejection = Some(message);
                return ControlFlow::Break(());
            }
            let is_room = matches!(
                message,
                ServerMessage::Observed(_) | ServerMessage::Room { .. }
            );
            if is_room && !std::mem::replace(&mut is_confirmed, true) {
                send_observing();
            }
            rooms.receive(message);
            match room {
                Some(_) if rooms.are_closed() => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        });
        let address = address.to_string();
        let problem = match observed.await {
            Err(ClientError::Connect { source, .. }) => Problem::NoServer {
                address,
                detail: match source.kind() {
                    io::ErrorKind::ConnectionRefused | io::ErrorKind::TimedOut => String::new(),
                    _ => source.to_string(),
                },
            },
            Err(error) => Problem::ConnectionLost {
                address,
                detail: error.to_string(),
            },
            Ok(()) if let Some(detail) = rejection => Problem::Rejected { address, detail },
            Ok(()) if is_confirmed && room.is_some() => return,
            Ok(()) => Problem::Closed { address },
        };
        sink(ReplyMessage::problem(id, problem));
    }

    fn address(&self) -> Option<Address> {
        let (host, port) = self.address.rsplit_once(':')?;
        let host = host
            .trim_start_matches('[')
            .trim_end_matches(']')
            .to_owned();
        let port = port.parse().ok()?;
        Some(Address { host, port }).filter(|address| !address.host.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Bytes;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    use super::*;

    // While time is paused, tokio skips to the next timeout whenever all tasks are waiting.
    #[tokio::test(start_paused = true)]
    async fn slow_clients_do_not_block_others() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let large = Bytes::from(vec![b'x'; 16 << 20]);
        let app = Router::new()
            .route("/large", any(|| async move { large }))
            .fallback(|| async { "answer" });
        tokio::spawn(accept_all(listener, app));
        let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
        let mut slow = Vec::new();
        for number in 0..2 * MAX_CONNECTIONS {
            let mut stream = TcpStream::connect(address).await.unwrap();
            let incomplete = &request[..number % request.len()];
            stream.write_all(incomplete.as_bytes()).await.unwrap();
            slow.push(stream);
        }
        let mut not_reading = Vec::new();
        for _ in 0..MAX_CONNECTIONS {
            let mut stream = TcpStream::connect(address).await.unwrap();
            let request = request.replace("/ ", "/large ").repeat(3);
            stream.write_all(request.as_bytes()).await.unwrap();
            not_reading.push(stream);
        }
        let mut stream = TcpStream::connect(address).await.unwrap();
        let twice = request.repeat(2);
        stream.write_all(twice.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert_eq!(answer.matches("\r\n\r\nanswer").count(), 2, "{answer}");
        for mut stream in slow {
            let mut answer = String::new();
            stream.read_to_string(&mut answer).await.unwrap();
            assert!(!answer.contains("answer"), "{answer}");
        }
    }
}
