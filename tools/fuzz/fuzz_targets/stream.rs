// SPDX-License-Identifier: Apache-2.0
#![no_main]
//! Any bytes as a stream: the reader may refuse them, it may not panic, hang or give more records
//! than fit.

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use trace::StreamReader;

fuzz_target!(|bytes: &[u8]| {
    let entries = StreamReader::new(bytes, Path::new("stream-0000.bin"), 0).count();
    assert!(entries <= bytes.len() / 32 + 1);
});
