// SPDX-License-Identifier: Apache-2.0
//! Random programs with regions, barriers, tasks and locks on a virtual clock. What each worker did
//! at each tick is known from how the program was generated. The test computes the classes from
//! this a second time, tick by tick, by the definitions of docs/formats/report.md.

mod common;

use std::collections::BTreeMap;

use grains::budget::{Budget, Class, CLASSES};
use grains::Profile;
use trace::writer::RecordingWriter;
use trace::*;

use common::Random;

/// By region (`None`: outside) and class.
type Truth = BTreeMap<(Option<u32>, &'static str), u64>;

struct Machine<'a> {
    random: &'a mut Random,
    workers: u16,
    /// For each stream: (end, when, record).
    records: Vec<Vec<(u64, u64, Record<'static>)>>,
    ordinals: Vec<u64>,
    truth: Truth,
    now: u64,
    regions: u32,
    root: TaskId,
}

struct Task {
    ready: u64,
    claimed: u64,
    start: u64,
    end: u64,
    worker: usize,
}

impl Machine<'_> {
    fn below(&mut self, most: u64) -> u64 {
        self.random.below(most)
    }

    fn put(&mut self, stream: usize, when: u64, end: u64, record: Record<'static>) {
        self.records[stream].push((end, when, record));
    }

    fn add(&mut self, region: Option<u32>, class: Class, ticks: u64) {
        *self.truth.entry((region, class.name())).or_default() += ticks;
    }

    fn next_id(&mut self, stream: usize) -> TaskId {
        self.ordinals[stream] += 1;
        TaskId::new(stream as u16, self.ordinals[stream])
    }

    fn begin_task(&mut self, stream: usize, parent: TaskId, region: RegionId, at: u64) -> TaskId {
        let task = self.next_id(stream);
        let create = Create { task, parent, flags: layout::task::IMPLICIT, ..Default::default() };
        self.put(stream, at, at, Record::Create(create));
        self.put(stream, at, at, Record::Start { task, region });
        task
    }

    fn wait(&mut self, task: TaskId, stream: usize, kind: WaitKind, begin: u64, end: u64, barrier: u32) {
        let wait = Wait { kind, task, ticks: end - begin, site: 1, barrier, departures: 0 };
        self.put(stream, begin, end, Record::Wait(wait));
    }

    /// A stretch of one task's own, with a wait for a lock in it or the recorder's work.
    fn works(&mut self, task: TaskId, stream: usize, region: Option<u32>, from: u64) -> u64 {
        let before = 5 + self.below(40);
        let between = self.below(30);
        let after = 5 + self.below(40);
        self.add(region, Class::Work, before + after);
        let at = from + before;
        if self.below(2) == 0 {
            self.wait(task, stream, WaitKind::Critical, at, at + between, 0);
            self.add(region, Class::Locks, between);
        } else {
            self.put(stream, at, at + between, Record::Recorder { ticks: between });
            self.add(region, Class::Recorder, between);
        }
        at + between + after
    }

    fn serial_part(&mut self) {
        let begin = self.now;
        self.now = self.works(self.root, 0, None, begin);
        let others = u64::from(self.workers) - 1;
        self.add(None, Class::Serial, others * (self.now - begin));
    }

    fn region(&mut self) {
        let (row, begin) = (self.regions, self.now);
        self.regions += 1;
        let region = RegionId::new(0, u64::from(row) + 1);
        let threads = 1 + self.below(u64::from(self.workers)) as usize;
        let requested = threads as u32;
        let (parent, root) = (self.root, self.root);
        let record = Region { region, parent, threads: requested, requested, ..Region::default() };
        self.put(0, begin, begin, Record::Region(record));
        let starts: Vec<u64> =
            (0..threads as u64).map(|thread| begin + thread.min(1) * (1 + self.below(20))).collect();
        let tasks: Vec<_> =
            (0..threads).map(|thread| self.begin_task(thread, root, region, starts[thread])).collect();
        for &start in &starts {
            self.add(Some(row), Class::Scheduling, start - begin);
        }
        let mut now = starts.clone();
        for barrier in 0..self.below(4) as u32 {
            for (thread, now) in now.iter_mut().enumerate() {
                *now = self.works(tasks[thread], thread, Some(row), *now);
            }
            self.barrier(row, &tasks, &mut now, barrier + 1);
        }
        for (thread, now) in now.iter_mut().enumerate() {
            *now = self.works(tasks[thread], thread, Some(row), *now);
        }
        let arrived = *now.iter().max().unwrap();
        let end = arrived + 1 + self.below(9);
        self.wait(tasks[0], 0, WaitKind::RegionEnd, now[0], end, 0);
        for thread in 0..threads {
            let until = if thread == 0 { end } else { now[thread] };
            let run =
                Run { task: tasks[thread], ticks: until - starts[thread], region, ..Default::default() };
            self.put(thread, starts[thread], until, Record::Run(run));
            self.add(Some(row), Class::Imbalance, arrived - now[thread]);
            self.add(Some(row), Class::Scheduling, end - arrived);
        }
        self.put(0, end, end, Record::RegionEnd { region });
        self.add(None, Class::OutsideTeam, (u64::from(self.workers) - threads as u64) * (end - begin));
        self.now = end;
    }

    /// The first thread may create tasks before; who waits runs them.
    fn barrier(&mut self, row: u32, members: &[TaskId], now: &mut [u64], barrier: u32) {
        let mut created = Vec::new();
        for _ in 0..self.below(5) {
            let (task, cost) = (self.next_id(0), 2 + self.below(9));
            let create = Create { task, parent: members[0], site: 1, cost: cost as u32, flags: 0 };
            self.put(0, now[0], now[0], Record::Create(create));
            self.add(Some(row), Class::Creation, cost);
            now[0] += cost;
            let after = 1 + self.below(6);
            self.add(Some(row), Class::Work, after);
            created.push((task, now[0]));
            now[0] += after;
        }
        let arrived = now.to_vec();
        let mut free = arrived.clone();
        let mut ran: Vec<Task> = Vec::new();
        for (id, ready) in created {
            // Now and then it lies there until one who is busy takes it, though others wait.
            let worker = match self.below(3) {
                0 => self.below(free.len() as u64) as usize,
                _ => (0..free.len()).min_by_key(|&worker| free[worker].max(ready)).unwrap(),
            };
            let claimed = free[worker].max(ready);
            let start = claimed + 1 + self.below(4);
            let end = start + 3 + self.below(40);
            let run = Run { task: id, ticks: end - start, ..Default::default() };
            self.put(worker, start, end, Record::Run(run));
            self.add(Some(row), Class::Work, end - start);
            ran.push(Task { ready, claimed, start, end, worker });
            free[worker] = end;
        }
        let done = free.iter().copied().max().unwrap();
        for (thread, &task) in members.iter().enumerate() {
            let goes_on = done + 1 + self.below(5);
            self.wait(task, thread, WaitKind::Barrier, arrived[thread], goes_on, barrier);
            self.tell_wait(row, thread, (arrived[thread], goes_on), done, &ran);
            now[thread] = goes_on;
        }
    }

    /// What each tick of a wait at a barrier was lost to.
    fn tell_wait(&mut self, row: u32, thread: usize, wait: (u64, u64), done: u64, tasks: &[Task]) {
        let last_end = tasks.iter().map(|task| task.end).max().unwrap_or(0);
        for tick in wait.0..wait.1 {
            let own = || tasks.iter().filter(|task| task.worker == thread);
            if own().any(|task| (task.start..task.end).contains(&tick)) {
                continue;
            }
            let next = own().filter(|task| task.start > tick).min_by_key(|task| task.start);
            let waiting = |task: &Task| task.ready <= tick && tick < task.claimed;
            let class = match next {
                Some(task) if tick >= task.ready => Class::Scheduling,
                None if tick >= done => Class::Scheduling,
                _ if tick >= last_end => Class::Imbalance,
                _ if tasks.iter().any(waiting) => Class::ReadyWaiting,
                _ => Class::NothingReady,
            };
            self.add(Some(row), class, 1);
        }
    }

    fn write(mut self, path: &std::path::Path) -> (Profile, Truth) {
        let (root, ticks) = (self.root, self.now);
        self.put(0, 0, ticks, Record::Run(Run { task: root, ticks, ..Default::default() }));
        let meta = RecordingWriter::plain_meta(u32::from(self.workers));
        let mut out = RecordingWriter::create(path, self.workers, &meta).unwrap();
        for (stream, records) in self.records.iter_mut().enumerate() {
            records.sort_by_key(|record| record.0);
            for &(_, when, record) in records.iter() {
                out.put(stream as u16, when, record).unwrap();
            }
        }
        out.end(ticks).unwrap();
        self.truth.retain(|_, ticks| *ticks > 0);
        (Profile::of(Recording::open(path).unwrap(), &|_| {}).unwrap(), self.truth)
    }
}

fn program(random: &mut Random) -> Machine<'_> {
    let workers = 2 + random.below(4) as u16;
    let records = vec![Vec::new(); usize::from(workers)];
    let ordinals = vec![0; usize::from(workers)];
    let (root, now, regions) = (TaskId::NONE, 0, 0);
    let mut this = Machine { random, workers, records, ordinals, truth: Truth::new(), now, regions, root };
    this.root = this.begin_task(0, TaskId::NONE, RegionId::NONE, 0);
    for _ in 0..=this.below(5) {
        this.serial_part();
        this.region();
    }
    this.serial_part();
    this
}

fn told(budget: &Budget) -> Truth {
    let regions = budget.regions.iter().enumerate().map(|(row, sums)| (Some(row as u32), sums));
    let all = regions.chain([(None, &budget.outside)]);
    let by_class = all.flat_map(|(region, sums)| {
        CLASSES.into_iter().map(move |class| ((region, class.name()), sums.of(class).0))
    });
    by_class.filter(|&(_, ticks)| ticks > 0).collect()
}

#[test]
fn budgets_of_random_programs_are_the_true_ones() {
    let directory = tempfile::tempdir().unwrap();
    let mut random = Random(0x7e_ff0b);
    let mut met = BTreeMap::new();
    for round in 0..200 {
        let machine = program(&mut random);
        let (profile, truth) = machine.write(&directory.path().join(round.to_string()));
        let budget = Budget::of(&profile);
        assert_eq!(told(&budget), truth, "round {round}");
        assert_eq!((budget.rest().0, budget.conflicts.0), (0, 0), "round {round}");
        for class in CLASSES {
            let of_places: u64 = budget.places.iter().map(|sums| sums.of(class).0).sum();
            assert_eq!(of_places, budget.total.of(class).0, "round {round}, {class:?}");
        }
        for ((_, class), ticks) in truth {
            *met.entry(class).or_insert(0) += ticks;
        }
    }
    for class in ["creation", "nothing_ready", "ready_waiting", "imbalance", "outside_team", "locks"] {
        assert!(met.get(class).copied().unwrap_or(0) > 100, "{class} is in no program: {met:?}");
    }
}

/// The second thread is prepared for longer than the first one works.
#[test]
fn a_wait_for_a_thread_that_the_recorder_prepares_is_the_recorders() {
    let directory = tempfile::tempdir().unwrap();
    let told = |second_prepared: u64, first_works: u64| {
        let mut random = Random(1);
        let records = vec![Vec::new(); 2];
        let (workers, ordinals, truth) = (2, vec![0; 2], Truth::new());
        let (root, now, regions) = (TaskId::NONE, 400, 1);
        let mut this = Machine { random: &mut random, workers, records, ordinals, truth, now, regions, root };
        this.root = this.begin_task(0, TaskId::NONE, RegionId::NONE, 0);
        let (region, parent) = (RegionId::new(0, 1), this.root);
        let record = Region { region, parent, threads: 2, requested: 2, ..Region::default() };
        this.put(0, 100, 100, Record::Region(record));
        this.put(1, 110, second_prepared, Record::Recorder { ticks: second_prepared - 110 });
        let begins = [100, second_prepared];
        let tasks = [0, 1].map(|thread| this.begin_task(thread, parent, region, begins[thread]));
        this.wait(tasks[0], 0, WaitKind::RegionEnd, first_works, 400, 0);
        for (thread, end) in [(0, 400), (1, 400)] {
            let run = Run { task: tasks[thread], ticks: end - begins[thread], region, ..Run::default() };
            this.put(thread, begins[thread], end, Record::Run(run));
        }
        this.put(0, 400, 400, Record::RegionEnd { region });
        let name = format!("{second_prepared}-{first_works}");
        let (profile, _) = this.write(&directory.path().join(name));
        let budget = Budget::of(&profile);
        assert_eq!((budget.rest().0, budget.conflicts.0), (0, 0));
        [Class::Work, Class::Recorder, Class::Imbalance]
            .map(|class| budget.regions.iter().next().unwrap().of(class).0)
    };
    // From 150 to 300 nothing runs; after that, the second thread works.
    assert_eq!(told(300, 150), [50 + 100, 190 + 150, 100]);
    // The first one works for longer than the second one is prepared.
    assert_eq!(told(200, 250), [150 + 200, 90, 150]);
}
