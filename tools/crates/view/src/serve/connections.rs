// SPDX-License-Identifier: Apache-2.0
//! Accepts connections and answers one request on each, within limits.
//!
//! Every user of this machine can connect. A client that has not shown the token is a stranger. If
//! there are too many strangers, the oldest is dropped for each new one. So a slow stranger delays
//! no other client. A client that has shown the token is never dropped in favour of others; a fixed
//! number of such clients is served at a time.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::Future;
use std::io::{self, ErrorKind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use axum::http::StatusCode;
use axum::Router;
use hyper::server::conn::http1;
use hyper::service::{service_fn, Service};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::task::yield_now;
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;

/// The connections of clients that have shown the token. A browser opens six connections to a
/// server; others wait.
const PLACES: usize = 32;
/// More than the number of connections that arrive before the runtime checks whether the first has
/// sent its request.
const MOST_STRANGERS: usize = 128;
/// The time limit for a request to arrive.
const REQUEST_TIME: Duration = Duration::from_secs(10);
/// A browser's request has less than a thousand bytes and some twenty headers.
const MOST_REQUEST_BYTES: usize = 16 << 10;
const MOST_HEADERS: usize = 64;
/// The time limit for a client that takes no byte of the answer.
const STALL_TIME: Duration = Duration::from_secs(30);
/// The time limit of a whole connection: 50 MB at 100 KB/s, or a client that takes a byte now and
/// then.
const WHOLE_TIME: Duration = Duration::from_secs(600);
/// The pause after the system could not provide a connection (no descriptors left, no memory).
const PAUSE: Duration = Duration::from_secs(1);

/// Where connections come from.
pub trait Listener {
    type Stream: AsyncRead + AsyncWrite + Send + 'static;
    fn accept(&self) -> impl Future<Output = io::Result<Self::Stream>>;
}

impl Listener for TcpListener {
    type Stream = TcpStream;

    async fn accept(&self) -> io::Result<TcpStream> {
        TcpListener::accept(self).await.map(|(stream, _)| stream)
    }
}

/// The state of a connection. The object exists as long as the connection.
#[derive(Default)]
struct Caller {
    has_shown_token: AtomicBool,
    place: OnceLock<OwnedSemaphorePermit>,
    dropped: Notify,
}

impl Caller {
    /// A client that gets an answer has shown the token, and waits for a place.
    async fn see(&self, answer: StatusCode, places: Arc<Semaphore>) {
        if answer == StatusCode::FORBIDDEN {
            return;
        }
        self.has_shown_token.store(true, Relaxed);
        if let Ok(place) = places.acquire_owned().await {
            let _ = self.place.set(place);
        }
    }
}

/// The connections that have not shown the token, in the order of their arrival.
#[derive(Default)]
struct Strangers(VecDeque<Weak<Caller>>);

impl Strangers {
    /// Adds a connection. If there are too many, the first is dropped.
    fn admit(&mut self) -> Arc<Caller> {
        let is_stranger =
            |caller: &Weak<Caller>| caller.upgrade().is_some_and(|c| !c.has_shown_token.load(Relaxed));
        self.0.retain(is_stranger);
        if self.0.len() == MOST_STRANGERS {
            let first = self.0.pop_front().and_then(|first| first.upgrade());
            first.inspect(|first| first.dropped.notify_one());
        }
        let caller = Arc::new(Caller::default());
        self.0.push_back(Arc::downgrade(&caller));
        caller
    }
}

/// Serves until it is dropped.
pub async fn serve(listener: impl Listener, router: Router) {
    let places = Arc::new(Semaphore::new(PLACES));
    let mut strangers = Strangers::default();
    loop {
        match listener.accept().await {
            Ok(stream) => {
                let caller = strangers.admit();
                let answer = answer(stream, router.clone(), caller.clone(), places.clone());
                tokio::spawn(async move {
                    tokio::select! {
                        () = answer => {}
                        () = caller.dropped.notified() => {}
                    }
                });
                yield_now().await; // its request may be here already
            }
            Err(error) if concerns_one_connection(&error) => {}
            Err(_) => sleep(PAUSE).await,
        }
    }
}

fn concerns_one_connection(error: &io::Error) -> bool {
    use ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// It does not matter how a connection ends: the browser may have closed it.
async fn answer(
    stream: impl AsyncRead + AsyncWrite + Send,
    router: Router,
    caller: Arc<Caller>,
    places: Arc<Semaphore>,
) {
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(STALL_TIME));
    let documents = TowerToHyperService::new(router);
    let service = service_fn(|request| {
        let (answered, caller, places) = (documents.call(request), &caller, places.clone());
        async move {
            let response = answered.await?;
            caller.see(response.status(), places).await;
            Ok::<_, Infallible>(response)
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(REQUEST_TIME)
        .max_buf_size(MOST_REQUEST_BYTES)
        .max_headers(MOST_HEADERS)
        .keep_alive(false)
        .serve_connection(TokioIo::new(Box::pin(stream)), service);
    let _ = timeout(WHOLE_TIME, connection).await;
}
