// SPDX-License-Identifier: Apache-2.0
//! Subtracts time off the processor from what a stretch stands for.

use crate::assemble::Assembled;
use crate::descheduled::Why;
use crate::tables::{Apart, Descheduled};
use crate::ticks::Ticks;

use super::laid_out::Timeline;
use super::stretch::{Stretch, Whose};

/// What the recorder did while no task ran.
pub(super) fn beside_tasks(all: &Assembled) -> impl Iterator<Item = Stretch> + '_ {
    let apart = (0..).zip(&all.recorder.apart).map(|(row, apart)| {
        let &Apart { worker, begin, own: net, .. } = apart;
        let whose = Whose::Apart(row);
        Stretch { worker, begin, end: apart.end(), net, whose }
    });
    let in_waits = all.recorder.in_waits.iter().map(|&(row, begin, net)| {
        let worker = all.waits[row].worker;
        let whose = Whose::StallInWait(row);
        Stretch { worker, begin, end: begin + net, net, whose }
    });
    apart.chain(in_waits)
}

/// Takes this from a stretch, and no more than is there; returns how much.
pub(super) fn take(
    all: &mut Assembled,
    out: &mut Timeline,
    stretch: &Stretch,
    ticks: Ticks,
    why: Why,
) -> Ticks {
    let ticks = take_from(all, out, stretch, ticks, why);
    note(&mut all.descheduled, stretch.worker, ticks, why);
    ticks
}

fn take_from(all: &mut Assembled, out: &mut Timeline, stretch: &Stretch, ticks: Ticks, why: Why) -> Ticks {
    let (grains, descheduled) = (&mut all.grains, &mut all.descheduled);
    let mut ticks = ticks;
    match stretch.whose {
        Whose::Fragment(row) => {
            let grain = out.fragments.grain[row as usize];
            ticks = ticks.min(out.fragments.net(row));
            let before = out.fragments.net(row);
            match why {
                Why::Slept => out.fragments.take_sleep(row, ticks),
                Why::Lost | Why::Undecided => out.fragments.take(row, ticks),
            }
            grains.work.take(grain, before - out.fragments.net(row));
            descheduled.by_grain.push((grain, ticks));
        }
        Whose::Creation(grain) => {
            ticks = grains.creation.take(grain, ticks);
            descheduled.by_creation.push((grain, ticks));
        }
        Whose::Call(row) => {
            let call = &mut all.calls[row];
            ticks = ticks.min(call.own);
            call.own = call.own - ticks;
            call.descheduled += ticks;
        }
        Whose::ForkOrJoin => return Ticks::ZERO,
        Whose::StallInWork(grain) => {
            descheduled.by_grain.push((grain, ticks));
            all.recorder.from_work = all.recorder.from_work - ticks;
            for before in all.recorder.before.iter_mut().filter(|before| before.0 == stretch.begin) {
                before.1 = before.1 - ticks;
            }
        }
        Whose::StallInCreation(grain) => {
            descheduled.by_creation.push((grain, ticks));
            all.recorder.from_creation = all.recorder.from_creation - ticks;
        }
        Whose::StallInCall(row) => {
            all.calls[row].descheduled += ticks;
            all.recorder.from_calls = all.recorder.from_calls - ticks;
        }
        Whose::StallInWait(row) => descheduled.by_wait.push((row, ticks)),
        Whose::Apart(row) => {
            let own = &mut all.recorder.apart[row as usize].own;
            *own = *own - ticks;
        }
    }
    if stretch.whose.is_recorders() {
        all.recorder.less(stretch.worker, ticks);
    }
    ticks
}

fn note(descheduled: &mut Descheduled, worker: u16, ticks: Ticks, why: Why) {
    descheduled.total += ticks;
    descheduled.by_worker[usize::from(worker)] += ticks;
    match why {
        Why::Slept => descheduled.slept += ticks,
        Why::Undecided => descheduled.undecided += ticks,
        Why::Lost => {}
    }
}
