// SPDX-License-Identifier: Apache-2.0
//! The runtime's decisions about priorities, as pure functions: what a worker does next, and which
//! worker is asked to leave its task.
//!
//! Each function has the name and the result of a function of the runtime: `choose` is in
//! sched/choice.h, `after_task` and `preempting_pays` are in task/run_times.cpp, `is_far_below` and
//! `next_to_ask` in task/preemption.cpp. The tests of run times on both sides read the same cases
//! (task/run_times_cases.inc); those of `choose` test the same properties.

/// What a worker does next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    /// Its wait is over.
    Return,
    /// It resumes a ready context: a task that has begun.
    Resume,
    /// It starts a task of a higher priority than the waiting task's.
    StartHigher,
    /// It runs a task that the waiting task has created.
    RunOwn,
    /// It runs another task on top of the wait.
    RunOther,
    /// It starts a task on a stack of its own.
    Start,
    Idle,
}

/// What a worker may do in one kind of wait. The model also says which contexts may resume; here
/// all may.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    pub on_top: bool,
    /// Tasks of its own go before ready contexts of the waiting task's priority.
    pub own_first: bool,
    pub starts: bool,
}

pub const TIED_WAIT: Row = Row { on_top: true, own_first: true, starts: false };
pub const UNTIED_WAIT: Row = Row { on_top: true, own_first: true, starts: true };
pub const OUTSIDE_OF_TASKS: Row = Row { on_top: true, own_first: false, starts: false };

pub const NO_LEVEL: i32 = i32::MIN;

/// What the worker sees.
#[allow(clippy::struct_excessive_bools, reason = "these are the fields of the runtime's Seen")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seen {
    pub over: bool,
    /// The highest priority of a ready context, or [`NO_LEVEL`].
    pub ready: i32,
    /// The highest priority of a queued task, or 0.
    pub queued: i32,
    /// The waiting task's priority, or 0.
    pub waits_at: i32,
    pub own: bool,
    pub others: bool,
    pub unrelated: bool,
    /// Some of the unrelated tasks have a priority above the waiting task's.
    pub higher: bool,
}

impl Default for Seen {
    fn default() -> Self {
        let [over, own, others, unrelated, higher] = [false; 5];
        Self { over, ready: NO_LEVEL, queued: 0, waits_at: 0, own, others, unrelated, higher }
    }
}

pub fn choose(row: Row, seen: Seen) -> Act {
    let resumes = seen.ready != NO_LEVEL;
    let own_first = row.on_top && row.own_first && seen.own && seen.ready <= seen.waits_at;
    if seen.over {
        Act::Return
    } else if resumes && seen.ready >= seen.queued && !own_first {
        Act::Resume
    } else if row.starts && seen.higher && seen.queued > seen.waits_at {
        Act::StartHigher
    } else if row.on_top && seen.own {
        Act::RunOwn
    } else if row.on_top && seen.others {
        Act::RunOther
    } else if row.starts && seen.unrelated {
        Act::Start
    } else if resumes {
        Act::Resume
    } else {
        Act::Idle
    }
}

/// How long the tasks of a function run, as estimated; all 0: none has ended yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RunTime {
    pub mean: u64,
    pub deviation: u64,
}

const LONGEST: u64 = u32::MAX as u64 / 8;

/// The estimate after one more task, which ran for `ran`.
pub fn after_task(before: RunTime, ran: u64) -> RunTime {
    let now = ran.clamp(1, LONGEST);
    if before.mean == 0 {
        return RunTime { mean: now, deviation: now / 2 };
    }
    let mean = (before.mean * 7 + now) / 8;
    RunTime { mean: mean.max(1), deviation: (before.deviation * 3 + now.abs_diff(before.mean)) / 4 }
}

/// Whether a task that has run for `age` is likely to run for at least `price` more. Counts as
/// likely if nothing is known.
pub fn preempting_pays(known: RunTime, age: u64, price: u64) -> bool {
    let longest = known.mean + 2 * known.deviation;
    known.mean == 0 || age > longest || longest - age >= price
}

/// Whether a task of priority `runs` has to give way to one of priority `priority`. `gap` is
/// TEFF_PREEMPT_GAP.
pub fn is_far_below(runs: i32, priority: i32, gap: i32) -> bool {
    runs <= priority - gap
}

/// A worker that can be asked: its number, the priority at which it runs, and whether preempting
/// its task pays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Candidate {
    pub worker: u32,
    pub runs: i32,
    pub pays: bool,
}

/// The worker to ask, if any: of those whose task has to give way and whose preemption pays, the
/// one that runs the lowest priority; of equals the first. If there is none, the second value says
/// whether one was left out because its preemption does not pay.
pub fn next_to_ask(
    candidates: impl Iterator<Item = Candidate>,
    priority: i32,
    gap: i32,
) -> (Option<u32>, bool) {
    let below = candidates.filter(|one| is_far_below(one.runs, priority, gap));
    let (pay, others): (Vec<_>, Vec<_>) = below.partition(|one| one.pays);
    let found = pay.iter().min_by_key(|one| (one.runs, one.worker));
    (found.map(|one| one.worker), found.is_none() && !others.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cases of task/run_times_test.cpp.
    const CASES: &str = include_str!("../../../../../../runtime/src/task/run_times_cases.inc");

    fn cases(macro_name: &str) -> Vec<Vec<u64>> {
        let calls = CASES.lines().filter_map(|line| line.strip_prefix(macro_name)?.strip_prefix('('));
        let numbers = |call: &str| {
            let inside = call.split(')').next().unwrap();
            inside.split(',').map(|word| word.trim().parse().unwrap()).collect()
        };
        calls.map(numbers).collect()
    }

    #[test]
    fn the_estimate_follows_the_tasks_as_in_the_runtime() {
        let all = cases("TEFF_AFTER_TASK");
        assert!(all.len() >= 5);
        for case in all {
            let [mean, deviation, ran, mean_after, deviation_after] = case[..] else { panic!("{case:?}") };
            let after = after_task(RunTime { mean, deviation }, ran);
            assert_eq!(after, RunTime { mean: mean_after, deviation: deviation_after }, "{case:?}");
        }
    }

    #[test]
    fn preempting_pays_for_a_long_rest_as_in_the_runtime() {
        let all = cases("TEFF_PREEMPTING_PAYS");
        assert!(all.len() >= 7);
        for case in all {
            let [mean, deviation, age, price, pays] = case[..] else { panic!("{case:?}") };
            assert_eq!(preempting_pays(RunTime { mean, deviation }, age, price), pays == 1, "{case:?}");
        }
    }

    fn all_inputs() -> impl Iterator<Item = Seen> {
        let levels = |from: i32| (from..3).map(|level| if level < 0 { NO_LEVEL } else { level });
        (0..32u8).flat_map(move |bits| {
            levels(-1).flat_map(move |ready| {
                levels(0).flat_map(move |queued| {
                    levels(0).map(move |waits_at| {
                        let [over, own, others, unrelated, higher] =
                            [1, 2, 4, 8, 16].map(|bit| bits & bit != 0);
                        Seen { over, ready, queued, waits_at, own, others, unrelated, higher }
                    })
                })
            })
        })
    }

    /// The properties that sched/choice_test.cpp tests.
    #[test]
    fn a_worker_does_what_its_row_allows_and_idles_only_without_work() {
        for row in [TIED_WAIT, UNTIED_WAIT, OUTSIDE_OF_TASKS] {
            for seen in all_inputs() {
                let act = choose(row, seen);
                assert_eq!(act == Act::Return, seen.over);
                let may = match act {
                    Act::Return => true,
                    Act::Resume => seen.ready != NO_LEVEL,
                    Act::RunOwn => row.on_top && seen.own,
                    Act::RunOther => row.on_top && seen.others,
                    Act::Start => row.starts && seen.unrelated,
                    Act::StartHigher => row.starts && seen.higher && seen.queued > seen.waits_at,
                    Act::Idle => {
                        let may_start = row.starts && seen.unrelated;
                        seen.ready == NO_LEVEL && !(row.on_top && (seen.own || seen.others)) && !may_start
                    }
                };
                assert!(may, "{row:?} {seen:?}: {act:?}");
                if !seen.over && seen.ready != NO_LEVEL && seen.ready >= seen.queued && act != Act::Resume {
                    assert!(row.own_first && seen.own && seen.ready <= seen.waits_at, "{row:?} {seen:?}");
                }
                let own_goes_first = seen.own && seen.queued <= seen.waits_at && seen.ready <= seen.waits_at;
                if !seen.over && row.own_first && own_goes_first {
                    assert_eq!(act, Act::RunOwn);
                }
            }
        }
    }

    #[test]
    fn a_higher_priority_goes_before_descendants() {
        let seen = Seen { queued: 2, waits_at: 1, own: true, higher: true, ..Seen::default() };
        assert_eq!(choose(UNTIED_WAIT, seen), Act::StartHigher);
        assert_eq!(choose(UNTIED_WAIT, Seen { queued: 1, ..seen }), Act::RunOwn);
        assert_eq!(choose(TIED_WAIT, seen), Act::RunOwn);
    }

    #[test]
    fn the_lowest_is_asked_if_that_pays() {
        let all = [(3, 2, true), (1, 1, false), (2, 2, true), (0, 3, true)];
        let candidates = || all.iter().map(|&(worker, runs, pays)| Candidate { worker, runs, pays });
        assert_eq!(next_to_ask(candidates(), 3, 1), (Some(2), false));
        assert_eq!(next_to_ask(candidates(), 3, 2), (None, true));
        assert_eq!(next_to_ask(candidates(), 4, 1), (Some(2), false));
        assert_eq!(next_to_ask(candidates(), 1, 1), (None, false));
    }
}
