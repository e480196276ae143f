# SPDX-License-Identifier: Apache-2.0
"""Tests what a report must say of the programs of bench/truth even on a busy machine: sums, bounds,
names, lines. bench/truth/trials, and ./run truth on a quiet machine, test how exact its figures
are."""

import json
import unittest
import xml.etree.ElementTree as xml
from graphlib import TopologicalSorter

from harness import PROGRAMS
from known_truth import BY_NAME, Reports  # says where the next ones are

# isort: split
# pylint: disable=wrong-import-order
import constructs
import defects
import runs

GRAIN_US, GRAINS = 100, 240
ROOM = 1 + 1e-6  # figures are rounded


class Constructs(Reports):
    """The figures of each construct agree with each other."""

    def check_sums(self, report):
        whole = report["workers"] * report["wall_ns"]
        self.assertLessEqual(report["work_ns"], whole * ROOM)
        self.assertLessEqual(report["span_ns"], report["wall_ns"] * ROOM)
        self.assertLessEqual(report["span_ns"], report["work_ns"] * ROOM)
        self.assertAlmostEqual(report["parallelism"], report["work_ns"] / report["span_ns"], places=6)

    def check_any_schedule(self, report):
        self.assertGreater(report["span_any_schedule_ns"], 0)
        self.assertLessEqual(report["span_any_schedule_ns"], report["span_ns"] * ROOM)

    def check_budget(self, report):
        budget = report["budget"]
        self.assertEqual(budget["workers"], report["workers"])
        self.assertAlmostEqual(budget["whole_ns"] / (budget["workers"] * budget["wall_ns"]), 1, places=6)
        parts = [entry["ns"] for entry in budget["classes"]]
        self.assertGreaterEqual(min(parts), 0)
        self.assertAlmostEqual((sum(parts) + budget["rest_ns"]) / budget["whole_ns"], 1, places=6)

    def test_figures_hold_together(self):
        for name, construct in BY_NAME.items():
            with self.subTest(name):
                _, report, _ = self.measure(construct, GRAIN_US, GRAINS)
                self.check_sums(report)
                self.check_any_schedule(report)
                self.check_budget(report)

    def test_a_serial_part_is_on_the_longest_path(self):
        log, report, _ = self.measure(BY_NAME["serial parts"], 100, 800)
        self.assertGreater(report["span_ns"], 0.5 * constructs.serial_cpu_ns(log))
        self.assertLess(report["parallelism"], 2)

    def test_another_schedule_cuts_an_unbalanced_loop(self):
        _, report, _ = self.measure(BY_NAME["static loop"], 100, 600)
        self.assertLess(report["span_any_schedule_ns"], 0.85 * report["span_ns"])

    def test_what_another_schedule_does_to_a_loop_of_the_compiler_is_not_known(self):
        _, report, _ = self.measure(BY_NAME["inlined static loop"], 100, 600)
        self.assertAlmostEqual(report["span_any_schedule_ns"] / report["span_ns"], 1, places=6)

    def test_only_programs_with_loops_hear_of_schedules(self):
        for name in ("task tree", "wavefront"):
            with self.subTest(name):
                _, report, recording = self.measure(BY_NAME[name], 20, 300)
                self.assertNotIn("schedule(runtime)", json.dumps(report) + self.teff("report", recording).text)

    def test_a_critical_construct_has_its_waits(self):
        source = PROGRAMS / "waited_critical.c"
        report = self.bench.report(self.record(self.compile(source, "-D_GNU_SOURCE")))
        waits = {(site["line"], entry["name"]): entry["ns"] for site in report["budget"]["sites"]
                 for entry in site["classes"]}
        self.assertGreater(waits.get((min(defects.lines_here(source)), "locks"), 0), 0, waits)
        self.assertGreater(runs.classes_of(report)["locks"], 0)


class Graphs(Reports):
    """The graph as a file."""

    def graph(self, construct, *arguments):
        recording = self.bench.record([self.program(construct), "20", "60", *arguments], self.bench.environment(2))
        file = self.place / "graph.graphml"
        self.teff("export", recording, "--format", "graphml", "-o", file)
        graph = xml.parse(file).getroot()
        space = {"": graph.tag[1:].partition("}")[0]} if graph.tag.startswith("{") else {}
        return [(edge.get("source"), edge.get("target")) for edge in graph.iterfind(".//edge", space)]

    def check_no_cycle(self, edges):
        sorter = TopologicalSorter()
        for source, target in edges:
            sorter.add(target, source)
        sorter.prepare()  # raises CycleError

    def test_no_graph_has_a_cycle(self):
        for name in ("taskwait depend", "taskgroup", "barriers", "wavefront", "untied", "detach"):
            with self.subTest(name):
                edges = self.graph(BY_NAME[name])
                self.assertTrue(edges)
                self.check_no_cycle(edges)

    def test_control_characters_in_arguments(self):
        self.assertTrue(self.graph(BY_NAME["taskwait"], "bell\x07 escape\x1b[31m"))


if __name__ == "__main__":
    unittest.main()
