// SPDX-License-Identifier: Apache-2.0
//! Takes connections and answers one request on each, within limits: who is slow, or many, costs a
//! place for a while and nothing more.

use std::future::Future;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;

/// A browser takes six connections to a server; the others wait in the system's queue.
const MOST_CONNECTIONS: usize = 32;
/// For a request to arrive in.
const REQUEST_TIME: Duration = Duration::from_secs(10);
/// A browser's request has less than a thousand bytes and some twenty headers.
const MOST_REQUEST_BYTES: usize = 16 << 10;
const MOST_HEADERS: usize = 64;
/// Without a byte being taken of the answer.
const STALL_TIME: Duration = Duration::from_secs(30);
/// For a connection altogether: 50 MB over 100 KB/s, or from who takes a byte now and then.
const WHOLE_TIME: Duration = Duration::from_secs(600);
/// When the system gives no connection (no descriptors left, no memory): until it is asked again.
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

/// Serves until it is dropped.
pub async fn serve(listener: impl Listener, router: Router) {
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let place = places.clone().acquire_owned().await;
        match listener.accept().await {
            Ok(stream) => {
                let answer = answer(stream, router.clone());
                tokio::spawn(async move {
                    answer.await;
                    drop(place);
                });
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

/// How a connection ends is of no interest: the browser may have gone.
async fn answer(stream: impl AsyncRead + AsyncWrite + Send, router: Router) {
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(STALL_TIME));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(REQUEST_TIME)
        .max_buf_size(MOST_REQUEST_BYTES)
        .max_headers(MOST_HEADERS)
        .keep_alive(false)
        .serve_connection(TokioIo::new(Box::pin(stream)), TowerToHyperService::new(router));
    let _ = timeout(WHOLE_TIME, connection).await;
}
