// SPDX-License-Identifier: Apache-2.0
//! The time that the runtime takes for a task, a chunk and a region: the typical time in the
//! recording, less the cost of its records and the time in which the worker had no processor. An
//! occasional outlier of a hundred times the typical time has no influence.

use trace::layout::kind;

use crate::ready_since::ReadySince;
use crate::tables::{flag, GrainKind, GrainRow, RegionRow};
use crate::ticks::Ticks;
use crate::{costs, Column, Profile};

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
fn typical(mut all: Vec<u64>) -> u64 {
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
    // At one instant, ends, which have no row, come before starts.
    let mut events: Vec<(u16, Ticks, Option<GrainRow>)> = Vec::new();
    for row in grains.task_rows().filter(deferred) {
        events.push((grains.worker[row], grains.start.of(row), Some(row)));
        events.push((grains.worker[row], grains.end.of(row), None));
    }
    events.extend(profile.waits.iter().map(|wait| (wait.worker, wait.begin, None)));
    events.sort_unstable();
    let records = costs::Costs::of(&profile.meta).after(kind::RUN);
    let ready = ReadySince::of(profile);
    let gaps = events.windows(2).filter_map(|pair| {
        let ((worker, since, before), (same, start, task)) = (pair[0], pair[1]);
        let task = task.filter(|_| before.is_none() && worker == same)?;
        let waited = ready.of_task(task) <= since;
        let lost = preempted(profile, worker, since, start);
        waited.then(|| ((start - since - records - lost).0, grains.has(task, flag::STOLEN)))
    });
    let (stolen, own): (Vec<_>, Vec<_>) = gaps.partition(|&(_, stolen)| stolen);
    let of = |gaps: Vec<(u64, bool)>| typical(gaps.into_iter().map(|gap| gap.0).collect());
    let (enough, own) = (stolen.len() >= ENOUGH_STEALS, of(own));
    let steal = if enough { of(stolen) } else { STEALS_TIMES * own };
    (own, steal.saturating_sub(own))
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
