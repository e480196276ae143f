// SPDX-License-Identifier: Apache-2.0
//! The time that the runtime takes for a task, a chunk and a region: the typical time in the
//! recording, less the cost of its records and the time in which the worker had no processor. An
//! occasional outlier of a hundred times the typical time has no influence.

use trace::layout::kind;

use crate::csr::Groups;
use crate::ready_since::ReadySince;
use crate::tables::{flag, GrainKind, GrainRow, RegionRow, WaitRow};
use crate::ticks::Ticks;
use crate::{by_time, costs, Column, Profile, Row};

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Costs {
    /// To create a task that others may run, and a task that its creator runs at once.
    pub creation: u64,
    pub inline: u64,
    /// From the moment at which a worker is free until the task that it takes runs.
    pub scheduling: u64,
    /// The additional time if the task is another worker's.
    pub steal: u64,
    /// Book-keeping before a chunk.
    pub chunk: u64,
    /// From the start of a region until its first member runs, and from the end of the last member
    /// until the end of the region.
    pub fork: u64,
    pub join: u64,
}

/// If too few steals were recorded: a steal takes this multiple of the time to take an own task,
/// because the task's lines are in another processor's cache. This was measured with 170 ns tasks
/// on an EPYC (Zen 5).
const STEALS_TIMES: u64 = 10;
/// The number of steals that suffices to say what a steal typically takes.
const ENOUGH_STEALS: usize = 16;

impl Costs {
    pub fn of(profile: &Profile) -> Self {
        let grains = &profile.grains;
        let created = |inline: bool| {
            let is = move |&row: &GrainRow| {
                let undisturbed = !grains.has(row, flag::CANCELLED);
                grains.kind[row] == GrainKind::Task && grains.has(row, flag::INLINE) == inline && undisturbed
            };
            typical(grains.task_rows().filter(is).map(|row| grains.creation.of(row).0).collect())
        };
        let (fork, join) = regions(profile);
        let (scheduling, steal) = taking(profile);
        Self {
            creation: created(false),
            inline: created(true),
            scheduling,
            steal,
            chunk: typical(grains.creation.iter().skip(grains.tasks).map(|ticks| ticks.0).collect()),
            fork,
            join,
        }
    }
}

/// The mean without the longest tenth and the shortest tenth, each of which is at least two values.
/// A clock may advance in steps that are as long as the measured times. The median would then be
/// one step or the next.
pub(super) fn typical(mut all: Vec<u64>) -> u64 {
    if all.is_empty() {
        return 0;
    }
    let left_out = (all.len() / 10).max(2).min((all.len() - 1) / 2);
    let rest = all.len() - 2 * left_out;
    all.select_nth_unstable(left_out);
    let upper = &mut all[left_out..];
    upper.select_nth_unstable(rest - 1);
    let sum: u64 = upper[..rest].iter().sum();
    (sum + rest as u64 / 2) / rest as u64
}

/// From the end of a task, or the start of a wait, to the start of the next task on that worker,
/// where this task was ready before. Returns the time that it takes to get an own task, and the
/// additional time for a task of another worker.
fn taking(profile: &Profile) -> (u64, u64) {
    let grains = &profile.grains;
    let deferred = |&row: &GrainRow| {
        grains.kind[row] == GrainKind::Task
            && !grains.has(row, flag::INLINE | flag::UNFINISHED | flag::CANCELLED)
    };
    let tasks = grains.task_rows().map(|row| deferred(&row).then(|| grains.worker[row].into()));
    let tasks: Groups<u32, GrainRow> = Groups::new(WORKERS, tasks);
    let waits: Groups<u32, WaitRow> =
        Groups::new(WORKERS, profile.waits.iter().map(|wait| u32::from(wait.worker)));
    let records = costs::Costs::of(&profile.meta).after(kind::RUN);
    let ready = ReadySince::of(profile);
    let (mut own, mut stolen) = (Vec::new(), Vec::new());
    for worker in 0..=u16::MAX {
        let of_worker = (tasks.of(worker.into()), waits.of(worker.into()));
        if of_worker.0.is_empty() {
            continue;
        }
        takings(profile, of_worker, |since, task| {
            if ready.of_task(task) > since {
                return;
            }
            let start = grains.start.of(task);
            let took = start - since - records - preempted(profile, worker, since, start);
            if grains.has(task, flag::STOLEN) { &mut stolen } else { &mut own }.push(took.0);
        });
    }
    let (enough, own) = (stolen.len() >= ENOUGH_STEALS, typical(own));
    let steal = if enough { typical(stolen) } else { STEALS_TIMES * own };
    (own, steal.saturating_sub(own))
}

/// Numbers of workers.
const WORKERS: usize = 1 << u16::BITS;

/// Calls `each` for the tasks of one worker that it took after another of its tasks had ended, or
/// after a wait had begun: with that instant, and the task. No other of its tasks started in
/// between.
fn takings(profile: &Profile, of_worker: (&[GrainRow], &[WaitRow]), mut each: impl FnMut(Ticks, GrainRow)) {
    let (grains, waits) = (&profile.grains, &profile.waits);
    let numbers = of_worker.0.iter().map(|task| task.number());
    let end = |task| grains.end.of(Row::of_number(task));
    let ends = by_time::sorted(numbers.clone(), |task| (end(task), ()));
    let mut ends = ends.into_iter().map(end).peekable();
    let begin = |wait| waits[Row::of_number(wait)].begin;
    let begins = by_time::sorted(of_worker.1.iter().map(|wait| wait.number()), |wait| (begin(wait), ()));
    let mut begins = begins.into_iter().map(begin).peekable();
    let (mut since, mut last_start) = (None, None);
    let start = |task| grains.start.of(Row::of_number(task));
    by_time::for_each(
        &numbers,
        |task| (start(task), ()),
        |task| {
            let at = start(task);
            // At one instant, ends and waits come before starts.
            while let Some(end) = ends.next_if(|&end| end <= at) {
                since = since.max(Some(end));
            }
            while let Some(begin) = begins.next_if(|&begin| begin <= at) {
                since = since.max(Some(begin));
            }
            if let Some(since) = since.filter(|_| since > last_start) {
                each(since, Row::of_number(task));
            }
            last_start = Some(at);
        },
    );
}

/// What a task costs at least: to create it, and to take it on the same worker.
pub(crate) fn of_a_task(profile: &Profile) -> Ticks {
    let costs = Costs::of(profile);
    Ticks(costs.creation + costs.scheduling)
}

fn regions(profile: &Profile) -> (u64, u64) {
    let grains = &profile.grains;
    let mut first = Column::filled(Ticks(u64::MAX), profile.regions.len());
    let mut last = Column::filled(Ticks::ZERO, profile.regions.len());
    for (task, &region) in profile.member_of.entries() {
        let Some(region) = region else { continue };
        first[region] = first[region].min(grains.start.of(task));
        last[region] = last[region].max(grains.end.of(task));
    }
    let records = costs::Costs::of(&profile.meta);
    let (before, behind) = (records.after(kind::REGION) + records.of_member(), records.after(kind::RUN));
    let seen = || profile.regions.rows().filter(|&row| last[row] > Ticks::ZERO);
    // Between two instants, of the thread that met the region.
    let took = |row: RegionRow, begin: Ticks, end: Ticks| {
        let worker = profile.regions[row].parent.map(|parent| grains.worker[parent]);
        let lost = worker.map_or(Ticks::ZERO, |worker| preempted(profile, worker, begin, end));
        end - begin - lost
    };
    let fork = seen().map(|row| (took(row, profile.regions[row].begin, first[row]) - before).0);
    let join = seen().map(|row| (took(row, last[row], profile.regions[row].end) - behind).0);
    (typical(fork.collect()), typical(join.collect()))
}

/// For how long a worker had no processor between two instants, although it could have gone on.
fn preempted(profile: &Profile, worker: u16, begin: Ticks, end: Ticks) -> Ticks {
    profile.switches.get(worker as usize).map_or(Ticks::ZERO, |switches| switches.preempted(begin, end))
}

#[cfg(test)]
mod tests {
    use super::typical;

    #[test]
    fn a_clock_of_long_steps_is_read_right_and_outliers_count_for_nothing() {
        // 14 is measured as 10 three times of five, and as 20 twice.
        let steps = (0..100).map(|at| if at % 5 < 3 { 10 } else { 20 });
        let outliers = [5000, 7000, 9000, 0, 0, 0];
        assert_eq!(typical(steps.chain(outliers).collect()), 14);
        assert_eq!(
            [vec![], vec![7], vec![4, 6], vec![9000, 3, 4], vec![4, 1, 9000, 6]].map(typical),
            [0, 7, 5, 4, 5]
        );
    }
}
