// SPDX-License-Identifier: Apache-2.0
//! Accounts for the workers' time in virtual time, and for the causes of lost time.
//!
//! At each instant, the workers that are idle or wait for a lock lose their time to one cause: the
//! first cause of the list that applies.

use std::collections::HashMap;

use crate::predict::strand::Busy;
use crate::tables::RegionRow;
use crate::PlaceRow;

/// The cause that keeps workers from working.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Cause {
    /// A construct is on its way to a device, or runs there.
    Devices,
    /// No region is open.
    Serial,
    /// A worker waits for a lock, an ordered region or an iteration of a doacross loop.
    Lock,
    /// A task that creates one task after another is running.
    Producer,
    /// An open region has nothing more to do.
    Region,
}

/// A task that creates this number of tasks without a wait in between is a producer.
const PRODUCES: u32 = 8;

pub(super) struct Account {
    /// The workers that may lose time: those of threads that open regions.
    threads: u32,
    busy: u32,
    blocked: u32,
    producing: u32,
    pub work: u64,
    pub creation: u64,
    pub scheduling: u64,
    pub asleep: u64,
    /// The part of it that began while no region was open.
    pub asleep_outside: u64,
    pub in_parallel: u64,
    /// Whether more than one worker was ever at work while no region was open.
    pub is_divided_outside: bool,
    /// Open regions with their places, in the order in which they were opened.
    regions: Vec<(RegionRow, Option<PlaceRow>)>,
    /// Constructs that are not over, and the place of the last one that was met.
    on_devices: u32,
    on_devices_at: Option<PlaceRow>,
    created_at: Option<PlaceRow>,
    locked_at: Option<PlaceRow>,
    /// By cause and place.
    pub lost: HashMap<(Cause, Option<PlaceRow>), u64>,
    current: ((Cause, Option<PlaceRow>), u64),
}

impl Account {
    pub fn new(threads: u32) -> Self {
        Self {
            threads,
            busy: 0,
            blocked: 0,
            producing: 0,
            work: 0,
            creation: 0,
            scheduling: 0,
            asleep: 0,
            asleep_outside: 0,
            in_parallel: 0,
            is_divided_outside: false,
            regions: Vec::new(),
            on_devices: 0,
            on_devices_at: None,
            created_at: None,
            locked_at: None,
            lost: HashMap::new(),
            current: ((Cause::Serial, None), 0),
        }
    }

    pub fn pass(&mut self, ticks: u64) {
        if ticks == 0 {
            return;
        }
        self.in_parallel += if self.regions.is_empty() { 0 } else { ticks };
        self.is_divided_outside |= self.regions.is_empty() && self.busy > 1;
        let without = u64::from(self.threads - self.busy);
        if without > 0 {
            let key = self.cause();
            if key != self.current.0 {
                self.end();
                self.current.0 = key;
            }
            self.current.1 = self.current.1.saturating_add(without.saturating_mul(ticks));
        }
    }

    /// The last stretch is added to its sum.
    pub fn end(&mut self) {
        let lost = std::mem::take(&mut self.current.1);
        if lost > 0 {
            let sum = self.lost.entry(self.current.0).or_default();
            *sum = sum.saturating_add(lost);
        }
    }

    fn cause(&self) -> (Cause, Option<PlaceRow>) {
        match self.regions.last() {
            _ if self.on_devices > 0 => (Cause::Devices, self.on_devices_at),
            None => (Cause::Serial, None),
            Some(_) if self.blocked > 0 => (Cause::Lock, self.locked_at),
            Some(_) if self.producing > 0 => (Cause::Producer, self.created_at),
            Some(&(_, place)) => (Cause::Region, place),
        }
    }

    /// What a worker does now.
    pub fn takes(&mut self, ticks: u64, busy: Busy) {
        let sum = match busy {
            Busy::Work => &mut self.work,
            Busy::Creation => &mut self.creation,
            Busy::Scheduling => &mut self.scheduling,
            Busy::Asleep => &mut self.asleep,
        };
        *sum += ticks;
        if busy == Busy::Asleep && self.regions.is_empty() {
            self.asleep_outside += ticks;
        }
    }

    /// How long workers have been busy, all together, or will have been when they have done what
    /// they are at.
    pub fn busy_ticks(&self) -> u64 {
        self.work + self.creation + self.scheduling + self.asleep
    }

    /// Returns whether the task is a producer that continues.
    pub fn busy_begins(&mut self, forked: u32) -> bool {
        self.busy += 1;
        let producing = forked >= PRODUCES;
        self.producing += u32::from(producing);
        producing
    }

    pub fn busy_ends(&mut self, producing: bool) {
        self.busy -= 1;
        self.producing -= u32::from(producing);
    }

    pub fn blocks(&mut self) {
        self.blocked += 1;
    }

    pub fn unblocks(&mut self) {
        self.blocked -= 1;
    }

    pub fn construct_begins(&mut self, place: Option<PlaceRow>) {
        self.on_devices += 1;
        self.on_devices_at = place;
    }

    pub fn construct_ends(&mut self) {
        self.on_devices -= 1;
    }

    pub fn creates(&mut self, place: Option<PlaceRow>) {
        self.created_at = place;
    }

    pub fn waits_for(&mut self, cause: Cause, place: Option<PlaceRow>) {
        if cause == Cause::Lock {
            self.locked_at = place;
        }
    }

    pub fn region_begins(&mut self, region: RegionRow, place: Option<PlaceRow>) {
        self.regions.push((region, place));
    }

    pub fn region_ends(&mut self, region: RegionRow) {
        self.regions.retain(|open| open.0 != region);
    }
}
