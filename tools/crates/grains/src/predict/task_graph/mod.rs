// SPDX-License-Identifier: Apache-2.0
//! The graph of work as a text that a modelled machine runs (docs/formats/taskgraph.md).
//!
//! The text is for one number of threads: loops and shares are divided here as in a replay. Each
//! outermost region of the first initial task is a region of all threads, over which its members
//! are distributed in turn. Other regions are nested: their members are tasks, which end at each
//! barrier. There the task that encountered the region waits for them, and then creates the next
//! ones.
//!
//! A `Course` (course.rs) is what one task, member or piece does; `Lines` traverses its items, and
//! keeps a list of what needs a line of its own, so that no recursion is as deep as the nesting of
//! tasks. Regions are in regions.rs.
//!
//! A modelled thread has its core for itself: a sleep is written as work.

mod course;
mod regions;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use trace::LockKind;

use crate::csr::Groups;
use crate::predict::changed::Changed;
use crate::predict::changes::Changes;
use crate::predict::graph::Graph;
use crate::predict::pieces::{pieces, Piece};
use crate::predict::shares::Share;
use crate::predict::task_graph::course::{Course, Within};
use crate::predict::Predictor;
use crate::tables::{flag, some_row, GrainKind, GrainRow, Grains, Item, LoopInfo, LoopRow, PointRow};
use crate::ticks::Ticks;
use crate::{Column, NONE};

impl Predictor<'_> {
    /// Writes the graph for `threads` threads.
    pub fn write_task_graph(&self, threads: u32, changes: &Changes, out: &mut dyn Write) -> io::Result<()> {
        let changed = Changed::of(&self.graph, changes);
        let mut lines = Lines::new(&self.graph, &changed, threads);
        lines.write_all();
        out.write_all(lines.head().as_bytes())?;
        out.write_all(lines.text.as_bytes())
    }
}

/// What has a number, and is numbered when it is first met.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Signal {
    Turn(u32),
    Source(PointRow),
}

/// A line that is still to be written.
enum Pending {
    Task {
        row: GrainRow,
        number: u32,
        serial: bool,
    },
    /// What a member of a nested region does between two barriers.
    Phase {
        number: u32,
        join: u32,
        text: String,
    },
    /// Nothing, behind those that the task comes after.
    Before {
        row: GrainRow,
        number: u32,
        join: u32,
    },
    Loop {
        row: LoopRow,
        number: u32,
        serial: bool,
    },
}

struct Lines<'a> {
    graph: &'a Graph<'a>,
    changed: &'a Changed,
    threads: u32,
    /// Rows of edges by their successor.
    predecessors: Groups<GrainRow, u32>,
    has_event: Column<Grains, bool>,
    text: String,
    pending: Vec<Pending>,
    /// For each task, join and loop: its number in the text; [`NONE`]: it has none yet.
    task_number: Column<Grains, u32>,
    is_created: Column<Grains, bool>,
    join_number: Vec<u32>,
    loop_number: Column<LoopInfo, u32>,
    signals: HashMap<Signal, u32>,
    tasks: u32,
    joins: u32,
    loops: u32,
    regions: u32,
}

impl<'a> Lines<'a> {
    fn new(graph: &'a Graph<'a>, changed: &'a Changed, threads: u32) -> Self {
        let profile = graph.profile;
        let mut has_event = Column::filled(false, profile.grains.tasks);
        for fulfil in profile.fulfils.iter().filter(|fulfil| fulfil.by.is_some()) {
            has_event[fulfil.task] = true;
        }
        Self {
            graph,
            changed,
            threads,
            predecessors: Groups::new(profile.grains.tasks, profile.edges.iter().map(|edge| edge.1)),
            has_event,
            text: String::new(),
            pending: Vec::new(),
            task_number: Column::filled(NONE, profile.grains.tasks),
            is_created: Column::filled(false, profile.grains.tasks),
            join_number: vec![NONE; graph.expected.len()],
            loop_number: Column::filled(NONE, graph.loop_region.len()),
            signals: HashMap::new(),
            tasks: 0,
            joins: 0,
            loops: 0,
            regions: 0,
        }
    }

    fn head(&self) -> String {
        format!(
            "teff-taskgraph 1\nthreads {}\ncounts tasks {} regions {} loops {} joins {} locks {} signals {}\n",
            self.threads,
            self.tasks,
            self.regions,
            self.loops,
            self.joins,
            self.graph.locks,
            self.signals.len()
        )
    }

    fn write_all(&mut self) {
        self.write_program();
        while let Some(pending) = self.pending.pop() {
            match pending {
                Pending::Task { row, number, serial } => self.write_task(row, number, serial),
                Pending::Phase { number, join, text } => {
                    let _ = writeln!(self.text, "task {number} join {join} :{text}");
                }
                Pending::Before { row, number, join } => {
                    let after = self.after(row);
                    let _ = writeln!(self.text, "task {number} join {join}{after} :");
                }
                Pending::Loop { row, number, serial } => self.write_loop(row, number, serial),
            }
        }
        // They are named, and nothing creates them: what comes after them never begins.
        for row in self.graph.profile.grains.task_rows() {
            if self.task_number[row] != NONE && !self.is_created[row] {
                let _ = writeln!(self.text, "task {} :", self.task_number[row]);
            }
        }
    }

    /// The first initial task; where it begins, whatever else nothing creates.
    fn write_program(&mut self) {
        let profile = self.graph.profile;
        let mut roots: Vec<GrainRow> = profile
            .grains
            .task_rows()
            .filter(|&task| profile.fork_item[task] == NONE && profile.member_of[task].is_none())
            .collect();
        roots.sort_by_key(|&task| (profile.grains.start.of(task), task));
        let first = roots.iter().copied().find(|&task| profile.grains.kind[task] == GrainKind::Initial);
        let mut course = Course::new();
        for &root in roots.iter().filter(|&&root| Some(root) != first) {
            self.fork(&mut course, root, false);
        }
        if let Some(first) = first {
            self.is_created[first] = true;
            let program = Within { ends_at_loops: false, ..Within::TASK };
            self.walk(&mut course, first, program, true);
        }
        let text = course.into_text(self.graph);
        let _ = writeln!(self.text, "program{text}");
    }

    fn write_task(&mut self, row: GrainRow, number: u32, serial: bool) {
        let mut course = Course::new();
        self.walk(&mut course, row, Within { serial, ..Within::TASK }, false);
        let text = course.into_text(self.graph);
        let join = self.join_attribute(self.graph.join_of[row]);
        let after = if self.is_inline(row) { String::new() } else { self.after(row) };
        let event = if self.has_event[row] { " event" } else { "" };
        let _ = writeln!(self.text, "task {number}{join}{after}{event} :{text}");
    }

    fn write_loop(&mut self, row: LoopRow, number: u32, serial: bool) {
        let region = self.graph.loop_region[row];
        let team = self.graph.team(region, self.threads);
        let resized = self.graph.is_resized(region, self.threads);
        let mut text = String::new();
        for (at, piece) in pieces(self.graph, self.changed, row, team, resized).into_iter().enumerate() {
            text.push_str(if at > 0 { " |" } else { "" });
            let mut course = Course::new();
            match piece {
                Piece::Work(spent) => course.work = spent.whole(),
                Piece::Chunk(grain) => {
                    self.walk(&mut course, grain, Within { serial, ..Within::TASK }, false);
                }
            }
            text.push_str(&course.into_text(self.graph));
        }
        let _ = writeln!(self.text, "loop {number} :{text}");
    }

    // ---- Numbers.

    fn join_attribute(&mut self, join: u32) -> String {
        match some_row(join) {
            // Where all threads come to a barrier, that waits for all tasks.
            Some(join) if !self.graph.is_barrier(join) || self.join_number[join as usize] != NONE => {
                format!(" join {}", self.join(join))
            }
            _ => String::new(),
        }
    }

    fn join(&mut self, join: u32) -> u32 {
        numbered(&mut self.join_number[join as usize], &mut self.joins)
    }

    fn task(&mut self, row: GrainRow) -> u32 {
        numbered(&mut self.task_number[row], &mut self.tasks)
    }

    fn signal(&mut self, signal: Signal) -> u32 {
        let next = self.signals.len() as u32;
        *self.signals.entry(signal).or_insert(next)
    }

    fn after(&mut self, row: GrainRow) -> String {
        let profile = self.graph.profile;
        let edges: Vec<u32> = self.predecessors.of(row).to_vec();
        let mut text = String::new();
        for edge in edges {
            let earlier = self.task(profile.edges[edge as usize].0);
            let _ = write!(text, " after {earlier}");
        }
        text
    }

    fn is_inline(&self, row: GrainRow) -> bool {
        self.changed.is_merged(row) || self.graph.profile.grains.has(row, flag::INLINE)
    }

    // ---- Items.

    /// All that a grain does. `leads`: regions that it meets are of all threads.
    fn walk(&mut self, course: &mut Course, grain: GrainRow, within: Within, leads: bool) {
        let (graph, profile) = (self.graph, self.graph.profile);
        // For grains inside of each other: where each goes on.
        let mut inside = vec![(grain, profile.items.of(grain))];
        while let Some((grain, items)) = inside.last_mut() {
            let grain = *grain;
            let Some(item) = items.next() else {
                inside.pop();
                continue;
            };
            match profile.items.at(item) {
                Item::Fragment(row) => {
                    if let Some(share) = self.share_at(item as u32) {
                        items.start = item + share.items as usize;
                        course.work +=
                            self.changed.work(graph.loop_place(share.loop_row), Ticks(share.alone));
                        self.meet_loop(course, share.loop_row, within);
                    } else {
                        let place = profile.grains.place[grain];
                        course.work += self.changed.spent(place, graph.fragment(row)).whole();
                    }
                }
                Item::Fork(row) if profile.fork_item[row] != item as u32 => {}
                Item::Fork(row) if self.is_part_of_parent(row, within.serial) => {
                    self.is_created[row] = true;
                    inside.push((row, profile.items.of(row)));
                }
                Item::Fork(row) => self.fork(course, row, within.serial),
                Item::Join(row) => self.wait(course, graph.join_of_wait(row), within),
                Item::Chunk(row) => {
                    let Some(chunk) = profile.grains.chunk(row) else { continue };
                    let loop_row = profile.chunks[chunk].loop_row;
                    if self.changed.keeps_chunks(graph, loop_row, self.threads) {
                        inside.push((row, profile.items.of(row)));
                    } else {
                        self.meet_loop(course, loop_row, within);
                    }
                }
                Item::Region(row) => {
                    let serial = within.serial || self.changed.is_serial(profile.regions[row].place);
                    if leads && inside.len() == 1 && !serial {
                        self.region_of_all(course, row);
                    } else {
                        self.nested_region(course, row, serial);
                    }
                }
                Item::Acquire(row) => self.lock(course, row, true),
                Item::Release(row) => self.lock(course, row, false),
                Item::Fulfil(row) => {
                    let task = profile.fulfils[row].task;
                    if self.has_event[task] {
                        let task = self.task(task);
                        course.step(graph, 'e', task);
                    }
                }
                Item::Source(row) => {
                    let signal = self.signal(Signal::Source(row));
                    course.step(graph, 'p', signal);
                }
                Item::Sink(row) => {
                    if let Some(source) = graph.source_of(&profile.doacross[row]) {
                        let signal = self.signal(Signal::Source(source));
                        course.step(graph, 's', signal);
                    }
                }
            }
        }
    }

    fn share_at(&self, item: u32) -> Option<Share> {
        let share = self.graph.shares.at(item)?;
        let region = self.graph.loop_region[share.loop_row];
        self.graph.is_resized(region, self.threads).then_some(share)
    }

    /// Then it costs nothing to create. Of a task that others come after, or that comes after
    /// others, something is left.
    fn is_part_of_parent(&self, row: GrainRow, serial: bool) -> bool {
        (serial || self.changed.is_merged(row))
            && self.predecessors.of(row).is_empty()
            && self.graph.successors.of(row).is_empty()
            && !self.has_event[row]
    }

    fn fork(&mut self, course: &mut Course, row: GrainRow, serial: bool) {
        if std::mem::replace(&mut self.is_created[row], true) {
            return;
        }
        let number = self.task(row);
        let inline = serial || self.is_inline(row);
        if inline && !self.predecessors.of(row).is_empty() {
            let (before, join) = (self.tasks, self.joins);
            self.tasks += 1;
            self.joins += 1;
            course.step(self.graph, 'c', before);
            course.step(self.graph, 'j', join);
            self.pending.push(Pending::Before { row, number: before, join });
        }
        course.step(self.graph, if inline { 'i' } else { 'c' }, number);
        self.pending.push(Pending::Task { row, number, serial });
    }

    fn wait(&mut self, course: &mut Course, join: u32, within: Within) {
        if within.member && self.graph.is_barrier(join) {
            course.end_phase(self.graph, join);
        } else if self.graph.expected[join as usize] > 0 && !self.graph.is_barrier(join) {
            let join = self.join(join);
            course.step(self.graph, 'j', join);
        }
    }

    fn lock(&mut self, course: &mut Course, hold: u32, acquires: bool) {
        let graph = self.graph;
        let lock = graph.lock_of[hold as usize];
        let is_turn = graph.profile.locks[hold as usize].kind == LockKind::Ordered;
        match (is_turn, acquires) {
            (false, true) => course.step(graph, 'h', lock),
            (false, false) => course.step(graph, 'u', lock),
            (true, true) if graph.first_turn[lock as usize] == hold => {}
            (true, true) => {
                let signal = self.signal(Signal::Turn(hold));
                course.step(graph, 's', signal);
            }
            (true, false) if graph.lock_of.get(hold as usize + 1) == Some(&lock) => {
                let signal = self.signal(Signal::Turn(hold + 1));
                course.step(graph, 'p', signal);
            }
            (true, false) => {}
        }
    }

    // ---- Loops.

    fn meet_loop(&mut self, course: &mut Course, row: LoopRow, within: Within) {
        if !course.met.insert(row) {
            return;
        }
        course.last().loops.push(row);
        self.take_part(course, row, within);
        if within.ends_at_loops {
            course.end_phase(self.graph, NONE);
        }
    }

    fn take_part(&mut self, course: &mut Course, row: LoopRow, within: Within) {
        let serial = within.serial || self.changed.is_serial(self.graph.loop_place(row));
        if serial && within.thread != NONE && within.thread != 0 {
            return;
        }
        if let Some(work) = self.own_share(row, within).filter(|_| !serial) {
            course.work += work;
            return;
        }
        if self.loop_number[row] == NONE {
            let number = self.loops;
            self.pending.push(Pending::Loop { row, number, serial });
        }
        let number = numbered(&mut self.loop_number[row], &mut self.loops);
        course.step(self.graph, 'l', number);
    }

    /// The share of a thread in a loop whose schedule fixes the shares beforehand.
    fn own_share(&self, row: LoopRow, within: Within) -> Option<u64> {
        let is_static = self.graph.divided(row).is_some()
            || self.graph.profile.loops[row].flags & trace::layout::schedule::MASK
                == trace::layout::schedule::STATIC;
        if within.thread == NONE || !is_static {
            return None;
        }
        let all = pieces(self.graph, self.changed, row, within.team, true);
        if all.iter().any(|piece| matches!(piece, Piece::Chunk(_))) || all.len() > within.team as usize {
            return None;
        }
        Some(match all.get(within.thread as usize) {
            Some(&Piece::Work(spent)) => spent.whole(),
            _ => 0,
        })
    }
}

fn numbered(number: &mut u32, next: &mut u32) -> u32 {
    if *number == NONE {
        *number = *next;
        *next += 1;
    }
    *number
}
