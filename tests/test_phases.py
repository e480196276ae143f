# SPDX-License-Identifier: Apache-2.0
"""Tests the report's phases: compares the work between two barriers with the processor
time that the program itself measures.
"""

import json

from harness import PROGRAMS, ProductTest, environment

SOURCE = (PROGRAMS / "phases.c").read_text().splitlines()
ROUNDS, THREADS = 4, 2  # the program's
# The recorder's time counts as processor time for the program, but not as work.
SLACK_NS = 200_000


def line_of(mark):
    return next(number for number, line in enumerate(SOURCE, 1) if f"// {mark}" in line)


class Phases(ProductTest):
    def setUp(self):
        super().setUp()
        program = self.compile(PROGRAMS / "phases.c")
        self.recording = self.place / "phases.teff"
        done = self.teff("record", "-o", self.recording, "--", program, env=environment(THREADS))
        self.truth = {}
        for line in done.out.decode().splitlines():
            phase, thread, used = map(int, line.split())
            self.truth[phase, thread] = used
        self.assertEqual(len(self.truth), 4 * THREADS)

    def test_each_barrier_has_the_work_before_it(self):
        report = json.loads(self.teff("report", "--json", self.recording).out)
        barriers = {phase["until"]["line"]: phase for phase in report["phases"] if phase["ends_at"] == "barrier"}
        (last,) = (phase for phase in report["phases"] if phase["ends_at"] == "region end")
        self.assertEqual(set(barriers), {line_of(mark) for mark in ("loop", "by number", "one thread")})
        ends = [barriers[line_of("loop")], barriers[line_of("by number")], barriers[line_of("one thread")], last]
        for number, phase in enumerate(ends):
            with self.subTest(phase=number):
                self.assertEqual(phase["times"], ROUNDS)
                self.assertFalse(phase["creates_tasks"])
                self.assertEqual(len(phase["threads_ns"]), THREADS)
                self.assertAlmostEqual(sum(phase["threads_ns"]), phase["work_ns"], delta=10)
                self.assertGreaterEqual(phase["longest_ns"] + 10, phase["mean_ns"])
                for thread, work in enumerate(phase["threads_ns"]):
                    self.assertGreaterEqual(work, 0.8 * self.truth[number, thread] - SLACK_NS)
        (implicit,) = (site for site in report["sites"] if site["kind"] == "implicit")
        self.assertAlmostEqual(sum(phase["work_ns"] for phase in report["phases"]), implicit["work_ns"], delta=100)

    def test_the_text_has_a_line_for_each(self):
        text = self.teff("report", self.recording).out.decode()
        table = text[text.index("Between barriers"):]
        self.assertIn(f"phases.c:{line_of('by number')} main", table)
        self.assertIn("the region's end", table)

    def test_a_program_of_tasks_has_no_such_table(self):
        program = self.compile(PROGRAMS / "tree_of_tasks.c")
        recording = self.place / "tasks.teff"
        self.teff("record", "-o", recording, "--", program, "20000", env=environment(THREADS))
        self.assertNotIn("Between barriers", self.teff("report", recording).out.decode())
