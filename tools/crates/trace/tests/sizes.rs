// SPDX-License-Identifier: Apache-2.0
//! Tests how the reader treats streams of earlier and later runtimes: the sizes in the headers of
//! their chunks, and version 1, which has no sizes.

use std::path::Path;

use trace::layout::{kind, CHUNK_BYTES, CHUNK_HEADER_BYTES, SIZES_AT};
use trace::writer::StreamWriter;
use trace::*;

const TASK: TaskId = TaskId::new(0, 1);
/// Types that this version does not have.
const LATER: u8 = 200;
const LATER_WITH_TAIL: u8 = 201;
/// Where a chunk says how long its header is.
const HEADER_BYTES_AT: usize = 44;

fn reader(bytes: &[u8]) -> StreamReader<'_> {
    StreamReader::new(bytes, Path::new("stream-0000.bin"), 0)
}

fn records(bytes: &[u8]) -> Vec<Record<'_>> {
    reader(bytes).map(|entry| entry.unwrap().record).collect()
}

fn message(bytes: &[u8]) -> String {
    reader(bytes).find_map(Result::err).expect("this is damage").to_string()
}

fn stream(sizes: Sizes, write: impl FnOnce(&mut StreamWriter<Vec<u8>>)) -> Vec<u8> {
    let mut writer = StreamWriter::new(Vec::new(), 0);
    writer.sizes = sizes;
    write(&mut writer);
    writer.finish().unwrap()
}

fn some_records() -> Vec<Record<'static>> {
    vec![
        Record::Module(Module { module: 1, bias: 0x5000, path: b"/usr/bin/a", ..Default::default() }),
        Record::Create(Create { task: TASK, site: 1, cost: 7, ..Default::default() }),
        Record::Counts(Counts { first: 1, task: TASK, before: 7, after: 8, flags: 1, bytes: &[7; 24] }),
        Record::Run(Run { task: TASK, ticks: 5, ..Default::default() }),
    ]
}

fn put_all(writer: &mut StreamWriter<Vec<u8>>, records: &[Record]) {
    for record in records {
        writer.put(10, record).unwrap();
    }
}

#[test]
fn unknown_types_are_passed_over_and_counted() {
    let sizes = Sizes::KNOWN.with(LATER, Size::fixed(80)).with(LATER_WITH_TAIL, Size::with_tail(16));
    let bytes = stream(sizes, |writer| {
        for record in some_records() {
            writer.put_any(1, LATER, &[0xff; 72], &[]).unwrap();
            writer.put(10, &record).unwrap();
            writer.put_any(2, LATER_WITH_TAIL, &[9, 9, 9, 9, 21, 0, 0, 0], &[0xff; 21]).unwrap();
        }
    });
    assert_eq!(records(&bytes), some_records());
    let mut reader = reader(&bytes);
    assert_eq!((&mut reader).count(), 4);
    assert_eq!(reader.passed_over(), 8);
}

#[test]
fn a_build_mark_is_read_where_records_have_it() {
    let module = Module { module: 1, build_mark: 7, path: b"/usr/bin/a", ..Default::default() };
    let with_mark = Sizes::KNOWN.with(kind::MODULE, Size::with_tail(48));
    for (sizes, build_mark) in [(with_mark, 7), (Sizes::KNOWN, 0)] {
        let bytes = stream(sizes, |writer| put_all(writer, &[Record::Module(module)]));
        assert_eq!(records(&bytes), [Record::Module(Module { build_mark, ..module })]);
    }
}

#[test]
fn readings_of_a_devices_counter_are_read_where_records_have_them() {
    let device = Device { ran_ns: 5, on_device: Some((Stamp(7), Stamp(8))), ..Default::default() };
    for (sizes, on_device) in [(Sizes::WRITTEN, device.on_device), (Sizes::KNOWN, None)] {
        let bytes = stream(sizes, |writer| put_all(writer, &[Record::Device(device)]));
        assert_eq!(records(&bytes), [Record::Device(Device { on_device, ..device })]);
    }
}

#[test]
fn a_type_that_the_header_does_not_name_is_damage() {
    let mut bytes = stream(Sizes::KNOWN, |writer| put_all(writer, &some_records()));
    bytes[SIZES_AT + usize::from(kind::CREATE)] = 0;
    let message = message(&bytes);
    assert!(message.contains("unknown record type 3") && message.ends_with("record again."), "{message}");
}

#[test]
fn fields_behind_those_that_are_known_are_passed_over() {
    let sizes = (kind::SITE..=kind::SAMPLING).fold(Sizes::KNOWN, |sizes, kind| {
        let known = sizes.of(kind);
        let longer = known.fixed_bytes() + 16;
        sizes.with(kind, if known.has_tail() { Size::with_tail(longer) } else { Size::fixed(longer) })
    });
    let bytes = stream(sizes, |writer| put_all(writer, &some_records()));
    let as_known = stream(Sizes::KNOWN, |writer| put_all(writer, &some_records()));
    assert_eq!(bytes.len(), as_known.len() + 4 * 16);
    assert_eq!(records(&bytes), some_records());
    assert_eq!(records(&as_known), some_records());
}

#[test]
fn a_size_that_disagrees_is_damage() {
    let cases = [
        (kind::RUN, Size::fixed(16), "records of type 4 16 bytes where 32 bytes is expected"),
        (kind::RUN, Size::with_tail(32), "32 bytes and a tail where 32 bytes is"),
        (kind::MODULE, Size::fixed(64), "64 bytes where 32 bytes and a tail is"),
        (LATER, Size::with_tail(0), "0 bytes and a tail where no size is"),
        (kind::NONE, Size::fixed(32), "type 0 32 bytes where no size is"),
    ];
    for (kind, size, words) in cases {
        // Whether there is such a record or not.
        let bytes = stream(Sizes::KNOWN.with(kind, size), |writer| {
            writer.put(1, &Record::Idle { ticks: 1, sleep: 0 }).unwrap();
        });
        let message = message(&bytes);
        assert!(message.starts_with("stream-0000.bin, byte 0: ") && message.contains(words), "{message}");
    }
}

#[test]
fn all_chunks_have_the_same_sizes() {
    let write = |later: Size| {
        stream(Sizes::KNOWN.with(LATER, Size::fixed(32)), |writer| {
            writer.put(1, &Record::Idle { ticks: 1, sleep: 0 }).unwrap();
            writer.sizes = writer.sizes.with(LATER, later);
            writer.next_chunk().unwrap();
            writer.put(2, &Record::Idle { ticks: 2, sleep: 0 }).unwrap();
        })
    };
    assert_eq!(records(&write(Size::fixed(32))).len(), 2);
    let message = message(&write(Size::fixed(64)));
    let words = format!("byte {CHUNK_BYTES}: the chunk gives records of type 200 64 bytes where 32 bytes");
    assert!(message.contains(&words), "{message}");
}

#[test]
fn a_longer_header_is_passed_over() {
    let mut bytes = stream(Sizes::KNOWN, |writer| put_all(writer, &some_records()));
    let longer = CHUNK_HEADER_BYTES + 32;
    bytes[HEADER_BYTES_AT..][..4].copy_from_slice(&(longer as u32).to_le_bytes());
    bytes.splice(CHUNK_HEADER_BYTES..CHUNK_HEADER_BYTES, [0xa5; 32]);
    assert_eq!(records(&bytes), some_records());
    assert_eq!(records(&bytes[..longer - 1]), [], "cut short within its header");
}

#[test]
fn a_header_that_cannot_be_is_damage() {
    for header_bytes in [0, 64, CHUNK_HEADER_BYTES + 8, CHUNK_BYTES + 16, u32::MAX as usize] {
        let mut bytes = stream(Sizes::KNOWN, |writer| put_all(writer, &some_records()));
        bytes[HEADER_BYTES_AT..][..4].copy_from_slice(&(header_bytes as u32).to_le_bytes());
        assert!(message(&bytes).contains(&format!("header cannot have {header_bytes} bytes")));
    }
}

#[test]
fn an_unknown_kind_of_wait_is_passed_over_and_none_is_damage() {
    let wait = Wait { kind: WaitKind::Lock, task: TASK, ticks: 5, site: 1, barrier: 0, departures: 0 };
    let mut bytes = stream(Sizes::KNOWN, |writer| put_all(writer, &[Record::Wait(wait)]));
    bytes[CHUNK_HEADER_BYTES + 1] = 99;
    let mut reader = reader(&bytes);
    assert!(reader.next().is_none());
    assert_eq!(reader.passed_over(), 1);
    bytes[CHUNK_HEADER_BYTES + 1] = 0;
    assert!(message(&bytes).contains("WAIT record: kind is 0"));
}

/// What version 1 has of a record.
fn in_version_1(record: Record<'static>) -> Option<Record<'static>> {
    match record {
        Record::Counts(_) | Record::Thread(_) => None,
        Record::Dep(Dep { successor, predecessor, address, .. }) => {
            Some(Record::Dep(Dep { successor, predecessor, address, ..Default::default() }))
        }
        Record::Wait(wait) => Some(Record::Wait(Wait { kind: WaitKind::Taskyield, ..wait })),
        record => Some(record),
    }
}

#[test]
fn version_1_is_read() {
    let wait = Wait { kind: WaitKind::RunAtOnce, task: TASK, ticks: 5, site: 1, barrier: 0, departures: 0 };
    let dep = Dep { successor: TASK, predecessor: TASK, address: 8, kind: DepKind::In, ..Default::default() };
    let mut all = some_records();
    all.extend([Record::Wait(wait), Record::Dep(dep), Record::Thread(Thread::default())]);
    let mut writer = StreamWriter::of_version_1(Vec::new(), 0);
    put_all(&mut writer, &all);
    writer.next_chunk().unwrap();
    put_all(&mut writer, &all);
    let bytes = writer.finish().unwrap();
    let once: Vec<_> = all.iter().copied().filter_map(in_version_1).collect();
    assert_eq!(once.len(), 5);
    assert_eq!(records(&bytes), [once.clone(), once].concat());
}

#[test]
fn types_of_version_2_are_damage_in_version_1() {
    let mut writer = StreamWriter::of_version_1(Vec::new(), 0);
    writer.put(1, &Record::Idle { ticks: 1, sleep: 0 }).unwrap();
    let mut bytes = writer.finish().unwrap();
    bytes[64] = kind::THREAD;
    assert!(message(&bytes).contains("byte 64: unknown record type 20"));
}

/// A record behind its head: two numbers of 32 bits.
fn halves(first: u32, second: u32) -> [u8; 8] {
    (u64::from(first) | u64::from(second) << 32).to_le_bytes()
}

#[test]
fn short_records_are_made_whole() {
    let parent = TaskId::new(9, 9);
    let created = |ordinal| Create { task: TaskId::new(0, ordinal), parent, ..Default::default() };
    let region = RegionId::new(0, 4);
    let dep = |back: u64, address| Dep {
        successor: TaskId::new(0, 6),
        predecessor: TaskId::new(0, 6 - back),
        address,
        ..Default::default()
    };
    let bytes = stream(Sizes::KNOWN, |writer| {
        writer.put(10, &Record::Create(Create { site: 1, cost: 2, ..created(5) })).unwrap();
        writer.put_any(10, kind::SHORT_CREATE, &halves(3, 4), &[]).unwrap();
        writer.put(10, &Record::Run(Run { task: TASK, ticks: 5, cpu: 7, region, flags: 0 })).unwrap();
        let packed = 0xff_fffe_u64 | 0xffff_fffd << 24 | 0xfc << 56;
        writer.put_any(10, kind::SHORT_RUN, &u64::to_le_bytes(packed), &[]).unwrap();
        writer.put(10, &Record::Dep(dep(1, 0x1000))).unwrap();
        writer.put_any(10, kind::SHORT_DEP, &halves(2, -8_i32 as u32), &[]).unwrap();
        writer.put(10, &Record::Dep(dep(1, 1 << 40))).unwrap();
        writer.put_any(10, kind::SHORT_DEP, &halves(3 | 1 << 31, 8), &[]).unwrap();
        writer.put_any(10, kind::SHORT_DEP, &halves(1 | 1 << 31, 1), &[]).unwrap();
        writer.next_chunk().unwrap();
        writer.put_any(10, kind::SHORT_CREATE, &halves(3, 4), &[]).unwrap();
    });
    let expected = [
        Record::Create(Create { site: 1, cost: 2, ..created(5) }),
        Record::Create(Create { site: 3, cost: 4, ..created(6) }),
        Record::Run(Run { task: TASK, ticks: 5, cpu: 7, region, flags: 0 }),
        Record::Run(Run { task: TaskId::new(0xfc, 0xffff_fffd), ticks: 0xff_fffe, cpu: 7, region, flags: 0 }),
        Record::Dep(dep(1, 0x1000)),
        Record::Dep(dep(2, 0xff8)),
        Record::Dep(dep(1, 1 << 40)),
        Record::Dep(dep(3, 0x1000)),
        Record::Dep(dep(1, (1 << 40) + 1)),
        // A chunk takes nothing from the one before.
        Record::Create(Create { task: TaskId::new(0, 1), site: 3, cost: 4, ..Default::default() }),
    ];
    assert_eq!(records(&bytes), expected);
}

#[test]
fn short_waits_and_chunks_are_made_whole() {
    let wait = |kind, ordinal, site| Wait {
        kind,
        task: TaskId::new(3, ordinal),
        ticks: 5,
        site,
        barrier: 0,
        departures: 0,
    };
    let chunk = Chunk { id: LoopId::new(0, 4), task: TASK, first: -5, iterations: 6, ticks: 7, cpu: 8 };
    let short_wait = |ordinal: u64| u64::to_le_bytes(5 | ordinal << 24 | 3 << 56);
    let short_chunk = |distance: i64| i64::to_le_bytes(9 | distance << 24);
    let bytes = stream(Sizes::KNOWN, |writer| {
        let taskwait = WaitKind::Taskwait;
        writer.put(10, &Record::Wait(Wait { barrier: 2, departures: 1, ..wait(taskwait, 1, 11) })).unwrap();
        writer.put(10, &Record::Wait(wait(WaitKind::RunAtOnce, 2, 12))).unwrap();
        for kind in [WaitKind::Taskwait, WaitKind::RunAtOnce] {
            writer.put_any_flagged(10, kind::SHORT_WAIT, kind as u8, &short_wait(3)).unwrap();
        }
        writer.put(10, &Record::Chunk(chunk)).unwrap();
        writer.put_any(10, kind::SHORT_CHUNK, &short_chunk(8), &[]).unwrap();
        writer.put_any(10, kind::SHORT_CHUNK, &short_chunk(-(1 << 39)), &[]).unwrap();
    });
    let expected = [
        Record::Wait(Wait { barrier: 2, departures: 1, ..wait(WaitKind::Taskwait, 1, 11) }),
        Record::Wait(wait(WaitKind::RunAtOnce, 2, 12)),
        Record::Wait(wait(WaitKind::Taskwait, 3, 11)),
        Record::Wait(wait(WaitKind::RunAtOnce, 3, 12)),
        Record::Chunk(chunk),
        Record::Chunk(Chunk { first: 3, ticks: 9, ..chunk }),
        Record::Chunk(Chunk { first: 3 - (1 << 39), ticks: 9, ..chunk }),
    ];
    assert_eq!(records(&bytes), expected);
}

#[test]
fn a_task_run_at_once_is_made_whole() {
    let (parent, region) = (TaskId::new(9, 9), RegionId::new(0, 4));
    let created = |ordinal, flags| {
        Record::Create(Create { task: TaskId::new(0, ordinal), parent, site: 3, cost: 2, flags })
    };
    let ran =
        |ordinal, ticks| Record::Run(Run { task: TaskId::new(0, ordinal), ticks, cpu: 7, region, flags: 0 });
    let on_top = |record| match record {
        Record::Run(ran) => Record::Run(Run { flags: trace::layout::run::ON_TOP, ..ran }),
        other => other,
    };
    let waited = |ticks| {
        let kind = WaitKind::RunAtOnce;
        Record::Wait(Wait { kind, task: parent, ticks, site: 3, barrier: 0, departures: 0 })
    };
    let bytes = stream(Sizes::KNOWN, |writer| {
        writer.put(10, &created(5, 0)).unwrap();
        writer.put(10, &ran(5, 1)).unwrap();
        writer.put_any_flagged(20, kind::SHORT_TASK, 0, &halves(2, 1)).unwrap();
        writer.put_any_flagged(30, kind::SHORT_TASK, 2, &halves(2, u32::MAX)).unwrap(); // undeferred
        writer.put_any_flagged(40, kind::SHORT_TASK, 8, &halves(2, 0)).unwrap(); // not ended there
        writer
            .put_any_flagged(50, kind::SHORT_WAIT, WaitKind::RunAtOnce as u8, &halves(5 | 1 << 24, 0))
            .unwrap();
    });
    let expected = [
        (10, created(5, 0)),
        (10, ran(5, 1)),
        (20, created(6, 0)),
        (22, ran(6, 0)),
        (22, waited(0)),
        (30, created(7, 2)),
        (32, on_top(ran(7, u64::from(u32::MAX) - 1))),
        (40, created(8, 8)),
        // The waits that follow from a SHORT_TASK do not count as the last one.
        (
            50,
            match waited(5) {
                Record::Wait(wait) => Record::Wait(Wait { task: TaskId::new(0, 1), site: 0, ..wait }),
                other => other,
            },
        ),
    ];
    let found = StreamReader::new(&bytes, Path::new("stream"), 0).map(Result::unwrap);
    let found: Vec<_> = found.map(|entry| (entry.stamp.0, entry.record)).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_short_record_of_no_task_is_damage() {
    let bytes = stream(Sizes::KNOWN, |writer| {
        writer.put_any(10, kind::SHORT_DEP, &halves(1, 8), &[]).unwrap();
    });
    assert!(message(&bytes).contains("SHORT_DEP record: task is 0"), "{}", message(&bytes));
}
