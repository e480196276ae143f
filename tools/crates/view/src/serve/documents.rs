// SPDX-License-Identifier: Apache-2.0
//! The documents of a served recording, and the clients that get them: the page under `/TOKEN/`,
//! its data under `/TOKEN/data.json`, how far the reading of a large recording has come under
//! `/TOKEN/reading.json`, and the documents that the page requests later: `part.json`, `time.json`
//! and `grains.json`. Where there are several recordings, each has a folder of its own
//! (docs/formats/view.md).
//!
//! The token is part of the path, so the page's own requests contain it, under any host name and
//! port by which the browser reaches the server (`ssh -L`). All requests without the token get the
//! same answer. Such requests may come from other users of this machine, and from other sites'
//! pages in the user's browser, even if their host name resolves to this machine (DNS rebinding).
//! So the Host header need not be checked.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::{header, HeaderValue, StatusCode};
use axum::middleware::{from_fn_with_state, map_response, Next};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use axum::Router;
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

use super::super::kept::{Kept, Wrong};
use super::pages::Pages;
use super::token::Token;

pub struct Documents {
    pub token: Token,
    pub page: Bytes,
    pub pages: Pages,
    /// Whether some client has asked how far the reading has come.
    pub asked: AtomicBool,
    /// A client has been told that the reading has failed.
    pub told: Notify,
}

/// How long a page may take to ask again, or a browser to open the page.
const PATIENCE: Duration = Duration::from_secs(10);
/// For the answer to reach the page.
const DELIVERY: Duration = Duration::from_millis(200);

impl Documents {
    /// Waits until a page knows that the reading has failed, if there is a page.
    pub async fn wait_until_told(&self, is_browser_opened: bool) {
        if is_browser_opened || self.asked.load(Relaxed) {
            let _ = timeout(PATIENCE, self.told.notified()).await;
            sleep(DELIVERY).await;
        }
    }
}

/// A function that answers a request.
type Answer = fn(&Kept, &str) -> Result<String, Wrong>;
const QUESTIONS: [(&str, Answer); 3] =
    [("part.json", Kept::part), ("time.json", Kept::time), ("grains.json", Kept::grains)];

const WITHOUT_TOKEN: &str =
    "This is `teff view`. Open the whole address that it printed: the last part of the address is the key.\n";

/// The page is one file that loads nothing from elsewhere. Its address is a secret, which no link
/// may reveal.
const HEADERS: [(header::HeaderName, &str); 6] = [
    (header::CACHE_CONTROL, "no-store"),
    (header::CONNECTION, "close"),
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; worker-src blob:; img-src data:; \
         connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
];

pub fn router(documents: Arc<Documents>) -> Router {
    let mut router = Router::new()
        .route("/{token}", get(with_slash))
        .route("/{token}/", get(page))
        .route("/{token}/data.json", get(data))
        .route("/{token}/reading.json", get(reading));
    for (at, folder) in documents.pages.folders().into_iter().enumerate() {
        for (name, answer) in QUESTIONS {
            let handler = move |State(documents): State<Arc<Documents>>, request: Request| async move {
                match documents.pages.outcome().await {
                    Ok(ready) => {
                        question(&ready.kept[at].1, answer, request.uri().query().unwrap_or_default())
                    }
                    Err(problem) => failed(&documents, problem),
                }
            };
            router = router.route(&format!("/{{token}}/{folder}{name}"), get(handler));
        }
    }
    router
        .layer(from_fn_with_state(documents.clone(), check_token))
        .layer(map_response(add_headers))
        .with_state(documents)
}

async fn check_token(State(documents): State<Arc<Documents>>, request: Request, next: Next) -> Response {
    let token = request.uri().path().split('/').nth(1).unwrap_or_default();
    if documents.token.is(token) {
        next.run(request).await
    } else {
        (StatusCode::FORBIDDEN, WITHOUT_TOKEN).into_response()
    }
}

async fn add_headers(mut response: Response) -> Response {
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// The page requests `data.json` relative to its own address, so this address must end in a slash.
async fn with_slash(State(documents): State<Arc<Documents>>) -> Redirect {
    Redirect::permanent(&format!("/{}/", documents.token))
}

async fn page(State(documents): State<Arc<Documents>>) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], documents.page.clone())
}

/// The data, when the recording has been read.
async fn data(State(documents): State<Arc<Documents>>) -> Response {
    match documents.pages.outcome().await {
        Ok(ready) => ([(header::CONTENT_TYPE, "application/json")], ready.data.clone()).into_response(),
        Err(problem) => failed(&documents, problem),
    }
}

/// How far the reading has come.
async fn reading(State(documents): State<Arc<Documents>>) -> Response {
    documents.asked.store(true, Relaxed);
    let (json, has_failed) = documents.pages.reading_json();
    if has_failed {
        documents.told.notify_one();
    }
    ([(header::CONTENT_TYPE, "application/json")], json).into_response()
}

fn failed(documents: &Documents, problem: &str) -> Response {
    documents.told.notify_one();
    (StatusCode::INTERNAL_SERVER_ERROR, format!("{problem}\n")).into_response()
}

fn question(kept: &Kept, answer: Answer, query: &str) -> Response {
    match answer(kept, query) {
        Ok(json) => ([(header::CONTENT_TYPE, "application/json")], json).into_response(),
        Err(Wrong(why)) => (StatusCode::BAD_REQUEST, format!("{why}\n")).into_response(),
    }
}
