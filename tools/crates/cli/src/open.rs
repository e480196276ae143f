// SPDX-License-Identifier: Apache-2.0
//! From the name of a recording to its profile.

use std::num::NonZero;
use std::thread::available_parallelism;

use grains::Profile;
use rayon::{ThreadPool, ThreadPoolBuilder};
use trace::Recording;

use crate::args::RecordingArgs;
use crate::failure::{Failure, Result};
use crate::memory;
use crate::progress::Progress;

pub fn open(args: &RecordingArgs) -> Result<Profile> {
    let recording = Recording::open(&args.directory)?;
    if !args.any_size {
        memory::check_room(&args.directory, recording.bytes())?;
    }
    let progress = Progress::new(recording.bytes());
    let readers = readers(recording.streams.len())?;
    Ok(readers.install(|| Profile::of(recording, &|step| progress.step(step)))?)
}

/// As many threads as streams can be read at once; this thread alone where no other can be had.
fn readers(streams: usize) -> Result<ThreadPool> {
    let processors = available_parallelism().map_or(1, NonZero::get);
    let several = ThreadPoolBuilder::new().num_threads(streams.clamp(1, processors)).build();
    let pool = several.or_else(|_| ThreadPoolBuilder::new().num_threads(1).use_current_thread().build());
    pool.map_err(|error| Failure::new(format!("cannot read the recording: {error}.")))
}
