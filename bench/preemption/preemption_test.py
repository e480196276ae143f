#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the benchmark of preemption. With --build, the real program also runs, on Teff and on
libgomp."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import preemption  # first: it says where the module is that it shares with compare.py

# isort: split
from build_option import take_build

SCRIPT = Path(__file__).resolve().with_name("preemption.py")
BUILD = take_build()


def printed(**given):
    return json.dumps({"starts": 3, "late": 0, "median_us": 2, "p90_us": 3, "p99_us": 4, "max_us": 5, "cost_us": 6} | given)


class FigureTest(unittest.TestCase):
    def test_medians_over_runs(self):
        outcomes = [preemption.read_figures(printed(median_us=value)) for value in (10, 30, 20)]
        self.assertEqual(preemption.row("own", outcomes), ["its own code", "20.0", "3.00", "4.00", "5.00", "6.00"])

    def test_anything_else_is_no_output(self):
        for text in ("", "usage", "{}", "[1]"):
            self.assertIsNone(preemption.read_figures(text), text)

    def test_a_late_task_is_a_problem(self):
        self.assertEqual(preemption.problem("own", preemption.read_figures(printed()), 3), "")
        self.assertIn("own: after 3 of 9 starts", preemption.problem("own", preemption.read_figures(printed(late=1)), 9))


class RealProgramTest(unittest.TestCase):
    def setUp(self):
        if not BUILD:
            self.skipTest("no --build given")

    def test_every_kind(self):
        with tempfile.TemporaryDirectory() as folder:
            figures = Path(folder) / "figures.json"
            command = [sys.executable, str(SCRIPT), "--build", str(BUILD), "--count", "20", "--runs", "1", "--json", str(figures)]
            done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            found = json.loads(figures.read_text(encoding="utf-8"))
        self.assertEqual(list(found), list(preemption.KINDS))
        for kind, runs in found.items():
            self.assertEqual([run["starts"] for run in runs], [20], kind)

    def test_arguments(self):
        program = BUILD / "bench" / "preemption" / "latency"
        for arguments in ([], ["own"], ["own", "0"], ["none", "1"]):
            done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=20, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn("usage: latency KIND COUNT", done.stderr)


if __name__ == "__main__":
    unittest.main()
