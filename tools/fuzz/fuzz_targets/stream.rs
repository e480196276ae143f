// SPDX-License-Identifier: Apache-2.0
#![no_main]
//! Reads any bytes as a stream: the reader may refuse them, but must not panic, hang, or return
//! more records than fit into them.

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use trace::StreamReader;

fuzz_target!(|bytes: &[u8]| {
    let entries = StreamReader::new(bytes, Path::new("stream-0000.bin"), 0).count();
    assert!(entries <= bytes.len() / 32 + 1);
});
