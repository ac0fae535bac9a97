//! The web server of the board: the page's files, and a WebSocket for each open page.

use std::collections::HashSet;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::ws::{Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::extract::{Request as HttpRequest, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HOST, IF_NONE_MATCH, ORIGIN,
    REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::answer::{sentence, welcome};
use super::assets::{Asset, TAG};
use super::budget::Budget;
use super::live::{LiveGames, Rooms};
use super::page_session::{Outlet, PageSession};
use super::protocol::{
    Answer, Asked, MAX_REQUEST, ObserveRequest, Reply, Request, VERSION, Welcome,
};
use super::search::BETWEEN_REPORTS;
use wabe_contest::client::{Address, ClientError, observe};
use wabe_contest::protocol::ServerMessage;

/// Largest number of open pages.
const MAX_PAGES: usize = 64;

/// Largest number of connections that are not pages yet. Further ones wait.
const MAX_CONNECTIONS: usize = 128;

/// Time of a connection until it is a page or ends; a client that wants more connects again.
const MAX_SERVED: Duration = Duration::from_secs(60);

/// Time before another connection is accepted after a failure: usually too many files are open.
const BACK_OFF: Duration = Duration::from_secs(1);

/// The subprotocol of the page's WebSocket. A second one that the page names has the token after
/// [`TOKEN`].
const SUBPROTOCOL: &str = "wabe";

/// The beginning of the subprotocol that has the token.
const TOKEN: &str = "wabe.token.";

/// Time for a client to send a request, and then for a page to say hello.
const HELLO_PATIENCE: Duration = Duration::from_secs(10);

/// Time to send an answer. A page that takes longer is dropped.
const SEND_PATIENCE: Duration = Duration::from_secs(5);

/// A page that leaves this many pings in a row unanswered has gone. While it sends a large message,
/// it answers none.
const MAX_UNANSWERED: u32 = 3;

/// Largest number of referees and rooms that are watched.
const MAX_OBSERVED: usize = 16;

/// The content security policy: a page loads its own files, nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The options of the server.
#[derive(Clone, Debug)]
pub struct BoardOptions {
    /// The token that a page has to send; `None` if it needs none.
    pub token: Option<String>,
    /// The greeting of every page.
    pub welcome: Welcome,
    /// Threads and memory of all searches.
    pub budget: Arc<Budget>,
    /// The games to watch.
    pub live: Arc<LiveGames>,
    /// Time between two pings. A page that answers none for a while has gone.
    pub between_pings: Duration,
}

impl BoardOptions {
    /// A board without a token that starts no programs and shows nothing at first.
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
            between_pings: Duration::from_secs(30),
        }
    }
}

struct Shared {
    options: BoardOptions,
    /// The accepted values of `Host`; `None` for all.
    hosts: Option<Vec<String>>,
    /// The referees and rooms that are watched, with their passwords.
    observed: Mutex<HashSet<ObserveRequest>>,
    pages: Arc<Semaphore>,
}

impl Shared {
    fn observed(&self) -> MutexGuard<'_, HashSet<ObserveRequest>> {
        self.observed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Watches a referee for all pages, unless it is watched already: a page that reconnects asks
    /// again.
    fn observe(self: &Arc<Shared>, id: Option<u32>, task: ObserveRequest, outlet: &Outlet) {
        let problem = |message: &str| outlet(Answer::problem(id, message.to_owned()));
        if self.hosts.is_none() {
            // Otherwise other machines could probe this machine's network.
            return problem("Another server can be watched only from the machine of this board.");
        }
        let mut observed = self.observed();
        if observed.contains(&task) {
            let reply = Reply::Observing;
            return outlet(Answer { id, reply });
        }
        if observed.len() >= MAX_OBSERVED {
            return problem("Too many referees are watched.");
        }
        observed.insert(task.clone());
        drop(observed);
        let (shared, outlet) = (Arc::clone(self), Arc::clone(outlet));
        tokio::spawn(async move {
            task.run(id, Arc::clone(&shared.options.live), outlet).await;
            shared.observed().remove(&task);
        });
    }
}

/// Serves the board until `stop` completes. Open pages are cut off then.
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
        hosts: own_hosts(address),
        observed: Mutex::default(),
        options,
        pages: Arc::new(Semaphore::new(MAX_PAGES)),
    });
    let app = Router::new()
        .route("/ws", any(socket))
        .fallback(file)
        .layer(from_fn_with_state(Arc::clone(&shared), guard))
        .with_state(shared);
    tokio::select! {
        () = accept_all(listener, app) => {}
        () = stop => {}
    }
    Ok(())
}

/// Answers the requests of all connections. Those that take too long over a request or its answer
/// are dropped.
async fn accept_all(listener: TcpListener, app: Router) {
    let service = TowerToHyperService::new(app);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HELLO_PATIENCE);
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    while let Ok(place) = Arc::clone(&places).acquire_owned().await {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                log::warn!("cannot accept a connection: {error}");
                tokio::time::sleep(BACK_OFF).await;
                continue;
            }
        };
        let (http, service) = (http.clone(), service.clone());
        tokio::spawn(async move {
            let served = http.serve_connection(TokioIo::new(stream), service);
            match timeout(MAX_SERVED, served.with_upgrades()).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => log::debug!("a connection: {error}"),
                Err(_) => log::debug!("a connection: too slow"),
            }
            drop(place);
        });
    }
}

/// The `Host` values of a server on loopback, `None` for any other. A foreign name is a sign of DNS
/// rebinding.
fn own_hosts(address: SocketAddr) -> Option<Vec<String>> {
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

/// Refuses requests with a foreign name or origin, and adds security headers to the answers.
async fn guard(State(shared): State<Arc<Shared>>, request: HttpRequest, next: Next) -> Response {
    if let Err(problem) = check(&shared, request.headers()) {
        return (StatusCode::FORBIDDEN, problem).into_response();
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
    ] {
        headers.insert(name, axum::http::HeaderValue::from_static(value));
    }
    response
}

fn check(shared: &Shared, headers: &HeaderMap) -> Result<(), &'static str> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let host = text(HOST).unwrap_or_default();
    if let Some(hosts) = &shared.hosts
        && !hosts.iter().any(|own| own.eq_ignore_ascii_case(host))
    {
        return Err("This board is not served under that name.\n");
    }
    // Only browsers send an origin.
    let own = format!("http://{host}");
    if headers.get_all(ORIGIN).iter().any(|origin| origin != &own) {
        return Err("Another page may not use this board.\n");
    }
    Ok(())
}

async fn file(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    if method != Method::GET && method != Method::HEAD {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    let Some(asset) = Asset::at(uri.path()) else {
        return (StatusCode::NOT_FOUND, "There is no such file.\n").into_response();
    };
    let caching = [(ETAG, TAG.as_str()), (CACHE_CONTROL, "no-cache")];
    if headers.get(IF_NONE_MATCH).is_some_and(|tag| *tag == **TAG) {
        return (StatusCode::NOT_MODIFIED, caching).into_response();
    }
    let content_type = [(CONTENT_TYPE, asset.content_type())];
    (caching, content_type, asset.content).into_response()
}

async fn socket(State(shared): State<Arc<Shared>>, upgrade: WebSocketUpgrade) -> Response {
    let page = admit(&shared, &upgrade);
    upgrade
        .protocols([SUBPROTOCOL])
        .max_message_size(MAX_REQUEST)
        .max_frame_size(MAX_REQUEST)
        .on_upgrade(move |mut socket| async move {
            let greeted = match page {
                Ok(page) => greet(&mut socket).await.map(|()| page),
                Err(refusal) => Err(Some(refusal)),
            };
            match greeted {
                // An error says that the page has gone, here and below.
                Ok(_page) => drop(attend(&shared, socket).await),
                Err(Some(refusal)) => {
                    let _ = send(&mut socket, &Answer::problem(None, refusal.to_owned())).await;
                }
                Err(None) => {}
            }
        })
}

/// Checks the token, and then whether there is room for another page: clients without the token
/// take no page's place.
fn admit(
    shared: &Shared,
    upgrade: &WebSocketUpgrade,
) -> Result<OwnedSemaphorePermit, &'static str> {
    let mut tokens =
        (upgrade.requested_protocols()).filter_map(|name| name.to_str().ok()?.strip_prefix(TOKEN));
    if let Some(token) = &shared.options.token
        && !tokens.any(|named| named == token)
    {
        return Err("The address lacks its token. Use the address that was printed.");
    }
    let page = Arc::clone(&shared.pages).try_acquire_owned();
    page.map_err(|_| "Too many pages are open.")
}

/// Waits for the page's hello. The error is the refusal, or `None` if the page has gone.
async fn greet(socket: &mut WebSocket) -> Result<(), Option<&'static str>> {
    let first = async {
        loop {
            if let Some(text) = receive(socket).await? {
                return Ok(text);
            }
        }
    };
    let first: Result<_, Gone> = timeout(HELLO_PATIENCE, first).await.map_err(|_| None)?;
    let first = Asked::read(&first.map_err(|Gone| None)?).map(|asked| asked.request);
    match first {
        Ok(Request::Hello { version: VERSION }) => Ok(()),
        Ok(Request::Hello { .. }) => Err(Some("The page has another version. Reload it.")),
        _ => Err(Some("The first request has to be a hello.")),
    }
}

/// The error of a connection that has ended.
struct Gone;

async fn send(socket: &mut WebSocket, answer: &Answer) -> Result<(), Gone> {
    let text = serde_json::to_string(answer).map_err(|_| Gone)?;
    give(socket, Message::Text(text.into())).await
}

async fn give(socket: &mut WebSocket, message: Message) -> Result<(), Gone> {
    let sent = timeout(SEND_PATIENCE, socket.send(message));
    sent.await.map_err(|_| Gone)?.map_err(|_| Gone)
}

/// Waits for a message of a page: a text, or `None` for a mere sign of life.
async fn receive(socket: &mut WebSocket) -> Result<Option<Utf8Bytes>, Gone> {
    match socket.recv().await {
        Some(Ok(Message::Text(text))) => Ok(Some(text)),
        Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(None),
        Some(Ok(Message::Binary(_) | Message::Close(_)) | Err(_)) | None => Err(Gone),
    }
}

async fn attend(shared: &Arc<Shared>, mut socket: WebSocket) -> Result<(), Gone> {
    let reply = Reply::Welcome(shared.options.welcome.clone());
    send(&mut socket, &Answer { id: None, reply }).await?;

    let _page = shared.options.live.open_page();
    let (sender, mut replies) = mpsc::unbounded_channel();
    let outlet: Outlet = Arc::new(move |reply| {
        // Fails once the page has gone.
        let _ = sender.send(reply);
    });
    let BoardOptions { budget, live, .. } = &shared.options;
    let mut session = PageSession::new(Arc::clone(budget), Arc::clone(live), Arc::clone(&outlet));
    let mut reports = interval(BETWEEN_REPORTS);
    reports.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut pings = interval(shared.options.between_pings.max(Duration::from_millis(1)));
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut unanswered = 0;
    loop {
        tokio::select! {
            received = receive(&mut socket) => {
                let received = received?;
                unanswered = 0;
                let Some(text) = received else { continue };
                match Asked::read(&text) {
                    Ok(Asked { id, request: Request::Observe(asked) }) => shared.observe(id, asked, &outlet),
                    Ok(Asked { id, request: Request::Consult(_) }) if !shared.options.welcome.programs => {
                        let message = "This board starts no programs: start it with --allow-programs.".to_owned();
                        outlet(Answer::problem(id, message));
                    }
                    // A long recording takes a while, and other pages should not wait for it.
                    Ok(asked) => tokio::task::block_in_place(|| session.take(asked)),
                    Err(error) => outlet(Answer::problem(None, format!("That is not a request: {error}."))),
                }
            }
            Some(reply) = replies.recv() => send(&mut socket, &reply).await?,
            _ = reports.tick() => session.report_live(),
            _ = pings.tick() => {
                if unanswered >= MAX_UNANSWERED {
                    return Err(Gone);
                }
                unanswered += 1;
                // Browsers answer by themselves.
                give(&mut socket, Message::Ping(Bytes::new())).await?;
            }
        }
    }
}

impl ObserveRequest {
    /// Watches until the room is closed or the connection ends.
    async fn run(&self, id: Option<u32>, live: Arc<LiveGames>, outlet: Outlet) {
        let is_watched = || {
            let reply = Reply::Observing;
            outlet(Answer { id, reply });
        };
        let Some(address) = self.address() else {
            let message = format!("`{}` is not a host and a port.", self.address);
            return outlet(Answer::problem(id, message));
        };
        let mut rooms = Rooms::new(live, self.address.clone());
        let room = self.room.as_deref();
        // Without a room the referee says nothing before players come, unless it refuses the
        // password.
        let mut is_known = room.is_none();
        let connected = || {
            if room.is_none() {
                is_watched();
            }
        };
        let mut refusal = None;
        let observed = observe(&address, &self.password, room, connected, |message| {
            if let ServerMessage::Error { message } = message {
                // The contest's server closes the connection instead.
                refusal = Some(message);
                return ControlFlow::Break(());
            }
            let is_room = matches!(
                message,
                ServerMessage::Observed(_) | ServerMessage::Room { .. }
            );
            if is_room && !std::mem::replace(&mut is_known, true) {
                is_watched();
            }
            rooms.hear(message);
            match room {
                Some(_) if rooms.are_closed() => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        });
        let message = match observed.await {
            Err(error @ ClientError::Connect { .. }) => {
                format!("{error}.")
            }
            Err(error) => format!("The connection to {address} ended: {error}."),
            Ok(()) if let Some(refusal) = refusal => {
                sentence(&format!("{address} refuses: {refusal}"))
            }
            Ok(()) if is_known && room.is_some() => return,
            Ok(()) => format!(
                "{address} ended the connection: it refuses the password or the room, or it was stopped."
            ),
        };
        outlet(Answer::problem(id, message));
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

    // Time passes at once while everybody waits.
    #[tokio::test(start_paused = true)]
    async fn clients_that_do_not_end_their_request_are_dropped_and_others_answered() {
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
            let begun = &request[..number % request.len()];
            stream.write_all(begun.as_bytes()).await.unwrap();
            slow.push(stream);
        }
        let mut deaf = Vec::new();
        for _ in 0..MAX_CONNECTIONS {
            let mut stream = TcpStream::connect(address).await.unwrap();
            let request = request.replace("/ ", "/large ").repeat(3);
            stream.write_all(request.as_bytes()).await.unwrap();
            deaf.push(stream);
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
