// SPDX-License-Identifier: Apache-2.0
//! The graph of work as a text that a modelled machine runs (docs/formats/taskgraph.md).
//!
//! The text is for one number of threads: loops and shares are dealt here as they are in a replay.
//! Each outermost region of the first initial task is one of all threads, whose members go to them
//! by turns. Other regions are nested: their members are tasks, which end at each barrier, where
//! the one who met the region waits for them and then creates the next ones.
//!
//! `Course` walks the items of one task, member or piece; what it meets that needs a line of its
//! own goes to a list (`Lines`), so that no recursion is as deep as tasks are.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::io::{self, Write};

use trace::LockKind;

use crate::csr::Groups;
use crate::predict::changes::{Changed, Changes};
use crate::predict::graph::Graph;
use crate::predict::pieces::{pieces, Piece};
use crate::predict::Predictor;
use crate::tables::*;
use crate::ticks::Ticks;
use crate::NONE;

impl Predictor<'_> {
    /// For so many threads.
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
    Source(u32),
}

/// A line that is still to be written.
enum Pending {
    Task {
        row: u32,
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
        row: u32,
        number: u32,
        join: u32,
    },
    Loop {
        row: u32,
        number: u32,
        serial: bool,
    },
}

struct Lines<'a> {
    graph: &'a Graph<'a>,
    changed: &'a Changed,
    threads: u32,
    /// Rows of edges by their successor.
    predecessors: Groups,
    has_event: Vec<bool>,
    text: String,
    pending: Vec<Pending>,
    /// Of each task, join and loop: its number in the text; [`NONE`]: it has none yet.
    task_number: Vec<u32>,
    is_created: Vec<bool>,
    join_number: Vec<u32>,
    loop_number: Vec<u32>,
    signals: HashMap<Signal, u32>,
    tasks: u32,
    joins: u32,
    loops: u32,
    regions: u32,
}

/// Where a course is.
#[derive(Clone, Copy)]
struct Within {
    /// The thread that does it, of a region of all threads; [`NONE`]: it is in none.
    thread: u32,
    /// The threads that divide the region's work.
    team: u32,
    /// It is what a member does: barriers end its phases.
    member: bool,
    /// In a recorded team of one no barrier is recorded: the end of a loop counts as one.
    ends_at_loops: bool,
    /// What it creates runs inside of it.
    serial: bool,
}

impl Within {
    const TASK: Self = Self { thread: NONE, team: 1, member: false, ends_at_loops: false, serial: false };
}

/// What is done between two barriers.
#[derive(Default)]
struct Phase {
    text: String,
    /// Rows of the loops that were met.
    loops: Vec<u32>,
    /// The join at the barrier behind it; [`NONE`]: there is none.
    barrier: u32,
}

/// Of one member, task or piece.
struct Course {
    phases: Vec<Phase>,
    /// Rows of the loops that it, or its thread before it, has met.
    met: HashSet<u32>,
    /// Work that is still to be written.
    work: u64,
}

impl Course {
    fn new() -> Self {
        Self { phases: vec![Phase { barrier: NONE, ..Phase::default() }], met: HashSet::new(), work: 0 }
    }

    fn last(&mut self) -> &mut Phase {
        self.phases.last_mut().expect("there is one from the beginning")
    }

    fn step(&mut self, graph: &Graph, letter: char, number: u32) {
        self.write_work(graph);
        let _ = write!(self.last().text, " {letter}{number}");
    }

    fn write_work(&mut self, graph: &Graph) {
        let ns = graph.profile.ns(Ticks(std::mem::take(&mut self.work))).round() as u64;
        if ns > 0 {
            let _ = write!(self.last().text, " w{ns}");
        }
    }

    fn end_phase(&mut self, graph: &Graph, barrier: u32) {
        self.write_work(graph);
        self.last().barrier = barrier;
        self.phases.push(Phase { barrier: NONE, ..Phase::default() });
    }

    fn into_text(mut self, graph: &Graph) -> String {
        self.write_work(graph);
        self.phases.into_iter().map(|phase| phase.text).collect()
    }
}

impl<'a> Lines<'a> {
    fn new(graph: &'a Graph<'a>, changed: &'a Changed, threads: u32) -> Self {
        let profile = graph.profile;
        let mut has_event = vec![false; profile.grains.tasks];
        for fulfil in profile.fulfils.iter().filter(|fulfil| fulfil.by != NONE) {
            has_event[fulfil.task as usize] = true;
        }
        Self {
            graph,
            changed,
            threads,
            predecessors: Groups::new(profile.grains.tasks, profile.edges.iter().map(|edge| edge.1)),
            has_event,
            text: String::new(),
            pending: Vec::new(),
            task_number: vec![NONE; profile.grains.tasks],
            is_created: vec![false; profile.grains.tasks],
            join_number: vec![NONE; graph.expected.len()],
            loop_number: vec![NONE; graph.loop_region.len()],
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
        for row in 0..self.task_number.len() {
            if self.task_number[row] != NONE && !self.is_created[row] {
                let _ = writeln!(self.text, "task {} :", self.task_number[row]);
            }
        }
    }

    /// The first initial task; where it begins, whatever else nothing creates.
    fn write_program(&mut self) {
        let profile = self.graph.profile;
        let mut roots: Vec<u32> = (0..profile.grains.tasks as u32)
            .filter(|&task| {
                profile.fork_item[task as usize] == NONE && profile.member_of[task as usize] == NONE
            })
            .collect();
        roots.sort_by_key(|&task| (profile.grains.start[task as usize], task));
        let first =
            roots.iter().copied().find(|&task| profile.grains.kind[task as usize] == GrainKind::Initial);
        let mut course = Course::new();
        for &root in roots.iter().filter(|&&root| Some(root) != first) {
            self.fork(&mut course, root, false);
        }
        if let Some(first) = first {
            self.is_created[first as usize] = true;
            let program = Within { ends_at_loops: false, ..Within::TASK };
            self.walk(&mut course, first, program, true);
        }
        let text = course.into_text(self.graph);
        let _ = writeln!(self.text, "program{text}");
    }

    fn write_task(&mut self, row: u32, number: u32, serial: bool) {
        let mut course = Course::new();
        self.walk(&mut course, row, Within { serial, ..Within::TASK }, false);
        let text = course.into_text(self.graph);
        let join = self.join_attribute(self.graph.join_of[row as usize]);
        let after = if self.is_inline(row) { String::new() } else { self.after(row) };
        let event = if self.has_event[row as usize] { " event" } else { "" };
        let _ = writeln!(self.text, "task {number}{join}{after}{event} :{text}");
    }

    fn write_loop(&mut self, row: u32, number: u32, serial: bool) {
        let region = self.graph.loop_region[row as usize];
        let team = self.graph.team(region, self.threads);
        let resized = self.graph.is_resized(region, self.threads);
        let mut text = String::new();
        for (at, piece) in pieces(self.graph, self.changed, row, team, resized).into_iter().enumerate() {
            text.push_str(if at > 0 { " |" } else { "" });
            let mut course = Course::new();
            match piece {
                Piece::Work(ticks) => course.work = ticks,
                Piece::Chunk(grain) => {
                    self.walk(&mut course, grain, Within { serial, ..Within::TASK }, false)
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

    fn task(&mut self, row: u32) -> u32 {
        numbered(&mut self.task_number[row as usize], &mut self.tasks)
    }

    fn signal(&mut self, signal: Signal) -> u32 {
        let next = self.signals.len() as u32;
        *self.signals.entry(signal).or_insert(next)
    }

    fn after(&mut self, row: u32) -> String {
        let profile = self.graph.profile;
        let edges: Vec<u32> = self.predecessors.of(row).to_vec();
        let mut text = String::new();
        for edge in edges {
            let earlier = self.task(profile.edges[edge as usize].0);
            let _ = write!(text, " after {earlier}");
        }
        text
    }

    fn is_inline(&self, row: u32) -> bool {
        self.changed.is_merged(row) || self.graph.profile.grains.has(row, flag::INLINE)
    }

    // ---- Items.

    /// All that a grain does. `leads`: regions that it meets are of all threads.
    fn walk(&mut self, course: &mut Course, grain: u32, within: Within, leads: bool) {
        let (graph, profile) = (self.graph, self.graph.profile);
        // Of grains inside of each other: where each goes on.
        let mut inside = vec![(grain, profile.items.of(grain))];
        while let Some((grain, items)) = inside.last_mut() {
            let grain = *grain;
            let Some(item) = items.next() else {
                inside.pop();
                continue;
            };
            let row = profile.items.row[item];
            match profile.items.kind[item] {
                ItemKind::Fragment => match self.share_at(item as u32) {
                    Some(share) => {
                        items.start = item + share.items as usize;
                        self.meet_loop(course, share.loop_row, within);
                    }
                    None => {
                        let place = profile.grains.place[grain as usize];
                        course.work += self.changed.work(place, profile.fragments.net(row));
                    }
                },
                ItemKind::Fork if profile.fork_item[row as usize] != item as u32 => {}
                ItemKind::Fork if self.is_part_of_parent(row, within.serial) => {
                    self.is_created[row as usize] = true;
                    inside.push((row, profile.items.of(row)));
                }
                ItemKind::Fork => self.fork(course, row, within.serial),
                ItemKind::Join => self.wait(course, graph.join_of_wait(row), within),
                ItemKind::Chunk => {
                    let loop_row = profile.chunks[row as usize - profile.grains.tasks].loop_row;
                    match graph.keeps_chunks(self.changed, loop_row, self.threads) {
                        true => inside.push((row, profile.items.of(row))),
                        false => self.meet_loop(course, loop_row, within),
                    }
                }
                ItemKind::Region => {
                    let serial = within.serial || self.changed.is_serial(profile.regions[row as usize].place);
                    match leads && inside.len() == 1 && !serial {
                        true => self.region_of_all(course, row),
                        false => self.nested_region(course, row, serial),
                    }
                }
                ItemKind::Acquire | ItemKind::Release => {
                    self.lock(course, row, profile.items.kind[item] == ItemKind::Acquire)
                }
                ItemKind::Fulfil => {
                    let task = profile.fulfils[row as usize].task;
                    if self.has_event[task as usize] {
                        let task = self.task(task);
                        course.step(graph, 'e', task);
                    }
                }
                ItemKind::Source => {
                    let signal = self.signal(Signal::Source(row));
                    course.step(graph, 'p', signal);
                }
                ItemKind::Sink => {
                    if let Some(source) = graph.source_of(&profile.doacross[row as usize]) {
                        let signal = self.signal(Signal::Source(source));
                        course.step(graph, 's', signal);
                    }
                }
            }
        }
    }

    fn share_at(&self, item: u32) -> Option<crate::predict::shares::Share> {
        let share = self.graph.shares.at(item)?;
        let region = self.graph.loop_region[share.loop_row as usize];
        self.graph.is_resized(region, self.threads).then_some(share)
    }

    /// Then it costs nothing to create. Of a task that others come after, or that comes after
    /// others, something is left.
    fn is_part_of_parent(&self, row: u32, serial: bool) -> bool {
        (serial || self.changed.is_merged(row))
            && self.predecessors.of(row).is_empty()
            && self.graph.successors.of(row).is_empty()
            && !self.has_event[row as usize]
    }

    fn fork(&mut self, course: &mut Course, row: u32, serial: bool) {
        if std::mem::replace(&mut self.is_created[row as usize], true) {
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

    fn meet_loop(&mut self, course: &mut Course, row: u32, within: Within) {
        if !course.met.insert(row) {
            return;
        }
        course.last().loops.push(row);
        self.take_part(course, row, within);
        if within.ends_at_loops {
            course.end_phase(self.graph, NONE);
        }
    }

    fn take_part(&mut self, course: &mut Course, row: u32, within: Within) {
        let serial = within.serial || self.changed.is_serial(self.graph.loop_place(row));
        if serial && within.thread != NONE && within.thread != 0 {
            return;
        }
        if let Some(work) = self.own_share(row, within).filter(|_| !serial) {
            course.work += work;
            return;
        }
        if self.loop_number[row as usize] == NONE {
            let number = self.loops;
            self.pending.push(Pending::Loop { row, number, serial });
        }
        let number = numbered(&mut self.loop_number[row as usize], &mut self.loops);
        course.step(self.graph, 'l', number);
    }

    /// Of a loop whose schedule gives each thread its part beforehand.
    fn own_share(&self, row: u32, within: Within) -> Option<u64> {
        let is_static = self.graph.divided(row).is_some()
            || self.graph.profile.loops[row as usize].flags & trace::layout::schedule::MASK
                == trace::layout::schedule::STATIC;
        if within.thread == NONE || !is_static {
            return None;
        }
        let all = pieces(self.graph, self.changed, row, within.team, true);
        if all.iter().any(|piece| matches!(piece, Piece::Chunk(_))) || all.len() > within.team as usize {
            return None;
        }
        Some(match all.get(within.thread as usize) {
            Some(&Piece::Work(ticks)) => ticks,
            _ => 0,
        })
    }

    // ---- Regions.

    fn region_of_all(&mut self, course: &mut Course, region: u32) {
        let number = self.regions;
        self.regions += 1;
        course.step(self.graph, 'r', number);
        let info = &self.graph.profile.regions[region as usize];
        let team = self.graph.team(region, self.threads).min(self.threads);
        let members = self.members(region);
        let mut parts: Vec<Vec<Phase>> = (0..self.threads).map(|_| Vec::new()).collect();
        let mut met: Vec<HashSet<u32>> = vec![HashSet::new(); team as usize];
        for (at, member) in members.into_iter().enumerate() {
            let thread = at as u32 % team;
            let ends_at_loops = info.threads == 1 && team > 1;
            let within = Within { thread, team, member: true, ends_at_loops, serial: false };
            let mut course = Course::new();
            course.met = std::mem::take(&mut met[thread as usize]);
            self.walk(&mut course, member, within, false);
            course.write_work(self.graph);
            met[thread as usize] = course.met;
            add_phases(&mut parts[thread as usize], course.phases);
        }
        let phases = parts.iter().map(Vec::len).max().unwrap_or(0);
        for phase in 0..phases {
            self.take_part_in_all_loops(&mut parts[..team as usize], phase, &mut met);
        }
        for (thread, part) in parts.iter().enumerate() {
            let _ = write!(self.text, "region {number} thread {thread} :");
            for phase in 0..phases {
                let text = part.get(phase).map_or("", |phase| &phase.text);
                let _ = write!(self.text, "{}{text}", if phase > 0 { " b" } else { "" });
            }
            self.text.push('\n');
        }
    }

    /// Also those threads that had no chunk of a loop, or were not there.
    fn take_part_in_all_loops(&mut self, parts: &mut [Vec<Phase>], at: usize, met: &mut [HashSet<u32>]) {
        let phases = parts.iter().filter_map(|part| part.get(at));
        let all: Vec<u32> = phases.flat_map(|phase| phase.loops.iter().copied()).collect();
        let team = parts.len() as u32;
        for ((thread, part), met) in (0..).zip(parts).zip(met) {
            while part.len() <= at {
                part.push(Phase { barrier: NONE, ..Phase::default() });
            }
            let phase = &mut part[at];
            for &row in &all {
                if !met.insert(row) {
                    continue;
                }
                let within = Within { thread, team, ..Within::TASK };
                let mut course = Course::new();
                self.take_part(&mut course, row, within);
                phase.text.push_str(&course.into_text(self.graph));
            }
        }
    }

    /// The one of the thread that met the region comes first.
    fn members(&self, region: u32) -> Vec<u32> {
        let profile = self.graph.profile;
        let mut members = self.graph.members.of(region).to_vec();
        let parent = profile.regions[region as usize].parent;
        let of = |task: u32| profile.grains.worker[task as usize];
        if let Some(own) = members.iter().position(|&member| parent != NONE && of(member) == of(parent)) {
            members.rotate_left(own);
        }
        members
    }

    fn nested_region(&mut self, course: &mut Course, region: u32, serial: bool) {
        let members = self.members(region);
        let within = Within { member: true, serial, ..Within::TASK };
        let end = self.graph.region_end(region);
        self.number_barriers(&members, end);
        let mut all: Vec<Vec<Phase>> = Vec::new();
        for &member in &members {
            let mut of_member = Course::new();
            self.walk(&mut of_member, member, within, false);
            of_member.write_work(self.graph);
            all.push(of_member.phases);
        }
        let phases = all.iter().map(Vec::len).max().unwrap_or(0);
        for at in 0..phases {
            let barrier = all.first().and_then(|phases| phases.get(at)).map_or(NONE, |phase| phase.barrier);
            let join = self.join(if barrier == NONE || at + 1 == phases { end } else { barrier });
            let mut texts =
                all.iter_mut().filter_map(|phases| phases.get_mut(at)).map(|p| std::mem::take(&mut p.text));
            let own = texts.next().unwrap_or_default();
            let others: Vec<String> = texts.collect();
            for text in others.into_iter().filter(|text| !text.is_empty()) {
                if serial {
                    course.write_work(self.graph);
                    course.last().text.push_str(&text);
                    continue;
                }
                let number = self.tasks;
                self.tasks += 1;
                course.step(self.graph, 'c', number);
                self.pending.push(Pending::Phase { number, join, text });
            }
            course.write_work(self.graph);
            course.last().text.push_str(&own);
            course.step(self.graph, 'j', join);
        }
    }

    /// Tasks that its barriers and its end wait for name them.
    fn number_barriers(&mut self, members: &[u32], end: u32) {
        self.join(end);
        let items = &self.graph.profile.items;
        for item in members.iter().flat_map(|&member| items.of(member)) {
            if items.kind[item] == ItemKind::Join {
                let join = self.graph.join_of_wait(items.row[item]);
                if self.graph.is_barrier(join) {
                    self.join(join);
                }
            }
        }
    }
}

fn numbered(number: &mut u32, next: &mut u32) -> u32 {
    if *number == NONE {
        *number = *next;
        *next += 1;
    }
    *number
}

/// Behind what the thread already does between the same barriers.
fn add_phases(to: &mut Vec<Phase>, phases: Vec<Phase>) {
    for (at, phase) in phases.into_iter().enumerate() {
        match to.get_mut(at) {
            Some(earlier) => {
                earlier.text.push_str(&phase.text);
                earlier.loops.extend(phase.loops);
            }
            None => to.push(phase),
        }
    }
}
