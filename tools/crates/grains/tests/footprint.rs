// SPDX-License-Identifier: Apache-2.0
//! The most memory that reading a recording and its budget takes, in bytes for each grain.
//!
//! One test in this file: all memory of the process is counted.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use grains::budget::Budget;
use grains::Profile;
use tempfile::tempdir;
use trace::Recording;

#[path = "../examples/synth.rs"]
#[allow(dead_code, reason = "of an example")]
mod synth;

static USED: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

// SAFETY: the system's allocator does all of it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let used = USED.fetch_add(layout.size(), Relaxed) + layout.size();
        MOST.fetch_max(used, Relaxed);
        System.alloc(layout)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        USED.fetch_sub(layout.size(), Relaxed);
        System.dealloc(memory, layout);
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // As if it stayed where it is: large blocks do.
        let used = USED.fetch_add(bytes, Relaxed) + bytes;
        MOST.fetch_max(used - layout.size(), Relaxed);
        USED.fetch_sub(layout.size(), Relaxed);
        System.realloc(memory, layout, bytes)
    }
}

/// Little less than a power of two, so that columns that were pushed have little spare room.
const GRAINS: u64 = 130_000;

fn most_for_a_grain(shape: &str) -> usize {
    let place = tempdir().unwrap();
    let directory = place.path().join("a.teff");
    synth::write(&directory, GRAINS, shape).unwrap();
    let recording = Recording::open(&directory).unwrap();
    let before = USED.load(Relaxed);
    MOST.store(before, Relaxed);
    let profile = Profile::of(recording, &|_| {}).unwrap();
    let budget = Budget::of(&profile);
    assert!(profile.grains.len() as u64 > GRAINS && budget.whole().0 > 0);
    (MOST.load(Relaxed) - before) / GRAINS as usize
}

#[test]
fn a_grain_takes_a_bounded_number_of_bytes() {
    let most = ["wide", "loop"].map(most_for_a_grain);
    assert!(most[0] <= 146 && most[1] <= 103, "{most:?} bytes for each task and for each chunk");
}
