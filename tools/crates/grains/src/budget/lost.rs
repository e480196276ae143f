// SPDX-License-Identifier: Apache-2.0
//! Gives each piece of a worker's time its class.
//!
//! The records give the class of time in which a worker ran a grain, created a task or did
//! book-keeping. Time that a worker lost is classified like this:
//!
//! - before a task that the worker then runs: `scheduling` from the instant at which the task was
//!   ready;
//! - before the end of a wait: `scheduling` from the instant at which the awaited work was done;
//! - before these instants: `ready_waiting` while a task of the region was ready and no worker took
//!   it; else `nothing_ready` while explicit tasks of the region run or are yet to come; else, at a
//!   barrier or at the end of the region, imbalance, or the recorder's while the team waits for its
//!   work (`preparing`);
//! - in a team before the worker's implicit task: `scheduling` (the fork);
//! - at locks, critical and ordered regions: locks; in yields and similar calls: `scheduling`.

use trace::WaitKind;

use crate::budget::crowd::{Crowd, Want, Wants};
use crate::budget::facts::Facts;
use crate::budget::lanes::{Writer, Written};
use crate::budget::net::{Net, Parts};
use crate::budget::ready::Ready;
use crate::budget::sums::{Class, Sums};
use crate::budget::sweep::{Pieces, State, Worker};
use crate::near::Near;
use crate::switches::Switches;
use crate::tables::{GrainRow, RegionInfo, RegionRow, WaitRow};
use crate::ticks::Ticks;
use crate::{Column, PlaceRow, Row};

/// The accounts of one worker.
pub(crate) struct Accounts<'a> {
    facts: &'a Facts<'a>,
    ready: &'a Ready,
    net: &'a Net<'a>,
    /// The break behind the last creation.
    near: Near,
    /// The initial tasks that it ran, in order: what of their time has no record is the rest.
    initial: Vec<(Ticks, Ticks)>,
    /// When it was off its processor, as the kernel has told.
    switches: Option<&'a Switches>,
    /// Where there are more workers than processors.
    crowd: Option<&'a Crowd>,
    /// ... and it is not known yet.
    wants: Option<Wants>,
    /// Lost pieces whose class depends on what the worker does next.
    pending: Vec<(Ticks, Ticks, State)>,
    /// What it did over time, if that is asked for.
    lane: Option<Writer<'a>>,
    pub total: Sums,
    pub outside: Sums,
    pub regions: Column<RegionInfo, Sums>,
    pub places: Vec<Sums>,
    pub conflicts: Ticks,
}

impl Pieces for Accounts<'_> {
    fn piece(&mut self, begin: Ticks, end: Ticks, state: State) {
        let profile = self.facts.profile;
        let grains = &profile.grains;
        match state {
            State::Wait(_) | State::Team(_) => self.pending.push((begin, end, state)),
            State::Lock(hold) => {
                self.settle(None);
                self.in_turn(begin);
                let hold = &profile.locks[hold as usize];
                self.add(Class::Locks, end - begin, self.facts.region(hold.task), hold.place);
            }
            State::Sink(point) => {
                self.settle(None);
                self.in_turn(begin);
                let point = &profile.doacross[point];
                let place = profile.loops[point.loop_row].place;
                self.add(Class::Locks, end - begin, self.facts.region(point.task), place);
            }
            State::Work(fragment) => {
                self.settle(self.facts.taken(fragment, begin));
                self.want(begin, end, Want::Runs);
                let grain = profile.fragments.grain[fragment as usize];
                if let Some(lane) = &mut self.lane {
                    lane.in_grain(begin, end, grain);
                }
                let parts = self.net.fragment(profile, fragment, end - begin);
                self.add_parts(Class::Work, parts, self.facts.region(grain), grains.place[grain]);
            }
            State::Creation(row) | State::Books(row) => {
                self.settle(None);
                self.want(begin, end, Want::Runs);
                self.evenly(begin, end, Some(row));
                let class =
                    if matches!(state, State::Books(_)) { Class::Scheduling } else { Class::Creation };
                let parts = self.net.above(profile, row, end - begin, &self.near);
                self.add_parts(class, parts, self.facts.region(row), grains.place[row]);
            }
            State::Call(row) => {
                self.settle(None);
                self.want(begin, end, Want::Runs);
                self.evenly(begin, end, None);
                let call = &profile.calls[row];
                let parts = Net::call(profile, row, end - begin);
                self.add_parts(Class::Scheduling, parts, self.facts.region(call.task), call.place);
            }
            State::Recorder(row) => {
                self.settle(None);
                self.want(begin, end, Want::Runs);
                self.evenly(begin, end, None);
                let region = self.facts.preparing.region(row);
                self.add_parts(Class::Recorder, Net::apart(profile, row, end - begin), region, None);
            }
            State::Outside => {
                self.settle(None);
                self.add_outside(begin, end);
            }
        }
    }

    fn conflict(&mut self, time: Ticks) {
        self.conflicts += time;
    }
}

impl<'a> Accounts<'a> {
    pub fn new(
        facts: &'a Facts<'a>,
        ready: &'a Ready,
        net: &'a Net<'a>,
        worker: Worker<'a>,
        crowd: Option<&'a Crowd>,
    ) -> Self {
        let profile = facts.profile;
        Self {
            facts,
            ready,
            net,
            near: Near::default(),
            initial: worker.initial,
            switches: worker.switches,
            crowd,
            wants: None,
            pending: Vec::new(),
            lane: None,
            total: Sums::default(),
            outside: Sums::default(),
            regions: Column::filled(Sums::default(), profile.regions.len()),
            places: vec![Sums::default(); profile.places.places.len() + 1],
            conflicts: Ticks::ZERO,
        }
    }

    pub fn finish(mut self) -> Self {
        self.settle(None);
        self
    }

    pub fn note_wants(mut self) -> Self {
        self.wants = Some(Wants::new(self.facts.profile));
        self
    }

    pub fn with_lane(mut self, lane: Option<Writer<'a>>) -> Self {
        self.lane = lane;
        self
    }

    pub fn take_lane(&mut self) -> Option<Written> {
        self.lane.take().map(Writer::finish)
    }

    pub fn wants(self) -> Option<Wants> {
        self.wants
    }

    fn in_turn(&mut self, begin: Ticks) {
        if let Some(lane) = &mut self.lane {
            lane.in_turn(begin);
        }
    }

    fn evenly(&mut self, begin: Ticks, end: Ticks, grain: Option<GrainRow>) {
        if let Some(lane) = &mut self.lane {
            lane.evenly(begin, end, grain);
        }
    }

    fn want(&mut self, begin: Ticks, end: Ticks, want: Want) {
        if let Some(wants) = &mut self.wants {
            wants.add(begin, end, want);
        }
    }

    /// It could run, and did not yet. A worker that lost its processor is known; one that slept and
    /// found none is not.
    fn due(&mut self, begin: Ticks, end: Ticks, region: Option<RegionRow>, place: Option<PlaceRow>) {
        self.want(begin, end, Want::Due);
        let told = self.switches.map_or(Ticks::ZERO, |switches| switches.preempted(begin, end));
        let crowd = self.crowd.map_or(Ticks::ZERO, |crowd| crowd.descheduled(begin, end));
        let descheduled = told.max(crowd);
        self.add(Class::Descheduled, descheduled, region, place);
        self.add(Class::Scheduling, (end - begin) - descheduled, region, place);
    }

    fn add(&mut self, class: Class, time: Ticks, region: Option<RegionRow>, place: Option<PlaceRow>) {
        self.total.add(class, time);
        if let Some(lane) = &mut self.lane {
            lane.add(class, time, region);
        }
        self.regions.of_mut(region).unwrap_or(&mut self.outside).add(class, time);
        let last = self.places.len() - 1;
        self.places[place.map_or(last, Row::at)].add(class, time);
    }

    /// In no task, wait or team.
    fn add_outside(&mut self, begin: Ticks, end: Ticks) {
        let begun = self.initial.partition_point(|task| task.0 <= begin);
        if begun > 0 && begin < self.initial[begun - 1].1 {
            return;
        }
        let facts = self.facts;
        for (begin, end, class) in facts.outside.stretches(begin, end) {
            self.in_turn(begin);
            self.add(class, end - begin, None, None);
        }
    }

    fn add_parts(&mut self, class: Class, parts: Parts, region: Option<RegionRow>, place: Option<PlaceRow>) {
        self.add(class, parts.own, region, place);
        self.add(Class::Recorder, parts.recorder, region, place);
        self.add(Class::Descheduled, parts.descheduled, region, place);
    }

    /// What was lost has ended: the worker runs `taken`, or goes on with what waited.
    fn settle(&mut self, taken: Option<GrainRow>) {
        for at in 0..self.pending.len() {
            let (begin, end, state) = self.pending[at];
            self.in_turn(begin);
            match state {
                State::Wait(wait) => self.lost_in_wait(begin, end, wait, taken),
                State::Team(member) => self.lost_in_team(begin, end, member, taken),
                _ => {}
            }
        }
        self.pending.clear();
    }

    fn lost_in_wait(&mut self, begin: Ticks, end: Ticks, row: WaitRow, taken: Option<GrainRow>) {
        let wait = &self.facts.profile.waits[row];
        let region = self.facts.region(wait.task);
        // The recorder's work is taken from where it mostly is, next to where the wait began.
        let parts = self.net.wait(self.facts.profile, row, end - begin);
        self.add(Class::Recorder, parts.recorder, region, wait.place);
        self.add(Class::Descheduled, parts.descheduled, region, wait.place);
        let begin = end - parts.own;
        match wait.kind {
            WaitKind::Critical | WaitKind::Lock | WaitKind::Ordered => {
                return self.add(Class::Locks, end - begin, region, wait.place)
            }
            WaitKind::Taskyield | WaitKind::RunAtOnce | WaitKind::Preempted => {
                return self.add(Class::Scheduling, end - begin, region, wait.place)
            }
            _ => {}
        }
        let (scheduled, place) = self.scheduled(self.facts.released.of(row), taken, wait.place);
        let scheduled = scheduled.clamp(begin, end);
        let ended = if wait.kind.is_barrier() { self.facts.last_ended(region, wait.end) } else { wait.end };
        self.not_running(begin, scheduled, ended, region, wait.place);
        self.due(scheduled, end, region, place);
    }

    /// From when on the worker could go on, and at which place: it then runs `taken`, or goes on at
    /// `place`, once what it waits for is done.
    fn scheduled(
        &self,
        done: Ticks,
        taken: Option<GrainRow>,
        place: Option<PlaceRow>,
    ) -> (Ticks, Option<PlaceRow>) {
        match taken {
            Some(task) => (self.facts.ready.of_task(task).min(done), self.facts.profile.grains.place[task]),
            None => (done, place),
        }
    }

    /// In a team, but not in its implicit task. What no record has within that is the rest.
    fn lost_in_team(&mut self, begin: Ticks, end: Ticks, member: GrainRow, taken: Option<GrainRow>) {
        let profile = self.facts.profile;
        let Some(row) = profile.member_of[member] else { return };
        let region = &profile.regions[row];
        let task = (profile.grains.start.of(member), profile.grains.end.of(member));
        if begin < task.0 {
            self.due(begin, end.min(task.0), Some(row), region.place);
        }
        let begin = begin.max(task.1);
        if begin >= end {
            return;
        }
        let ended = self.facts.last_ended(Some(row), region.end);
        let done = self.facts.arrived[row].max(ended);
        let (scheduled, place) = self.scheduled(done, taken, region.place);
        let scheduled = scheduled.clamp(begin, end);
        self.in_turn(begin);
        self.not_running(begin, scheduled, ended, Some(row), region.place);
        self.due(scheduled, end, Some(row), place);
    }

    /// Nothing to run yet: the explicit tasks of the region, if any, ended at `ended`.
    fn not_running(
        &mut self,
        begin: Ticks,
        end: Ticks,
        ended: Ticks,
        region: Option<RegionRow>,
        place: Option<PlaceRow>,
    ) {
        let ended = ended.clamp(begin, end);
        let ready = self.ready.within(region, begin, ended);
        self.add(Class::ReadyWaiting, ready, region, place);
        self.add(Class::NothingReady, (ended - begin) - ready, region, place);
        let (facts, mut from) = (self.facts, ended);
        for (begin, end) in facts.preparing.stretches(region, ended, end) {
            self.add(Class::Imbalance, begin - from, region, place);
            self.add(Class::Recorder, end - begin, region, place);
            from = end;
        }
        self.add(Class::Imbalance, end - from, region, place);
    }
}
