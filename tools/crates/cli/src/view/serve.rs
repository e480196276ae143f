// SPDX-License-Identifier: Apache-2.0
//! A server for two documents on loopback: the page and its data. One connection per request, no state.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::args::ViewArgs;
use crate::failure::{Failure, Result};

/// Longest request head; a browser's has a few hundred bytes.
const MAX_HEAD_BYTES: u64 = 64 << 10;
const TIMEOUT: Duration = Duration::from_secs(10);

/// Serves until the process is interrupted.
pub fn serve(page: &'static str, data: &str, args: &ViewArgs) -> Result<()> {
    let fail = |error| {
        Failure::new(format!("cannot listen on loopback, port {}: {error}. Try another --port.", args.port))
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)).map_err(fail)?;
    let port = listener.local_addr().map_err(fail)?.port();
    let url = format!("http://127.0.0.1:{port}/");
    println!("{url}   (Ctrl-C ends)");
    if !args.no_open {
        open_browser(&url);
    }
    thread::scope(|scope| {
        for stream in listener.incoming().flatten() {
            scope.spawn(move || {
                let _ = answer(&stream, page, data, port); // the browser may have gone
            });
        }
    });
    Ok(())
}

/// Where there is no xdg-open, the address was printed.
fn open_browser(url: &str) {
    let quiet = Command::new("xdg-open").arg(url).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    if let Ok(mut child) = quiet {
        thread::spawn(move || child.wait());
    }
}

fn answer(stream: &TcpStream, page: &str, data: &str, port: u16) -> std::io::Result<()> {
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    let Some(request) = Request::read(stream)? else { return Ok(()) };
    let (status, kind, body) = match request.path.as_str() {
        _ if !request.is_ours(port) => ("403 Forbidden", "text/plain", "wrong host\n"),
        _ if request.method != "GET" => ("405 Method Not Allowed", "text/plain", "only GET\n"),
        "/" | "/index.html" => ("200 OK", "text/html; charset=utf-8", page),
        "/data.json" => ("200 OK", "application/json", data),
        _ => ("404 Not Found", "text/plain", "not found\n"),
    };
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    stream.write_all(body.as_bytes())?;
    stream.flush()
}

struct Request {
    method: String,
    path: String,
    host: String,
}

impl Request {
    /// `None`: the other side closed the connection without a request.
    fn read(stream: impl Read) -> std::io::Result<Option<Self>> {
        let mut lines = BufReader::new(stream.take(MAX_HEAD_BYTES)).lines();
        let Some(first) = lines.next().transpose()? else { return Ok(None) };
        let mut words = first.split_whitespace();
        let method = words.next().unwrap_or_default().to_owned();
        let target = words.next().unwrap_or_default();
        let path = target.split('?').next().unwrap_or_default().to_owned();
        let mut host = String::new();
        loop {
            let line = lines.next().ok_or(ErrorKind::UnexpectedEof)??;
            match line.split_once(':') {
                Some((name, value)) if name.eq_ignore_ascii_case("host") => host = value.trim().to_owned(),
                _ if line.is_empty() => return Ok(Some(Self { method, path, host })),
                _ => {}
            }
        }
    }

    /// A foreign page can make its own host name mean 127.0.0.1; then the Host header gives it away.
    fn is_ours(&self, port: u16) -> bool {
        ["127.0.0.1", "localhost"].iter().any(|name| self.host == format!("{name}:{port}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_taken_apart() {
        let text = "GET /data.json?x=1 HTTP/1.1\r\nHOST: localhost:80\r\nA: b\r\n\r\n";
        let request = Request::read(text.as_bytes()).unwrap().unwrap();
        assert_eq!((request.method.as_str(), request.path.as_str()), ("GET", "/data.json"));
        assert!(request.is_ours(80) && !request.is_ours(81));
    }

    #[test]
    fn broken_requests_are_no_panic() {
        assert!(Request::read("".as_bytes()).unwrap().is_none());
        assert!(Request::read("GET / HTTP/1.1\r\nHost".as_bytes()).is_err());
        assert!(Request::read("\u{0}\r\n\r\n".as_bytes()).unwrap().is_some());
    }
}
