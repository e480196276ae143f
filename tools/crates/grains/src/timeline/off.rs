// SPDX-License-Identifier: Apache-2.0
//! Decides from which stretches to subtract the time that a thread was off its processor, where
//! this is an estimate.
//!
//! Between two samples of its CPU time, a thread lacks a known amount of time, and no record says
//! when. A thread loses its processor a few times, for long, and works many times, mostly for
//! short. So the time is subtracted from the longest stretches: all stretches between the two
//! samples that are longer than one *level* are cut to this level. The level is chosen so that the
//! sum of the cuts is the missing time. Stretches are fragments, creations, book-keeping, other
//! work of the runtime, and the starts and ends of regions. For time that the recorder lacks, the
//! stretches are the work of the recorder.
//!
//! Before that, time is subtracted from the runtime's own stretches that exceed what is usual for
//! their kind (`usual`). Otherwise, a creation that usually takes microseconds and in which the
//! thread lost its processor would stay as long as the level, and the task's own fragments would be
//! cut instead.
//!
//! No stretch becomes longer than it was recorded or shorter than zero, and the sum is what the
//! thread's CPU time allows. The method assumes that the order of lengths stays. If one stretch was
//! long by itself and another one by the loss, both end with the same length; and a stretch that
//! was cut is as long as the level, however short others of its kind are. The subtraction by what
//! is usual would err more for the program's own stretches, where a construct has several kinds of
//! them: a task that creates others between pieces of work. The runtime's stretches are more alike.

use crate::assemble::Assembled;
use crate::descheduled::Slow;
use crate::ticks::Ticks;

use super::laid_out::Timeline;
use super::stretch::Stretch;
use super::subtract;
use super::usual::Usual;

/// Takes from the stretches what their threads had too little. They are in order of their workers.
pub(super) fn take(all: &mut Assembled, out: &mut Timeline, stretches: &[Stretch]) {
    let slow = std::mem::take(&mut all.slow);
    let usual = if stretches.is_empty() { Usual::default() } else { Usual::of(all) };
    for of_worker in stretches.chunk_by(|a, b| a.worker == b.worker) {
        let Some(slow) = slow.get(usize::from(of_worker[0].worker)) else { continue };
        for (slow, mut parts) in parts(of_worker, slow) {
            let beyond = |part: &Part| (part.0, part.1 * usual.beyond(all, &of_worker[part.0], slow.least));
            let beyond: Vec<Part> = parts.of_tasks.iter().map(beyond).collect();
            let cuts = cut_both(&mut parts.of_tasks, &beyond, slow.of_tasks).into_iter();
            for (at, ticks) in cuts.chain(cut(&parts.of_recorder, slow.of_recorder)) {
                subtract::take(all, out, &of_worker[at], ticks, slow.why);
            }
        }
    }
}

/// A part of a stretch, by its number, and how long it is.
type Part = (usize, f64);

/// Those between two samples.
#[derive(Default, PartialEq, Debug)]
struct Parts {
    of_tasks: Vec<Part>,
    of_recorder: Vec<Part>,
}

/// The stretches' parts between the samples of each loss. A worker's stretches do not overlap, or
/// hardly: in a damaged recording, in which all of them do, some of the parts are enough.
fn parts<'a>(stretches: &[Stretch], slow: &'a [Slow]) -> Vec<(&'a Slow, Parts)> {
    let mut parts: Vec<(&Slow, Parts)> = slow.iter().map(|slow| (slow, Parts::default())).collect();
    let mut left = 16 * (stretches.len() + slow.len());
    for (at, stretch) in stretches.iter().enumerate() {
        let first = slow.partition_point(|slow| slow.until <= stretch.begin);
        let length = (stretch.end - stretch.begin).0.max(1) as f64;
        let overlapped = parts[first..].iter_mut().take_while(|(slow, _)| slow.from < stretch.end);
        for (slow, parts) in overlapped.take(left) {
            left -= 1;
            let overlap = slow.until.min(stretch.end) - slow.from.max(stretch.begin);
            let of_stretch =
                if stretch.whose.is_recorders() { &mut parts.of_recorder } else { &mut parts.of_tasks };
            of_stretch.push((at, stretch.net.0 as f64 * overlap.0 as f64 / length));
        }
    }
    parts
}

/// What each part loses: first of what it has beyond what is usual, then as all of them do.
fn cut_both(parts: &mut [Part], beyond: &[Part], missing: Ticks) -> Vec<(usize, Ticks)> {
    let long: Vec<Part> = beyond.iter().copied().filter(|part| part.1 > 0.0).collect();
    let mut cuts = cut(&long, missing);
    let mut left = missing;
    let mut rows = parts.iter_mut();
    for &(at, ticks) in &cuts {
        if let Some(part) = rows.find(|part| part.0 == at) {
            part.1 -= ticks.0 as f64;
        }
        left = left - ticks;
    }
    cuts.extend(cut(parts, left));
    cuts
}

/// What each part loses.
fn cut(parts: &[Part], missing: Ticks) -> Vec<(usize, Ticks)> {
    let level = level(parts, missing.0 as f64);
    let longer = parts.iter().filter(|part| part.1 > level);
    longer.map(|&(at, length)| (at, Ticks((length - level).round() as u64))).collect()
}

/// The level above which the parts have as much as is missing; 0: all that there is.
fn level(parts: &[Part], missing: f64) -> f64 {
    let mut lengths: Vec<f64> = parts.iter().map(|part| part.1).collect();
    lengths.sort_unstable_by(|a, b| b.total_cmp(a));
    let mut sum = 0.0;
    for (at, length) in lengths.iter().enumerate() {
        sum += length;
        let level = (sum - missing) / (at + 1) as f64;
        if lengths.get(at + 1).is_none_or(|&next| next <= level) {
            return level.max(0.0);
        }
    }
    0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descheduled::{concerns, Why};
    use crate::timeline::stretch::Whose;

    fn cut_to(lengths: &[f64], missing: u64) -> Vec<(usize, u64)> {
        let parts: Vec<Part> = lengths.iter().copied().enumerate().collect();
        cut(&parts, Ticks(missing)).into_iter().map(|(at, ticks)| (at, ticks.0)).collect()
    }

    #[test]
    fn the_longest_are_cut_to_one_level() {
        assert_eq!(cut_to(&[5.0, 400.0, 7.0, 5.0], 393), [(1, 393)]);
        assert_eq!(cut_to(&[10.0, 30.0, 20.0], 24), [(1, 17), (2, 7)]);
        assert_eq!(cut_to(&[10.0, 10.0, 2.0], 8), [(0, 4), (1, 4)]);
        assert_eq!(cut_to(&[10.0, 10.0, 2.0], 12), [(0, 6), (1, 6)]);
        assert_eq!(cut_to(&[10.0, 4.0], 50), [(0, 10), (1, 4)]);
        assert_eq!(cut_to(&[], 50), []);
    }

    #[test]
    fn what_is_beyond_the_usual_goes_first() {
        let cut_both = |lengths: &[f64], beyond: &[f64], missing| {
            let of = |lengths: &[f64]| lengths.iter().copied().enumerate().collect::<Vec<Part>>();
            let cuts = cut_both(&mut of(lengths), &of(beyond), Ticks(missing));
            cuts.into_iter().map(|(at, ticks)| (at, ticks.0)).collect::<Vec<_>>()
        };
        assert_eq!(cut_both(&[4000.0, 9000.0], &[3970.0, 0.0], 3900), [(0, 3900)]);
        assert_eq!(cut_both(&[4000.0, 9000.0], &[3970.0, 0.0], 6970), [(0, 3970), (1, 3000)]);
    }

    fn slow(from: u64, until: u64) -> Slow {
        Slow {
            from: Ticks(from),
            until: Ticks(until),
            of_tasks: Ticks(1),
            of_recorder: Ticks(1),
            least: Ticks(1),
            why: Why::Lost,
        }
    }

    #[test]
    fn stretches_that_all_overlap_do_not_grow_with_their_square() {
        let slow: Vec<Slow> = (0..2000).map(|at| slow(at, at + 1)).collect();
        let whole = Stretch {
            worker: 0,
            begin: Ticks(0),
            end: Ticks(2000),
            net: Ticks(2000),
            whose: Whose::Fragment(0),
        };
        let found: usize =
            parts(&vec![whole; 2000], &slow).iter().map(|(_, parts)| parts.of_tasks.len()).sum();
        assert_eq!(found, 16 * 4000);
    }

    #[test]
    fn a_stretch_belongs_to_the_losses_that_it_overlaps() {
        let slow = [slow(0, 10), slow(20, 30)];
        let stretch = |begin, end, whose| Stretch {
            worker: 0,
            begin: Ticks(begin),
            end: Ticks(end),
            net: Ticks((end - begin) / 2),
            whose,
        };
        let stretches = [stretch(4, 24, Whose::Fragment(0)), stretch(26, 40, Whose::Apart(0))];
        let found: Vec<_> = parts(&stretches, &slow).into_iter().map(|(_, parts)| parts).collect();
        let [first, second] = &found[..] else { panic!("{found:?}") };
        assert_eq!(*first, Parts { of_tasks: vec![(0, 3.0)], of_recorder: Vec::new() });
        assert_eq!(*second, Parts { of_tasks: vec![(0, 2.0)], of_recorder: vec![(1, 2.0)] });
        assert!(concerns(&slow, Ticks(5), Ticks(6)) && !concerns(&slow, Ticks(10), Ticks(20)));
    }
}
