// SPDX-License-Identifier: Apache-2.0
//! Finds for how long a thread had no processor while it had a task to run or worked for the
//! recorder.
//!
//! This is an estimate, for the stretches of which the kernel has not told (`switches`).
//!
//! A stream has samples of its thread's CPU time. Between two samples, the clock shows how long the
//! thread's tasks ran and how long the recorder worked. If the thread used less CPU time than that,
//! it was descheduled (or slept: in a system call of the program's own, for a mutex that is not
//! OpenMP's, or for the recorder's files). The CPU time that the thread used in waits is not known,
//! and counts as used for tasks and recorder. So the time found here is a lower bound.
//!
//! The CPU time is given to the tasks first, and the recorder gets the rest: the recorder works for
//! short times, but it calls the kernel, which is where a thread loses its processor. So the time
//! that the tasks lack is the least possible. A thread that slept while the recorder worked waited
//! for the recorder's file: this is the recorder's time and not a loss. No record says when the
//! time was lost: see `timeline/off.rs`.

use trace::{Clock, Meta};

use crate::cpu_sample::Sample;
use crate::switches::is_told;
use crate::ticks::Ticks;

/// Less than this is noise: of the clocks, and of reading two of them one after the other.
const NOISE_NS: f64 = 100_000.0;
/// So is less than this part of the time between two samples.
const NOISE_SHARE: f64 = 0.01;

/// A stretch of the runtime's that lost its thread's processor is longer: its calls of the system
/// take less than that, and a thread seldom is back so soon.
const LOSS_NS: f64 = 20_000.0;

/// Why a thread did not run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Why {
    /// It gave its processor up, beside the sleep that is recorded, and never lost it.
    Slept,
    /// It lost its processor; or which of these it did is not known at all.
    Lost,
    /// It did both.
    Undecided,
}

/// A stretch of time in which a worker was descheduled now and then.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Slow {
    pub from: Ticks,
    pub until: Ticks,
    /// What its tasks lack.
    pub of_tasks: Ticks,
    /// ... and the recorder's work.
    pub of_recorder: Ticks,
    /// The least loss that shows in a stretch of the runtime's.
    pub least: Ticks,
    pub why: Why,
}

impl Slow {
    /// It ends with this sample.
    pub fn is_until(&self, at: Ticks) -> bool {
        self.until == at
    }
}

/// In order of time.
pub(crate) fn slow(samples: &[Sample], clock: &Clock) -> Vec<Slow> {
    let first = samples.first().filter(|sample| sample.begins).map(|sample| (begin(None), sample));
    let pairs = samples.windows(2).map(|pair| {
        if pair[1].begins {
            (begin(Some(&pair[0])), &pair[1])
        } else {
            (pair[0], &pair[1])
        }
    });
    // What tasks ran before a thread began, the one before it ran.
    let ran = |a: &Sample, b: &Sample| if b.begins { Ticks::ZERO } else { b.ran - a.ran };
    first.into_iter().chain(pairs).filter_map(|(a, b)| between(&a, b, ran(&a, b), clock)).collect()
}

/// The CPU time of the thread that met the first construct, or of the whole process until then, if
/// another thread had loaded the runtime.
#[derive(Clone, Copy, Default)]
pub(crate) struct Start {
    thread: u32,
    /// What it had used when it met its first construct.
    met_ns: u64,
    /// What it used from the recording's start until it met its first construct.
    used_ns: u64,
    /// For how long it could have run by then, but had no processor, since it began. It may have
    /// begun before the recording did. `None`: not known.
    delay_ns: Option<u64>,
    /// When the recording began.
    pub began: Ticks,
}

impl Start {
    pub fn of(meta: &Meta) -> Self {
        Self {
            thread: meta.first_thread,
            met_ns: meta.met_cpu_ns,
            used_ns: meta.met_cpu_ns.saturating_sub(meta.start_cpu_ns),
            delay_ns: meta.met_delay_ns,
            began: Ticks::ZERO,
        }
    }

    /// When the thread met its first construct, if it did nothing from there to its first sample
    /// but the recorder's work. The record of its initial task may begin earlier: in a forked
    /// child, it begins where the process does.
    pub fn met(&self, sample: &Sample, clock: &Clock) -> Option<Ticks> {
        let is_first = sample.begins && self.thread != 0 && self.thread == sample.thread;
        let since_ns = sample.cpu_ns.saturating_sub(self.met_ns) as f64;
        (is_first && since_ns <= clock.ns(sample.stalled)).then(|| sample.at - sample.stalled)
    }
}

/// A thread that waits for a device sleeps. Where these waits, which are in order, are as long as
/// what the tasks lack, this is what they lack.
pub(crate) fn tell_waits(slow: &mut [Slow], waits: &[(Ticks, Ticks)]) {
    for slow in slow.iter_mut().filter(|slow| slow.why == Why::Undecided) {
        let first = waits.partition_point(|&(_, until)| until <= slow.from);
        let (mut from, mut waited) = (slow.from, Ticks::ZERO);
        for &(since, until) in waits[first..].iter().take_while(|&&(since, _)| since < slow.until) {
            waited += until.min(slow.until) - since.max(from);
            from = from.max(until);
        }
        if waited >= slow.of_tasks {
            slow.why = Why::Slept;
        }
    }
}

/// Until the first thread met its first construct. If nothing says what it had used when the
/// recording began, all that its first sample says counts as used since. If the delay is known, the
/// rest of what is missing is sleep. No record says when either was: the delay comes first.
pub(crate) fn at_first(sample: &Sample, met: Ticks, clock: &Clock, start: Start) -> Vec<Slow> {
    let is_first = start.thread != 0 && start.thread == sample.thread;
    // The rest of its CPU time was the recorder's.
    let own = Sample { cpu_ns: start.used_ns, stalled: Ticks::ZERO, ..*sample };
    let sample = if is_first { &own } else { sample };
    let (before, ran) = (Sample { at: start.began, ..begin(None) }, met - start.began);
    let Some(slow) = between(&before, sample, ran, clock).filter(|_| sample.begins) else {
        return Vec::new();
    };
    match start.delay_ns.filter(|_| is_first) {
        Some(delay_ns) => divided(slow, ran, delay_ns as f64 / clock.ns(slow.of_tasks).max(1.0)),
        None => vec![slow],
    }
}

/// What is missing in the time for which the thread ran first, of which this share is lost, and the
/// rest was slept.
fn divided(slow: Slow, ran: Ticks, lost: f64) -> Vec<Slow> {
    let share = |ticks: Ticks| Ticks((ticks.0 as f64 * lost.clamp(0.0, 1.0)) as u64);
    let (middle, of_tasks) = (slow.from + share(ran), share(slow.of_tasks));
    let lost = Slow { until: middle, of_tasks, why: Why::Lost, ..slow };
    let slept = Slow { from: middle, of_tasks: slow.of_tasks - of_tasks, why: Why::Slept, ..slow };
    [lost, slept].into_iter().filter(|slow| slow.of_tasks > Ticks::ZERO).collect()
}

/// Where a thread begins, behind the last one that had the stream.
fn begin(before: Option<&Sample>) -> Sample {
    let none = Sample {
        at: Ticks::ZERO,
        cpu_ns: 0,
        ran: Ticks::ZERO,
        stalled: Ticks::ZERO,
        switches: None,
        sleeps: 0,
        begins: true,
        thread: 0,
        told: false,
    };
    Sample { cpu_ns: 0, switches: None, ..before.copied().unwrap_or(none) }
}

fn between(a: &Sample, b: &Sample, ran: Ticks, clock: &Clock) -> Option<Slow> {
    if is_told(a, b) {
        return None;
    }
    let stalled = b.stalled - a.stalled;
    let used_ns = b.cpu_ns.saturating_sub(a.cpu_ns) as f64;
    let missing_ns = clock.ns(ran + stalled) - used_ns;
    let noise = NOISE_NS.max(clock.ns(b.at - a.at) * NOISE_SHARE);
    if missing_ns <= noise || a.at >= b.at {
        return None;
    }
    let part = |ticks: Ticks, used_ns: f64| {
        let left = 1.0 - used_ns / clock.ns(ticks).max(1.0);
        Ticks((ticks.0 as f64 * left.clamp(0.0, 1.0)) as u64)
    };
    let of_recorder = part(stalled, (used_ns - clock.ns(ran)).max(0.0));
    let file = clock.ns(of_recorder) > noise;
    let (why, of_recorder) = match why(a, b) {
        Why::Lost => (Why::Lost, of_recorder),
        // The recorder slept: whether the tasks did, too, is not known.
        _ if file => (Why::Undecided, Ticks::ZERO),
        slept => (slept, Ticks::ZERO),
    };
    let of_tasks = part(ran, used_ns);
    (of_tasks + of_recorder > Ticks::ZERO).then_some(Slow {
        from: a.at,
        until: b.at,
        of_tasks,
        of_recorder,
        least: Ticks((LOSS_NS * 1e6 / clock.ns(Ticks(1_000_000))) as u64),
        why,
    })
}

/// Whether something is missing between these two instants.
pub(crate) fn concerns(slow: &[Slow], begin: Ticks, end: Ticks) -> bool {
    slow.get(slow.partition_point(|slow| slow.until <= begin)).is_some_and(|slow| slow.from < end)
}

/// How long a sleep took, or another thread had the processor, cannot be told: a thread that did
/// both is undecided. One that has not done either had no processor of the machine's.
fn why(a: &Sample, b: &Sample) -> Why {
    let Some(switches) = b.switches else { return Why::Lost };
    let before = a.switches.unwrap_or_default();
    let waits = u32::from(switches.0.wrapping_sub(before.0));
    let slept = waits.saturating_sub(b.sleeps.saturating_sub(a.sleeps)) > 0;
    match (slept, switches.1 != before.1) {
        (true, true) => Why::Undecided,
        (true, false) => Why::Slept,
        (false, _) => Why::Lost,
    }
}

/// What all threads that had the stream of these had used when last seen.
pub(crate) fn cpu_ns(samples: &[Sample]) -> u64 {
    let is_last = |&at: &usize| samples.get(at + 1).is_none_or(|next| next.begins);
    (0..samples.len()).filter(is_last).map(|at| samples[at].cpu_ns).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace::{ClockPair, Stamp};

    fn clock() -> Clock {
        Clock::new(Stamp(0), 1_000_000_000, ClockPair::default(), ClockPair::default())
    }

    fn sample(at: u64, cpu_ns: u64, ran: u64, begins: bool) -> Sample {
        let (at, ran, stalled) = (Ticks(at), Ticks(ran), Ticks::ZERO);
        Sample { at, cpu_ns, ran, stalled, switches: None, sleeps: 0, begins, thread: 7, told: false }
    }

    #[test]
    fn a_thread_that_sleeps_and_loses_its_processor_is_undecided() {
        let with = |at: u64, switches, sleeps| Sample {
            switches: Some(switches),
            sleeps,
            ..sample(at * 10_000_000, at * 1_000_000, at * 10_000_000, false)
        };
        let samples = [
            with(0, (65_530, 3), 0),
            with(1, (2, 4), 0),  // 8 waits, and lost once
            with(2, (8, 4), 6),  // 6, all of them recorded
            with(3, (9, 7), 7),  // one, recorded, and lost three times
            with(4, (10, 7), 7), // one
        ];
        let why: Vec<_> = slow(&samples, &clock()).iter().map(|slow| slow.why).collect();
        assert_eq!(why, [Why::Undecided, Why::Lost, Why::Lost, Why::Slept]);
    }

    #[test]
    fn a_thread_that_waits_for_devices_sleeps() {
        let slow = |from, why| Slow {
            from: Ticks(from),
            until: Ticks(from + 100),
            of_tasks: Ticks(60),
            of_recorder: Ticks::ZERO,
            least: Ticks::ZERO,
            why,
        };
        let mut all = [
            slow(0, Why::Undecided),   // 30 + 30 of waits
            slow(100, Why::Undecided), // 20 + 39, one of them twice
            slow(200, Why::Lost),
        ];
        let waits = [(20, 50), (70, 120), (150, 189), (151, 189), (200, 300)];
        tell_waits(&mut all, &waits.map(|(since, until)| (Ticks(since), Ticks(until))));
        assert_eq!(all.map(|slow| slow.why), [Why::Slept, Why::Undecided, Why::Lost]);
    }

    #[test]
    fn before_its_first_record_a_thread_had_what_its_first_sample_says() {
        let first = |cpu_ns, begins| {
            at_first(&sample(12_000_000, cpu_ns, 0, begins), Ticks(10_000_000), &clock(), Start::default())
        };
        assert_eq!(first(9_950_000, true), []);
        assert_eq!(first(4_000_000, false), []);
        assert_eq!(first(4_000_000, true)[0].of_tasks, Ticks(6_000_000));
    }

    #[test]
    fn before_its_first_record_a_thread_had_what_it_used_since_the_start() {
        let first = |thread| {
            let start = Start { thread, used_ns: 3_000_000, ..Start::default() };
            // 1 ms before the recording began, and 2 in which the recorder worked.
            let with = Sample { stalled: Ticks(2_000_000), ..sample(12_000_000, 6_000_000, 0, true) };
            at_first(&with, Ticks(10_000_000), &clock(), start)[0]
        };
        assert_eq!((first(7).of_tasks, first(7).of_recorder), (Ticks(7_000_000), Ticks::ZERO));
        assert_eq!(first(8).of_tasks, Ticks(4_000_000), "that was another thread");
    }

    #[test]
    fn a_thread_met_its_first_construct_before_the_recorder_worked() {
        let met = |thread, met_ns, begins| {
            let start = Start { thread, met_ns, ..Start::default() };
            let with = Sample { stalled: Ticks(2_000_000), ..sample(12_000_000, 5_000_000, 0, begins) };
            start.met(&with, &clock())
        };
        assert_eq!(met(7, 3_500_000, true), Some(Ticks(10_000_000)));
        assert_eq!(met(7, 2_500_000, true), None, "it has worked since");
        assert_eq!(met(8, 3_500_000, true), None, "that was another thread");
        assert_eq!(met(7, 3_500_000, false), None);
    }

    #[test]
    fn what_a_thread_did_not_wait_for_a_processor_before_its_first_record_it_slept() {
        let first = |thread, delay_ns| {
            let start = Start { thread, used_ns: 2_000_000, delay_ns, ..Start::default() };
            let with = Sample { switches: Some((3, 4)), ..sample(12_000_000, 2_000_000, 0, true) };
            let slow = at_first(&with, Ticks(10_000_000), &clock(), start);
            slow.iter().map(|slow| (slow.from.0, slow.until.0, slow.of_tasks.0, slow.why)).collect::<Vec<_>>()
        };
        let (end, missing) = (12_000_000, 8_000_000);
        assert_eq!(first(7, None), [(0, end, missing, Why::Undecided)]);
        assert_eq!(first(8, Some(0)), [(0, end, missing, Why::Undecided)], "that was another thread");
        assert_eq!(first(7, Some(0)), [(0, end, missing, Why::Slept)]);
        assert_eq!(first(7, Some(9_000_000)), [(0, 10_000_000, missing, Why::Lost)]);
        let quarter = [(0, 2_500_000, 2_000_000, Why::Lost), (2_500_000, end, 6_000_000, Why::Slept)];
        assert_eq!(first(7, Some(2_000_000)), quarter);
    }

    #[test]
    fn what_tasks_ran_and_the_thread_did_not_is_missing() {
        let samples = [
            sample(0, 0, 0, true),
            sample(10_000_000, 2_000_000, 8_000_000, false), // ran for 8 ms in 2
            sample(20_000_000, 9_950_000, 16_000_000, false), // 8 in 7.95: noise
            sample(30_000_000, 10_000_000, 24_000_000, true), // another thread, that had it
        ];
        assert_eq!(cpu_ns(&samples), 9_950_000 + 10_000_000);
        let slow = slow(&samples, &clock());
        assert_eq!(slow.len(), 1);
        assert_eq!((slow[0].of_tasks, slow[0].of_recorder), (Ticks(6_000_000), Ticks::ZERO));
    }

    #[test]
    fn the_recorder_works_no_longer_than_its_thread_has_cpu_time() {
        let with = |stalled, sample| Sample { stalled: Ticks(stalled), ..sample };
        let samples = [
            with(5_000_000, sample(6_000_000, 300_000, 0, true)), // began with a stall of 5 ms
            with(8_000_000, sample(16_000_000, 6_300_000, 5_000_000, false)), // 5 and 3 in 6
            with(9_000_000, sample(26_000_000, 8_300_000, 9_000_000, false)), // 4 and 1 in 2
        ];
        let found: Vec<_> =
            slow(&samples, &clock()).iter().map(|slow| (slow.of_tasks.0, slow.of_recorder.0)).collect();
        assert_eq!(found, [(0, 4_700_000), (0, 2_000_000), (2_000_000, 1_000_000)]);
    }
}
