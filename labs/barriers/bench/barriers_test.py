#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the benchmark of barriers: that each benchmark program runs, and that the script
evaluates its output correctly. No test asserts how long anything takes."""

import argparse
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import barriers

SCRIPT = Path(__file__).resolve().parent / "barriers.py"
BUILD = None  # the folder with bench/ and lib/, where one was named
FAMILY = ["central", "combining", "s-msb", "cpb", "c-lutb", "dissemination", "mcs", "hyper", "dist"]


class ReadTest(unittest.TestCase):
    def test_what_programs_print(self):
        outcome = barriers.read_figures("mo_pure 12.5\nepcc -3.0\n")
        self.assertEqual(outcome.figures, {"mo_pure": 12.5, "epcc": -3.0})

    def test_what_is_none_of_it(self):
        self.assertIsNone(barriers.read_figures(""))
        self.assertIsNone(barriers.read_figures("aso_pure 1\n"))

    def test_crowded_tables_say_so(self):
        self.assertEqual(barriers.crowding(1), "")
        self.assertIn("crowded", barriers.crowding(barriers.processors() + 1))


class RunTest(unittest.TestCase):
    def run_script(self, *words):
        if BUILD is None:
            self.skipTest("no --build")
        with tempfile.TemporaryDirectory() as place:
            written = Path(place) / "figures.json"
            command = [sys.executable, str(SCRIPT), "--build", str(BUILD), "--quick", "--runs", "1", "--json", str(written), *words]
            done = subprocess.run(command, capture_output=True, text=True, timeout=150, check=False)
            return done, json.loads(written.read_text()) if written.exists() else []

    def test_each_barrier_of_the_family_and_of_teff_runs(self):
        done, figures = self.run_script("--threads", "1,3", "--without", "libgomp,libomp")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        names = [*FAMILY, "teff central", "teff combining"]
        have = {(each["barrier"], each["threads"], each["figure"]) for each in figures}
        for name in names:
            for figure in barriers.FIGURES:
                self.assertIn((name, 3, figure), have)
            self.assertIn((name, 1, "mo_pure"), have)
            self.assertNotIn((name, 1, "aso_pure"), have)  # nobody but the master

    def test_other_runtimes_run(self):
        done, figures = self.run_script("--threads", "2", "--only", "libgomp,libomp hyper")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("libgomp", {each["barrier"] for each in figures})

    def test_a_name_that_there_is_not(self):
        done, _ = self.run_script("--only", "sense")
        self.assertEqual(done.returncode, 1)
        self.assertIn("there are central, combining", done.stderr)


def main():
    global BUILD  # noqa: PLW0603  (the tests read it)
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path)
    options, rest = parser.parse_known_args()
    BUILD = options.build
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
