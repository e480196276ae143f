// SPDX-License-Identifier: Apache-2.0
//! Models of small recordings, folded to few rows, must hold what docs/formats/view.md promises.

use base64::prelude::{Engine, BASE64_STANDARD};
use grains::budget::Budget;
use grains::metrics::{Limits, Thresholds};
use grains::Profile;
use reports::report::Facts;
use serde_json::Value;
use symbols::sites::Sites;
use symbols::Symbols;
use trace::layout::task::IMPLICIT;
use trace::writer::RecordingWriter;
use trace::*;

use super::kept::Kept;
use super::measures::Measures;
use super::model::{About, Folding, Model};
use super::speedup::speedups;
use super::title::Title;
use super::whole::lanes;
use super::whole::outline::{self, plan::Plan};

pub const ROOT: TaskId = TaskId::new(0, 1);

/// A recording on one worker, whose clock advances with each action.
pub struct Program {
    directory: tempfile::TempDir,
    out: RecordingWriter,
    pub now: u64,
    tasks: u64,
}

impl Program {
    pub fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let out = RecordingWriter::create(directory.path(), 1, &RecordingWriter::plain_meta(1)).unwrap();
        let mut program = Self { directory, out, now: 0, tasks: 1 };
        program.put(0, Record::Create(Create { task: ROOT, flags: IMPLICIT, ..Default::default() }));
        program.put(0, Record::Start { task: ROOT, region: RegionId::NONE });
        program
    }

    pub fn put(&mut self, at: u64, record: Record) {
        self.out.put(0, at, record).unwrap();
    }

    pub fn create(&mut self, parent: TaskId) -> TaskId {
        self.tasks += 1;
        self.now += 10;
        let task = TaskId::new(0, self.tasks);
        self.put(self.now, Record::Create(Create { task, parent, cost: 1, ..Default::default() }));
        task
    }

    pub fn leaf(&mut self, task: TaskId) {
        self.put(self.now, Record::Run(Run { task, ticks: 5 + self.tasks % 7, ..Default::default() }));
        self.now += 20;
    }

    pub fn taskwait(&mut self, task: TaskId, since: u64) {
        self.now += 1;
        let kind = WaitKind::Taskwait;
        self.put(
            since,
            Record::Wait(Wait { kind, task, ticks: self.now - since, site: 0, barrier: 0, departures: 0 }),
        );
    }

    /// A task with `below` levels of two children each.
    pub fn tree(&mut self, task: TaskId, below: u32) {
        let start = self.now;
        if below > 0 {
            let children = [self.create(task), self.create(task)];
            let since = self.now + 3;
            self.now = since;
            for child in children {
                self.tree(child, below - 1);
            }
            self.taskwait(task, since);
        }
        self.now += 5;
        if task != ROOT {
            self.put(start, Record::Run(Run { task, ticks: self.now - start, ..Default::default() }));
        }
    }

    pub fn end(mut self) -> Kept {
        self.put(0, Record::Run(Run { task: ROOT, ticks: self.now + 5, ..Default::default() }));
        self.out.end(self.now + 5).unwrap();
        kept(&self.directory)
    }
}

pub fn kept(directory: &tempfile::TempDir) -> Kept {
    let profile = Profile::of(Recording::open(directory.path()).unwrap(), &|_| {}).unwrap();
    let sites = Sites::of(&profile, &Symbols::resolve(&profile));
    let limits = Limits::of(Thresholds::Thesis, &["scatter=0".parse().unwrap()]);
    let measures = Measures::of(&profile, None, &limits);
    Kept::of(profile, sites, measures)
}

pub fn model(kept: &Kept, limit: usize) -> Value {
    let profile = &kept.profile;
    let symbols = Symbols::resolve(profile);
    let plan = Plan::of(profile);
    let site_of = outline::sites_of_rows(profile, &kept.sites);
    let (budget, time) = Budget::over_time(profile, lanes::detail(profile, &plan.cuts, &site_of));
    let facts = Facts::of(profile, &budget, &symbols);
    let speedup = speedups(profile, &symbols);
    let folding = Folding { from: limit, to: limit, opens: true };
    let title = Title { name: "test.teff".to_owned(), ..Title::default() };
    let about =
        About { budget: &budget, time: &time, plan: &plan, facts: &facts, symbols: &symbols, speedup };
    serde_json::to_value(Model::of(kept, about, title, folding, false)).unwrap()
}

/// A column as numbers.
pub fn column(column: &Value) -> Vec<f64> {
    let bytes = BASE64_STANDARD.decode(column["data"].as_str().unwrap()).unwrap();
    let number = |b: &[u8]| match column["type"].as_str().unwrap() {
        "u8" => f64::from(b[0]),
        "u16" => f64::from(u16::from_le_bytes([b[0], b[1]])),
        "u32" => f64::from(u32::from_le_bytes(b.try_into().unwrap())),
        "f32" => f64::from(f32::from_le_bytes(b.try_into().unwrap())),
        _ => f64::from_le_bytes(b.try_into().unwrap()),
    };
    let width = match column["type"].as_str().unwrap() {
        "u8" => 1,
        "u16" => 2,
        "u32" | "f32" => 4,
        _ => 8,
    };
    bytes.chunks_exact(width).map(number).collect()
}

pub fn rows(column_value: &Value) -> Vec<usize> {
    column(column_value).into_iter().map(|number| number as usize).collect()
}

pub const NONE: usize = u32::MAX as usize;

/// Checks what must be true for every model; returns the number of rows.
fn check(kept: &Kept, limit: usize) -> usize {
    let profile = &kept.profile;
    let model = model(kept, limit);
    let parent = rows(&model["grain"]["parent"]);
    let shown = parent.len();
    assert!(shown <= limit.max(1), "{shown} rows, {limit} allowed");
    assert_eq!(model["run"]["shown"], shown);
    for (name, values) in model["grain"].as_object().unwrap() {
        assert_eq!(column(values).len(), shown, "{name}");
    }
    assert_eq!(column(&model["grain"]["count"]).iter().sum::<f64>(), profile.grains.len() as f64);
    assert_eq!(column(&model["grain"]["work"]).iter().sum::<f64>(), profile.work.0 as f64);
    assert!(parent.iter().enumerate().all(|(row, &parent)| parent == NONE || parent < row));
    check_fragments(&model);
    check_items(&model, &parent);
    check_speedup(&model);
    check_whole(&model, profile);
    let classes = model["answers"]["classes"].as_array().unwrap();
    let sum: f64 = classes.iter().map(|class| class["ns"].as_f64().unwrap()).sum();
    let whole = profile.wall.0 as f64 * f64::from(profile.workers);
    assert!((sum - whole).abs() <= 1e-6 * whole, "{sum} of {whole}");
    let fragments = rows(&model["fragment"]["grain"]);
    assert!(fragments.is_sorted());
    shown
}

/// The recorded number of threads is among the predicted numbers, and no prediction is faster than
/// its bound.
fn check_speedup(model: &Value) {
    let points = model["speedup"].as_array().unwrap();
    assert_eq!(points.iter().filter(|point| point["recorded"] == true).count(), 1);
    assert_eq!((&points[0]["threads"], &points[0]["speedup"]), (&Value::from(1), &Value::from(1.0)));
    for point in points {
        let [speedup, bound] = ["speedup", "bound"].map(|name| point[name].as_f64().unwrap());
        assert!(
            speedup <= bound * (1.0 + 1e-9) && !point["limited_by"].as_str().unwrap().is_empty(),
            "{point}"
        );
    }
}

/// These are sums over all grains, whichever grains are folded.
fn check_whole(model: &Value, profile: &Profile) {
    let whole = &model["whole"];
    let work = profile.ns(profile.work);
    let flame = &whole["flame"];
    assert_eq!(column(&flame["own_ns"]).iter().sum::<f64>(), work);
    let is_root = |&(_, &parent): &(f64, &usize)| parent == NONE;
    let (totals, parents) = (column(&flame["total_ns"]), rows(&flame["parent"]));
    let roots = totals.into_iter().zip(&parents).filter(is_root);
    assert_eq!(roots.map(|(total, _)| total).sum::<f64>(), work);
    let sites = model["sites"].as_array().unwrap().iter();
    for (site, more) in sites.zip(whole["sites"].as_array().unwrap()) {
        let grains: u64 = more["histogram"].as_array().unwrap().iter().map(|bin| bin.as_u64().unwrap()).sum();
        let has_grains = ["task", "implicit", "initial", "chunk"].contains(&site["kind"].as_str().unwrap());
        assert_eq!(if has_grains { site["count"].as_u64().unwrap() } else { 0 }, grains, "{site}");
    }
    let interval = whole["strip"]["interval_ns"].as_f64().unwrap();
    let running: f64 = column(&whole["strip"]["running"]).iter().map(|mean| mean * interval).sum();
    let length: f64 = profile.fragments.intervals().map(|(start, end)| profile.ns(end - start)).sum();
    assert!((running - length).abs() <= 1e-3 * length, "{running}, {length}");
    let working: f64 = column(&whole["strip"]["working"]).iter().map(|mean| mean * interval).sum();
    assert!((working - work).abs() <= 1e-3 * work, "{working}, {work}");
}

/// The work of a row is the work of its fragments, as long as no group includes some of them.
fn check_fragments(model: &Value) {
    let mut left = column(&model["grain"]["work"]);
    let of = rows(&model["fragment"]["grain"]).into_iter().zip(column(&model["fragment"]["work"]));
    of.for_each(|(grain, work)| left[grain] -= work);
    let is_whole = model["run"]["shown"] == model["run"]["grains"];
    let fits = |left: &f64| *left >= -1.0 && (*left <= 1.0 || !is_whole);
    assert!(left.iter().all(fits), "{left:?}");
}

/// Every row but the roots is begun by one item of its parent; every fragment stands in its grain's
/// items.
fn check_items(model: &Value, parent: &[usize]) {
    let (kind, target) = (rows(&model["item"]["kind"]), rows(&model["item"]["ref"]));
    let start = rows(&model["item_start"]);
    let fragment_grain = rows(&model["fragment"]["grain"]);
    assert_eq!((start.len(), *start.last().unwrap()), (parent.len() + 1, kind.len()));
    let mut begun = vec![0; parent.len()];
    let mut fragments = 0;
    for row in 0..parent.len() {
        assert!(start[row] < start[row + 1], "row {row} has no items");
        for item in start[row]..start[row + 1] {
            match kind[item] {
                0 => {
                    assert_eq!(fragment_grain[target[item]], row);
                    fragments += 1;
                }
                1 | 3 => {
                    assert_eq!(parent[target[item]], row);
                    begun[target[item]] += 1;
                }
                _ => assert!(target[item] <= 4),
            }
        }
    }
    assert_eq!(fragments, fragment_grain.len());
    let roots = |row: usize| usize::from(parent[row] != NONE);
    assert!((0..parent.len()).all(|row| begun[row] == roots(row)));
}

#[test]
fn no_grain_and_one_grain() {
    let directory = tempfile::tempdir().unwrap();
    RecordingWriter::create(directory.path(), 1, &RecordingWriter::plain_meta(1)).unwrap().end(5).unwrap();
    assert_eq!(check(&kept(&directory), 100), 0);
    assert_eq!(check(&Program::new().end(), 100), 1);
}

#[test]
fn a_small_recording_is_shown_whole_with_its_shape() {
    let mut program = Program::new();
    program.tree(ROOT, 1);
    let kept = program.end();
    assert_eq!(check(&kept, 3), 3);
    let model = model(&kept, 3);
    // root: fragment fork fragment fork fragment taskwait fragment; then the children's fragments
    assert_eq!(rows(&model["item"]["kind"]), [0, 1, 0, 1, 0, 2, 0, 0, 0]);
    assert_eq!(rows(&model["item"]["ref"]), [0, 1, 1, 2, 2, 0, 3, 4, 5]);
    assert_eq!(rows(&model["grain"]["kind"]), [4, 0, 0]);
}

#[test]
fn a_deep_tree_is_folded() {
    let mut program = Program::new();
    program.tree(ROOT, 8);
    let kept = program.end();
    assert_eq!(kept.profile.grains.len(), 511);
    assert_eq!(check(&kept, 511), 511);
    for limit in [510, 100, 30, 7] {
        assert!(check(&kept, limit) > limit / 4);
    }
}

#[test]
fn many_siblings_are_folded() {
    let mut program = Program::new();
    let children: Vec<_> = (0..600).map(|_| program.create(ROOT)).collect();
    let since = program.now + 5;
    program.now = since;
    for child in children {
        program.leaf(child);
    }
    program.taskwait(ROOT, since);
    let kept = program.end();
    for limit in [601, 600, 50, 9] {
        check(&kept, limit);
    }
}

#[test]
fn joins_between_hidden_children_go_into_the_group_where_rows_are_few() {
    let mut program = Program::new();
    for _ in 0..400 {
        let child = program.create(ROOT);
        let since = program.now + 5;
        program.now = since;
        program.leaf(child);
        program.taskwait(ROOT, since);
    }
    let kept = program.end();
    for limit in [401, 200, 20] {
        check(&kept, limit);
    }
    let items = rows(&model(&kept, 20)["item"]["kind"]).len();
    assert!(items < 200, "{items} items for 20 rows");
}

#[test]
fn chunks_are_folded_in_sequence() {
    let mut program = Program::new();
    let id = LoopId::new(0, 1);
    program.put(0, Record::Loop(Loop { id, ..Default::default() }));
    for first in 0..300 {
        program.now += 10;
        program.put(
            program.now - 8,
            Record::Chunk(Chunk { id, task: ROOT, first, iterations: 2, ticks: 6, cpu: 0 }),
        );
    }
    let kept = program.end();
    check(&kept, 301);
    check(&kept, 40);
    let model = model(&kept, 40);
    let groups: Vec<_> = rows(&model["grain"]["kind"]).into_iter().filter(|&kind| kind == 3).collect();
    assert!(!groups.is_empty());
    assert_eq!(column(&model["grain"]["iterations"]).iter().sum::<f64>(), 600.0);
    assert!(rows(&model["item"]["kind"]).contains(&3));
}

/// Two tasks of a modelled run with the same label. For one of them, the time of its waits for
/// memory is known.
fn modelled() -> Kept {
    let directory = tempfile::tempdir().unwrap();
    let (labels, workers) = (vec!["map".to_owned()], vec!["link 0-1".to_owned()]);
    let run = Modelled {
        machine: "toy".to_owned(),
        policy: "WS".to_owned(),
        labels,
        workers,
        ..Default::default()
    };
    let meta = Meta { modelled: Some(run), ..RecordingWriter::plain_meta(1) };
    let mut out = RecordingWriter::create(directory.path(), 1, &meta).unwrap();
    let tasks = [TaskId::new(0, 2), TaskId::new(0, 3)];
    let stall = 30u64.to_le_bytes();
    let mut put = |at, record| out.put(0, at, record).unwrap();
    put(0, Record::Create(Create { task: ROOT, flags: IMPLICIT, ..Default::default() }));
    put(0, Record::Site(Site { site: 1, module: 0, call_site: 1, function: 0 }));
    put(0, Record::Counter(Counter { counter: 1, name: layout::MEMORY_STALL }));
    for task in tasks {
        put(0, Record::Create(Create { task, parent: ROOT, site: 1, ..Default::default() }));
    }
    put(
        50,
        Record::Counts(Counts {
            first: 1,
            task: tasks[0],
            flags: layout::counts::TASK,
            bytes: &stall,
            ..Counts::default()
        }),
    );
    put(10, Record::Run(Run { task: tasks[0], ticks: 40, ..Default::default() }));
    put(50, Record::Run(Run { task: tasks[1], ticks: 20, ..Default::default() }));
    let kind = WaitKind::Taskwait;
    put(10, Record::Wait(Wait { kind, task: ROOT, ticks: 60, site: 0, barrier: 0, departures: 0 }));
    put(0, Record::Run(Run { task: ROOT, ticks: 80, ..Default::default() }));
    out.end(80).unwrap();
    kept(&directory)
}

#[test]
fn waits_for_memory_come_with_the_grains_that_have_them() {
    let kept = modelled();
    check(&kept, 100);
    let shown = column(&model(&kept, 100)["grain"]["stall"]);
    assert!(shown[0].is_nan() && shown[1] == 30.0 && shown[2].is_nan(), "{shown:?}");
    // Of a folded group: the sum of the known times.
    let folded = column(&model(&kept, 2)["grain"]["stall"]);
    assert!(folded.len() == 2 && folded[1] == 30.0, "{folded:?}");
}

#[test]
fn a_modelled_run_says_so_and_has_its_labels() {
    let modelled = model(&modelled(), 100);
    assert_eq!(modelled["run"]["modelled"], "toy");
    assert_eq!(modelled["run"]["worker_names"], serde_json::json!(["link 0-1"]));
    assert!(modelled["run"]["notes"][0].as_str().unwrap().starts_with("Modelled, not measured"));
    let sites = modelled["sites"].as_array().unwrap();
    assert!(sites.iter().any(|site| site["function"] == "map" && site["count"] == 2), "{sites:?}");
    let measured = model(&Program::new().end(), 100);
    assert_eq!(measured["run"]["modelled"], "");
}

/// A task with three samples, the second of which has a stack, and a wait with one.
fn sampled() -> Value {
    let mut program = Program::new();
    let task = program.create(ROOT);
    program.put(100, Record::Run(Run { task, ticks: 300, ..Default::default() }));
    for (at, address, unseen) in [(150, 0x40, 0), (250, 0x50, 0), (350, 0x40, 1), (700, 0x60, 0)] {
        program.put(at, Record::Sample(Sample { address, unseen, period_ns: 100, ..Default::default() }));
    }
    let frames = [5u64.to_le_bytes(), (1u64 | 3 << 32).to_le_bytes()].concat(); // an entry of Python
    program.put(0, Record::Code(Code { code: 1, text: b"/src/a.py\nfit" }));
    program.put(0, Record::Stack(Stack { stack: 1, flags: 0, frames: &frames }));
    program.put(700, Record::Sampled { stack: 1 });
    program.now = 500;
    program.taskwait(ROOT, 100);
    program.now = 995;
    model(&program.end(), 100)
}

#[test]
fn samples_are_a_tree_of_functions_below_the_sites() {
    let model = sampled();
    let stacks = &model["whole"]["stacks"];
    assert_eq!((&stacks["period_ns"], &stacks["has_calls"]), (&100.0.into(), &true.into()));
    let names: Vec<_> =
        stacks["names"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let (parent, name, site) = (rows(&stacks["parent"]), rows(&stacks["name"]), rows(&stacks["site"]));
    let kinds =
        |site: usize| if site == NONE { "none" } else { model["sites"][site]["kind"].as_str().unwrap() };
    let line = |mut node: usize| {
        let mut line = String::new();
        while name[node] != NONE {
            line = format!(" > {}{line}", names[name[node]]);
            node = parent[node];
        }
        format!("{}{line}", kinds(site[node]))
    };
    let (node, at) = (rows(&stacks["sample"]["node"]), column(&stacks["sample"]["at"]));
    let found: Vec<_> = node.into_iter().map(line).zip(at).collect();
    let kernel = "task > [kernel]".to_owned();
    let task = "task > (unknown)".to_owned();
    let outside = "initial > fit a.py:5 > (unknown)".to_owned();
    let expected =
        [(task.clone(), 150.0), (task.clone(), 250.0), (kernel, 300.0), (task, 350.0), (outside, 700.0)];
    assert_eq!(found, expected);
    assert_eq!(column(&stacks["sample"]["count"]), [1.0; 5]);
}

#[test]
fn a_site_has_the_functions_that_ran_inside() {
    let model = sampled();
    let sites = model["sites"].as_array().unwrap();
    let task = &sites.iter().find(|site| site["kind"] == "task").unwrap()["inside"];
    assert_eq!(
        (&task["samples"], &task["kernel_unplaced"], &task["more"]),
        (&4.into(), &1.into(), &0.into())
    );
    assert_eq!((&task["functions"][0]["samples"], &task["functions"][0]["kernel"]), (&3.into(), &0.into()));
    let mut program = Program::new();
    program.tree(ROOT, 1);
    let without = self::model(&program.end(), 100);
    assert!(without["sites"].as_array().unwrap().iter().all(|site| site.get("inside").is_none()));
    assert_eq!(without["whole"]["stacks"]["period_ns"], 0.0);
}
