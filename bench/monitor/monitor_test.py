#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the figures of Rasa's thesis. With --build, the real program also runs."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import monitor  # first: it says where the module is that it shares with compare.py

# isort: split
from build_option import take_build

SCRIPT = Path(__file__).resolve().with_name("monitor.py")
BUILD = take_build()


def counters(**given):
    """The counters of a process that did nothing, except those that are given."""
    names = [f"{state}_ns" for state in monitor.STATES] + ["queue_takes", "lost_steals", "queue_contended"]
    return dict.fromkeys(names + [f"{lock}_ns" for lock in monitor.LOCKS], 0) | given


class FigureTest(unittest.TestCase):
    def test_congestion(self):
        """40 of 160 lock operations (80 takes) waited; the wait of 200 ns leaves 800 ns of 1000."""
        total = counters(queue_takes=80, queue_contended=40, lost_steals=20, user_ns=700, idle_ns=300,
                         queue_contended_ns=150, contended_locks_ns=50)
        self.assertEqual(monitor.congestion(total), (0.25, 0.2, 1.25))

    def test_nothing_happened(self):
        self.assertEqual(monitor.congestion(counters()), (0, 0, 1))
        self.assertEqual(monitor.time_in_runtime(counters()), 0)

    def test_time_in_the_runtime(self):
        self.assertEqual(monitor.time_in_runtime(counters(user_ns=500, queues_ns=100, idle_ns=400)), 2)

    def test_command(self):
        options = monitor.build_parser().parse_args(["--grouping", "rounds", "--kib", "7"])
        command = " ".join(monitor.case_for("full", options).command(False, options.quick))
        self.assertEqual(command, "aes --variant full --grouping rounds --kib 7")


class RealProgramTest(unittest.TestCase):
    def test_all_tables(self):
        if not BUILD:
            self.skipTest("no --build given")
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "figures.json"
            command = [sys.executable, str(SCRIPT), "--build", str(BUILD), "--quick", "--runs", "1", "--threads", "2",
                       "--grouping", "rounds", "--json", str(place)]
            done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            found = json.loads(place.read_text(encoding="utf-8"))
        self.assertEqual([one["variant"] for one in found["measurements"]], list(monitor.VARIANTS))
        for one in found["measurements"]:
            (teff,), (central,) = one["totals"]["teff"], one["totals"]["central"]
            self.assertEqual(teff["tasks_run"], central["tasks_run"], one["variant"])
            self.assertGreater(teff["user_ns"], 0)
            self.assertTrue(one["times_s"]["teff"] and one["stat_s"]["exact"] and one["stat_s"]["sampled"])
        self.assertEqual(done.stdout.count("fully parallel, 2"), 4, "four tables")


if __name__ == "__main__":
    unittest.main()
