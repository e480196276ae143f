// SPDX-License-Identifier: Apache-2.0
//! Loops, dependences and recursions of small recordings, as the page gets them.

use serde_json::{json, Value};
use trace::layout::schedule;
use trace::layout::task::IMPLICIT;
use trace::writer::RecordingWriter;
use trace::*;

use crate::model_test::{column, kept, model};

const ROOT: TaskId = TaskId::new(0, 1);

fn task(number: u64) -> TaskId {
    TaskId::new(0, 1 + number)
}

/// The data of a recording of one thread whose root task runs for `ticks`.
fn whole_of(ticks: u64, records: &[(u64, Record)]) -> Value {
    let directory = tempfile::tempdir().unwrap();
    let meta = RecordingWriter::plain_meta(1);
    let mut out = RecordingWriter::create(directory.path(), 1, &meta).unwrap();
    out.put(0, 0, Record::Create(Create { task: ROOT, flags: IMPLICIT, ..Default::default() })).unwrap();
    out.put(0, 0, Record::Start { task: ROOT, region: RegionId::NONE }).unwrap();
    for (at, record) in records {
        out.put(0, *at, *record).unwrap();
    }
    out.put(0, 0, Record::Run(Run { task: ROOT, ticks, ..Default::default() })).unwrap();
    out.end(ticks).unwrap();
    model(&kept(&directory), 1000)["whole"].take()
}

/// A loop of `chunks` chunks of two iterations; the later ones are longer.
fn loop_of(chunks: u64) -> Value {
    let id = LoopId::new(0, 1);
    let instance = Loop {
        id,
        threads: 1,
        lb: 100,
        ub: 100 - 2 * 3 * chunks as i64,
        step: -3,
        chunk: 2,
        flags: schedule::DYNAMIC,
        ..Loop::default()
    };
    let mut records = vec![(10, Record::Loop(instance))];
    for number in 0..chunks {
        let first = 100 - 6 * number as i64;
        let chunk = Chunk { id, task: ROOT, first, iterations: 2, ticks: 1 + number, cpu: 0 };
        records.push((10 + chunks * (number + 1), Record::Chunk(chunk)));
    }
    let ticks = 10 + chunks * (chunks + 1);
    records.push((10, Record::LoopThread(LoopThread { id, task: ROOT, ticks })));
    whole_of(ticks + 10, &records)
}

#[test]
fn a_device_has_its_transfers_and_regions() {
    let construct = Device {
        task: ROOT,
        device: 3,
        bytes_to: 4_000,
        bytes_from: 8,
        waited: 10,
        prepared: 5,
        there: 500,
        received: 50,
        ran_ns: 400,
        construct: DeviceConstruct::Target,
        ..Device::default()
    };
    let update =
        Device { there: 30, received: 0, ran_ns: 0, construct: DeviceConstruct::Update, ..construct };
    let whole = whole_of(1_000, &[(85, Record::Device(construct)), (700, Record::Device(update))]);
    let devices = &whole["devices"];
    assert_eq!((&devices["devices"], &devices["more"]), (&json!([3]), &json!(0)));
    let names: Vec<_> =
        devices["places"].as_array().unwrap().iter().map(|place| &place["construct"]).collect();
    assert_eq!(names, ["target", "update"]);
    let piece = &devices["piece"];
    let of = |name: &str| column(&piece[name]);
    assert_eq!(of("start"), [100.0, 200.0, 600.0, 715.0]);
    assert_eq!(of("end"), [200.0, 600.0, 650.0, 745.0]);
    assert_eq!(of("bytes"), [4_000.0, 0.0, 8.0, 4_000.0]);
    assert_eq!(column(&piece["kind"]), [0.0, 1.0, 2.0, 0.0]);
    assert_eq!(column(&piece["place"]), [0.0, 0.0, 0.0, 1.0]);
    assert!(whole_of(10, &[]).get("devices").is_none());
}

#[test]
fn a_loop_is_shown_chunk_by_chunk() {
    let whole = loop_of(4);
    let instance = &whole["loops"][0];
    assert_eq!((&instance["schedule"], &instance["chunk"]), (&"dynamic".into(), &2.into()));
    assert_eq!((&instance["chunks"], &instance["iterations"]), (&4.into(), &8.0.into()));
    assert_eq!(column(&instance["row"]["first"]), [0.0, 2.0, 4.0, 6.0]);
    assert_eq!(column(&instance["row"]["work"]), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(instance["work_ns"], 10.0);
    assert_eq!(whole["more_loops"], 0);
}

#[test]
fn many_chunks_are_shown_by_ranges_of_iterations() {
    let whole = loop_of(1500);
    let row = &whole["loops"][0]["row"];
    let counts = column(&row["count"]);
    assert!(counts.len() <= 512 && counts.iter().all(|&count| (2.0..=4.0).contains(&count)), "{counts:?}");
    assert_eq!(counts.iter().sum::<f64>(), 1500.0);
    assert_eq!(column(&row["work"]).iter().sum::<f64>(), whole["loops"][0]["work_ns"].as_f64().unwrap());
    assert!(column(&row["first"]).is_sorted());
}

/// Ten tasks; `before(n)` are the tasks on which task n depends.
fn dependences(before: impl Fn(u64) -> Vec<u64>) -> Value {
    let mut records = Vec::new();
    for number in 1..=10 {
        for predecessor in before(number) {
            let dep = Dep {
                predecessor: task(predecessor),
                successor: task(number),
                address: 64,
                ..Dep::default()
            };
            records.push((10 * number, Record::Dep(dep)));
        }
        let create = Create { task: task(number), parent: ROOT, cost: 1, ..Default::default() };
        records.push((10 * number, Record::Create(create)));
    }
    for number in 1..=10 {
        let run = Run { task: task(number), ticks: 5, ..Default::default() };
        records.push((1000 + 10 * number, Record::Run(run)));
    }
    whole_of(2000, &records)["dependences"].take()
}

#[test]
fn a_chain_has_one_task_on_each_level() {
    let chain = dependences(|number| (1..number).last().into_iter().collect());
    assert_eq!((&chain["count"], &chain["tasks"], &chain["levels"]), (&9.into(), &10.into(), &10.into()));
    assert_eq!(column(&chain["width"]), [1.0; 10]);
    assert_eq!(chain["pairs"][0]["count"], 9);
}

#[test]
fn a_wavefront_widens() {
    // Rows of 1, 2, 3 and 4 tasks; each task depends on the last task of the row above.
    let above = |number: u64| match number {
        1 => vec![],
        2..=3 => vec![1],
        4..=6 => vec![3],
        _ => vec![6],
    };
    assert_eq!(column(&dependences(above)["width"]), [1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn nothing_is_said_of_dependences_where_there_are_none() {
    let none = dependences(|_| Vec::new());
    assert_eq!((&none["tasks"], &none["levels"]), (&0.into(), &0.into()));
    assert!(column(&none["width"]).is_empty() && none["pairs"].as_array().unwrap().is_empty());
}

#[test]
fn grains_of_one_path_of_creation_are_one_node() {
    let create =
        |number, parent| Record::Create(Create { task: task(number), parent, cost: 1, ..Default::default() });
    let run = |number| Record::Run(Run { task: task(number), ticks: 5, ..Default::default() });
    let mut records = Vec::new();
    for number in 1..=3 {
        records.push((10 * number, create(number, ROOT)));
    }
    for number in 1..=3 {
        records.push((100 * number, run(number)));
    }
    let flame = whole_of(2000, &records)["flame"].take();
    assert_eq!(column(&flame["count"]), [1.0, 3.0]);
    assert_eq!(column(&flame["own_ns"])[1], 15.0);
    assert_eq!(column(&flame["parent"])[1], 0.0);
    assert_eq!(flame["more"], 0);
}

/// After 100 ticks, three rounds of two regions of one thread, of 50 and 30 ticks, with 10 ticks of
/// serial work behind each. The first region has a loop of one chunk. In the second round its end
/// is `late`.
fn rounds(late: u64) -> Vec<(u64, Record<'static>)> {
    let place = |site| Record::Site(Site { site, call_site: 0x1000 * u64::from(site), ..Default::default() });
    let mut records = vec![(0, place(1)), (0, place(2)), (0, place(3))];
    for number in 0..6 {
        let (site, length) = if number % 2 == 0 { (1, 50) } else { (2, 30) };
        let at = 100 + 100 * (number / 2) + 60 * (number % 2);
        let (region, member) = (RegionId::new(0, 1 + number), task(10 + number));
        let begin = Region { region, parent: ROOT, threads: 1, requested: 1, level: 1, site };
        records.push((at, Record::Region(begin)));
        let create = Create { task: member, parent: ROOT, site, flags: IMPLICIT, ..Default::default() };
        records.push((at, Record::Create(create)));
        if site == 1 {
            let id = LoopId::new(0, 1 + number);
            records.push((
                at,
                Record::Loop(Loop { id, region, site: 3, threads: 1, ub: 8, step: 1, ..Default::default() }),
            ));
            records.push((
                at + 5,
                Record::Chunk(Chunk { id, task: member, first: 0, iterations: 8, ticks: 40, cpu: 0 }),
            ));
        }
        records.push((at, Record::Run(Run { task: member, region, ticks: length, ..Default::default() })));
        let late = if number == 2 { late } else { 0 };
        records.push((at + length + late, Record::RegionEnd { region }));
    }
    records
}

#[test]
fn the_outline_folds_rounds_and_has_what_is_in_a_region() {
    let outline = whole_of(400, &rounds(0))["outline"].take();
    let rows = outline["row"].as_array().unwrap();
    let row = |row: &Value| {
        let kind = row["kind"].as_str().unwrap();
        format!("{} {kind} x{} {}", row["depth"], row["count"], row["wall_ns"])
    };
    let expected = [
        "0 start x1 100.0",
        "0 repeat x3 290.0",
        "1 region x3 150.0",
        "2 loop x3 120.0",
        "1 serial x3 30.0",
        "1 region x3 90.0",
        "1 serial x2 20.0",
        "0 end x1 10.0",
    ];
    assert_eq!(rows.iter().map(row).collect::<Vec<_>>(), expected);
    assert_eq!((&rows[3]["work_ns"], &outline["more"]), (&120.0.into(), &0.into()));
    assert_eq!(outline["classes"], serde_json::json!(["work"]));
    let sum = |row: &Value| row["classes"].as_array().unwrap().iter().filter_map(Value::as_f64).sum::<f64>();
    assert_eq!(sum(&rows[2]), 150.0, "{}", rows[2]);
    assert_eq!((&rows[0]["work_ns"], sum(&rows[0])), (&100.0.into(), 100.0), "the initial task works");
    assert_eq!((&rows[4]["work_ns"], sum(&rows[4])), (&30.0.into(), 30.0));
}

/// A run of 2,000 ticks of two workers. Serial until 400, where the recorder has the second worker
/// for 100; then regions of two threads from 400 to 700 and from 900 to 1300, at one place or two.
/// In each region the threads arrive at a barrier after 100 and after 140 ticks, and a chunk runs
/// before it; the recorder has the second worker for 60 ticks after it has left the second region.
fn two_regions(places: [u32; 2]) -> Value {
    let directory = tempfile::tempdir().unwrap();
    let meta = RecordingWriter::plain_meta(2);
    let mut out = RecordingWriter::create(directory.path(), 2, &meta).unwrap();
    let mut put = |worker: u16, at: u64, record: Record| out.put(worker, at, record).unwrap();
    for site in 1..=4 {
        put(0, 0, Record::Site(Site { site, call_site: 0x1000 * u64::from(site), ..Default::default() }));
    }
    put(0, 0, Record::Create(Create { task: ROOT, flags: IMPLICIT, ..Default::default() }));
    put(0, 0, Record::Start { task: ROOT, region: RegionId::NONE });
    put(1, 200, Record::Recorder { ticks: 100 });
    for (number, (begin, end)) in [(400, 700), (900, 1300)].into_iter().enumerate() {
        let region = RegionId::new(0, 1 + number as u64);
        let site = places[number];
        let record = Region { region, parent: ROOT, threads: 2, requested: 2, level: 1, site };
        put(0, begin, Record::Region(record));
        let members = [TaskId::new(0, 10 + number as u64), TaskId::new(1, 10 + number as u64)];
        let id = LoopId::new(0, 1 + number as u64);
        let instance = Loop { id, region, site: 3, threads: 2, ub: 8, step: 1, ..Default::default() };
        put(0, begin, Record::Loop(instance));
        for (worker, (task, after)) in (0u16..).zip(members.into_iter().zip([100, 140])) {
            let flags = IMPLICIT;
            put(
                worker,
                begin,
                Record::Create(Create { task, parent: ROOT, site, flags, ..Default::default() }),
            );
            if worker == 0 {
                let chunk = Chunk { id, task, first: 0, iterations: 8, ticks: 40, cpu: 0 };
                put(0, begin + 5, Record::Chunk(chunk));
            }
            let wait = |kind, ticks, barrier| Wait { kind, task, ticks, site: 4, barrier, departures: 0 };
            let left = begin + 150;
            put(worker, begin + after, Record::Wait(wait(WaitKind::Barrier, left - begin - after, 1)));
            let ticks = if worker == 0 { end - begin } else { end - 80 - begin };
            if worker == 0 {
                put(0, end - 20, Record::Wait(wait(WaitKind::RegionEnd, 20, 0)));
            }
            put(worker, begin, Record::Run(Run { task, region, ticks, ..Default::default() }));
            if worker == 1 && number == 1 {
                put(1, end - 70, Record::Recorder { ticks: 60 });
            }
        }
        put(0, end, Record::RegionEnd { region });
    }
    put(0, 0, Record::Run(Run { task: ROOT, ticks: 2000, ..Default::default() }));
    out.end(2000).unwrap();
    model(&kept(&directory), 1000)["whole"].take()
}

/// Kinds and times of rows; checks that no row has more of the workers' time than there was.
fn outline_of(whole: &Value) -> Vec<String> {
    let outline = &whole["outline"];
    let rows = outline["row"].as_array().unwrap();
    let sum = |row: &Value| row["classes"].as_array().unwrap().iter().filter_map(Value::as_f64).sum::<f64>();
    for row in rows.iter().filter(|row| row["wall_ns"] != 0.0) {
        assert!(sum(row) <= 2.0 * row["wall_ns"].as_f64().unwrap() + 1e-9, "{row}");
    }
    let roots = || rows.iter().filter(|row| row["depth"] == 0);
    assert_eq!(roots().map(sum).sum::<f64>(), 4000.0, "{outline}");
    let own = |row: &Value| row["own_ns"].as_f64().unwrap();
    assert!((rows.iter().map(own).sum::<f64>() - 4000.0).abs() < 1e-6, "own time: the budget");
    for (at, row) in rows.iter().enumerate() {
        let depth = row["depth"].as_u64();
        let below = rows[at + 1..].iter().take_while(|below| below["depth"].as_u64() > depth);
        let of_all = own(row) + below.map(own).sum::<f64>();
        assert!((of_all - sum(row)).abs() < 1e-6, "{of_all} with the rows below {row}");
    }
    let show = |row: &Value| {
        let kind = row["kind"].as_str().unwrap();
        format!("{} {kind} x{} {} {}", row["depth"], row["count"], row["wall_ns"], row["work_ns"])
    };
    rows.iter().map(show).collect()
}

#[test]
fn a_row_has_the_time_of_its_own_instances() {
    let whole = two_regions([1, 2]);
    let expected = [
        "0 start x1 400.0 400.0",
        "0 region x1 300.0 440.0",
        "1 phase x1 140.0 240.0",
        "2 loop x1 40.0 40.0",
        "1 phase x1 160.0 200.0",
        "0 serial x1 200.0 200.0",
        "0 region x1 400.0 640.0",
        "1 phase x1 140.0 240.0",
        "2 loop x1 40.0 40.0",
        "1 phase x1 260.0 400.0",
        "0 end x1 700.0 700.0",
    ];
    assert_eq!(outline_of(&whole), expected);
    let outline = &whole["outline"];
    let recorder =
        outline["classes"].as_array().unwrap().iter().position(|class| class == "recorder").unwrap();
    let of = |row: usize| outline["row"][row]["classes"][recorder].as_f64().unwrap();
    assert_eq!([0, 1, 5, 6, 9, 10].map(of), [100.0, 0.0, 0.0, 60.0, 60.0, 0.0], "where it happened");
    let own = |row: usize| outline["row"][row]["own_ns"].as_f64().unwrap();
    assert_eq!([1, 2, 3, 4].map(own), [0.0, 240.0, 40.0, 320.0], "a region with phases has none");
    let inside = &outline["piece"]["inside"];
    assert_eq!((column(&inside["piece"]), column(&inside["row"])), (vec![1.0, 4.0], vec![3.0, 8.0]));
    let shares = column(&inside["share"]);
    assert_eq!(shares[0], (40.0f64 / 280.0 * 255.0).round(), "of the work, in both workers' 140 ticks");
    let same = two_regions([1, 1]);
    let expected = [
        "0 start x1 400.0 400.0",
        "0 repeat x2 900.0 1280.0",
        "1 region x2 700.0 1080.0",
        "2 phase x2 280.0 480.0",
        "3 loop x2 80.0 80.0",
        "2 phase x2 420.0 600.0",
        "1 serial x1 200.0 200.0",
        "0 end x1 700.0 700.0",
    ];
    assert_eq!(outline_of(&same), expected);
}

/// What the rows have in a part of the run is what the lanes have there.
#[test]
fn the_pieces_of_the_outline_have_the_times_of_the_lanes() {
    let whole = two_regions([1, 2]);
    let outline = &whole["outline"];
    let piece = |name: &str| column(&outline["piece"][name]);
    assert_eq!(piece("row"), [0.0, 2.0, 4.0, 5.0, 7.0, 9.0, 10.0]);
    assert_eq!(piece("start"), [0.0, 400.0, 540.0, 700.0, 900.0, 1040.0, 1300.0]);
    assert_eq!(piece("length"), [400.0, 140.0, 160.0, 200.0, 140.0, 260.0, 700.0]);
    assert_eq!(piece("time"), piece("length"));
    let classes = outline["classes"].as_array().unwrap();
    assert_eq!(outline["classes"], whole["lanes"]["classes"]);
    let lanes = column(&whole["lanes"]["share"]);
    let interval = whole["lanes"]["interval_ns"].as_f64().unwrap();
    let (starts, lengths) = (piece("start"), piece("length"));
    for (at, shares) in piece("share").chunks(classes.len()).enumerate() {
        for (class, share) in shares.iter().enumerate() {
            let spent = lanes.chunks(classes.len()).enumerate().map(|(lane, shares)| {
                let begin = (lane % 2048) as f64 * interval;
                let part = (begin + interval).min(starts[at] + lengths[at]) - begin.max(starts[at]);
                part.max(0.0) * shares[class]
            });
            let all: f64 = spent.sum::<f64>() / 2.0 / lengths[at];
            assert!((share - all).abs() <= 2.0, "piece {at}, {}: {share} of 255, {all}", classes[class]);
        }
    }
}

#[test]
fn a_region_that_ends_late_is_a_round_like_the_others() {
    let kinds = |late| {
        let outline = whole_of(400, &rounds(late))["outline"].take();
        let rows = outline["row"].as_array().unwrap().clone();
        rows.iter().map(|row| (row["kind"].clone(), row["count"].clone())).collect::<Vec<_>>()
    };
    assert_eq!(kinds(15), kinds(0));
}

#[test]
fn lanes_have_the_shares_of_each_interval_and_the_stretches_without_a_grain() {
    let lanes = &loop_of(4)["lanes"];
    let classes = lanes["classes"].as_array().unwrap().len();
    assert_eq!(lanes["classes"][0], "work");
    let intervals = lanes["intervals"].as_u64().unwrap() as usize;
    assert_eq!(intervals, 2048);
    let share = column(&lanes["share"]);
    assert_eq!(share.len(), intervals * classes);
    // Each share is rounded.
    let most = 255.0 + classes as f64 / 2.0;
    assert!(share.chunks(classes).all(|shares| shares.iter().sum::<f64>() <= most));
    let stretch = &lanes["stretch"];
    let [start, end, class] = ["start", "end", "class"].map(|name| column(&stretch[name]));
    assert!(start.iter().zip(&end).all(|(start, end)| start < end));
    assert!(class.iter().all(|&class| class >= 1.0 && class < classes as f64), "work is no stretch");
}
