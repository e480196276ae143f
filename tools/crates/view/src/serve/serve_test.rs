// SPDX-License-Identifier: Apache-2.0
//! Tests which clients get which answers, and what slow, numerous and misbehaving clients cost.
//! Time is tokio's paused clock, so no test waits.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::{pending, Future};
use std::io::{self, ErrorKind};
use std::sync::atomic::AtomicBool;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{header, Request, Response, StatusCode};
use axum::Router;
use terminal::Failure;
use tokio::io::{duplex, AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout, Instant};
use tower::ServiceExt;

use super::super::model_test::{Program, ROOT};
use super::super::shown::Shown;
use super::connections::{serve, Listener};
use super::documents::{router, Documents};
use super::pages::Pages;
use super::token::Token;

const DATA_BYTES: usize = 1 << 20;

fn routed(pages: Pages) -> (Router, String, Arc<Documents>) {
    let token = Token::new().unwrap();
    let path = format!("/{token}/");
    let page = Bytes::from_static(b"<html>");
    let documents = Documents { token, page, pages, asked: AtomicBool::new(false), told: Notify::new() };
    let documents = Arc::new(documents);
    (router(documents.clone()), path, documents)
}

/// The server's documents, and the path that leads to them.
fn documents() -> (Router, String) {
    let json = "7".repeat(DATA_BYTES);
    let mut program = Program::new();
    program.tree(ROOT, 3);
    let mut other = Program::new();
    other.tree(ROOT, 2);
    let kept = vec![(String::new(), program.end()), ("after/".to_owned(), other.end())];
    let (router, path, _) = routed(Pages::ready(Shown { json, kept }));
    (router, path)
}

/// As JSON.
async fn reading(router: &Router, path: &str) -> serde_json::Value {
    let answer = ask(router, "GET", &format!("{path}reading.json"), "localhost").await;
    assert_eq!(
        (answer.status(), answer.headers()["content-type"].as_bytes()),
        (StatusCode::OK, &b"application/json"[..])
    );
    serde_json::from_slice(&content(answer).await).unwrap()
}

#[tokio::test(start_paused = true)]
async fn the_first_screen_is_there_at_once_and_the_data_when_they_have_been_read() {
    let (pages, reader) = Pages::reading(Vec::new(), Arc::default());
    let (router, path, _) = routed(pages);
    assert_eq!(content(ask(&router, "GET", &path, "localhost").await).await, "<html>");
    assert_eq!(reading(&router, &path).await["state"], "reading");
    let data_path = format!("{path}data.json");
    let data = ask(&router, "GET", &data_path, "localhost");
    let read = async {
        sleep(Duration::from_secs(60)).await;
        reader.end(Ok(Shown { json: "{}".to_owned(), kept: vec![(String::new(), Program::new().end())] }));
    };
    let (data, ()) = tokio::join!(data, read);
    assert_eq!((data.status(), content(data).await.as_ref()), (StatusCode::OK, b"{}".as_slice()));
    assert_eq!(reading(&router, &path).await["state"], "ready");
}

#[tokio::test(start_paused = true)]
async fn a_page_is_told_why_a_recording_cannot_be_read() {
    let (mut pages, reader) = Pages::reading(Vec::new(), Arc::default());
    let failure = pages.take_failure();
    let (router, path, documents) = routed(pages);
    assert_eq!(reading(&router, &path).await["problem"], "");
    reader.end(Err(Failure::Recording("It is damaged.".to_owned())));
    assert_eq!(failure.await.to_string(), "It is damaged.");
    let wait = async {
        documents.wait_until_told(false).await;
        Instant::now()
    };
    let ask_again = async {
        sleep(Duration::from_secs(1)).await;
        let asked = Instant::now();
        (reading(&router, &path).await, asked)
    };
    let (ended, (said, asked)) = tokio::join!(wait, ask_again);
    assert_eq!((&said["state"], &said["problem"]), (&"failed".into(), &"It is damaged.".into()));
    assert!(ended > asked, "the server waits for the page");
    let data = ask(&router, "GET", &format!("{path}data.json"), "localhost").await;
    assert_eq!(data.status(), StatusCode::INTERNAL_SERVER_ERROR);
    assert_eq!(content(data).await, "It is damaged.\n");
}

#[tokio::test(start_paused = true)]
async fn without_a_page_nobody_is_waited_for() {
    let (mut pages, reader) = Pages::reading(Vec::new(), Arc::default());
    let failure = pages.take_failure();
    let (_, _, documents) = routed(pages);
    drop(reader); // as a thread that has panicked
    assert!(failure.await.to_string().contains("has ended"));
    let begin = Instant::now();
    documents.wait_until_told(false).await;
    assert_eq!(begin.elapsed(), Duration::ZERO);
    documents.wait_until_told(true).await; // a browser was started, and never came
    assert!(begin.elapsed() >= Duration::from_secs(10));
}

async fn ask(router: &Router, method: &str, path: &str, host: &str) -> Response<Body> {
    let request = Request::builder().method(method).uri(path).header(header::HOST, host);
    router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap()
}

async fn content(response: Response<Body>) -> Bytes {
    axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap()
}

#[tokio::test]
async fn the_token_opens_page_and_data_under_any_name_of_the_machine() {
    let (router, path) = documents();
    for host in ["127.0.0.1:80", "localhost", "localhost:9999", "[::1]:9999", "laptop.example:1"] {
        let page = ask(&router, "GET", &path, host).await;
        assert_eq!(
            (page.status(), &page.headers()["content-type"]),
            (StatusCode::OK, &"text/html; charset=utf-8".parse().unwrap())
        );
        assert_eq!(content(page).await, "<html>");
        let data = ask(&router, "GET", &format!("{path}data.json"), host).await;
        assert_eq!(data.headers()["content-type"], "application/json");
        assert_eq!(content(data).await.len(), DATA_BYTES);
    }
}

#[tokio::test]
async fn without_the_token_every_request_gets_the_same_answer() {
    let (router, path) = documents();
    let almost = format!("/{}x/data.json", &path[1..path.len() - 2]);
    let no_keys = ["/", "/data.json", "/index.html", "//", "/x/../data.json", &almost, "/%00/", "/?key=1"];
    for host in ["127.0.0.1:80", "evil.example"] {
        for (method, no_key) in no_keys.iter().flat_map(|no_key| [("GET", no_key), ("POST", no_key)]) {
            let answer = ask(&router, method, no_key, host).await;
            assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{no_key}");
            assert!(content(answer).await.starts_with(b"This is `teff view`."));
        }
    }
}

#[tokio::test]
async fn what_the_token_opens_is_to_be_read() {
    let (router, path) = documents();
    let status = |method: &'static str, path: String| {
        let router = router.clone();
        async move { ask(&router, method, &path, "localhost").await.status() }
    };
    assert_eq!(status("GET", format!("{path}other")).await, StatusCode::NOT_FOUND);
    assert_eq!(status("POST", path.clone()).await, StatusCode::METHOD_NOT_ALLOWED);
    let head = ask(&router, "HEAD", &path, "localhost").await;
    assert_eq!((head.status(), content(head).await.len()), (StatusCode::OK, 0));
    let without_slash = ask(&router, "GET", path.trim_end_matches('/'), "localhost").await;
    assert_eq!(without_slash.headers()["location"], *path);
}

#[tokio::test]
async fn questions_have_answers_and_absurd_ones_a_reason() {
    let (router, path) = documents();
    for (question, found) in [
        ("part.json?first=1&count=14", StatusCode::OK),
        ("after/part.json?first=1&count=6", StatusCode::OK),
        ("after/part.json?first=1&count=14", StatusCode::BAD_REQUEST),
        ("after/data.json", StatusCode::NOT_FOUND),
        ("part.json?first=0&count=15&grain=14&rows=8", StatusCode::OK),
        ("time.json?level=3&tile=7&worker=0&workers=1", StatusCode::OK),
        ("grains.json?by=work&most=3", StatusCode::OK),
        ("part.json", StatusCode::BAD_REQUEST),
        ("part.json?first=1&count=15", StatusCode::BAD_REQUEST),
        ("part.json?first=0&count=0", StatusCode::BAD_REQUEST),
        ("part.json?first=4294967295&count=4294967295", StatusCode::BAD_REQUEST),
        ("part.json?first=-1&count=2", StatusCode::BAD_REQUEST),
        ("part.json?first=99999999999999999999&count=2", StatusCode::BAD_REQUEST),
        ("part.json?first=1&count=14&grain=0", StatusCode::BAD_REQUEST),
        ("part.json?first=%00&count=<script>", StatusCode::BAD_REQUEST),
        ("part.json?first=1&count=14&rows=4294967295", StatusCode::OK),
        ("time.json?level=64", StatusCode::BAD_REQUEST),
        ("time.json?level=4294967295", StatusCode::BAD_REQUEST),
        ("time.json?level=46&tile=70368744177663", StatusCode::OK),
        ("time.json?level=46&tile=70368744177664", StatusCode::BAD_REQUEST),
        ("time.json?level=0&tile=18446744073709551615", StatusCode::BAD_REQUEST),
        ("time.json?worker=4294967295&workers=1", StatusCode::BAD_REQUEST),
        ("time.json?worker=0&workers=4294967295", StatusCode::BAD_REQUEST),
        ("grains.json?by=beauty", StatusCode::BAD_REQUEST),
        ("grains.json?site=4294967295&most=4294967295&by=number&from=4294967295", StatusCode::OK),
    ] {
        let Ok(request) = Request::builder().uri(format!("{path}{question}")).body(Body::empty()) else {
            continue; // no such address can be sent
        };
        let answer = router.clone().oneshot(request).await.unwrap();
        assert_eq!(answer.status(), found, "{question}");
        let text = content(answer).await;
        assert!(text.starts_with(b"{") == (found == StatusCode::OK) && text.len() < 20_000, "{question}");
        let without_token = format!("/{}/{question}", "0".repeat(32));
        if let Ok(request) = Request::builder().uri(without_token).body(Body::empty()) {
            assert_eq!(router.clone().oneshot(request).await.unwrap().status(), StatusCode::FORBIDDEN);
        }
    }
}

#[tokio::test]
async fn every_answer_says_how_little_may_be_done_with_it() {
    let (router, path) = documents();
    for path in [path.as_str(), "/"] {
        let answer = ask(&router, "GET", path, "localhost").await;
        let has = |name: &str, value: &str| answer.headers()[name].to_str().unwrap().contains(value);
        assert!(has("cache-control", "no-store") && has("referrer-policy", "no-referrer"));
        assert!(
            has("content-security-policy", "default-src 'none'") && has("x-content-type-options", "nosniff")
        );
    }
}

/// A listener that returns the scripted connections, and after that no more.
#[derive(Default)]
struct Script {
    steps: RefCell<VecDeque<io::Result<DuplexStream>>>,
    /// After the steps: always this error.
    failing: bool,
    accepted: Cell<usize>,
}

impl Script {
    /// The other end of a connection that waits to be accepted.
    fn client(&mut self) -> DuplexStream {
        let (ours, theirs) = duplex(1 << 10);
        self.steps.get_mut().push_back(Ok(theirs));
        ours
    }

    fn clients(&mut self, number: usize) -> Vec<DuplexStream> {
        (0..number).map(|_| self.client()).collect()
    }
}

impl Listener for &Script {
    type Stream = DuplexStream;

    async fn accept(&self) -> io::Result<DuplexStream> {
        self.accepted.set(self.accepted.get() + 1);
        let step = self.steps.borrow_mut().pop_front();
        match step {
            Some(step) => step,
            None if self.failing => Err(io::Error::from_raw_os_error(nix::libc::EMFILE)),
            None => pending().await,
        }
    }
}

/// Runs a client against a server that gets its connections from the script.
async fn with_server<T>(script: &Script, router: Router, client: impl Future<Output = T>) -> T {
    tokio::select! {
        () = serve(script, router) => unreachable!("it serves without end"),
        seen = timeout(Duration::from_secs(100_000), client) => seen.expect("an end of the client's wait"),
    }
}

/// All bytes until the server closes the connection.
async fn rest(client: &mut DuplexStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = client.read_to_end(&mut bytes).await;
    bytes
}

fn request(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n")
}

#[tokio::test(start_paused = true)]
async fn a_connection_answers_one_request() {
    let (router, path) = documents();
    let mut script = Script::default();
    let mut client = script.client();
    let answer = with_server(&script, router, async {
        client.write_all(request(&path).repeat(2).as_bytes()).await.unwrap();
        String::from_utf8(rest(&mut client).await).unwrap()
    });
    let answer = answer.await;
    assert_eq!(answer.matches("HTTP/1.1 200 OK").count(), 1, "{answer}");
    assert!(answer.ends_with("<html>"));
}

#[tokio::test(start_paused = true)]
async fn who_sends_no_request_is_dropped() {
    let (router, path) = documents();
    let mut script = Script::default();
    let (mut silent, mut slow) = (script.client(), script.client());
    let seen = with_server(&script, router, async {
        let begin = Instant::now();
        assert_eq!(rest(&mut silent).await, b"");
        assert!(begin.elapsed() < Duration::from_secs(60));
        for byte in request(&path).as_bytes() {
            if slow.write_all(&[*byte]).await.is_err() {
                return true;
            }
            sleep(Duration::from_secs(1)).await;
        }
        false
    });
    assert!(seen.await, "a byte a second is too slow");
}

#[tokio::test(start_paused = true)]
async fn clients_without_the_token_hold_nobody_up() {
    let (router, path) = documents();
    let mut script = Script::default();
    let mut strangers = script.clients(500);
    let mut client = script.client();
    strangers.extend(script.clients(100));
    let begin = Instant::now();
    let answer = with_server(&script, router, async {
        for (stranger, begun) in strangers.iter_mut().zip(["GET / HTTP/1.1\r\n", ""].iter().cycle()) {
            stranger.write_all(begun.as_bytes()).await.unwrap();
        }
        client.write_all(request(&path).as_bytes()).await.unwrap();
        rest(&mut client).await
    });
    assert!(answer.await.ends_with(b"<html>"));
    assert_eq!(begin.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn who_has_shown_the_token_is_not_dropped_for_others() {
    let (router, path) = documents();
    let mut script = Script::default();
    let mut client = script.client();
    let strangers = script.clients(1000);
    let seen = with_server(&script, router, async {
        client.write_all(request(&format!("{path}data.json")).as_bytes()).await.unwrap();
        sleep(Duration::from_secs(20)).await; // all have come
        rest(&mut client).await
    });
    assert!(seen.await.len() > DATA_BYTES);
    assert_eq!(script.accepted.get(), 1002);
    drop(strangers);
}

#[tokio::test(start_paused = true)]
async fn who_takes_no_answer_is_dropped() {
    let (router, path) = documents();
    let mut script = Script::default();
    let mut stalled = script.clients(100);
    let mut client = script.client();
    let answer = with_server(&script, router, async {
        for stalled in &mut stalled {
            stalled.write_all(request(&format!("{path}data.json")).as_bytes()).await.unwrap();
        }
        client.write_all(request(&path).as_bytes()).await.unwrap();
        rest(&mut client).await
    });
    assert!(answer.await.ends_with(b"<html>"));
    assert!(rest(&mut stalled[0]).await.len() < DATA_BYTES);
}

#[tokio::test(start_paused = true)]
async fn who_takes_the_answer_slowly_gets_it_within_limits() {
    let (router, path) = documents();
    for (pause, complete) in [(Duration::from_millis(100), true), (Duration::from_secs(20), false)] {
        let mut script = Script::default();
        let mut client = script.client();
        let taken = with_server(&script, router.clone(), async {
            client.write_all(request(&format!("{path}data.json")).as_bytes()).await.unwrap();
            let mut taken = 0;
            loop {
                sleep(pause).await;
                match client.read(&mut [0; 1 << 10]).await {
                    Ok(0) | Err(_) => return taken,
                    Ok(bytes) => taken += bytes,
                }
            }
        });
        assert_eq!(taken.await > DATA_BYTES, complete);
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_beyond_measure_is_refused() {
    let (router, path) = documents();
    let long = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", "x".repeat(1 << 20));
    let many = format!("GET {path} HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(1_000));
    for absurd in [long, many, "\u{0}\r\n\r\n".to_owned(), "GET / HTTP/9.9\r\n\r\n".to_owned()] {
        let mut script = Script::default();
        let mut client = script.client();
        let answer = with_server(&script, router.clone(), async {
            let _ = client.write_all(absurd.as_bytes()).await;
            String::from_utf8(rest(&mut client).await).unwrap()
        });
        assert!(!answer.await.contains("200 OK"), "{}", &absurd[..20]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_system_without_descriptors_is_not_asked_again_and_again() {
    let (router, path) = documents();
    let mut script = Script { failing: true, ..Script::default() };
    let aborted = || Err(ErrorKind::ConnectionAborted.into());
    script.steps.get_mut().extend([
        aborted(),
        Err(io::Error::from_raw_os_error(nix::libc::ENFILE)),
        aborted(),
    ]);
    let mut client = script.client();
    let answer = with_server(&script, router, async {
        client.write_all(request(&path).as_bytes()).await.unwrap();
        let answer = rest(&mut client).await;
        sleep(Duration::from_secs(100)).await;
        answer
    });
    assert!(answer.await.ends_with(b"<html>"), "errors are survived");
    assert!((50..110).contains(&script.accepted.get()), "{} calls in 100 s", script.accepted.get());
}
