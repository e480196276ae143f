// SPDX-License-Identifier: Apache-2.0
//! Subtracts the time off the processor that the kernel has told from the stretches in which it
//! fell.
//!
//! The part of an interval that lies in the recorder's work belongs to the recorder, whatever task
//! the recorder interrupted. A sleep in the recorder's work is the recorder's own: it waited for
//! its files. The rest of an interval belongs to the task's stretch. What lies in no stretch, as in
//! a wait, is subtracted from nothing: a thread that waits needs no processor.

use crate::assemble::Assembled;
use crate::descheduled::Why;
use crate::switches::Switches;
use crate::ticks::Ticks;

use super::laid_out::Timeline;
use super::stretch::Stretch;
use super::subtract;

/// The stretches are in order of their workers.
pub(super) fn take(all: &mut Assembled, out: &mut Timeline, stretches: &mut [Stretch]) {
    let switches = std::mem::take(&mut all.switches);
    for of_worker in stretches.chunk_by_mut(|a, b| a.worker == b.worker) {
        if let Some(switches) = switches.get(usize::from(of_worker[0].worker)) {
            take_of_worker(all, out, switches, of_worker);
        }
    }
    all.switches = switches;
}

/// A worker's stretches hardly overlap. In a damaged recording, in which all of them do, some of
/// the intervals are enough.
fn take_of_worker(all: &mut Assembled, out: &mut Timeline, switches: &Switches, stretches: &mut [Stretch]) {
    let is_recorders = |stretch: &&Stretch| stretch.whose.is_recorders();
    let mut of_recorder: Vec<(Ticks, Ticks)> =
        stretches.iter().filter(is_recorders).map(|stretch| (stretch.begin, stretch.end)).collect();
    of_recorder.sort_unstable();
    let of_tasks = switches.outside(of_recorder.into_iter());
    let mut left = 16 * (stretches.len() + switches.len());
    for stretch in stretches {
        let is_recorders = stretch.whose.is_recorders();
        let switches = if is_recorders { switches } else { &of_tasks };
        for off in switches.between(stretch.begin, stretch.end).iter().take(left) {
            left -= 1;
            if is_recorders && !off.preempted {
                continue;
            }
            let why = if off.preempted { Why::Lost } else { Why::Slept };
            let ticks = off.within(stretch.begin, stretch.end).min(stretch.net);
            stretch.net = stretch.net - subtract::take(all, out, stretch, ticks, why);
        }
    }
}
