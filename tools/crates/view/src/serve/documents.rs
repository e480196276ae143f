// SPDX-License-Identifier: Apache-2.0
//! The documents of a served recording, and the clients that get them: the page under `/TOKEN/`,
//! its data under `/TOKEN/data.json`, and the documents that it requests later: `part.json`,
//! `time.json` and `grains.json`. Where there are several recordings, each has a folder of its own
//! (docs/formats/view.md).
//!
//! The token is part of the path, so the page's own requests contain it, under any host name and
//! port by which the browser reaches the server (`ssh -L`). All requests without the token get the
//! same answer. Such requests may come from other users of this machine, and from other sites'
//! pages in the user's browser, even if their host name resolves to this machine (DNS rebinding).
//! So the Host header need not be checked.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::{header, HeaderValue, StatusCode};
use axum::middleware::{from_fn_with_state, map_response, Next};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use axum::Router;

use super::super::kept::{Kept, Wrong};
use super::token::Token;

pub struct Documents {
    pub token: Token,
    pub page: Bytes,
    pub data: Bytes,
    /// The recordings to which requests may refer, by the folder in the address of the request.
    pub kept: Vec<(String, Kept)>,
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

pub fn router(documents: Documents) -> Router {
    let documents = Arc::new(documents);
    let mut router = Router::new()
        .route("/{token}", get(with_slash))
        .route("/{token}/", get(page))
        .route("/{token}/data.json", get(data));
    for (at, (folder, _)) in documents.kept.iter().enumerate() {
        for (name, answer) in QUESTIONS {
            let handler = move |State(documents): State<Arc<Documents>>, request: Request| async move {
                question(&documents.kept[at].1, answer, request.uri().query().unwrap_or_default())
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

async fn data(State(documents): State<Arc<Documents>>) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], documents.data.clone())
}

fn question(kept: &Kept, answer: Answer, query: &str) -> Response {
    match answer(kept, query) {
        Ok(json) => ([(header::CONTENT_TYPE, "application/json")], json).into_response(),
        Err(Wrong(why)) => (StatusCode::BAD_REQUEST, format!("{why}\n")).into_response(),
    }
}
