// SPDX-License-Identifier: Apache-2.0
//! Lays out what each grain does, in program order: fragments between forks, joins, chunks, regions
//! and the points where edges from other tasks arrive (locks, events, doacross).
//!
//! A task is cut at its recorded events (`events`): where it created a task, waited, encountered a
//! parallel region, ran a chunk, or took or released a lock. The time of these is not the task's
//! own work (`cutter`): the cost of creation (for an inline child its whole run), the wait, the
//! region, the chunk and the book-keeping before the chunk. The time that the thread was off its
//! processor is subtracted from all of these: as the kernel tells it (`told`), or else by an
//! estimate (`off`). A chunk is a grain of its own, so the actions
//! of a task during a chunk are items of that chunk.

mod cutter;
mod events;
mod laid_out;
mod off;
mod stretch;
mod subtract;
mod told;
mod usual;

use trace::layout::kind;

use crate::assemble::Assembled;
use crate::csr::Groups;
use crate::lengths::Lengths;
use crate::tables::GrainRow;
use crate::taskgroups::Taskgroups;
use crate::ticks::Ticks;
use crate::{Column, NONE};

pub(crate) use cutter::joins;
use cutter::Cutter;
use events::{Events, Marks};
pub(crate) use laid_out::Timeline;
use stretch::Stretch;

pub(crate) fn lay_out(all: &mut Assembled) -> Timeline {
    let members = Groups::new(all.regions.len(), all.member_of.iter().copied());
    let mut marks = Marks::of(all);
    let mut events = Events::of(all);
    let grains = all.grains.len();
    all.grains.work = Lengths::zero(grains);
    all.grains.wait = Lengths::zero(grains);
    let mut out = Timeline { fork_item: Column::filled(NONE, grains), ..Timeline::default() };
    if !all.group_begins.is_empty() {
        out.taskgroups = Taskgroups::new(all.grains.tasks, all.waits.len());
    }
    out.items.start = Column::filled(0, grains);
    out.items.end = Column::filled(0, if all.chunks.is_empty() { 0 } else { grains });
    for task in all.grains.task_rows() {
        let mut events = events.of_task(all, task, marks.of_task(task));
        let mut cutter = Cutter::new(all, &members, &mut out, task);
        while let Some(event) = events.next(cutter.all()) {
            cutter.take(&event);
        }
        cutter.finish();
    }
    all.stalls = Vec::new();
    pay_within_creation(all);
    take_off(all, &mut out);
    sum_up(&mut all.descheduled.by_grain);
    sum_up(&mut all.descheduled.by_creation);
    sum_up(&mut all.descheduled.by_wait);
    out
}

/// Takes from all stretches the time that their threads were off their processors.
fn take_off(all: &mut Assembled, out: &mut Timeline) {
    let mut stretches = std::mem::take(&mut out.stretches);
    let was_off = |stretch: &Stretch| all.was_off(stretch.worker, stretch.begin, stretch.end);
    stretches.extend(subtract::beside_tasks(all).filter(was_off));
    stretches.sort_by_key(|stretch| stretch.worker);
    all.descheduled.by_worker = vec![Ticks::ZERO; all.slow.len()];
    told::take(all, out, &mut stretches);
    off::take(all, out, &stretches);
}

/// What storing the records of dependences and priorities has cost was part of the creation of
/// their task, from which the fragments are cut off by now.
fn pay_within_creation(all: &mut Assembled) {
    let cost = |record| all.costs.after(record) + all.costs.within(record);
    let (dep, priority) = (cost(kind::DEP), cost(kind::PRIORITY));
    let grains = &mut all.grains;
    let mut pay = |task: GrainRow, cost: Ticks| {
        let paid = grains.creation.take(task, cost);
        all.recorder.creation(grains.worker[task], paid);
    };
    if dep > Ticks::ZERO {
        all.edges.iter().for_each(|edge| pay(edge.1, dep));
    }
    let has_priority = |&(_, priority): &(GrainRow, &i32)| *priority > 0;
    grains.priority.entries().filter(has_priority).for_each(|(task, _)| pay(task, priority));
}

/// One entry for each row.
fn sum_up<R: Ord + Copy>(by_grain: &mut Vec<(R, Ticks)>) {
    by_grain.sort_by_key(|entry| entry.0);
    by_grain.dedup_by(|later, first| {
        let same = later.0 == first.0;
        if same {
            first.1 += later.1;
        }
        same
    });
}
