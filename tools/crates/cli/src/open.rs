// SPDX-License-Identifier: Apache-2.0
//! From the name of a recording to its profile.

use std::path::Path;

use grains::Profile;
use trace::Recording;

use crate::failure::Result;
use crate::progress::Progress;

pub fn open(directory: &Path) -> Result<Profile> {
    let recording = Recording::open(directory)?;
    let progress = Progress::new(recording.bytes());
    Ok(Profile::of(recording, &|step| progress.step(step))?)
}
