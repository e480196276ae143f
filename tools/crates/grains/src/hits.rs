// SPDX-License-Identifier: Apache-2.0
//! Samples: where threads were, each time that they had used another period of CPU time.
//!
//! Where the kernel does not show samples of its own code, each sample says how many are missing
//! before it. These were evenly spaced in CPU time. They are placed evenly between the two samples
//! around them, which is exact unless the thread slept meanwhile.

use std::collections::HashMap;

use trace::layout;
use trace::{Sample, Samples as About};

use crate::place::{Frame, Stack};
use crate::row::Row;
use crate::ticks::Ticks;

/// Samples that belong together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hit {
    /// The number of the stream.
    pub worker: u16,
    pub at: Ticks,
    /// Where the thread was in the program's code. `None`: this is not known.
    pub frame: Option<Row<Frame>>,
    /// The calls above it. `None`: they are not known.
    pub stack: Option<Row<Stack>>,
    /// The thread was in the kernel, which it entered at `frame`.
    pub in_kernel: bool,
    /// How many samples.
    pub count: u32,
}

/// All samples of a profile.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Samples {
    /// By stream. Within a stream in the order of recording.
    pub hits: Vec<Hit>,
    /// Of CPU time; 0: no samples were taken.
    pub period_ns: u64,
    /// How many were lost.
    pub lost: u64,
    /// How many threads were sampled, and how many the kernel did not sample.
    pub threads: u32,
    pub refused: u32,
}

impl Samples {
    /// Of streams, by number.
    pub(crate) fn of(streams: impl Iterator<Item = (u16, Recorded)>) -> Self {
        let mut all = Self::default();
        for (worker, recorded) in streams {
            let Recorded { raw, frames, stacks, period_ns, lost, begun, refused, .. } = recorded;
            let frames = frames.into_iter().chain(std::iter::repeat(None));
            all.hits.extend(raw.into_iter().zip(frames).map(|(raw, frame)| Hit {
                worker,
                at: raw.at,
                frame,
                stack: stacks.get(&raw.stack).copied(),
                in_kernel: raw.in_kernel,
                count: raw.count,
            }));
            all.period_ns = all.period_ns.max(period_ns);
            all.lost = all.lost.saturating_add(lost);
            all.threads += u32::from(begun);
            all.refused += u32::from(refused && !begun);
        }
        all
    }

    /// Samples taken, those of the kernel included.
    pub fn count(&self) -> u64 {
        self.hits.iter().map(|hit| u64::from(hit.count)).sum()
    }
}

/// As the stream has it.
pub(crate) struct RawHit {
    pub at: Ticks,
    /// Absolute; 0: not known.
    pub address: u64,
    pub module: u32,
    /// The stream's id; 0: not known.
    stack: u32,
    in_kernel: bool,
    count: u32,
}

/// What one stream has recorded.
#[derive(Default)]
pub(crate) struct Recorded {
    pub raw: Vec<RawHit>,
    /// For each of these, once the places are known.
    pub frames: Vec<Option<Row<Frame>>>,
    /// By the stream's ids.
    pub stacks: HashMap<u32, Row<Stack>>,
    period_ns: u64,
    lost: u64,
    begun: bool,
    refused: bool,
    /// When the last sample of the same thread was taken.
    before: Option<Ticks>,
}

impl Recorded {
    /// So many stand for any number of samples that are not shown.
    const MOST_PARTS: u32 = 16;

    pub fn sample(&mut self, at: Ticks, sample: &Sample) {
        self.unseen(self.before.unwrap_or(at), at, sample.unseen);
        self.raw.push(RawHit {
            at,
            address: sample.address,
            module: sample.module,
            stack: 0,
            in_kernel: sample.flags & layout::sample::KERNEL != 0,
            count: 1,
        });
        self.period_ns = self.period_ns.max(sample.period_ns);
        self.begun = true;
        self.before = Some(at);
    }

    /// The last sample, if it was taken then, was reached by this stack.
    pub fn sampled(&mut self, at: Ticks, stack: u32) {
        if let Some(last) = self.raw.last_mut().filter(|last| last.at == at && last.address != 0) {
            last.stack = stack;
        }
    }

    fn unseen(&mut self, from: Ticks, until: Ticks, unseen: u32) {
        let parts = unseen.min(Self::MOST_PARTS);
        let share = |part: u32| (u64::from(unseen) * u64::from(part) / u64::from(parts)) as u32;
        for part in 1..=parts {
            let passed = u128::from((until - from).0) * u128::from(part) / u128::from(parts + 1);
            let at = from + Ticks(passed as u64);
            let count = share(part) - share(part - 1);
            self.raw.push(RawHit { at, address: 0, module: 0, stack: 0, in_kernel: true, count });
        }
    }

    pub fn about(&mut self, about: &About) {
        let has = |flag: u8| about.flags & flag != 0;
        self.begun |= has(layout::samples::BEGIN);
        self.refused |= has(layout::samples::REFUSED);
        if has(layout::samples::BEGIN) {
            self.period_ns = self.period_ns.max(about.period_ns);
            self.before = None;
        }
        if has(layout::samples::LOST) {
            self.lost = self.lost.saturating_add(about.lost);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(samples: &[(u64, u32)]) -> Vec<(u64, u32, bool)> {
        let mut recorded = Recorded::default();
        for &(at, unseen) in samples {
            recorded.sample(Ticks(at), &Sample { unseen, ..Sample::default() });
        }
        recorded.raw.iter().map(|hit| (hit.at.0, hit.count, hit.in_kernel)).collect()
    }

    #[test]
    fn what_is_not_shown_lies_between_the_samples_around_it() {
        let found = hits(&[(100, 0), (400, 2), (500, 0)]);
        assert_eq!(
            found,
            [(100, 1, false), (200, 1, true), (300, 1, true), (400, 1, false), (500, 1, false)]
        );
    }

    #[test]
    fn any_number_of_samples_that_are_not_shown_takes_a_few_rows() {
        let found = hits(&[(0, 0), (1_700, u32::MAX)]);
        assert_eq!(found.len(), 2 + 16);
        let unseen: u64 = found.iter().filter(|hit| hit.2).map(|hit| u64::from(hit.1)).sum();
        assert_eq!(unseen, u64::from(u32::MAX));
        assert_eq!((found[1].0, found[16].0), (100, 1_600));
    }

    #[test]
    fn samples_out_of_order_are_kept() {
        assert_eq!(hits(&[(400, 0), (100, 1)]), [(400, 1, false), (400, 1, true), (100, 1, false)]);
    }

    #[test]
    fn a_new_thread_has_no_sample_before() {
        let mut recorded = Recorded::default();
        let begin = About { lost: 0, period_ns: 7, flags: layout::samples::BEGIN };
        recorded.sample(Ticks(100), &Sample::default());
        recorded.about(&begin);
        recorded.sample(Ticks(900), &Sample { unseen: 1, ..Sample::default() });
        assert_eq!(recorded.raw[1].at, Ticks(900));
        assert_eq!(recorded.period_ns, 7);
    }
}
