// SPDX-License-Identifier: Apache-2.0
//! Completes what was cut out of a recording: the records in a window may name tasks and regions
//! outside of it.
//!
//! - What has no part in any window is left out: tasks that ran outside and were not created
//!   inside, and regions that ended before or began after. The children of a task that is left out
//!   count as those of its parent.
//! - The initial task with which the program began stays, even if its records begin after the
//!   windows.
//! - If a window ends before the recording does, its initial tasks go on until then, although their
//!   ends are not recorded. So do the implicit tasks that were at work then (`still.rs`).
//! - Some tasks and regions that reach into a window may have no record of their creation: a ring
//!   has overwritten it. They get one, and count as begun with the window. Regions and explicit
//!   tasks whose parent is not known belong to the initial task of their stream; if none is known,
//!   one is made up. No place in the program is known for these.

use std::collections::{BTreeMap, HashMap, HashSet};

use trace::layout::{task, MASK_48, UNKNOWN_CPU};
use trace::{Create, Region, RegionId, Run, TaskId};

use crate::initial::is_initial;
use crate::load::{At, StreamEvents};
use crate::still::end_at_windows;
use crate::ticks::Ticks;
use crate::windows::Windows;

/// `end`: of the recording.
pub(crate) fn complete(streams: &mut [StreamEvents], windows: &Windows, end: Ticks) {
    let beginning = began_before_its_records(streams, windows);
    leave_out_tasks(streams, beginning);
    if let Some(task) = beginning {
        start(streams, task, windows.until(end));
    }
    leave_out_regions(streams, windows);
    make_up(streams);
    if windows.parts().next_back().is_some_and(|last| last.to < end) {
        end_initial_tasks(streams, windows.until(end));
    }
    end_at_windows(streams, windows);
}

fn end_initial_tasks(streams: &mut [StreamEvents], end: Ticks) {
    let ran: HashSet<TaskId> =
        streams.iter().flat_map(|stream| &stream.runs).map(|run| run.record.task).collect();
    for stream in streams {
        let begun = stream.starts.iter().map(|start| (start.record.0, start.at));
        let begun: HashMap<TaskId, Ticks> = begun.collect();
        let initial = stream.creates.iter().map(|create| &create.record).filter(|create| is_initial(create));
        let unfinished = initial.map(|create| create.task).filter(|task| !ran.contains(task));
        let runs = unfinished.filter_map(|task| {
            let at = *begun.get(&task)?;
            let run = Run { task, ticks: (end - at).0, cpu: UNKNOWN_CPU, ..Run::default() };
            Some(At { at, record: run })
        });
        let runs: Vec<_> = runs.collect();
        stream.runs.extend(runs);
    }
}

/// The program's first initial task, if its records begin behind all windows. It ran in them, as it
/// began with the recording (`assemble.rs`).
fn began_before_its_records(streams: &[StreamEvents], windows: &Windows) -> Option<TaskId> {
    windows.parts().next()?;
    if streams.iter().any(|stream| stream.kept_from.is_some()) {
        return None;
    }
    let (_, first) = streams.iter().filter_map(|stream| stream.left_out.first_initial).min()?;
    let is_late = |stream: &StreamEvents| stream.left_out.created_late.contains(&first);
    streams.iter().any(is_late).then_some(first)
}

fn start(streams: &mut [StreamEvents], task: TaskId, at: Ticks) {
    if let Some(own) = streams.iter_mut().find(|stream| stream.stream == task.stream()) {
        own.starts.push(At { at, record: (task, RegionId::NONE) });
    }
}

/// `beginning` stays, although its records begin late.
fn leave_out_tasks(streams: &mut [StreamEvents], beginning: Option<TaskId>) {
    let created: HashSet<TaskId> =
        streams.iter().flat_map(|stream| stream.left_out.created.iter().copied()).collect();
    let ran = streams.iter().flat_map(|stream| stream.left_out.ran.iter().copied());
    let mut gone: HashSet<TaskId> = ran.filter(|task| created.contains(task)).collect();
    gone.extend(streams.iter().flat_map(|stream| stream.left_out.created_late.iter().copied()));
    if let Some(task) = beginning {
        gone.remove(&task);
    }
    let mut parents: HashMap<TaskId, TaskId> = HashMap::new();
    for stream in &mut *streams {
        stream.creates.retain(|create| {
            let stays = !gone.contains(&create.record.task);
            if !stays {
                parents.insert(create.record.task, create.record.parent);
            }
            stays
        });
    }
    // Creators are older than what they create, so this comes to an end; damage must not change
    // that.
    let nearest = |mut task: TaskId| {
        for _ in 0..=parents.len() {
            match parents.get(&task) {
                Some(&parent) => task = parent,
                None => return task,
            }
        }
        TaskId::NONE
    };
    for stream in streams {
        for create in &mut stream.creates {
            create.record.parent = nearest(create.record.parent);
        }
        for region in &mut stream.regions {
            region.record.parent = nearest(region.record.parent);
        }
        stream.starts.retain(|start| !gone.contains(&start.record.0));
    }
}

fn leave_out_regions(streams: &mut [StreamEvents], windows: &Windows) {
    let ends: HashMap<RegionId, Ticks> =
        streams.iter().flat_map(|stream| stream.left_out.region_ends.iter().copied()).collect();
    let last = windows.parts().next_back().map_or(Ticks::ZERO, |part| part.to);
    for stream in streams {
        let begun = std::mem::take(&mut stream.left_out.regions).into_iter();
        let is_gone = |&(region, begin): &(RegionId, Ticks)| {
            begin > last || ends.get(&region).is_some_and(|&end| !windows.overlaps(begin, end))
        };
        let gone: HashSet<RegionId> = begun.filter(is_gone).map(|(region, _)| region).collect();
        stream.regions.retain(|region| !gone.contains(&region.record.region));
        stream.region_ends.retain(|end| !gone.contains(&end.record));
    }
}

/// What the records say of a task whose creation is not known.
#[derive(Clone, Copy, Default)]
struct Traces {
    /// Some stream that has records of it.
    stream: u16,
    region: RegionId,
    /// Only implicit tasks do what was recorded of it.
    is_implicit: bool,
    /// Its end was recorded.
    ran: bool,
}

struct Unknown {
    known: HashSet<TaskId>,
    tasks: BTreeMap<TaskId, Traces>,
}

impl Unknown {
    fn of(streams: &[StreamEvents]) -> Self {
        let creates = streams.iter().flat_map(|stream| &stream.creates);
        // A wait of a task that ran outside may reach into a window: the one at its region's end.
        let outside = streams.iter().flat_map(|stream| stream.left_out.ran.iter().copied());
        let known = creates.map(|create| create.record.task).chain(outside).collect();
        let mut unknown = Self { known, tasks: BTreeMap::new() };
        for events in streams {
            unknown.look_at(events);
        }
        unknown
    }

    fn note(&mut self, stream: u16, task: TaskId) -> &mut Traces {
        self.tasks.entry(task).or_insert(Traces { stream, ..Traces::default() })
    }

    fn look_at(&mut self, events: &StreamEvents) {
        let stream = events.stream;
        let is_unknown = |this: &Self, task: TaskId| !task.is_none() && !this.known.contains(&task);
        for start in &events.starts {
            if is_unknown(self, start.record.0) {
                let traces = self.note(stream, start.record.0);
                traces.region = start.record.1;
                traces.is_implicit = !start.record.1.is_none();
            }
        }
        for run in &events.runs {
            if is_unknown(self, run.record.task) {
                let traces = self.note(stream, run.record.task);
                traces.region = run.record.region;
                traces.ran = true;
            }
        }
        let barriers =
            events.waits.iter().map(|wait| &wait.record.wait).filter(|wait| wait.kind.is_barrier());
        let implicit = barriers
            .map(|wait| wait.task)
            .chain(events.chunks.iter().map(|chunk| chunk.record.task))
            .chain(events.loop_threads.iter().map(|entry| entry.record.task))
            .chain(events.team_sizes.iter().map(|asked| asked.record.0));
        for task in implicit {
            if is_unknown(self, task) {
                self.note(stream, task).is_implicit = true;
            }
        }
        let others = events.waits.iter().map(|wait| wait.record.wait.task);
        let others = others
            .chain(events.creates.iter().map(|create| create.record.parent))
            .chain(events.regions.iter().map(|region| region.record.parent))
            .chain(events.locks.iter().map(|lock| lock.record.task));
        for task in others {
            if is_unknown(self, task) {
                self.note(stream, task);
            }
        }
    }
}

/// An initial task that stands for what is not known.
const fn made_up_task(stream: u16) -> TaskId {
    TaskId::new(stream, MASK_48)
}

fn make_up(streams: &mut [StreamEvents]) {
    let unknown = Unknown::of(streams);
    let mut maker = Maker::of(streams);
    maker.find_roots(&unknown);
    for (&task, traces) in &unknown.tasks {
        maker.make_task(task, *traces);
    }
    maker.hand_out(streams);
}

#[derive(Default)]
struct Maker {
    /// The parent of each region that is known.
    regions: HashMap<RegionId, TaskId>,
    /// An initial task of each stream, if the records name one.
    roots: HashMap<u16, TaskId>,
    made_regions: BTreeMap<RegionId, u32>,
    made_tasks: BTreeMap<TaskId, (Create, u16, RegionId)>,
}

impl Maker {
    fn of(streams: &[StreamEvents]) -> Self {
        let mut this = Self::default();
        for stream in streams {
            let initial = stream
                .creates
                .iter()
                .find(|create| is_initial(&create.record))
                .map(|create| create.record.task);
            let outermost = stream.regions.iter().filter(|region| region.record.level <= 1);
            let met = outermost.map(|region| region.record.parent).find(|parent| !parent.is_none());
            if let Some(root) = initial.or(met) {
                this.roots.insert(stream.stream, root);
            }
            let regions = stream.regions.iter().map(|region| (region.record.region, region.record.parent));
            this.regions.extend(regions);
        }
        this
    }

    /// Only an initial task ran outside of all regions, but for tasks that it created there itself,
    /// and is older than those.
    fn find_roots(&mut self, unknown: &Unknown) {
        let outside = unknown.tasks.iter().filter(|(_, traces)| traces.ran && traces.region.is_none());
        for (&task, _) in outside {
            self.roots.entry(task.stream()).or_insert(task);
        }
    }

    fn make_task(&mut self, task: TaskId, traces: Traces) {
        let Traces { stream, region, is_implicit, ran } = traces;
        if region.is_none() || !(is_implicit || ran) {
            // Outside of all regions, or nothing says where.
            return self.make_root(task, stream);
        }
        let parent = self.parent_in(region);
        if is_implicit && !self.regions.contains_key(&region) {
            *self.made_regions.entry(region).or_default() += 1;
        }
        let flags = if is_implicit { task::IMPLICIT } else { 0 };
        let create = Create { task, parent, flags, ..Create::default() };
        self.made_tasks.insert(task, (create, stream, region));
    }

    fn make_root(&mut self, task: TaskId, stream: u16) {
        let create = Create { task, flags: task::IMPLICIT, ..Create::default() };
        self.made_tasks.entry(task).or_insert((create, stream, RegionId::NONE));
    }

    fn parent_in(&mut self, region: RegionId) -> TaskId {
        if let Some(&parent) = self.regions.get(&region).filter(|parent| !parent.is_none()) {
            return parent;
        }
        self.root_of(region.stream())
    }

    fn root_of(&mut self, stream: u16) -> TaskId {
        if let Some(&root) = self.roots.get(&stream) {
            return root;
        }
        let root = made_up_task(stream);
        self.make_root(root, stream);
        self.roots.insert(stream, root);
        root
    }

    fn hand_out(self, streams: &mut [StreamEvents]) {
        let rows: HashMap<u16, usize> =
            streams.iter().enumerate().map(|(row, stream)| (stream.stream, row)).collect();
        for (task, (record, stream, region)) in self.made_tasks {
            let at = Ticks::ZERO;
            if let (Some(&own), Some(&seen)) = (rows.get(&task.stream()), rows.get(&stream)) {
                streams[own].creates.push(At { at, record });
                streams[seen].starts.push(At { at, record: (task, region) });
            }
        }
        // Members that do nothing but wait leave no record in a window. So the team has at most as
        // many threads as there are streams, and how many it has is not known.
        let most = streams.len() as u32;
        for (region, members) in self.made_regions {
            let Some(&own) = rows.get(&region.stream()) else { continue };
            let threads = members.max(most);
            let parent = self.roots.get(&region.stream()).copied().unwrap_or_default();
            let record =
                Region { region, parent, threads, requested: threads, level: 1, ..Region::default() };
            streams[own].regions.push(At { at: Ticks::ZERO, record });
        }
    }
}
