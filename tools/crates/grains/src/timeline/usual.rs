// SPDX-License-Identifier: Apache-2.0
//! How long the runtime's own stretches usually take.
//!
//! An action of the runtime takes about the same time whenever it is repeated at the same place:
//! the creation of a task, the book-keeping before a chunk, a point of a doacross loop, a
//! fulfilment. So stretches that are too long can be recognised among these stretches, but not
//! among those of the program: a stretch is too long if it takes a generous multiple of the usual
//! time of its kind at its place. The excess is a loss.
//!
//! The usual time is the lower quartile instead of the median: a thread that wakes another one by
//! creating a task often loses its processor to it, and this may happen at most creations of a
//! place.

use std::collections::HashMap;

use crate::assemble::Assembled;
use crate::place::PlaceRow;
use crate::tables::{GrainKind, GrainRow};
use crate::ticks::Ticks;
use crate::typical::Typical;

use super::stretch::{Stretch, Whose};

/// A stretch is too long if it takes this multiple of the usual time.
const TOO_LONG: f64 = 10.0;

/// Kinds of stretches.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Creation,
    Books,
    Call,
}

/// By kind and place.
type Key = (Kind, Option<PlaceRow>);

/// The usual length, in ticks.
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
        all.grains.creation.entries().for_each(|(row, ticks)| add(of_grain(all, row), ticks.0));
        all.calls.iter().for_each(|call| add(Some((Kind::Call, call.place)), call.own.0));
        Self(lengths.into_iter().map(|(key, lengths)| (key, lengths.quartile())).collect())
    }

    /// The part of a stretch that exceeds the usual time, if the stretch is too long, and by more
    /// than `least`.
    pub fn beyond(&self, all: &Assembled, stretch: &Stretch, least: Ticks) -> f64 {
        let key = match stretch.whose {
            Whose::Creation(grain) => of_grain(all, grain),
            Whose::Call(row) => Some((Kind::Call, all.calls[row].place)),
            _ => None,
        };
        let net = stretch.net.0.max(1) as f64;
        let is_too_long = |usual: &f64| net > usual * TOO_LONG && net > usual + least.0 as f64;
        let usual = key.and_then(|key| self.0.get(&key).copied()).filter(is_too_long);
        usual.map_or(0.0, |usual| 1.0 - usual / net)
    }
}

fn of_grain(all: &Assembled, row: GrainRow) -> Option<Key> {
    let kind = match all.grains.kind[row] {
        GrainKind::Task => Kind::Creation,
        GrainKind::Chunk => Kind::Books,
        GrainKind::Implicit | GrainKind::Initial => return None,
    };
    Some((kind, all.grains.place[row]))
}
