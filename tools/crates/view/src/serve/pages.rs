// SPDX-License-Identifier: Apache-2.0
//! What is served of a recording: at first, perhaps, the first screen and how far the reading has
//! come; then the page's data, or why the recording cannot be read.
//!
//! The state changes once, from reading to read or failed. The reader's thread makes the change;
//! the thread that serves waits for it.

use std::future::pending;
use std::sync::{Arc, OnceLock};

use axum::body::Bytes;
use recordings::{FirstFacts, Watch};
use reports::report::{first_screens, FirstScreen};
use serde::Serialize;
use terminal::{printable, Failure, Result};
use tokio::sync::{oneshot, watch};

use super::super::kept::Kept;
use super::super::shown::Shown;

pub struct Ready {
    pub data: Bytes,
    /// The recordings to which requests may refer, by the folder in the address of the request.
    pub kept: Vec<(String, Kept)>,
}

/// Ready, or why not.
type Outcome = std::result::Result<Ready, String>;

pub struct Pages {
    outcome: Arc<OnceLock<Outcome>>,
    /// True: the outcome is there.
    is_over: watch::Receiver<bool>,
    sums: Vec<FirstFacts>,
    first: Vec<FirstScreen>,
    watch: Arc<Watch>,
    /// The failure itself, for the terminal.
    failure: Option<oneshot::Receiver<Failure>>,
}

/// The reader's end.
pub struct Reader {
    outcome: Arc<OnceLock<Outcome>>,
    is_over: watch::Sender<bool>,
    failure: oneshot::Sender<Failure>,
}

/// The answer to `reading.json`.
#[derive(Serialize)]
struct Reading<'a> {
    /// reading, ready or failed
    state: &'static str,
    /// Why it failed.
    problem: &'a str,
    /// What is being done, and how many of the bytes of a process have been read.
    step: &'static str,
    read: u64,
    bytes: u64,
    /// What the recorder's sums say of each process, as data and as the page shows it.
    sums: &'a [FirstFacts],
    first: &'a [FirstScreen],
}

impl Pages {
    /// Of a recording that has been read.
    pub fn ready(Shown { json, kept }: Shown) -> Self {
        let (sender, is_over) = watch::channel(true);
        drop(sender);
        let outcome = OnceLock::from(Ok(Ready { data: json.into(), kept }));
        Self::of(Arc::new(outcome), is_over, Vec::new(), Arc::default(), None)
    }

    /// Of one that is about to be read by another thread.
    pub fn reading(sums: Vec<FirstFacts>, progress: Arc<Watch>) -> (Self, Reader) {
        let outcome: Arc<OnceLock<Outcome>> = Arc::default();
        let (over, is_over) = watch::channel(false);
        let (failure, failed) = oneshot::channel();
        let reader = Reader { outcome: outcome.clone(), is_over: over, failure };
        (Self::of(outcome, is_over, sums, progress, Some(failed)), reader)
    }

    fn of(
        outcome: Arc<OnceLock<Outcome>>,
        is_over: watch::Receiver<bool>,
        sums: Vec<FirstFacts>,
        watch: Arc<Watch>,
        failure: Option<oneshot::Receiver<Failure>>,
    ) -> Self {
        let first = first_screens(&sums);
        Self { outcome, is_over, sums, first, watch, failure }
    }

    /// The folders of the recordings, which are known before they are read.
    pub fn folders(&self) -> Vec<String> {
        match self.outcome.get() {
            Some(Ok(ready)) => ready.kept.iter().map(|(folder, _)| folder.clone()).collect(),
            _ => vec![String::new()],
        }
    }

    /// Waits until the recording has been read.
    pub async fn outcome(&self) -> std::result::Result<&Ready, &str> {
        let _ = self.is_over.clone().wait_for(|&is_over| is_over).await; // else the reader is gone
        match self.outcome.get() {
            Some(Ok(ready)) => Ok(ready),
            Some(Err(problem)) => Err(problem),
            None => Err(READER_IS_GONE),
        }
    }

    /// How far reading has come, and whether it has failed.
    pub fn reading_json(&self) -> (String, bool) {
        let (read, bytes, step) = self.watch.now();
        let (state, problem) = match self.outcome.get() {
            None => ("reading", ""),
            Some(Ok(_)) => ("ready", ""),
            Some(Err(problem)) => ("failed", problem.as_str()),
        };
        let reading = Reading { state, problem, step, read, bytes, sums: &self.sums, first: &self.first };
        (serde_json::to_string(&reading).unwrap_or_default(), state == "failed")
    }

    /// What completes if the reader fails.
    pub fn take_failure(&mut self) -> impl std::future::Future<Output = Failure> {
        let failure = self.failure.take();
        let mut is_over = self.is_over.clone();
        async move {
            let Some(failure) = failure else { return pending().await };
            match failure.await {
                Ok(failure) => failure,
                Err(_) if is_over.wait_for(|&is_over| is_over).await.is_ok() => pending().await,
                Err(_) => Failure::cannot("read the recording", READER_IS_GONE),
            }
        }
    }
}

const READER_IS_GONE: &str = "the thread that read it has ended";

impl Reader {
    pub fn end(self, shown: Result<Shown>) {
        let (outcome, failure) = match shown {
            Ok(Shown { json, kept }) => (Ok(Ready { data: json.into(), kept }), None),
            Err(failure) => (Err(printable(&failure.to_string())), Some(failure)),
        };
        let _ = self.outcome.set(outcome); // nobody else sets it
        let _ = self.is_over.send(true);
        if let Some(failure) = failure {
            let _ = self.failure.send(failure); // else nobody serves any more
        }
    }
}
