// SPDX-License-Identifier: Apache-2.0
//! Random recordings of well-formed records that contradict each other. The analysis may count them
//! as strays, but must not panic or hang, and its results must be consistent.

mod common;

use grains::budget::Budget;
use grains::predict::{Changes, Predictor, Preemption, Price};
use grains::{flag, Profile};
use trace::writer::RecordingWriter;
use trace::*;

use common::Random;

/// What stands in the records.
struct Values(Random);

impl Values {
    fn below(&mut self, limit: u64) -> u64 {
        self.0.below(limit)
    }

    /// Mostly small, at times absurd.
    fn number(&mut self) -> u64 {
        match self.below(20) {
            0 => u64::MAX,
            1 => self.0.next(),
            _ => self.below(50),
        }
    }

    fn stream(&mut self) -> u16 {
        if self.below(30) == 0 {
            self.0.next() as u16
        } else {
            self.below(2) as u16
        }
    }

    fn task(&mut self) -> TaskId {
        TaskId::new(self.stream(), 1 + self.below(30))
    }

    fn region(&mut self) -> RegionId {
        RegionId::new(self.stream(), 1 + self.below(3))
    }

    fn id(&mut self) -> LoopId {
        LoopId::new(self.stream(), 1 + self.below(3))
    }

    fn record(&mut self) -> Record<'static> {
        let task = self.task();
        let region = self.region();
        let ticks = self.number() & layout::MASK_48;
        match self.below(14) {
            0..=2 => {
                let parent = if self.below(6) == 0 { TaskId::NONE } else { self.task() };
                Record::Create(Create {
                    task,
                    parent,
                    site: 1,
                    cost: self.number() as u32,
                    flags: self.0.next() as u8,
                })
            }
            3 | 4 => Record::Run(Run { task, ticks, cpu: 0, region, flags: self.below(4) as u8 }),
            5 => {
                let kind = WaitKind::from_u8(1 + self.below(11) as u8).unwrap();
                Record::Wait(Wait { kind, task, ticks, site: 1, barrier: 1, departures: 0 })
            }
            6 => Record::Region(Region { region, parent: task, threads: 1 << 16, ..Default::default() }),
            7 => Record::RegionEnd { region },
            8 => Record::Start { task, region },
            9 => Record::Loop(Loop { id: self.id(), region, ..Default::default() }),
            10 => Record::Chunk(Chunk {
                id: self.id(),
                task,
                first: i64::MIN,
                iterations: u64::MAX,
                ticks,
                cpu: 0,
            }),
            11 | 12 => Record::Device(Device {
                task,
                site: 1,
                device: self.number() as u32,
                bytes_to: self.number(),
                bytes_from: self.number(),
                waited: ticks,
                prepared: self.number() & layout::MASK_48,
                there: self.number() & layout::MASK_48,
                received: self.number() & layout::MASK_48,
                ran_ns: self.number(),
                on_device: Some((Stamp(self.number()), Stamp(self.number()))),
                construct: DeviceConstruct::Target,
                is_deferred: self.below(2) == 0,
            }),
            _ => Record::Dep(Dep { successor: task, predecessor: self.task(), ..Default::default() }),
        }
    }
}

fn check(profile: &Profile) {
    let grains = &profile.grains;
    let columns = [grains.work.len(), grains.wait.len(), grains.benefit.len(), profile.items.start.len()];
    assert_eq!(columns, [grains.len(); 4]);
    assert!(profile.span <= profile.work);
    let critical = grains.rows().any(|row| grains.has(row, flag::CRITICAL));
    assert_eq!(critical, grains.tasks > 0);
    // Every grain is forked once or a root, and no chain of parents is a circle.
    for mut row in grains.rows() {
        for _ in grains.rows() {
            let Some(parent) = grains.parent[row] else { break };
            row = parent;
        }
        assert_eq!(grains.parent[row], None);
    }
}

#[test]
fn random_recordings_never_break_the_analysis() {
    let directory = tempfile::tempdir().unwrap();
    let mut random = Values(Random(0x7e_ff01));
    for _ in 0..500 {
        let mut writer =
            RecordingWriter::create(directory.path(), 2, &RecordingWriter::plain_meta(2)).unwrap();
        for _ in 0..random.below(120) {
            let (stream, ticks, record) = (random.below(2) as u16, random.number(), random.record());
            writer.put(stream, ticks, record).unwrap();
        }
        writer.end(100).unwrap();
        let profile = Profile::of(Recording::open(directory.path()).unwrap(), &|_| {}).unwrap();
        check(&profile);
        let budget = Budget::of(&profile);
        assert!(budget.total.sum() <= budget.whole() && budget.rest() <= budget.whole() + budget.conflicts);
        grains::findings::findings(&profile, &budget, &|_: Option<grains::PlaceRow>| String::new());
        let predictor = Predictor::of(&profile);
        // What waits for ever is an answer too.
        let _ = predictor.point(3, &Changes::default());
        let price = Price { signal: 3, switch: 4, gap: 1 };
        for preemption in [Preemption::Off, Preemption::On(price)] {
            let _ = predictor.with_priorities(3, preemption);
        }
        predictor.write_task_graph(3, &Changes::default(), &mut std::io::sink()).unwrap();
    }
}
