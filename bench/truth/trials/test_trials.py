# SPDX-License-Identifier: Apache-2.0
"""Regression tests that depend on time. They test for defects that trials with programs of known
work and span have revealed. The tests of defects that do not depend on time are in
tests/test_truth.py.
"""

import json
import os
import unittest

from harness import PROGRAMS
from known_truth import BY_NAME, Reports  # says where the next ones are

# isort: split
# pylint: disable=wrong-import-order
import constructs
import runs

NO_FASTER = "no number of workers is faster"


class Trials(Reports):
    def text(self, recording):
        return self.teff("report", recording).text

    def test_a_serial_part_is_on_the_longest_path(self):
        log, report, recording = self.measure(BY_NAME["serial parts"], 100, 800)
        self.assertGreater(report["span_ns"], 0.9 * constructs.serial_cpu_ns(log))
        self.assertLess(report["work_ns"] / report["span_any_schedule_ns"], 2.2)
        self.assertNotIn(NO_FASTER, self.text(recording))

    def test_what_the_recorder_costs_is_no_work(self):
        log, report, _ = self.measure(BY_NAME["wavefront"], 1, 10000)
        truth = constructs.judge(log, BY_NAME["wavefront"])
        self.assertLess(report["work_ns"], 1.3 * truth.work)
        self.assertLess(report["span_ns"], 3 * truth.span)
        self.assertGreater(report["quality"]["recorder_ns"], 0)
        self.assertGreater(runs.classes_of(report)["recorder"], 0)

    def test_work_is_time_on_a_processor(self):
        for name in ("inlined static loop", "dynamic loop", "task tree"):
            with self.subTest(name):
                _, report, recording = self.measure(BY_NAME[name], 100, 1000, threads=4 * (os.cpu_count() or 1))
                cpu_ns = json.loads((recording / "end.json").read_text())["cpu_ns"]
                self.assertLess(report["work_ns"], 1.1 * cpu_ns)
                self.assertTrue(report["quality"]["oversubscribed"])
                self.assertGreater(report["quality"]["descheduled_ns"], 0)
                self.assertGreater(runs.classes_of(report)["descheduled"], 0)

    def test_independent_iterations_are_independent(self):
        for name in ("dynamic loop", "guided loop", "static loop"):
            with self.subTest(name):
                _, report, recording = self.measure(BY_NAME[name], 20, 1000)
                self.assertGreater(report["work_ns"] / report["span_any_schedule_ns"], 20)
                self.assertGreater(report["parallelism_any_schedule"], 20)
                self.assertNotIn(NO_FASTER, self.text(recording))

    def test_a_program_that_is_all_lock_has_no_parallelism(self):
        report = self.bench.report(self.record(self.compile(PROGRAMS / "all_lock.c")))
        self.assertLess(report["parallelism"], 1.2)
        self.assertLess(report["work_ns"] / report["span_any_schedule_ns"], 1.2)
        self.assertGreater(runs.classes_of(report)["locks"], 0.2 * report["work_ns"])

    def test_findings_are_the_same_in_each_repetition(self):
        program = self.bench.compile(runs.HERE / "defects" / "hot_lock.c")
        found = set()
        for _ in range(3):
            report = self.bench.report(self.bench.record([program], self.bench.environment(2)))
            first = report["findings"][0]
            found.add((first["rule"], first["file"], first["line"]))
        self.assertEqual(len(found), 1, found)


if __name__ == "__main__":
    unittest.main()
