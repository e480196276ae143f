// SPDX-License-Identifier: Apache-2.0
//! JSON for a page in a browser. It is written piece by piece, and its length is limited.

use std::io::{Result, Write};

use serde::Serialize;
use terminal::say;

/// The longest text of which a browser makes one string.
const MOST_BYTES: u64 = 512 << 20;

pub struct JsonFile<'a> {
    out: &'a mut dyn Write,
    bytes: u64,
}

impl<'a> JsonFile<'a> {
    pub fn new(out: &'a mut dyn Write) -> Self {
        Self { out, bytes: 0 }
    }

    pub fn put(&mut self, text: &str) -> Result<()> {
        self.bytes += text.len() as u64;
        self.out.write_all(text.as_bytes())
    }

    pub fn put_value(&mut self, value: &(impl Serialize + ?Sized)) -> Result<()> {
        self.put(&serde_json::to_string(value)?)
    }

    /// Called when the file is complete.
    pub fn finish(self) {
        if self.bytes > MOST_BYTES {
            say("the file has more than 512 MiB: browsers cannot open it. Record a shorter run.");
        }
    }
}
