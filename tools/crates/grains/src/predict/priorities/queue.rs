// SPDX-License-Identifier: Apache-2.0
//! The ready tasks that have a priority and have not started, in the order in which Teff starts
//! them: by falling priority; at one priority by place, which a child inherits from a creator with
//! a priority; at one place by age (runtime/src/sched/runnable.h).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// A queued task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Queued {
    pub task: u32,
    pub strand: u32,
    /// The worker that made it ready.
    pub worker: u32,
    pub creator: u32,
    pub priority: i32,
    pub place: u64,
    /// How many tasks were queued before.
    pub number: u64,
}

#[derive(Default)]
pub struct Queue {
    /// By priority; of each by place and number.
    levels: BTreeMap<Reverse<i32>, BTreeMap<(u64, u64), Queued>>,
    /// By creator, priority and number.
    children: BTreeSet<(u32, i32, u64, u64)>,
    len: usize,
}

impl Queue {
    pub fn put(&mut self, item: Queued) {
        self.levels.entry(Reverse(item.priority)).or_default().insert((item.place, item.number), item);
        self.children.insert((item.creator, item.priority, item.number, item.place));
        self.len += 1;
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// 0: there is none.
    pub fn highest(&self) -> i32 {
        self.levels.keys().next().map_or(0, |level| level.0)
    }

    pub fn first(&self) -> Option<Queued> {
        self.levels.values().next()?.values().next().copied()
    }

    /// The first one that `may` allows, of this place if one is given.
    pub fn first_if(&self, place: Option<u64>, may: impl Fn(u32) -> bool) -> Option<Queued> {
        let range = place.map_or((0, 0)..=(u64::MAX, u64::MAX), |place| (place, 0)..=(place, u64::MAX));
        let mut all = self.levels.values().flat_map(|level| level.range(range.clone()));
        all.find(|(_, item)| may(item.task)).map(|(_, item)| *item)
    }

    /// The newest of the task's children that have the highest priority.
    pub fn newest_child(&self, creator: u32) -> Option<Queued> {
        let range = (creator, i32::MIN, 0, 0)..=(creator, i32::MAX, u64::MAX, u64::MAX);
        let &(_, priority, number, place) = self.children.range(range).next_back()?;
        self.levels.get(&Reverse(priority))?.get(&(place, number)).copied()
    }

    pub fn take(&mut self, item: Queued) {
        self.children.remove(&(item.creator, item.priority, item.number, item.place));
        let level = self.levels.get_mut(&Reverse(item.priority));
        let Some(level) = level else { return };
        self.len -= usize::from(level.remove(&(item.place, item.number)).is_some());
        if level.is_empty() {
            self.levels.remove(&Reverse(item.priority));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_go_by_priority_then_place_then_age() {
        let mut queue = Queue::default();
        // (task, creator, priority, place): 4 and 5 are children of a task that came before 2.
        let all = [(1, 0, 1, 11), (2, 0, 2, 12), (3, 0, 2, 13), (4, 9, 2, 10), (5, 9, 2, 10)];
        for (number, (task, creator, priority, place)) in (0..).zip(all) {
            queue.put(Queued { task, strand: task, worker: 0, creator, priority, place, number });
        }
        assert_eq!((queue.highest(), queue.len()), (2, 5));
        assert_eq!(queue.newest_child(9).unwrap().task, 5);
        assert_eq!(queue.first_if(Some(10), |task| task > 4).unwrap().task, 5);
        assert_eq!(queue.first_if(None, |task| task < 3).unwrap().task, 2);
        let mut order = Vec::new();
        while let Some(item) = queue.first() {
            queue.take(item);
            order.push(item.task);
        }
        assert_eq!(order, [4, 5, 2, 3, 1]);
        assert_eq!((queue.highest(), queue.len(), queue.newest_child(9)), (0, 0, None));
    }
}
