// SPDX-License-Identifier: Apache-2.0
//! Serves a recording's page on loopback, only to clients that know the address: see decision 0009.
//!
//! All of it runs on the main thread. Only the reader of a large recording is a thread of its own
//! (`pages`).

mod browser;
mod connections;
mod documents;
mod pages;
#[cfg(test)]
mod serve_test;
mod token;

use std::future::Future;
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::net::UnixStream;
use std::sync::atomic::AtomicBool;
use std::sync::Arc;

use axum::body::Bytes;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::low_level::pipe;
use terminal::inherited::without_ignored;
use terminal::{print, say, Failure, Result};
use tokio::sync::Notify;

use documents::{router, Documents};
pub use pages::Pages;
use token::Token;

/// A port on loopback; 0: any free one.
pub fn listen(port: u16) -> Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| cannot_listen(port, error))
}

fn cannot_listen(port: u16, error: io::Error) -> Failure {
    let another_port = "Choose another --port, or leave it out to get a free one.";
    let (error, remedy) = match error.kind() {
        ErrorKind::AddrInUse => ("another program does".into(), another_port),
        ErrorKind::PermissionDenied => ("ports below 1024 are the system's".into(), another_port),
        _ => (error.into(), "The page can be written into a file instead: --html FILE."),
    };
    let what = format!("listen on 127.0.0.1, port {port}");
    Failure::Cannot { what, error, remedy: Some(remedy.to_owned()) }
}

/// Serves until the user or the system ends it.
pub fn serve(listener: TcpListener, page: &'static str, mut pages: Pages, open_browser: bool) -> Result<()> {
    let fail = |error: io::Error| Failure::Cannot {
        what: "serve the page".to_owned(),
        error: error.into(),
        remedy: Some("It can be written into a file: --html FILE.".to_owned()),
    };
    let port = listener.local_addr().map_err(fail)?.port();
    listener.set_nonblocking(true).map_err(fail)?;
    let page = Bytes::from_static(page.as_bytes());
    let failure = pages.take_failure();
    let documents = Arc::new(Documents {
        token: Token::new()?,
        page,
        pages,
        asked: AtomicBool::new(false),
        told: Notify::new(),
    });
    let address = format!("http://127.0.0.1:{port}/{}/", documents.token);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(fail)?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener).map_err(fail)?;
        let end = end().map_err(fail)?;
        announce(&address, port)?;
        let signpost = open_browser.then(|| browser::open(&address)).flatten();
        let failed = async {
            let failure = failure.await;
            documents.wait_until_told(signpost.is_some()).await;
            failure
        };
        tokio::select! {
            () = connections::serve(listener, router(documents.clone())) => Ok(()),
            () = end => Ok(()),
            failure = failed => Err(failure),
        }
    })
}

fn announce(address: &str, port: u16) -> Result<()> {
    print(&format!("{address}   (Ctrl-C ends)\n"))?;
    say(format!(
        "the address contains the key to the page: without the whole address nobody gets the page. From another \
         machine: ssh -L {port}:127.0.0.1:{port} HOST, then open the same address there. --port N chooses the port."
    ));
    Ok(())
}

/// Completes when the user (Ctrl-C), the terminal or the system asks us to end.
fn end() -> io::Result<impl Future<Output = ()>> {
    let (reader, writer) = UnixStream::pair()?;
    for signal in without_ignored(&[SIGINT, SIGTERM, SIGHUP]) {
        pipe::register(signal, writer.try_clone()?)?;
    }
    reader.set_nonblocking(true)?;
    let reader = tokio::net::UnixStream::from_std(reader)?;
    Ok(async move {
        let _ = reader.readable().await;
    })
}
