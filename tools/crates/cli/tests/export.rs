// SPDX-License-Identifier: Apache-2.0
//! Tests that the exported graph agrees with the report (its longest path is the span), and that
//! other programs can read it.

mod common;

use std::collections::HashMap;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use common::{teff, text};
use nix::sys::signal::{kill, Signal};
use nix::unistd::Pid;
use quick_xml::events::Event;
use tempfile::TempDir;
use trace::layout::task;
use trace::writer::RecordingWriter;
use trace::*;

/// The nodes' start, end and work, and the edges.
#[derive(Default)]
struct Graph {
    nodes: HashMap<String, [f64; 3]>,
    edges: Vec<(String, String)>,
}

impl Graph {
    fn of(place: &Path) -> Self {
        let output = teff(place, &["export", "--format", "graphml", "-o", "-", "a.teff"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let text = text(&output.stdout);
        let mut reader = quick_xml::Reader::from_str(&text);
        let (mut graph, mut node, mut key) = (Self::default(), String::new(), String::new());
        let mut names = HashMap::new();
        loop {
            match reader.read_event().unwrap() {
                Event::Start(element) | Event::Empty(element) => {
                    let value = |name: &str| {
                        let attribute = element.try_get_attribute(name).unwrap();
                        attribute
                            .map(|found| String::from_utf8(found.value.to_vec()).unwrap())
                            .unwrap_or_default()
                    };
                    match element.name().as_ref() {
                        b"node" => {
                            node = value("id");
                            graph.nodes.insert(node.clone(), [0.0; 3]);
                        }
                        b"edge" => graph.edges.push((value("source"), value("target"))),
                        b"key" => drop(names.insert(value("id"), value("attr.name"))),
                        b"data" => key.clone_from(&names[&value("key")]),
                        _ => {}
                    }
                }
                Event::Text(content) => {
                    let at = ["start", "end", "work"].iter().position(|&name| name == key);
                    if let Some(at) = at {
                        let number = String::from_utf8(content.to_vec()).unwrap().trim().parse();
                        if let Ok(number) = number {
                            graph.nodes.get_mut(&node).unwrap()[at] = number;
                        }
                    }
                }
                Event::Eof => return graph,
                _ => {}
            }
        }
    }

    /// The largest sum of `of` over the nodes of a path.
    fn longest_path(&self) -> f64 {
        let mut depth: HashMap<&str, f64> =
            self.nodes.iter().map(|(id, node)| (id.as_str(), node[2])).collect();
        for _ in 0..self.nodes.len() {
            for (from, to) in &self.edges {
                let through = depth[from.as_str()] + self.nodes[to][2];
                let known = depth.get_mut(to.as_str()).unwrap();
                *known = known.max(through);
            }
        }
        depth.into_values().fold(0.0, f64::max)
    }

    fn leads(&self, from: &str, to: &str) -> bool {
        self.edges.iter().any(|(source, target)| source == from && (target == to || self.leads(target, to)))
    }

    /// The node of the stretch of execution that begins at `start`.
    fn starting_at(&self, start: f64) -> &str {
        let is_it = |node: &[f64; 3]| node[0] == start && node[1] > start;
        self.nodes.iter().find(|(_, node)| is_it(node)).map(|(id, _)| id.as_str()).unwrap()
    }
}

struct Golden {
    place: tempfile::TempDir,
    out: RecordingWriter,
}

impl Golden {
    fn new(streams: u16) -> Self {
        let place = tempfile::tempdir().unwrap();
        let meta = RecordingWriter::plain_meta(2);
        let out = RecordingWriter::create(&place.path().join("a.teff"), streams, &meta).unwrap();
        Self { place, out }
    }

    fn create(&mut self, task: TaskId, parent: TaskId, at: u64, flags: u8) {
        let create = Create { task, parent, flags, ..Default::default() };
        self.out.put(task.stream(), at, Record::Create(create)).unwrap();
    }

    fn run(&mut self, stream: u16, task: TaskId, region: RegionId, start: u64, end: u64) {
        let run = Run { task, region, ticks: end - start, ..Default::default() };
        self.out.put(stream, start, Record::Run(run)).unwrap();
    }

    fn wait(&mut self, task: TaskId, kind: WaitKind, start: u64, end: u64) {
        let wait = Wait { kind, task, ticks: end - start, site: 0, barrier: 0, departures: 0 };
        self.out.put(task.stream(), start, Record::Wait(wait)).unwrap();
    }

    /// The graph, and the span that the report says.
    fn end(self, ticks: u64) -> (Graph, f64) {
        self.out.end(ticks).unwrap();
        let report = teff(self.place.path(), &["report", "--json", "a.teff"]);
        let facts: serde_json::Value = serde_json::from_slice(&report.stdout).unwrap();
        (Graph::of(self.place.path()), facts["span_ns"].as_f64().unwrap())
    }
}

const INITIAL: TaskId = TaskId::new(0, 1);

#[test]
fn what_a_child_left_is_joined_where_it_is_waited_for() {
    let (child, grandchild) = (TaskId::new(0, 2), TaskId::new(1, 1));
    let mut g = Golden::new(2);
    g.create(INITIAL, TaskId::NONE, 0, task::IMPLICIT);
    g.create(child, INITIAL, 10, 0);
    g.create(grandchild, child, 12, 0);
    g.run(1, child, RegionId::NONE, 11, 20);
    g.wait(INITIAL, WaitKind::Taskwait, 15, 25);
    g.run(1, grandchild, RegionId::NONE, 22, 90);
    g.wait(INITIAL, WaitKind::ImplicitBarrier, 50, 95);
    g.run(0, INITIAL, RegionId::NONE, 0, 100);
    let (graph, span_ns) = g.end(100);
    assert_eq!(graph.longest_path(), span_ns);
    let last = graph.starting_at(22.0);
    assert!(!graph.leads(last, graph.starting_at(25.0)), "the taskwait is over when the grandchild ends");
    assert!(graph.leads(last, graph.starting_at(95.0)));
}

#[test]
fn a_barrier_joins_the_whole_team() {
    let (region, members) = (RegionId::new(0, 1), [TaskId::new(0, 2), TaskId::new(1, 1)]);
    let mut g = Golden::new(2);
    g.create(INITIAL, TaskId::NONE, 0, task::IMPLICIT);
    let begin = Region { region, parent: INITIAL, threads: 2, requested: 2, level: 1, site: 0 };
    g.out.put(0, 10, Record::Region(begin)).unwrap();
    for (member, barrier) in members.into_iter().zip([20, 40]) {
        g.create(member, INITIAL, 10, task::IMPLICIT);
        g.wait(member, WaitKind::Barrier, barrier, 41);
        g.wait(member, WaitKind::RegionEnd, 91 - barrier, 72);
        g.run(member.stream(), member, region, 10, 72);
    }
    g.out.put(0, 75, Record::RegionEnd { region }).unwrap();
    g.run(0, INITIAL, RegionId::NONE, 0, 100);
    let (graph, span_ns) = g.end(100);
    // 10 before the region, 30 until the barrier, 30 behind it, 25 after the region
    assert_eq!(span_ns, 95.0);
    assert_eq!(graph.longest_path(), span_ns);
}

/// What the grains thesis's scripts, igraph, networkx and yEd do with a graph, as far as Python's
/// own library can: every node and edge has what they ask for, and there is no circle.
const READER: &str = r"
import sys, xml.etree.ElementTree as tree
g, y = '{http://graphml.graphdrawing.org/xmlns}', '{http://www.yworks.com/xml/graphml}'
root = tree.parse(sys.argv[1]).getroot()
keys = {key.get('id'): key for key in root.findall(g + 'key')}
def values(element):
    found = {}
    for data in element.findall(g + 'data'):
        key = keys[data.get('key')]
        if key.get('yfiles.type'):
            found['drawn'] = data[0]
        else:
            number = key.get('attr.type') in ('double', 'long', 'int')
            found[key.get('attr.name')] = float(data.text) if number else data.text
    return found
nodes = {node.get('id'): values(node) for node in root.iter(g + 'node')}
edges = [(edge.get('source'), edge.get('target'), values(edge)) for edge in root.iter(g + 'edge')]
for node in nodes.values():
    assert {'name', 'type', 'shape', 'color', 'width', 'height', 'on_crit_path'} <= node.keys(), node
    drawn = node['drawn']
    assert drawn.find(y + 'Fill').get('color') == node['color'] and drawn.tag == y + 'ShapeNode'
    assert float(drawn.find(y + 'Geometry').get('height')) == node['height']
    if node['type'] == 'fragment':
        assert {'task', 'parent', 'cpu_id', 'exec_cycles', 'creation_cycles', 'work_cycles', 'leaf'} <= node.keys()
by_type = lambda kind: {node['color'] for node in nodes.values() if node['type'] == kind}
assert by_type('fork') == {'#2E8B57'} and by_type('join') == {'#FF7F50'} and by_type('start') == {'#DEB887'}
assert len({node['name'] for node in nodes.values()}) == len(nodes)
colors = {'create': '#2E8B57', 'sync': '#FF7F50', 'continue': '#000000', 'scope': '#000000'}
for source, target, edge in edges:
    both = nodes[source]['on_crit_path'] and nodes[target]['on_crit_path']
    assert edge['on_crit_path'] == both
    assert edge['color'] == ('#FF0000' if both else colors[edge['type']]), edge
    line = edge['drawn'].find(y + 'LineStyle')
    assert edge['color'] == ('#000000' if line is None else line.get('color'))
into = {node: 0 for node in nodes}
for _, target, _ in edges:
    into[target] += 1
free, ordered = [node for node in nodes if not into[node]], 0
assert free == ['S'], free
while free:
    node = free.pop()
    ordered += 1
    for _, target, _ in (edge for edge in edges if edge[0] == node):
        into[target] -= 1
        if not into[target]:
            free.append(target)
assert ordered == len(nodes), 'a circle'
try:
    import networkx
    graph = networkx.read_graphml(sys.argv[1])
    assert networkx.is_directed_acyclic_graph(graph) and len(graph) == len(nodes)
except ImportError:
    print('networkx is not there')
";

#[test]
fn others_can_read_the_graph() {
    let (first, second, third) = (TaskId::new(0, 2), TaskId::new(0, 3), TaskId::new(1, 1));
    let mut g = Golden::new(2);
    g.create(INITIAL, TaskId::NONE, 0, task::IMPLICIT);
    for (task, parent, at) in [(first, INITIAL, 10), (second, INITIAL, 12), (third, first, 22)] {
        g.create(task, parent, at, 0);
    }
    g.run(0, second, RegionId::NONE, 41, 49);
    g.wait(INITIAL, WaitKind::Taskwait, 40, 60);
    g.run(1, first, RegionId::NONE, 20, 50);
    g.run(1, third, RegionId::NONE, 50, 55);
    g.wait(INITIAL, WaitKind::ImplicitBarrier, 70, 80);
    g.run(0, INITIAL, RegionId::NONE, 0, 100);
    g.out.end(100).unwrap();
    let place = g.place.path();
    let output =
        teff(place, &["export", "--format", "graphml", "--attributes", "all", "-o", "a.graphml", "a.teff"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let read = Command::new("python3").current_dir(place).args(["-c", READER, "a.graphml"]).output().unwrap();
    assert!(read.status.success(), "{}", text(&read.stderr));
}

#[test]
fn the_name_of_the_file_decides_whether_it_is_packed() {
    let mut golden = Golden::new(1);
    golden.create(INITIAL, TaskId::NONE, 0, task::IMPLICIT);
    golden.run(0, INITIAL, RegionId::NONE, 0, 100);
    golden.out.end(100).unwrap();
    let export = |format: &str, name: &str| {
        let output = teff(golden.place.path(), &["export", "--format", format, "-o", name, "a.teff"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        std::fs::read(golden.place.path().join(name)).unwrap()
    };
    for (format, name, packed) in [("graphml", "a.graphml", "a.graphmlz"), ("csv", "a.csv", "a.csv.gz")] {
        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(&*export(format, packed)).read_to_end(&mut unpacked).unwrap();
        assert!(!unpacked.is_empty() && unpacked == export(format, name));
    }
}

/// A record of docs/formats/counts.md.
fn counted(task: TaskId, instructions: u64, reads: u64, lines: u64) -> Vec<u8> {
    let kind = 3u64 << 32;
    [task.0, kind, instructions, reads, 1, 7, 8, lines].into_iter().flat_map(u64::to_le_bytes).collect()
}

#[test]
fn instructions_are_exported_with_their_grains() {
    let (first, second) = (TaskId::new(0, 2), TaskId::new(0, 3));
    let mut g = Golden::new(1);
    g.create(INITIAL, TaskId::NONE, 0, task::IMPLICIT);
    g.create(first, INITIAL, 10, 0);
    g.create(second, INITIAL, 12, 0);
    g.run(0, second, RegionId::NONE, 41, 49);
    g.run(0, first, RegionId::NONE, 50, 55);
    g.wait(INITIAL, WaitKind::Taskwait, 40, 60);
    g.run(0, INITIAL, RegionId::NONE, 0, 100);
    g.out.end(100).unwrap();
    let place = g.place.path();
    let csv = |name: &str| {
        let output = teff(place, &["export", "--format", "csv", "-o", name, "a.teff"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        std::fs::read_to_string(place.join(name)).unwrap()
    };
    assert!(!csv("plain.csv").contains("instructions"), "nothing was counted");
    let mut file = 0x3154_434e_4646_4554_u64.to_le_bytes().to_vec();
    file.extend([1u32, 1, 64, 0].into_iter().flat_map(u32::to_le_bytes));
    file.resize(64, 0);
    for (task, instructions, reads, lines) in [(first, 40_020, 39, 3), (second, 17, 0, 0)] {
        file.extend(counted(task, instructions, reads, lines));
    }
    std::fs::write(place.join("a.teff/counts-1.bin"), file).unwrap();
    let table = csv("counted.csv");
    let lines: Vec<&str> = table.lines().collect();
    let ends = ["intensity", ",,,,,,,", ",40020,39,1,7,8,192,1000.5", ",17,0,1,7,8,0,17"];
    assert_eq!(lines.len(), ends.len());
    for (line, end) in lines.into_iter().zip(ends) {
        assert!(line.ends_with(end), "{line} ends with {end}");
    }
    let output = teff(place, &["export", "--format", "graphml", "--reduce", "all", "-o", "-", "a.teff"]);
    let graph = text(&output.stdout);
    assert!(
        graph.contains("<data key=\"t\">40020</data>") && graph.contains("<data key=\"t\">17</data>"),
        "{graph}"
    );
    assert_eq!(graph.matches("<data key=\"t\">").count(), 2);
    let mut file = std::fs::read(place.join("a.teff/counts-1.bin")).unwrap();
    file.extend(counted(INITIAL, 500, 0, 0));
    std::fs::write(place.join("a.teff/counts-1.bin"), file).unwrap();
    let output = teff(place, &["export", "--format", "graphml", "-o", "-", "a.teff"]);
    let graph = text(&output.stdout);
    assert!(graph.matches("<data key=\"b\">0</data>").count() > 1, "it has several fragments: {graph}");
    assert_eq!(graph.matches("<data key=\"t\">500</data>").count(), 1, "{graph}");
    let output = teff(place, &["export", "--format", "parquet", "-o", "tables", "a.teff"]);
    assert!(output.status.success() && place.join("tables/counts.parquet").is_file());
}

#[test]
fn hostile_names_make_no_bad_xml() {
    let mut g = Golden::new(1);
    let name = "]]><x y='&\u{fffe}\u{0}\u{1}\u{b}\u{1b}[2J\u{7f}\u{85}\u{9b}\u{2028}\u{202e}\u{ffff}\"";
    for record in [
        Record::Module(Module { module: 1, bias: 0, path: name.as_bytes(), ..Default::default() }),
        Record::Site(Site { site: 1, module: 1, call_site: 9, function: 0 }),
        Record::Create(Create { task: INITIAL, site: 1, flags: task::IMPLICIT, ..Default::default() }),
        Record::Run(Run { task: INITIAL, ticks: 5, ..Default::default() }),
    ] {
        g.out.put(0, 0, record).unwrap();
    }
    g.out.end(9).unwrap();
    let output = teff(g.place.path(), &["export", "--format", "graphml", "-o", "a.graphml", "a.teff"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let script = "import xml.etree.ElementTree as t; root = t.parse('a.graphml'); \
                  key = root.find('.//*[@attr.name=\"function\"]').get('id'); \
                  print(root.find('.//*[@key=\"%s\"]' % key).text)";
    let read = Command::new("python3").current_dir(g.place.path()).args(["-c", script]).output().unwrap();
    let seen = text(&read.stdout);
    assert!(
        seen.starts_with("]]><x y='&\\u{fffe}\\u{0}\\u{1}\\u{b}\\u{1b}[2J"),
        "{seen}: {}",
        text(&read.stderr)
    );
    assert!(seen.trim_end().chars().all(|character| ('\u{20}'..'\u{7f}').contains(&character)), "{seen}");
}

#[test]
fn a_signal_leaves_no_unfinished_file() {
    let place = tempfile::tempdir().unwrap();
    let mut out =
        RecordingWriter::create(&place.path().join("a.teff"), 1, &RecordingWriter::plain_meta(1)).unwrap();
    let root = TaskId::new(0, 1);
    out.put(0, 0, Record::Create(Create { task: root, flags: task::IMPLICIT, ..Default::default() }))
        .unwrap();
    for number in 2..100_000 {
        let task = TaskId::new(0, number);
        out.put(0, number, Record::Create(Create { task, parent: root, ..Default::default() })).unwrap();
        out.put(0, number, Record::Run(Run { task, ticks: 1, ..Default::default() })).unwrap();
    }
    out.put(0, 0, Record::Run(Run { task: root, ticks: 200_000, ..Default::default() })).unwrap();
    out.end(200_000).unwrap();
    let files = || std::fs::read_dir(place.path()).unwrap().count();
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let words = ["export", "--format", "graphml", "-o", "a.graphml", "a.teff"];
        let mut child = common::command(place.path(), &words).spawn().unwrap();
        let begin = Instant::now();
        while files() < 2 && begin.elapsed() < common::TIME_OUT {
            std::thread::yield_now();
        }
        kill(Pid::from_raw(child.id() as i32), signal).unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(signal as i32));
        assert_eq!(files(), 1, "the recording alone is left after {signal}");
    }
}

#[test]
fn a_recording_is_not_written_over() {
    let mut golden = Golden::new(1);
    golden.create(INITIAL, TaskId::new(0, 0), 0, task::IMPLICIT);
    let Golden { place, out } = golden;
    out.end(100).unwrap();
    let place = place.path();
    let stream = place.join("a.teff/stream-0000.bin");
    let before = std::fs::read(&stream).unwrap();
    for words in [["export", "--format", "csv", "-o"].as_slice(), &["view", "--html"]] {
        let output = teff(place, &[words, &["a.teff/stream-0000.bin", "a.teff"]].concat());
        assert!(!output.status.success());
        assert!(text(&output.stderr).contains("is a file of a recording"), "{}", text(&output.stderr));
        assert_eq!(std::fs::read(&stream).unwrap(), before);
    }
    let output = teff(place, &["characterise", "-o", "a.teff", "a.teff"]);
    assert!(text(&output.stderr).contains("a.teff is a recording"), "{}", text(&output.stderr));
}

#[test]
fn a_number_of_threads_is_for_task_graphs_alone() {
    let golden = Golden::new(1);
    let place = golden.place.path();
    for format in ["csv", "mir", "graphml", "perfetto", "folded", "parquet", "dot"] {
        let output = teff(place, &["export", "a.teff", "--format", format, "--threads", "3", "-o", "out"]);
        let message = text(&output.stderr);
        assert!(
            !output.status.success() && message.contains("--threads works only with --format taskgraph"),
            "{message}"
        );
        assert!(!place.join("out").exists());
    }
}

/// As many tasks of one creator as this, each of 10 ns.
fn with_tasks(number: u64) -> TempDir {
    let mut g = Golden::new(1);
    g.create(INITIAL, TaskId::NONE, 0, task::IMPLICIT);
    for task in 2..number + 2 {
        g.create(TaskId::new(0, task), INITIAL, 20 * task, 0);
    }
    let end = 20 * (number + 2);
    for task in 2..number + 2 {
        g.run(0, TaskId::new(0, task), RegionId::NONE, end + 20 * task, end + 20 * task + 10);
    }
    g.run(0, INITIAL, RegionId::NONE, 0, end);
    let Golden { place, out } = g;
    out.end(3 * end).unwrap();
    place
}

#[test]
fn a_task_that_a_chunk_has_created_is_drawn_below_the_task_that_ran_the_chunk() {
    let (id, child) = (LoopId::new(0, 1), TaskId::new(0, 2));
    let mut g = Golden::new(1);
    g.create(INITIAL, TaskId::NONE, 0, task::IMPLICIT);
    g.out.put(0, 5, Record::Loop(Loop { id, ..Default::default() })).unwrap();
    g.create(child, INITIAL, 12, 0);
    let chunk = Chunk { id, task: INITIAL, first: 0, iterations: 4, ticks: 20, cpu: 0 };
    g.out.put(0, 10, Record::Chunk(chunk)).unwrap();
    g.run(0, child, RegionId::NONE, 40, 50);
    g.run(0, INITIAL, RegionId::NONE, 0, 100);
    let Golden { place, out } = g;
    out.end(100).unwrap();
    let output = teff(place.path(), &["export", "a.teff", "--format", "dependences", "-o", "-"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("t0 -> t1 [kind=parent"), "{}", text(&output.stdout));
}

/// A format whose time is not linear would take minutes for these.
#[test]
fn formats_take_linear_time_for_tasks_that_nothing_joins_and_for_waits() {
    const NUMBER: u64 = 100_000;
    let place = with_tasks(NUMBER);
    let export = |place: &TempDir, format: &str| {
        let output = teff(place.path(), &["export", "a.teff", "--format", format, "-o", "out"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
    };
    for format in ["mir", "perfetto", "firefox", "taskgraph", "parquet"] {
        export(&place, format);
        let out = place.path().join("out");
        if format == "mir" {
            assert_eq!(std::fs::read_to_string(&out).unwrap().lines().count() as u64, 2 + NUMBER);
        }
        if out.is_dir() {
            std::fs::remove_dir_all(&out).unwrap();
        } else {
            std::fs::remove_file(&out).unwrap();
        }
    }
    let place = with_waits(4 * NUMBER);
    export(&place, "mir");
    let table = std::fs::read_to_string(place.path().join("out")).unwrap();
    let instants = table.lines().nth(1).unwrap().split(',').find(|field| field.starts_with("\"[0;")).unwrap();
    assert_eq!(instants.split(';').count() as u64, 1 + 4 * NUMBER);
}

/// A task that waits as often as this.
fn with_waits(number: u64) -> TempDir {
    let mut g = Golden::new(1);
    g.create(INITIAL, TaskId::NONE, 0, task::IMPLICIT);
    for wait in 1..=number {
        g.wait(INITIAL, WaitKind::Taskwait, 20 * wait, 20 * wait + 5);
    }
    let end = 20 * (number + 2);
    g.run(0, INITIAL, RegionId::NONE, 0, end);
    let Golden { place, out } = g;
    out.end(end).unwrap();
    place
}

#[test]
fn a_large_graph_is_written_in_a_form_that_fits() {
    const MOST: usize = 30_000_000;
    let place = with_tasks(100_000);
    let place = place.path();
    let export = |options: &[&str]| {
        let output = teff(place, &[&["export", "a.teff", "-o", "-", "--format"], options].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        (output.stdout.len(), text(&output.stderr), text(&output.stdout))
    };
    for (format, form) in [("graphml", "--reduce all --attributes plain"), ("dot", "--reduce all")] {
        let (bytes, message, graph) = export(&[format]);
        let said = format!("written with {form}; --whole writes all of it");
        assert!(bytes <= MOST && message.contains(&said), "{format}: {bytes} bytes, {message}");
        let nodes =
            if format == "dot" { graph.matches("work_ns=").count() } else { graph.matches("<node ").count() };
        assert!(nodes > 100_000, "every grain has a node: {nodes}");
    }
    let (bytes, message, graph) = export(&["graphml", "--attributes", "drawn"]);
    assert!(
        message.contains("written with --reduce all; --whole") && graph.contains("y:ShapeNode"),
        "{message}"
    );
    assert!(bytes > MOST, "what is asked for is kept: {bytes} bytes");
    let (bytes, message, _) = export(&["graphml", "--whole"]);
    assert!(bytes > 3 * MOST && !message.contains("written with"), "{bytes} bytes, {message}");
    for format in ["csv", "folded", "dependences", "speedscope"] {
        let (bytes, ..) = export(&[format]);
        assert!(bytes <= MOST, "{format}: {bytes} bytes");
    }
}

#[test]
fn a_small_graph_is_written_whole() {
    let place = with_tasks(10);
    let place = place.path();
    for format in ["graphml", "dot", "folded"] {
        let of = |options: &[&str]| {
            let output =
                teff(place, &[&["export", "a.teff", "-o", "-", "--format", format], options].concat());
            assert!(output.status.success() && !text(&output.stderr).contains("whole"));
            text(&output.stdout)
        };
        assert_eq!(of(&[]), of(&["--whole"]), "{format}");
    }
    let output = teff(place, &["export", "a.teff", "-o", "-", "--format", "csv", "--whole"]);
    assert!(text(&output.stderr).contains("--whole works only with"), "{}", text(&output.stderr));
}

/// Each task creates the next one, and works for 10 ns.
#[test]
fn folded_stacks_have_a_deepest_level_and_all_work() {
    let mut g = Golden::new(1);
    let tasks: Vec<_> = (1..=401).map(|number| TaskId::new(0, number)).collect();
    g.create(INITIAL, TaskId::NONE, 0, task::IMPLICIT);
    for (at, pair) in tasks.windows(2).enumerate() {
        g.create(pair[1], pair[0], 5 + 10 * at as u64, 0);
    }
    for (at, &task) in tasks.iter().enumerate().rev() {
        g.run(0, task, RegionId::NONE, 10 * at as u64, 10 * at as u64 + 10);
    }
    let Golden { place, out } = g;
    out.end(5_000).unwrap();
    let output = teff(place.path(), &["export", "--format", "folded", "-o", "-", "a.teff"]);
    assert!(output.status.success());
    assert!(
        text(&output.stderr).contains("151 grains lie deeper than 250 levels"),
        "{}",
        text(&output.stderr)
    );
    let (mut deepest, mut work) = (0, 0);
    for line in text(&output.stdout).lines() {
        let (stack, ns) = line.rsplit_once(' ').unwrap();
        deepest = deepest.max(stack.split(';').count());
        work += ns.parse::<u64>().unwrap();
    }
    let report = teff(place.path(), &["report", "--json", "a.teff"]);
    let facts: serde_json::Value = serde_json::from_slice(&report.stdout).unwrap();
    assert_eq!((deepest, work as f64), (250, facts["work_ns"].as_f64().unwrap()));
}
