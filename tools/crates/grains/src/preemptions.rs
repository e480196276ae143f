// SPDX-License-Identifier: Apache-2.0
//! Preemptions: which task preempted which, what this cost, and what it gained.

use std::collections::{BTreeMap, BTreeSet};

use trace::{RequestEnd, WaitKind};

use crate::tables::{flag, GrainRow, RequestInfo, WaitInfo};
use crate::ticks::Ticks;
use crate::Profile;

/// A task gave way to a task of a higher priority, before it reached a point at which tasks wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Preemption {
    /// Row of the preempted task.
    pub preempted: GrainRow,
    /// Row of the task that took its place; `None`: this task is not recorded.
    pub by: Option<GrainRow>,
    /// When the preempted task left its worker, and when it continued.
    pub left: Ticks,
    pub back: Ticks,
    /// The part of this time in which its worker ran no task.
    pub lost: Ticks,
    /// From the request until the preempted task left; `None`: there was no request, for example
    /// because the task created the other task itself, or the time of the request is not known.
    pub to_switch: Option<Ticks>,
    /// How long the preempted task had its worker afterwards, until it ended or waited. Without the
    /// preemption, the other task would have begun later by this time, if no other worker had been
    /// free for it sooner.
    pub rest: Ticks,
}

impl Preemption {
    /// The delay of the preempting task before the switch, and the time that the worker lost.
    pub fn cost(&self) -> Ticks {
        self.to_switch.unwrap_or_default() + self.lost
    }
}

/// All preemptions, sorted by the row of the preempted task, then by time.
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

/// The requests that led to preemptions, sorted by task and time.
struct Asked(std::iter::Peekable<std::vec::IntoIter<RequestInfo>>);

impl Asked {
    fn of(profile: &Profile) -> Self {
        let all = profile.requests.iter();
        let mut requests: Vec<_> =
            all.copied().filter(|request| request.end == RequestEnd::Preempted).collect();
        requests.sort_unstable_by_key(|request| (request.task, request.looked));
        Self(requests.into_iter().peekable())
    }

    /// The last request for the wait's task before the wait. Requires that successive calls pass
    /// waits sorted by task and time.
    fn before(&mut self, wait: &WaitInfo) -> Option<RequestInfo> {
        let mut last = None;
        while let Some(request) =
            self.0.next_if(|request| (request.task, request.looked) <= (Some(wait.task), wait.begin))
        {
            last = Some(request);
        }
        last.filter(|request| request.task == Some(wait.task))
    }
}

/// For each fragment, its worker, its start and its grain; sorted by worker and start.
struct Stretches(Vec<(u16, Ticks, GrainRow)>);

impl Stretches {
    fn of(profile: &Profile) -> Self {
        let fragments = &profile.fragments;
        let begins = (0..).zip(&fragments.grain).map(|(row, &grain)| (fragments.start(row), grain));
        let worker = |grain: GrainRow| profile.grains.worker[grain];
        let mut all: Vec<_> = begins.map(|(start, grain)| (worker(grain), start, grain)).collect();
        all.sort_unstable();
        Self(all)
    }

    /// The first grain that the worker ran during the wait; `None` if it ran no other grain.
    fn first_in(&self, wait: &WaitInfo) -> Option<GrainRow> {
        let at = self.0.partition_point(|&(worker, start, _)| (worker, start) < (wait.worker, wait.begin));
        let &(worker, start, grain) = self.0.get(at)?;
        (worker == wait.worker && start < wait.end && grain != wait.task).then_some(grain)
    }
}

/// The waits of the preempted tasks, and of the tasks below them on the stack, sorted by time.
struct Lives<'a> {
    profile: &'a Profile,
    waits: BTreeMap<GrainRow, Vec<&'a WaitInfo>>,
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
        let mut waits: BTreeMap<GrainRow, Vec<&WaitInfo>> = BTreeMap::new();
        for wait in profile.waits.iter().filter(|wait| tasks.contains(&wait.task)) {
            waits.entry(wait.task).or_default().push(wait);
        }
        for waits in waits.values_mut() {
            waits.sort_by_key(|wait| wait.begin);
        }
        Self { profile, waits, tasks: tasks.len() }
    }

    /// The creator of an undeferred task, which continues when this task has ended.
    fn below(profile: &Profile, task: GrainRow) -> Option<GrainRow> {
        let grains = &profile.grains;
        let parent = grains.parent[task].filter(|_| grains.has(task, flag::INLINE));
        parent.filter(|&row| grains.is_task(row))
    }

    /// How long the task has its worker from this time on, without the times in which it is
    /// preempted again.
    fn rest(&self, mut task: GrainRow, mut from: Ticks) -> Ticks {
        let mut rest = Ticks::ZERO;
        let mut left = self.tasks; // a damaged recording may have cycles of creators
        loop {
            let waits = self.waits.get(&task).map_or(&[][..], Vec::as_slice);
            let later = waits.partition_point(|wait| wait.begin < from);
            for wait in &waits[later..] {
                match wait.kind {
                    // The task keeps its worker during such a wait.
                    WaitKind::Lock | WaitKind::Critical | WaitKind::Ordered | WaitKind::RunAtOnce => {}
                    WaitKind::Preempted => {
                        rest += wait.begin - from;
                        from = from.max(wait.end);
                    }
                    _ => return rest + (wait.begin - from),
                }
            }
            let end = self.profile.grains.end.of(task);
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
