// SPDX-License-Identifier: Apache-2.0
//! A line of execution: a task that has been created and has not ended, or a thread that helps with
//! a loop although the recording has no implicit task of it.

use crate::predict::spent::Spent;
use crate::row::number_or_none;
use crate::tables::{GrainRow, LoopRow, RegionRow};
use crate::NONE;

/// What a worker is busy with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Busy {
    Work,
    Creation,
    Scheduling,
    /// What it runs sleeps, or waits until the time of a recorded event has come.
    Asleep,
}

#[derive(Clone, Debug)]
pub(super) struct Strand {
    /// `None`: a helper.
    pub task: Option<GrainRow>,
    /// The item to go on with, and where they end.
    pub at: u32,
    pub end: u32,
    /// Where it goes on behind the chunk that it is in.
    pub back: (u32, u32),
    /// The grain of that chunk; `None`: it is in none, or in work that was dealt anew.
    pub chunk: Option<GrainRow>,
    /// The loop that it takes pieces of, and whether it has one now.
    pub in_loop: Option<LoopRow>,
    pub has_piece: bool,
    /// Longest path to where it is; where it entered the loop, and behind its longest piece.
    pub depth: u64,
    pub before: u64,
    pub behind: u64,
    /// Region of the team that it is a member of, or helps.
    pub region: Option<RegionRow>,
    /// The first worker of its crew.
    pub crew: u32,
    /// The worker of its thread number: it goes there from a barrier.
    pub home: u32,
    /// The only worker that may run it.
    pub pinned: u32,
    /// The worker that waits with it for a lock or a turn.
    pub held_by: u32,
    /// The strand that waits for its end, as it runs inside of that.
    pub creator: u32,
    /// The first half of its item is done: the cost is paid, or it has come to the barrier.
    pub half: bool,
    /// What of its fragment is done, if constructs on devices divide it: `on_devices`.
    pub steps: u32,
    /// It is a task that somebody has to take.
    pub fresh: bool,
    /// To be spent before anything else.
    pub owed: [(u64, Busy); 3],
    /// Tasks that it created since its last wait.
    pub forked: u32,
    /// How long it has worked, and created tasks.
    pub ran: u64,
    /// How many locks it holds or waits for.
    pub holds: u32,
}

impl Strand {
    /// [`NONE`]: a helper.
    pub fn task_number(&self) -> u32 {
        number_or_none(self.task)
    }

    pub fn new(task: Option<GrainRow>, items: std::ops::Range<usize>, depth: u64) -> Self {
        Self {
            task,
            at: items.start as u32,
            end: items.end as u32,
            back: (0, 0),
            chunk: None,
            in_loop: None,
            has_piece: false,
            depth,
            before: depth,
            behind: depth,
            region: None,
            crew: 0,
            home: NONE,
            pinned: NONE,
            held_by: NONE,
            creator: NONE,
            half: false,
            steps: 0,
            fresh: false,
            owed: [(0, Busy::Work); 3],
            forked: 0,
            ran: 0,
            holds: 0,
        }
    }

    pub fn owe(&mut self, ticks: u64, busy: Busy) {
        if ticks == 0 {
            return;
        }
        match self.owed.iter_mut().find(|owed| owed.0 == 0) {
            Some(owed) => *owed = (ticks, busy),
            None => self.owed[2].0 += ticks,
        }
    }

    pub fn owe_all(&mut self, spent: Spent) {
        self.owe(spent.work, Busy::Work);
        self.owe(spent.slept, Busy::Asleep);
    }

    pub fn owes(&self) -> u64 {
        self.owed.iter().map(|owed| owed.0).sum()
    }

    pub fn pay(&mut self) -> Option<(u64, Busy)> {
        let owed = self.owed.iter_mut().find(|owed| owed.0 > 0)?;
        Some(std::mem::replace(owed, (0, Busy::Work)))
    }

    /// The grain whose items it goes through.
    pub fn grain(&self) -> Option<GrainRow> {
        self.chunk.or(self.task)
    }

    pub fn next_item(&mut self) {
        self.pass_items(1);
    }

    pub fn pass_items(&mut self, items: u32) {
        self.at += items;
        self.half = false;
        self.steps = 0;
    }
}
