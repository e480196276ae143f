// SPDX-License-Identifier: Apache-2.0
//! When a thread that had a task to run had no processor.
//!
//! A stream has samples of its thread's CPU time. Between two of them its tasks ran for so long by
//! the clock; where the thread used less CPU time than that, it was descheduled (or slept in the
//! program's own code: in a system call, or for a mutex that is none of OpenMP's). When it was is
//! not known, so the fragments between the two samples share it by their lengths.

use trace::Clock;

use crate::load::Sample;
use crate::ticks::Ticks;

/// Less than this is noise: of the clocks, and of reading two of them one after the other.
const NOISE_NS: f64 = 100_000.0;
/// So is less than this part of the time between two samples.
const NOISE_SHARE: f64 = 0.01;

/// A stretch of time in which a worker was descheduled now and then.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Slow {
    from: Ticks,
    until: Ticks,
    /// Of the time in which tasks seemed to run, the part in which they did not.
    share: f64,
    lost: Ticks,
    /// It slept in a call of the program's own, rather than lose its processor.
    slept: bool,
}

/// In order of time.
pub(crate) fn slow(samples: &[Sample], clock: &Clock) -> Vec<Slow> {
    let between = |pair: &[Sample]| {
        let (a, b) = (pair[0], pair[1]);
        let ran = b.ran - a.ran;
        let lost_ns = clock.ns(ran.0) - b.cpu_ns.saturating_sub(a.cpu_ns) as f64;
        let noise = NOISE_NS.max(clock.ns((b.at - a.at).0) * NOISE_SHARE);
        if b.begins || ran == Ticks::ZERO || lost_ns <= noise {
            return None;
        }
        let share = (lost_ns / clock.ns(ran.0)).clamp(0.0, 1.0);
        let lost = Ticks((ran.0 as f64 * share) as u64);
        Some(Slow { from: a.at, until: b.at, share, lost, slept: slept(&a, &b) })
    };
    samples.windows(2).filter_map(between).filter(|slow| slow.from < slow.until).collect()
}

/// Whether it gave its processor up more often than it lost it, beside the sleep that is recorded.
/// Which of these took how long cannot be told.
fn slept(a: &Sample, b: &Sample) -> bool {
    let (Some(a_switches), Some(b_switches)) = (a.switches, b.switches) else { return false };
    let waits = u32::from(b_switches.0.wrapping_sub(a_switches.0));
    let preemptions = u32::from(b_switches.1.wrapping_sub(a_switches.1));
    waits.saturating_sub(b.sleeps.saturating_sub(a.sleeps)) > preemptions
}

/// Until the first thread met its first construct: nothing says what it had used when the recording
/// began, so all that its first sample says counts as used since. So does what the recorder used
/// before that sample.
pub(crate) fn at_first(sample: &Sample, met: Ticks, clock: &Clock) -> Option<Slow> {
    let ran_ns = clock.ns(met.0);
    let lost_ns = ran_ns - sample.cpu_ns as f64;
    if !sample.begins || lost_ns <= NOISE_NS.max(ran_ns * NOISE_SHARE) {
        return None;
    }
    let share = (lost_ns / ran_ns).clamp(0.0, 1.0);
    let lost = Ticks((met.0 as f64 * share) as u64);
    Some(Slow { from: Ticks::ZERO, until: met, share, lost, slept: false })
}

/// What all threads that had the stream of these had used when last seen.
pub(crate) fn cpu_ns(samples: &[Sample]) -> u64 {
    let is_last = |&at: &usize| samples.get(at + 1).is_none_or(|next| next.begins);
    (0..samples.len()).filter(is_last).map(|at| samples[at].cpu_ns).fold(0, u64::saturating_add)
}

/// How long the worker of these was descheduled in all.
pub(crate) fn total(slow: &[Slow]) -> Ticks {
    slow.iter().map(|slow| slow.lost).sum()
}

/// ... and of that, what it slept.
pub(crate) fn slept_in_all(slow: &[Slow]) -> Ticks {
    slow.iter().filter(|slow| slow.slept).map(|slow| slow.lost).sum()
}

/// The share of [start, end].
pub(crate) fn part(slow: &[Slow], start: Ticks, end: Ticks) -> Ticks {
    let first = slow.partition_point(|slow| slow.until <= start);
    let overlap = |slow: &Slow| (slow.until.min(end) - slow.from.max(start)).0 as f64 * slow.share;
    let ticks: f64 = slow[first..].iter().take_while(|slow| slow.from < end).map(overlap).sum();
    Ticks(ticks as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace::ClockPair;

    fn clock() -> Clock {
        Clock::new(0, 1_000_000_000, ClockPair { ticks: 0, ns: 0 }, ClockPair { ticks: 0, ns: 0 })
    }

    fn sample(at: u64, cpu_ns: u64, ran: u64, begins: bool) -> Sample {
        Sample { at: Ticks(at), cpu_ns, ran: Ticks(ran), switches: None, sleeps: 0, begins }
    }

    #[test]
    fn a_thread_that_gives_its_processor_up_sleeps() {
        let with = |at: u64, switches, sleeps| Sample {
            switches: Some(switches),
            sleeps,
            ..sample(at * 10_000_000, at * 1_000_000, at * 10_000_000, false)
        };
        let samples = [
            with(0, (65_530, 3), 0),
            with(1, (2, 4), 0),  // 8 waits
            with(2, (8, 4), 6),  // 6, all of them recorded
            with(3, (9, 7), 6),  // one, and lost three times
            with(4, (10, 7), 6), // one
        ];
        let slow = slow(&samples, &clock());
        assert_eq!(slow.iter().map(|slow| slow.slept).collect::<Vec<_>>(), [true, false, false, true]);
        assert_eq!((total(&slow), slept_in_all(&slow)), (Ticks(36_000_000), Ticks(18_000_000)));
    }

    #[test]
    fn before_its_first_record_a_thread_had_what_its_first_sample_says() {
        let first =
            |cpu_ns, begins| at_first(&sample(12_000_000, cpu_ns, 0, begins), Ticks(10_000_000), &clock());
        assert_eq!(first(9_950_000, true), None);
        assert_eq!(first(4_000_000, false), None);
        assert_eq!(total(&[first(4_000_000, true).unwrap()]), Ticks(6_000_000));
    }

    #[test]
    fn what_tasks_ran_and_the_thread_did_not_is_shared_by_length() {
        let samples = [
            sample(0, 0, 0, true),
            sample(10_000_000, 2_000_000, 8_000_000, false), // ran for 8 ms in 2
            sample(20_000_000, 9_950_000, 16_000_000, false), // 8 in 7.95: noise
            sample(30_000_000, 10_000_000, 24_000_000, true), // another thread
        ];
        assert_eq!(cpu_ns(&samples), 9_950_000 + 10_000_000);
        let slow = slow(&samples, &clock());
        assert_eq!(slow.len(), 1);
        assert_eq!(total(&slow), Ticks(6_000_000));
        assert_eq!(part(&slow, Ticks(1_000_000), Ticks(3_000_000)), Ticks(1_500_000));
        assert_eq!(part(&slow, Ticks(8_000_000), Ticks(12_000_000)), Ticks(1_500_000));
        assert_eq!(part(&slow, Ticks(10_000_000), Ticks(12_000_000)), Ticks::ZERO);
    }
}
