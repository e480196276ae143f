// SPDX-License-Identifier: Apache-2.0
//! How long the runtime's own stretches usually take.
//!
//! What the runtime does in a construct takes about as long each time: the creation of a task, the
//! book-keeping before a chunk, a point of a doacross loop, a fulfilment. So of these, and of none
//! of the program's, it is known what is too long: what is beyond a generous multiple of the median
//! of those of the same kind at the same place.

use std::collections::HashMap;

use crate::assemble::Assembled;
use crate::tables::GrainKind;
use crate::typical::Typical;

use super::off::{Stretch, Whose};

/// So many times the median is usual.
const USUAL: f64 = 10.0;

/// Kinds of stretches.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Creation,
    Books,
    Call,
}

/// By kind and row of the place.
type Key = (Kind, u32);

/// The longest usual length, in ticks.
#[derive(Default)]
pub(super) struct Usual(HashMap<Key, f64>);

impl Usual {
    pub fn of(all: &Assembled) -> Self {
        let mut lengths: HashMap<Key, Typical> = HashMap::new();
        let mut add = |key: Option<Key>, ticks: u64| {
            if let Some(key) = key.filter(|_| ticks > 0) {
                lengths.entry(key).or_default().add(ticks as f64);
            }
        };
        (0..).zip(&all.grains.creation).for_each(|(row, ticks)| add(of_grain(all, row), ticks.0));
        all.calls.iter().for_each(|call| add(Some((Kind::Call, call.place)), call.own.0));
        Self(lengths.into_iter().map(|(key, lengths)| (key, USUAL * lengths.median())).collect())
    }

    /// The part of a stretch that is beyond what is usual.
    pub fn beyond(&self, all: &Assembled, stretch: &Stretch) -> f64 {
        let key = match stretch.whose {
            Whose::Creation(grain) => of_grain(all, grain),
            Whose::Call(row) => Some((Kind::Call, all.calls[row as usize].place)),
            _ => None,
        };
        let usual = key.and_then(|key| self.0.get(&key));
        usual.map_or(0.0, |usual| (1.0 - usual / stretch.net.0.max(1) as f64).max(0.0))
    }
}

fn of_grain(all: &Assembled, row: u32) -> Option<Key> {
    let kind = match all.grains.kind[row as usize] {
        GrainKind::Task => Kind::Creation,
        GrainKind::Chunk => Kind::Books,
        GrainKind::Implicit | GrainKind::Initial => return None,
    };
    Some((kind, all.grains.place[row as usize]))
}
