// SPDX-License-Identifier: Apache-2.0
//! Tests how the reader treats whole, cut and damaged streams.

use std::path::Path;

use trace::layout::{CHUNK_BYTES, CHUNK_HEADER_BYTES};
use trace::writer::{RecordingWriter, StreamWriter};
use trace::*;

const FILE: &str = "stream-0000.bin";

fn counts(task: TaskId) -> Record<'static> {
    let bytes = &[1, 0, 0, 0, 0, 0, 0, 0];
    Record::Counts(Counts { first: 1, task, before: 7, after: 8, flags: 1, bytes })
}

fn device(task: TaskId) -> Record<'static> {
    Record::Device(Device {
        task,
        site: 1,
        device: 63,
        bytes_to: 1 << 50,
        bytes_from: 1 << 51,
        waited: 1 << 40,
        prepared: 2,
        there: 3,
        received: 1 << 41,
        ran_ns: 1 << 52,
        on_device: Some((Stamp(1 << 60), Stamp(1 << 61))),
        construct: DeviceConstruct::Routine,
        is_deferred: true,
    })
}

fn lock(task: TaskId) -> Record<'static> {
    Record::Lock(Lock { task, address: 0xabc, waited: 5, held: 1 << 40, site: 1, kind: LockKind::NestLock })
}

fn sample_records() -> Vec<Record<'static>> {
    let task = TaskId::new(0, 1);
    let region = RegionId::new(0, 1);
    let id = LoopId::new(0, 1);
    vec![
        Record::Module(Module {
            module: 1,
            bias: 0x5000,
            build_id: 0x0123_4567_89ab_cdef,
            build_mark: 0,
            path: b"/usr/bin/a long enough path",
        }),
        Record::Site(Site { site: 1, module: 1, call_site: 0x5123, function: 0x5200 }),
        Record::Create(Create { task, parent: TaskId::NONE, site: 1, cost: 7, flags: 65 }),
        Record::Start { task, region },
        Record::Region(Region { region, parent: task, site: 1, threads: 2, requested: 4, level: 1 }),
        Record::Loop(Loop { id, region, site: 1, threads: 2, lb: -5, ub: 5, step: 1, chunk: 2, flags: 2 }),
        Record::Chunk(Chunk { id, task, first: -5, iterations: 2, ticks: 99, cpu: 3 }),
        Record::LoopThread(LoopThread { id, task, ticks: 120 }),
        Record::Dep(Dep {
            successor: TaskId::new(0, 2),
            predecessor: task,
            address: 0xabc,
            kind: DepKind::Mutexinoutset,
            predecessor_kind: DepKind::In,
            fulfilled: true,
            of_wait: true,
        }),
        Record::Wait(Wait {
            kind: WaitKind::Barrier,
            task,
            ticks: 5,
            site: 1,
            barrier: 1,
            departures: 0xfffe,
        }),
        Record::GroupBegin { task },
        Record::TeamSize { task, share: ShareMark::Asked },
        Record::TeamSize { task, share: ShareMark::Single },
        Record::TeamSize { task, share: ShareMark::LoopBegins { iterations: 1 << 40 } },
        Record::TeamSize { task, share: ShareMark::LoopEnds },
        Record::Idle { ticks: 12, sleep: 0x3fff_ffff },
        Record::Wake(Wake { sleeper: 2, sleep: 0x3fff_ffff, ticks: 1 << 40, cause: WakeCause::Join }),
        Record::Moved { processor: 4_095 },
        Record::Request(Request { task, ticks: 1 << 40, priority: 7, end: RequestEnd::Nothing }),
        device(task),
        Record::Exchange { device: 7, ticks: u32::MAX, began: Stamp(1 << 60), ended: Stamp(1 << 61) },
        Record::Off { ticks: 1 << 40, preempted: true },
        Record::Off { ticks: 3, preempted: false },
        Record::Prepared { ticks: 1 << 40, processor: 7 },
        Record::Sums { fields: &[7; Sums::BYTES] },
        Record::Window(Window { number: 1 << 40, flags: 2 }),
        Record::Name(Name { name: 3, text: b"the solver's loop" }),
        Record::Span(Span { task, name: 3, depth: 63, flags: 5 }),
        Record::Sample(Sample { address: u64::MAX, module: 1, unseen: 7, period_ns: 1 << 40, flags: 1 }),
        Record::Samples(Samples { lost: 1 << 40, period_ns: 9, flags: 4 }),
        Record::Stack(Stack { stack: 9, flags: 5, frames: &[7; 48] }),
        Record::Code(Code { code: 3, text: b"a.py\nf" }),
        Record::Sampled { stack: 9 },
        Record::Steal { task, victim: 1 },
        Record::Clock(ClockPair { stamp: Stamp(900), ns: 450 }),
        Record::RegionEnd { region },
        Record::Run(Run { task, ticks: 1 << 40, cpu: 0xffff, region, flags: 3 }),
        Record::Lost { records: 17 },
        Record::Priority { task, priority: -7 },
        Record::Fulfil(Fulfil { task, ticks: 8, flags: 1 }),
        Record::Thread(Thread {
            cpu_ns: 1 << 50,
            recorder_ticks: 1 << 60,
            os_thread: 99,
            waits: 7,
            preemptions: 0xfff0,
            flags: 2,
        }),
        lock(task),
        Record::Memory(Memory {
            footprint_bytes: 1 << 40,
            runtime_bytes: 1 << 20,
            allocations: 77,
            allocated_bytes: 1 << 41,
        }),
        Record::Processor(Processor { processor: 3, core: 2, cache: 1, numa_node: 9, package: 8, place: 7 }),
        Record::Counter(Counter { counter: 1, name: b"instructions" }),
        counts(task),
        Record::Sampling(Sampling { counter: 1, period: 1_000_000 }),
        Record::Recorder { ticks: 1 << 47 },
        Record::Doacross(Doacross { id, task, iteration: 1 << 50, waited: 6, ticks: 9, flags: 2 }),
        Record::CallPath(CallPath {
            site: 1,
            flags: 1,
            frames: &FRAMES,
            python: b"  File \"x.py\", line 1 in f\n",
        }),
        Record::CallPath(CallPath { site: 2, flags: 4, frames: &[], python: b"" }),
    ]
}

/// Two frames of a call path: the addresses 1 and 256, in the modules 2 and 3.
const FRAMES: [u8; 32] =
    [1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0];

#[test]
fn frames_of_a_path_are_addresses_and_modules() {
    let path = CallPath { frames: &FRAMES, ..CallPath::default() };
    assert_eq!(path.frames().collect::<Vec<_>>(), [(1, 2), (256, 3)]);
}

fn sample_stream() -> Vec<u8> {
    let mut writer = StreamWriter::new(Vec::new(), 0);
    for (at, record) in sample_records().iter().enumerate() {
        writer.put(1_000 + at as u64, record).unwrap();
    }
    writer.finish().unwrap()
}

fn read(bytes: &[u8]) -> Result<Vec<Entry<'_>>, Error> {
    StreamReader::new(bytes, Path::new(FILE), 0).collect()
}

#[test]
fn every_record_survives_writing_and_reading() {
    let bytes = sample_stream();
    let entries = read(&bytes).unwrap();
    let records: Vec<_> = entries.iter().map(|entry| entry.record).collect();
    assert_eq!(records, sample_records());
    let times: Vec<_> = entries.iter().map(|entry| entry.stamp.0).collect();
    assert_eq!(times, (1_000..1_000 + records.len() as u64).collect::<Vec<_>>());
}

#[test]
fn counts_are_words() {
    let counts = Counts { bytes: &[1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0], ..Default::default() };
    assert_eq!(counts.values().collect::<Vec<_>>(), [1, 256]);
}

#[test]
fn a_stream_goes_on_over_its_chunks() {
    let mut writer = StreamWriter::new(Vec::new(), 0);
    let records = CHUNK_BYTES / 32 + 10;
    for ticks in 0..records as u64 {
        writer.put(ticks, &Record::Idle { ticks, sleep: 0 }).unwrap();
    }
    let bytes = writer.finish().unwrap();
    assert!(bytes.len() > CHUNK_BYTES);
    let entries = read(&bytes).unwrap();
    assert_eq!(entries.len(), records);
    assert_eq!(entries.last().unwrap().record, Record::Idle { ticks: records as u64 - 1, sleep: 0 });
}

#[test]
fn a_record_may_start_before_its_chunk() {
    let mut writer = StreamWriter::new(Vec::new(), 0);
    writer.next_chunk().unwrap();
    writer.put(4_000, &Record::Idle { ticks: 2_000, sleep: 0 }).unwrap();
    let bytes = writer.finish().unwrap();
    assert_eq!(read(&bytes).unwrap()[0].stamp, Stamp(4_000));
}

#[test]
fn a_stream_cut_anywhere_gives_the_records_before_the_cut() {
    let bytes = sample_stream();
    let offsets: Vec<_> = read(&bytes).unwrap().iter().map(|entry| entry.offset as usize).collect();
    for cut in 0..bytes.len() {
        let entries = read(&bytes[..cut]).unwrap();
        let whole = (0..offsets.len())
            .filter(|&at| offsets.get(at + 1).copied().unwrap_or(bytes.len()) <= cut)
            .count();
        assert_eq!(entries.len(), whole, "cut at {cut}");
    }
}

#[test]
fn a_zero_type_byte_ends_the_chunk_and_the_next_chunk_follows() {
    let mut writer = StreamWriter::new(Vec::new(), 0);
    writer.put(10, &Record::Idle { ticks: 1, sleep: 0 }).unwrap();
    writer.next_chunk().unwrap();
    writer.put(20, &Record::Idle { ticks: 2, sleep: 0 }).unwrap();
    let mut bytes = writer.finish().unwrap();
    bytes.resize(3 * CHUNK_BYTES, 0); // a third chunk that was mapped, but not begun
    let ticks: Vec<_> = read(&bytes).unwrap().iter().map(|entry| entry.stamp.0).collect();
    assert_eq!(ticks, [10, 20]);
}

/// The error of a sample stream after `change`, as the user reads it.
fn message_after(change: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut bytes = sample_stream();
    change(&mut bytes);
    read(&bytes).unwrap_err().to_string()
}

#[test]
fn damage_is_named_with_file_offset_and_remedy() {
    let wrong_magic = message_after(|bytes| bytes[0] = 1);
    assert!(wrong_magic.starts_with("stream-0000.bin, byte 0: "), "{wrong_magic}");
    assert!(wrong_magic.contains("magic") && wrong_magic.ends_with("record again."), "{wrong_magic}");

    let version = message_after(|bytes| bytes[8] = 9);
    assert!(version.contains("format version 9") && version.contains("version of Teff"), "{version}");

    let stream = message_after(|bytes| bytes[12] = 3);
    assert!(stream.contains("stream 3"), "{stream}");

    let sequence = message_after(|bytes| bytes[16] = 4);
    assert!(sequence.contains("number 4"), "{sequence}");

    let kind = message_after(|bytes| bytes[CHUNK_HEADER_BYTES] = 200);
    assert!(kind.contains("byte 320: unknown record type 200"), "{kind}");
}

#[test]
fn an_absurd_path_length_is_refused() {
    let message = message_after(|bytes| bytes[CHUNK_HEADER_BYTES + 12..][..4].fill(0xff));
    assert!(message.contains("does not fit"), "{message}");
}

#[test]
fn a_team_of_more_threads_than_streams_have_numbers_is_refused() {
    let read_team = |threads| {
        let region = Region { region: RegionId::new(0, 1), threads, ..Default::default() };
        let in_loop = Loop { id: LoopId::new(0, 1), threads, ..Default::default() };
        [Record::Region(region), Record::Loop(in_loop)].map(|record| {
            let mut writer = StreamWriter::new(Vec::new(), 0);
            writer.put(0, &record).unwrap();
            read(&writer.finish().unwrap()).map(|entries| entries.len()).map_err(|error| error.to_string())
        })
    };
    assert_eq!(read_team(1 << 16), [Ok(1), Ok(1)]);
    let [region, in_loop] = read_team(u32::MAX).map(Result::unwrap_err);
    assert!(region.contains("byte 320: REGION record: threads is 4294967295, which no runtime"), "{region}");
    assert!(in_loop.contains("LOOP record: threads is 4294967295"), "{in_loop}");
}

#[test]
fn nothing_follows_an_error() {
    let mut bytes = sample_stream();
    bytes[CHUNK_HEADER_BYTES] = 200;
    let mut reader = StreamReader::new(&bytes, Path::new(FILE), 0);
    assert!(reader.next().unwrap().is_err());
    assert!(reader.next().is_none());
}

#[test]
fn recordings_open_whole_and_killed() {
    let directory = tempfile::tempdir().unwrap();
    let whole = directory.path().join("whole.teff");
    let meta = RecordingWriter::plain_meta(2);
    let mut writer = RecordingWriter::create(&whole, 2, &meta).unwrap();
    writer.put(1, 5, Record::Idle { ticks: 1, sleep: 0 }).unwrap();
    writer.end(100).unwrap();
    let recording = Recording::open(&whole).unwrap();
    assert_eq!(recording.streams.len(), 2);
    assert_eq!(recording.streams[0].reader().count(), 0);
    assert_eq!(recording.streams[1].reader().count(), 1);
    assert_eq!(recording.end.unwrap().end_ticks, 100);

    let killed = directory.path().join("killed.teff");
    RecordingWriter::create(&killed, 1, &meta).unwrap().killed().unwrap();
    assert!(Recording::open(&killed).unwrap().end.is_none());
    assert!(is_recording(&killed));
}

#[test]
fn what_is_no_recording_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let message = |path: &Path| Recording::open(path).err().unwrap().to_string();
    assert!(message(&path.join("missing")).contains("cannot be read"));
    assert!(message(path).contains("no meta.json"));
    std::fs::write(path.join("meta.json"), "{\"format\":\"teff-trace\",\"version\":7}").unwrap();
    assert!(message(path).contains("format version 7"));
    std::fs::write(path.join("meta.json"), "[[[[").unwrap();
    assert!(message(path).contains("JSON"));
    assert!(!is_recording(path));
}

/// A stream of `chunks` chunks, of which each begins with a clock reading and has one task.
fn chunks(chunks: u64) -> Vec<u8> {
    chunks_by(StreamWriter::new(Vec::new(), 0), chunks)
}

fn chunks_by(mut writer: StreamWriter<Vec<u8>>, chunks: u64) -> Vec<u8> {
    for chunk in 0..chunks {
        writer.next_chunk().unwrap();
        let pair = ClockPair { stamp: Stamp(100 * chunk), ns: 0 };
        writer.put(100 * chunk, &Record::Clock(pair)).unwrap();
        writer.put(1, &Record::GroupBegin { task: TaskId::new(0, chunk + 1) }).unwrap();
    }
    let mut bytes = writer.finish().unwrap();
    bytes.resize(chunks as usize * CHUNK_BYTES, 0);
    bytes
}

/// The chunks in this order; `None`: a place without a chunk.
fn in_places(chunks: &[u8], places: &[Option<usize>]) -> Vec<u8> {
    let empty = vec![0; CHUNK_BYTES];
    let chunk =
        |place: &Option<usize>| place.map_or(&empty[..], |at| &chunks[at * CHUNK_BYTES..][..CHUNK_BYTES]);
    places.iter().flat_map(chunk).copied().collect()
}

/// A ring of version 4: four places with these of the first chunks.
fn in_older_ring(count: u64) -> Vec<u8> {
    let chunks = chunks_by(StreamWriter::of_version_4(Vec::new(), 0), count);
    let mut ring = vec![0; 4 * CHUNK_BYTES];
    for (number, chunk) in chunks.chunks(CHUNK_BYTES).enumerate() {
        ring[number % 4 * CHUNK_BYTES..][..CHUNK_BYTES].copy_from_slice(chunk);
    }
    ring
}

/// The tasks in the order in which they are read, and where the stream begins.
fn tasks(bytes: &[u8]) -> (Vec<u64>, Option<Stamp>) {
    let mut reader = StreamReader::new(bytes, Path::new(FILE), 0);
    let mut tasks = Vec::new();
    for entry in &mut reader {
        if let Record::GroupBegin { task } = entry.unwrap().record {
            tasks.push(task.ordinal());
        }
    }
    (tasks, reader.kept_from())
}

#[test]
fn an_older_ring_is_read_from_its_oldest_chunk_on() {
    assert_eq!(tasks(&in_older_ring(4)), (vec![1, 2, 3, 4], None));
    assert_eq!(tasks(&in_older_ring(6)), (vec![3, 4, 5, 6], Some(Stamp(200))));
    assert_eq!(tasks(&in_older_ring(9)), (vec![6, 7, 8, 9], Some(Stamp(500))));
}

#[test]
fn a_place_of_an_older_ring_may_be_empty() {
    // The next chunk was prepared in the place of the oldest one, and not begun.
    let clear = |mut ring: Vec<u8>, place: usize| {
        ring[place * CHUNK_BYTES..][..CHUNK_BYTES].fill(0);
        ring
    };
    assert_eq!(tasks(&clear(in_older_ring(4), 0)), (vec![2, 3, 4], Some(Stamp(100))));
    assert_eq!(tasks(&clear(in_older_ring(6), 2)), (vec![4, 5, 6], Some(Stamp(300))));
}

#[test]
fn of_a_damaged_older_ring_the_newest_chunks_are_read() {
    let mut ring = in_older_ring(6);
    ring[3 * CHUNK_BYTES + 16] = 77; // the number of the chunk before the last two
    assert_eq!(tasks(&ring), (vec![5, 6], Some(Stamp(400))));
}

#[test]
fn chunks_are_read_in_the_order_of_their_numbers() {
    let five = chunks(5);
    let all = (vec![1, 2, 3, 4, 5], None);
    for places in [[4, 3, 0, 1, 2], [3, 4, 0, 1, 2], [0, 1, 2, 3, 4]] {
        assert_eq!(tasks(&in_places(&five, &places.map(Some))), all);
    }
    // A buffer was cleared, and its next chunk has not begun.
    assert_eq!(tasks(&in_places(&five, &[None, Some(4), Some(0), Some(1), Some(2), Some(3)])), all);
    assert_eq!(tasks(&in_places(&five, &[Some(4), None, Some(0), Some(1), Some(2), Some(3)])), all);
    // A buffer's place was reserved, and the buffer has not begun.
    assert_eq!(tasks(&in_places(&chunks(1), &[Some(0), None])), (vec![1], None));
}

#[test]
fn a_chunk_that_was_being_copied_counts_once() {
    let five = chunks(5);
    let begun = in_places(&five, &[Some(3), Some(4), Some(0), Some(1), Some(2), Some(3)]);
    for copied in [0, 8, CHUNK_HEADER_BYTES, CHUNK_HEADER_BYTES + 40, CHUNK_BYTES] {
        let mut bytes = begun.clone();
        bytes[5 * CHUNK_BYTES + copied..].fill(0);
        assert_eq!(tasks(&bytes), (vec![1, 2, 3, 4, 5], None), "{copied}");
    }
}

#[test]
fn a_file_that_was_cut_ends_where_a_chunk_is_missing() {
    let whole = in_places(&chunks(6), &[4, 5, 0, 1, 2, 3].map(Some));
    assert_eq!(tasks(&whole[..5 * CHUNK_BYTES]), (vec![1, 2, 3], None));
    assert_eq!(tasks(&whole[..4 * CHUNK_BYTES + 100]), (vec![1, 2], None));
    assert_eq!(tasks(&whole[..5 * CHUNK_BYTES + 400]), (vec![1, 2, 3, 4], None), "within chunk 3");
    let mut changed = whole[..4 * CHUNK_BYTES + 500].to_vec();
    changed[3 * CHUNK_BYTES] = 1;
    let message = read(&changed).unwrap_err().to_string();
    assert!(message.contains("byte 3145728") && message.contains("magic"), "{message}");
    let mut reader = StreamReader::new(&whole[..4 * CHUNK_BYTES], Path::new(FILE), 0);
    reader.by_ref().for_each(drop);
    assert!((CHUNK_BYTES as u64..2 * CHUNK_BYTES as u64).contains(&reader.reached()), "of the stream");
    let first_is_gone = read(&whole[..2 * CHUNK_BYTES]).unwrap_err().to_string();
    assert!(first_is_gone.contains("number 4 where 0 should stand"), "{first_is_gone}");
}

#[test]
fn a_missing_chunk_of_a_whole_file_is_damage() {
    let with_gap = in_places(&chunks(6), &[Some(4), Some(5), Some(0), Some(1), None, Some(3)]);
    let message = read(&with_gap).unwrap_err().to_string();
    assert!(
        message.contains("byte 5242880") && message.contains("number 3 where 2 should stand"),
        "{message}"
    );
    let mut changed = in_places(&chunks(6), &[4, 5, 0, 1, 2, 3].map(Some));
    changed[3 * CHUNK_BYTES] = 1;
    let message = read(&changed).unwrap_err().to_string();
    assert!(message.contains("byte 3145728") && message.contains("magic"), "{message}");
}

/// A ring of five places with these chunks, in the header of which the ring is named.
fn in_ring(count: u64, places: [Option<usize>; 5]) -> Vec<u8> {
    let mut ring = in_places(&chunks(count), &places);
    for at in (0..ring.len()).step_by(CHUNK_BYTES) {
        if ring[at] != 0 {
            let chunk = &mut ring[at..at + CHUNK_BYTES];
            chunk.copy_within(CHUNK_HEADER_BYTES..CHUNK_BYTES - 32, CHUNK_HEADER_BYTES + 32);
            chunk[CHUNK_HEADER_BYTES..][..32].fill(0);
            chunk[CHUNK_HEADER_BYTES] = 5;
            chunk[44..48].copy_from_slice(&(CHUNK_HEADER_BYTES as u32 + 32).to_le_bytes());
        }
    }
    ring
}

#[test]
fn a_ring_is_read_from_its_oldest_chunk_on() {
    let ring = |places: [usize; 5]| in_ring(9, places.map(Some));
    assert_eq!(tasks(&ring([4, 3, 0, 1, 2])), (vec![1, 2, 3, 4, 5], None));
    assert_eq!(tasks(&ring([8, 7, 6, 4, 5])), (vec![5, 6, 7, 8, 9], Some(Stamp(400))));
    // Chunk 6 was being copied to the place of chunk 3.
    assert_eq!(tasks(&ring([6, 7, 6, 4, 5])), (vec![5, 6, 7, 8], Some(Stamp(400))));
    let cleared = in_ring(9, [None, Some(7), Some(6), Some(4), Some(5)]);
    assert_eq!(tasks(&cleared), (vec![5, 6, 7, 8], Some(Stamp(400))));
    let cut = &ring([8, 7, 4, 5, 6])[..4 * CHUNK_BYTES + 500];
    assert_eq!(tasks(cut), (vec![8, 9], Some(Stamp(700))), "within chunk 6");
    // Chunk 5 is missing: the newest chunks that follow each other.
    assert_eq!(tasks(&ring([8, 7, 6, 3, 4])), (vec![7, 8, 9], Some(Stamp(600))));
}

#[test]
fn a_ring_tells_how_many_of_its_chunks_are_gone() {
    let gone = |bytes: &[u8]| StreamReader::new(bytes, Path::new(FILE), 0).gone();
    let ring = |places: [usize; 5]| in_ring(9, places.map(Some));
    let full = ring([8, 7, 6, 4, 5]);
    assert_eq!(gone(&full), 0);
    assert_eq!(gone(&ring([4, 3, 0, 1, 2])), 0, "not overwritten yet");
    assert_eq!(gone(&in_ring(3, [Some(2), Some(1), Some(0), None, None])), 0);
    assert_eq!(gone(&in_ring(9, [None, Some(7), Some(6), Some(4), Some(5)])), 0, "cleared");
    assert_eq!(gone(&ring([6, 7, 6, 4, 5])), 0, "killed while it copied chunk 6");
    assert_eq!(gone(&ring([8, 5, 6, 7, 4])), 0, "one buffer");
    // Cut behind its newest chunks, and within chunk 5.
    assert_eq!(gone(&full[..2 * CHUNK_BYTES]), 3);
    assert_eq!(gone(&full[..CHUNK_BYTES]), 3);
    assert_eq!(gone(&full[..4 * CHUNK_BYTES + 500]), 2);
    assert_eq!(gone(&in_ring(9, [Some(8), Some(7), Some(6), None, Some(5)])), 1, "chunk 4 was removed");
    assert_eq!(gone(&in_ring(3, [Some(2), Some(1), Some(0), None, None])[..2 * CHUNK_BYTES]), 1);
}
