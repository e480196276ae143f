// SPDX-License-Identifier: Apache-2.0
//! What preempted whom, what it cost, and what it gained.

use std::collections::{BTreeMap, BTreeSet};

use trace::{RequestEnd, WaitKind};

use crate::tables::{flag, some_row, RequestInfo, WaitInfo};
use crate::ticks::Ticks;
use crate::Profile;

/// A task left its worker to another one of a higher priority, before it came to a point at which
/// tasks wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Preemption {
    /// Row of the task that left.
    pub preempted: u32,
    /// Of the task that took its place; `None`: it is not recorded.
    pub by: Option<u32>,
    /// From when until when it was away.
    pub left: Ticks,
    pub back: Ticks,
    /// How much of that its worker ran no task.
    pub lost: Ticks,
    /// From the request until it left; `None`: nobody had asked, as where it creates the other task
    /// itself, or the time is not known.
    pub to_switch: Option<Ticks>,
    /// How long it had its worker afterwards, until it ended or waited: so much later the other
    /// task would have begun, if no other worker had been there for it sooner.
    pub rest: Ticks,
}

impl Preemption {
    /// What it took of the worker, and of the time of the task that came in between.
    pub fn cost(&self) -> Ticks {
        self.to_switch.unwrap_or_default() + self.lost
    }
}

/// In the order of the tasks that were preempted, and then of time.
pub fn preemptions(profile: &Profile) -> Vec<Preemption> {
    let mut waits: Vec<_> = profile.waits.iter().filter(|wait| wait.kind == WaitKind::Preempted).collect();
    if waits.is_empty() {
        return Vec::new();
    }
    waits.sort_unstable_by_key(|wait| (wait.task, wait.begin));
    let mut asked = Asked::of(profile);
    let places = Stretches::of(profile);
    let lives = Lives::of(profile, &waits);
    let mut found = Vec::with_capacity(waits.len());
    for wait in waits {
        let request = asked.before(wait);
        found.push(Preemption {
            preempted: wait.task,
            by: places.first_in(wait),
            left: wait.begin,
            back: wait.end,
            lost: wait.lost,
            to_switch: request
                .filter(|request| request.is_time_known)
                .map(|request| wait.begin - request.asked),
            rest: lives.rest(wait.task, wait.end),
        });
    }
    found
}

/// The requests after which tasks were preempted, by task and time.
struct Asked(std::iter::Peekable<std::vec::IntoIter<RequestInfo>>);

impl Asked {
    fn of(profile: &Profile) -> Self {
        let all = profile.requests.iter();
        let mut requests: Vec<_> =
            all.copied().filter(|request| request.end == RequestEnd::Preempted).collect();
        requests.sort_unstable_by_key(|request| (request.task, request.looked));
        Self(requests.into_iter().peekable())
    }

    /// The last one of its task before this wait. Waits are asked for by task and time.
    fn before(&mut self, wait: &WaitInfo) -> Option<RequestInfo> {
        let mut last = None;
        while let Some(request) =
            self.0.next_if(|request| (request.task, request.looked) <= (wait.task, wait.begin))
        {
            last = Some(request);
        }
        last.filter(|request| request.task == wait.task)
    }
}

/// What each worker ran, by the time at which it began: the worker, when, the grain.
struct Stretches(Vec<(u16, Ticks, u32)>);

impl Stretches {
    fn of(profile: &Profile) -> Self {
        let fragments = &profile.fragments;
        let begins = fragments.grain.iter().zip(&fragments.start);
        let worker = |grain: u32| profile.grains.worker[grain as usize];
        let mut all: Vec<_> = begins.map(|(&grain, &start)| (worker(grain), start, grain)).collect();
        all.sort_unstable();
        Self(all)
    }

    fn first_in(&self, wait: &WaitInfo) -> Option<u32> {
        let at = self.0.partition_point(|&(worker, start, _)| (worker, start) < (wait.worker, wait.begin));
        let &(worker, start, grain) = self.0.get(at)?;
        (worker == wait.worker && start < wait.end && grain != wait.task).then_some(grain)
    }
}

/// The waits of the tasks that were preempted, by time; and of those on top of which they ran.
struct Lives<'a> {
    profile: &'a Profile,
    waits: BTreeMap<u32, Vec<&'a WaitInfo>>,
    tasks: usize,
}

impl<'a> Lives<'a> {
    fn of(profile: &'a Profile, preempted: &[&WaitInfo]) -> Self {
        let mut tasks = BTreeSet::new();
        for wait in preempted {
            let mut next = Some(wait.task);
            while let Some(task) = next.filter(|&task| tasks.insert(task)) {
                next = Self::below(profile, task);
            }
        }
        let mut waits: BTreeMap<u32, Vec<&WaitInfo>> = BTreeMap::new();
        for wait in profile.waits.iter().filter(|wait| tasks.contains(&wait.task)) {
            waits.entry(wait.task).or_default().push(wait);
        }
        for waits in waits.values_mut() {
            waits.sort_by_key(|wait| wait.begin);
        }
        Self { profile, waits, tasks: tasks.len() }
    }

    /// The creator that goes on when an undeferred task has ended.
    fn below(profile: &Profile, task: u32) -> Option<u32> {
        let grains = &profile.grains;
        let parent = some_row(grains.parent[task as usize]);
        parent.filter(|_| grains.has(task, flag::INLINE)).filter(|&row| (row as usize) < grains.tasks)
    }

    /// Without the times in which it was preempted again.
    fn rest(&self, mut task: u32, mut from: Ticks) -> Ticks {
        let mut rest = Ticks::ZERO;
        let mut left = self.tasks; // a damaged recording may have circles
        loop {
            let waits = self.waits.get(&task).map_or(&[][..], Vec::as_slice);
            let later = waits.partition_point(|wait| wait.begin < from);
            for wait in &waits[later..] {
                match wait.kind {
                    // It keeps its worker, or has it to wait.
                    WaitKind::Lock | WaitKind::Critical | WaitKind::Ordered | WaitKind::RunAtOnce => {}
                    WaitKind::Preempted => {
                        rest += wait.begin - from;
                        from = from.max(wait.end);
                    }
                    _ => return rest + (wait.begin - from),
                }
            }
            let end = self.profile.grains.end[task as usize];
            rest += end - from;
            from = from.max(end);
            left = left.saturating_sub(1);
            match Self::below(self.profile, task).filter(|_| left > 0) {
                Some(below) => task = below,
                None => return rest,
            }
        }
    }
}
