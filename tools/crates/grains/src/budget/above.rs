// SPDX-License-Identifier: Apache-2.0
//! Measures how long a creation, or the book-keeping before a chunk, took, including the recorder's
//! work in it and the time that the thread was off its processor.
//!
//! [`Grains::creation`] is the program's part of this time. The interval is found from its
//! neighbours: the creator continues where its next item begins, or where a wait begins that is no
//! item, for example when the creator runs a task at once.

use std::collections::HashMap;

use crate::tables::{flag, GrainKind, Item};
use crate::ticks::Ticks;
use crate::timeline::joins;
use crate::{Profile, NONE};

pub(crate) struct Above<'a> {
    profile: &'a Profile,
    /// Waits that are no items: task, begin. In order.
    breaks: Vec<(u32, Ticks)>,
    /// What their threads were descheduled in creations, by row of the grain.
    descheduled: HashMap<u32, Ticks>,
}

impl<'a> Above<'a> {
    pub fn of(profile: &'a Profile) -> Self {
        let waits = profile.waits.iter().filter(|wait| !joins(wait.kind));
        let mut breaks: Vec<_> = waits.map(|wait| (wait.task, wait.begin)).collect();
        breaks.sort_unstable();
        let descheduled = profile.descheduled.by_creation.iter().copied().collect();
        Self { profile, breaks, descheduled }
    }

    /// From where a task's construct was met until its creator goes on; the book-keeping before a
    /// chunk.
    pub fn interval(&self, row: u32) -> (Ticks, Ticks) {
        let profile = self.profile;
        let grains = &profile.grains;
        let at = row as usize;
        let item = profile.fork_item[at];
        if item == NONE {
            return (Ticks::ZERO, Ticks::ZERO);
        }
        let items = profile.items.of(grains.parent[at]);
        let own = grains.creation[at] + self.descheduled(row);
        if grains.kind[at] == GrainKind::Chunk {
            let before = (item as usize).checked_sub(1).filter(|&before| before >= items.start);
            let begin = before.and_then(|before| end_of(profile, before));
            let begin = begin.filter(|_| own > Ticks::ZERO).unwrap_or(grains.start[at] - own);
            return (begin.min(grains.start[at] - own), grains.start[at]);
        }
        let begin = grains.create[at];
        let next = Some(item as usize + 1).filter(|&next| next < items.end);
        let goes_on = if grains.has(row, flag::INLINE) {
            Some(grains.start[at])
        } else {
            next.and_then(|next| begin_of(profile, next))
        };
        let goes_on = self.cut_at_wait(grains.parent[at], begin, goes_on.unwrap_or(begin + own));
        (begin, goes_on.max(begin + own))
    }

    pub fn descheduled(&self, row: u32) -> Ticks {
        self.descheduled.get(&row).copied().unwrap_or_default()
    }

    fn cut_at_wait(&self, creator: u32, begin: Ticks, goes_on: Ticks) -> Ticks {
        let grains = &self.profile.grains;
        let task = if creator as usize >= grains.tasks {
            grains.parent.get(creator as usize).copied().unwrap_or(NONE)
        } else {
            creator
        };
        let first = self.breaks.partition_point(|&wait| wait < (task, begin));
        match self.breaks.get(first) {
            Some(&(of, wait)) if of == task => wait.min(goes_on),
            _ => goes_on,
        }
    }
}

fn begin_of(profile: &Profile, item: usize) -> Option<Ticks> {
    match profile.items.at(item) {
        Item::Fragment(row) => Some(profile.fragments.start[row as usize]),
        Item::Fork(row) => Some(profile.grains.create[row as usize]),
        Item::Join(row) => Some(profile.waits[row].begin),
        Item::Region(row) => Some(profile.regions[row].begin),
        _ => None,
    }
}

fn end_of(profile: &Profile, item: usize) -> Option<Ticks> {
    match profile.items.at(item) {
        Item::Fragment(row) => Some(profile.fragments.end[row as usize]),
        Item::Chunk(row) => Some(profile.grains.end[row as usize]),
        Item::Join(row) => Some(profile.waits[row].end),
        _ => None,
    }
}
