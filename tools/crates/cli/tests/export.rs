// SPDX-License-Identifier: Apache-2.0
//! The exported graph says what the report says: its longest path is the span.

mod common;

use std::collections::HashMap;
use std::path::Path;

use common::{teff, text};
use quick_xml::events::Event;
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
        loop {
            match reader.read_event().unwrap() {
                Event::Start(element) => {
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
                        b"data" => key = value("key"),
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
