// SPDX-License-Identifier: Apache-2.0
//! Measures how long a creation, or the book-keeping before a chunk, took, including the recorder's
//! work in it and the time that the thread was off its processor.
//!
//! [`Grains::creation`] is the program's part of this time. The interval is found from its
//! neighbours: the creator continues where its next item begins, or where a wait begins that is no
//! item, for example when the creator runs a task at once.

use crate::near::Near;
use crate::tables::{flag, GrainKind, GrainRow, Item, WaitRow};
use crate::ticks::Ticks;
use crate::timeline::joins;
use crate::{Profile, NONE};

pub(crate) struct Above<'a> {
    profile: &'a Profile,
    /// The waits that are no items, by their tasks, and in the order in which they began.
    breaks: Vec<WaitRow>,
}

impl<'a> Above<'a> {
    pub fn of(profile: &'a Profile) -> Self {
        let is_break = |&wait: &WaitRow| !joins(profile.waits[wait].kind);
        let mut breaks: Vec<WaitRow> = profile.waits.rows().filter(is_break).collect();
        let key = |&wait: &WaitRow| (profile.waits[wait].task, profile.waits[wait].begin, wait);
        if !breaks.is_sorted_by_key(key) {
            breaks.sort_unstable_by_key(key);
        }
        Self { profile, breaks }
    }

    /// From where a task's construct was met until its creator goes on; the book-keeping before a
    /// chunk. `near`: where the rows are asked for in about the order in which a creator made them,
    /// the same for all of them.
    pub fn interval(&self, row: GrainRow, near: &Near) -> (Ticks, Ticks) {
        let profile = self.profile;
        let grains = &profile.grains;
        let item = profile.fork_item[row];
        if item == NONE {
            return (Ticks::ZERO, Ticks::ZERO);
        }
        let Some(creator) = grains.parent[row] else { return (Ticks::ZERO, Ticks::ZERO) };
        let items = profile.items.of(creator);
        let own = grains.creation.of(row) + self.descheduled(row);
        if grains.kind[row] == GrainKind::Chunk {
            let before = (item as usize).checked_sub(1).filter(|&before| before >= items.start);
            let begin = before.and_then(|before| end_of(profile, before));
            let begin = begin.filter(|_| own > Ticks::ZERO).unwrap_or(grains.start.of(row) - own);
            return (begin.min(grains.start.of(row) - own), grains.start.of(row));
        }
        let begin = grains.create(row);
        let next = Some(item as usize + 1).filter(|&next| next < items.end);
        let goes_on = if grains.has(row, flag::INLINE) {
            Some(grains.start.of(row))
        } else {
            next.and_then(|next| begin_of(profile, next))
        };
        let goes_on = self.cut_at_wait(creator, begin, goes_on.unwrap_or(begin + own), near);
        (begin, goes_on.max(begin + own))
    }

    /// For how long the thread was off its processor in the creation of the grain.
    pub fn descheduled(&self, row: GrainRow) -> Ticks {
        let known = &self.profile.descheduled.by_creation;
        known.binary_search_by_key(&row, |entry| entry.0).map_or(Ticks::ZERO, |at| known[at].1)
    }

    fn cut_at_wait(&self, creator: GrainRow, begin: Ticks, goes_on: Ticks, near: &Near) -> Ticks {
        let Some(task) = self.profile.grains.task_of(creator) else { return goes_on };
        let waits = &self.profile.waits;
        let key = |at: usize| {
            let wait = &waits[self.breaks[at]];
            (wait.task, wait.begin)
        };
        let first = near.find(self.breaks.len(), |at| key(at) < (task, begin));
        let next = self.breaks.get(first).map(|&wait| &waits[wait]).filter(|wait| wait.task == task);
        next.map_or(goes_on, |wait| wait.begin.min(goes_on))
    }
}

fn begin_of(profile: &Profile, item: usize) -> Option<Ticks> {
    match profile.items.at(item) {
        Item::Fragment(row) => Some(profile.fragments.start(row)),
        Item::Fork(row) => Some(profile.grains.create(row)),
        Item::Join(row) => Some(profile.waits[row].begin),
        Item::Region(row) => Some(profile.regions[row].begin),
        _ => None,
    }
}

fn end_of(profile: &Profile, item: usize) -> Option<Ticks> {
    match profile.items.at(item) {
        Item::Fragment(row) => Some(profile.fragments.end(row)),
        Item::Chunk(row) => Some(profile.grains.end.of(row)),
        Item::Join(row) => Some(profile.waits[row].end),
        _ => None,
    }
}
