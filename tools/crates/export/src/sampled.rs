// SPDX-License-Identifier: Apache-2.0
//! The samples that have stacks, of all workers: a flame graph of the program's functions, for
//! formats with stacks.

use grains::Profile;
use symbols::functions::Functions;
use symbols::Symbols;

use super::frames::Frames;

/// A stack of functions, the outermost first, and the CPU time of its samples.
pub struct Sampled {
    pub frames: Vec<u32>,
    pub ns: u64,
}

/// Empty if no sample has a stack.
pub fn of(profile: &Profile, symbols: &Symbols, frames: &mut Frames) -> Vec<Sampled> {
    if profile.places.stacks.is_empty() {
        return Vec::new();
    }
    let kernel = ["[kernel]".to_owned()];
    let functions = Functions::of(profile, symbols);
    let hits = functions.iter().flat_map(Functions::of_hits);
    hits.map(|(names, count)| {
        let names = if names.is_empty() { &kernel[..] } else { &names[..] };
        Sampled {
            frames: names.iter().map(|name| frames.number_of_function(name)).collect(),
            ns: u64::from(count) * profile.samples.period_ns,
        }
    })
    .collect()
}
