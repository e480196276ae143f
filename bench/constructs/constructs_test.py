#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the benchmark of constructs: how it judges figures, and that every construct runs on every
runtime. No test asserts how long anything takes."""

import argparse
import json
import math
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

import constructs  # first: it says where the modules are that it shares with compare.py

# isort: split
import cases
import judge
import launcher
import measure
import runtimes

SCRIPT = Path(__file__).resolve().parent / "constructs.py"
KNOWN_FAULTS = {"libomp": {"ordered"}}  # see README.md
BUILD = None  # the folder with bench/ and lib/, where one was named


def group(case, threads, **figures_ns):
    return [measure.Cell(case, threads, name, [launcher.Outcome(time_s=ns * 1e-9)]) for name, ns in figures_ns.items()]


class JudgeTest(unittest.TestCase):
    def marks(self, case, threads, **figures_ns):
        return judge.marks(group(case, threads, **figures_ns), processors=2)

    def test_as_fast_as_the_better_is_enough(self):
        self.assertEqual(self.marks("single", 2, libgomp=100, libomp=200, teff=103), [])
        self.assertEqual(self.marks("single", 2, libgomp=100, libomp=200, teff=110), ["behind"])

    def test_a_difference_below_the_noise_is_none(self):
        self.assertEqual(self.marks("masked", 2, libgomp=0.1, libomp=-0.2, teff=0.7), [])
        self.assertEqual(self.marks("masked", 2, libgomp=0.1, libomp=-0.2, teff=1.7), ["behind"])

    def test_some_must_be_faster(self):
        self.assertEqual(self.marks("barrier", 2, libgomp=100, libomp=200, teff=101), ["not faster"])
        self.assertEqual(self.marks("barrier", 4, libgomp=100, libomp=200, teff=101), [])

    def test_goals_that_are_numbers(self):
        self.assertEqual(self.marks("chunk_dynamic", 4, libgomp=90, libomp=700, teff=46), ["> 45 ns"])
        self.assertEqual(self.marks("lock", 16, libgomp=300, libomp=700, teff=120), ["> 100 ns"])
        self.assertEqual(self.marks("idle_cpu", 2, libgomp=6e6, libomp=2e8, teff=2e5), ["> 0.1 ms"])

    def test_barriers_of_many_threads_have_shares_of_the_peers(self):
        self.assertEqual(self.marks("barrier", 8, libgomp=30, libomp=30, teff=9), [])
        self.assertEqual(self.marks("barrier", 8, libgomp=30, libomp=16, teff=9), ["> libomp/2"])
        self.assertEqual(judge.marks(group("barrier", 8, libgomp=30, libomp=16, teff=9), processors=8), [])

    def test_start_may_take_a_little_longer_than_the_better(self):
        self.assertEqual(self.marks("start_wall", 2, libgomp=1e6, libomp=2e6, teff=1.15e6), [])
        self.assertEqual(self.marks("start_wall", 2, libgomp=1e6, libomp=2e6, teff=1.3e6), ["behind"])

    def test_without_peers_or_without_teff_nothing_is_said(self):
        self.assertEqual(self.marks("single", 2, teff=5), [])
        self.assertEqual(self.marks("single", 2, libgomp=5), [])
        self.assertIsNone(judge.ratio(group("single", 2, libgomp=5)))

    def test_nothing_is_divided_by_noise(self):
        self.assertIsNone(judge.ratio(group("masked", 2, libgomp=0.01, teff=5)))
        self.assertEqual(judge.ratio(group("single", 2, libgomp=10, libomp=4, teff=2)), 0.5)


class CaseTest(unittest.TestCase):
    def test_a_listed_line_becomes_a_case(self):
        case = cases.listed("cancel_barrier\tOMP_CANCELLATION=true\ta barrier")
        self.assertEqual(case.settings, (("OMP_CANCELLATION", "true"),))
        self.assertEqual(case.command(False, True)[:3], ["constructs", "--construct", "cancel_barrier"])
        self.assertEqual(cases.listed("barrier\t\ta barrier").settings, ())

    def test_settings_reach_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "program"
            program.write_text('#!/bin/sh\necho "program size=x time_s=1e-9 result=$OMP_CANCELLATION"\n', encoding="utf-8")
            program.chmod(0o755)
            case = cases.listed("cancel_barrier\tOMP_CANCELLATION=true\ta barrier")
            chosen = [runtimes.Runtime("libgomp")]
            cells = measure.new_cells(case, chosen, 2)
            options = SimpleNamespace(quick=True, limit=10)
            measure.run_round(cells, case, chosen, 2, options, lambda name: program, lambda text: None)
        self.assertEqual(cells["libgomp"].outcomes[0].result, "true")

    def test_figures_below_zero_are_shown_as_such(self):
        self.assertEqual(constructs.nanoseconds(group("x", 1, teff=-3)[0]), "-3.00")


class EveryConstructTest(unittest.TestCase):
    """The real programs, with very few repetitions."""

    def run_suite(self, suite, threads):
        if not BUILD:
            self.skipTest("no --build given")
        with tempfile.TemporaryDirectory() as folder:
            figures = Path(folder) / "figures.json"
            command = [sys.executable, str(SCRIPT), "--suite", suite, "--build", str(BUILD), "--quick", "--runs", "1",
                       "--threads", threads, "--json", str(figures), "--markdown"]
            done = subprocess.run(command, capture_output=True, text=True, timeout=150, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            return done.stdout, json.loads(figures.read_text(encoding="utf-8"))["cells"]

    def check_cells(self, cells, names):
        """Each name ran on each runtime that is installed, and gave a number."""
        present = {cell["runtime"] for cell in cells} - {"floor"}
        self.assertLessEqual({"libgomp", "teff"}, present)
        for runtime in present:
            failed = {cell["case"] for cell in cells if cell["runtime"] == runtime and cell["failure"]}
            self.assertLessEqual(failed, KNOWN_FAULTS.get(runtime, set()), runtime)
            self.assertEqual({cell["case"] for cell in cells if cell["runtime"] == runtime}, names, runtime)
        cells = [cell for cell in cells if not cell["failure"]]
        self.assertTrue(all(math.isfinite(cell["time_s"]) for cell in cells))

    def test_constructs(self):
        listing = cases.constructs(BUILD / "bench" / "constructs" / "constructs") if BUILD else []
        text, cells = self.run_suite("constructs", "1,2,5")
        self.check_cells(cells, {case.name for case in listing})
        self.assertEqual(text.count("| barrier |"), 3)
        floors = {(cell["case"], cell["threads"]) for cell in cells if cell["runtime"] == "floor"}
        self.assertEqual(floors, {(shape, threads) for shape in ("floor_pair", "floor_ring") for threads in (2, 5)})

    def test_latency(self):
        text, cells = self.run_suite("latency", "2")
        self.check_cells(cells, {case.name for case in cases.latency()})
        self.assertIn("| idle_cpu |", text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, help="also run the programs that were built into this folder")
    known, others = parser.parse_known_args()
    BUILD = known.build and known.build.resolve()
    unittest.main(argv=[sys.argv[0], *others])
