# SPDX-License-Identifier: Apache-2.0
"""Tests `teff sweep`: what runs, what is kept, and that the table says what the recordings say. No
test depends on how long anything takes."""

import csv
import io
import json
import re
import statistics

from harness import PROGRAMS, ProductTest

IDLE = {"serial", "imbalance", "outside-team", "nothing-ready"}


class Sweep(ProductTest):
    def setUp(self):
        super().setUp()
        self.program = self.compile(PROGRAMS / "cutoff.c")
        self.folder = self.place / "out"

    def sweep(self, *words, status=0, **options):
        done = self.teff("sweep", "-o", self.folder, *words, status=status, **options)
        return done, json.loads(done.out) if "--json" in words else None

    def report(self, point, run):
        return json.loads(self.teff("report", "--json", self.folder / point["directory"] / run["run"]).out)

    def test_the_table_says_what_the_recordings_say(self):
        _, facts = self.sweep("--json", "--over", "CUTOFF=0,2,5", "--", self.program, "{CUTOFF}")
        self.assertEqual((facts["over"], facts["environment"], facts["complete"]), ("CUTOFF", False, True))
        self.assertEqual([point["value"] for point in facts["points"]], ["0", "2", "5"])
        for point in facts["points"]:
            self.assertEqual(point["tasks"], 2 ** (int(point["value"]) + 1) - 2)
            self.assertEqual(len(point["runs"]), 3)
            for run in point["runs"]:
                self.check_run(point, run)
            for name in ("wall_ns", "work_ns", "creation_ns"):
                self.assertEqual(point[name], statistics.median(run[name] for run in point["runs"]))
            walls = [run["wall_ns"] for run in point["runs"]]
            self.assertEqual((point["wall_min_ns"], point["wall_max_ns"]), (min(walls), max(walls)))
        best = min(facts["points"], key=lambda point: point["wall_ns"])
        self.assertEqual(facts["best"], best["value"])
        for point in facts["points"]:
            self.assertEqual(point["among_the_best"], point["wall_min_ns"] <= best["wall_max_ns"])

    def check_run(self, point, run):
        """Against the report, and the CSV of the grains."""
        report = self.report(point, run)
        self.assertEqual((run["tasks"], run["wall_ns"]), (report["grains"]["tasks"], report["wall_ns"]))
        classes = {one["name"]: one["ns"] for one in report["budget"]["classes"]}
        self.assertAlmostEqual(run["creation_ns"], classes["creation"], delta=1)
        self.assertAlmostEqual(run["idle_ns"], sum(classes.get(name, 0) for name in IDLE), delta=4)
        table = self.teff("export", "--format", "csv", "-o", "-", self.folder / point["directory"] / run["run"]).out
        rows = list(csv.DictReader(io.StringIO(table.decode())))
        grains = [row for row in rows if row["kind"] == "task"] or [row for row in rows if row["kind"] == "implicit"]
        self.assertEqual(run["grains"], len(grains))
        self.assertAlmostEqual(run["grain_work_ns"], sum(int(row["work_ns"]) for row in grains), delta=len(grains))

    def test_a_name_without_a_place_is_a_variable(self):
        done, facts = self.sweep("--json", "--over", "OMP_NUM_THREADS=1,3", "--runs", "1", "--", self.program, "3")
        self.assertIn("OMP_NUM_THREADS is set in the environment of each run", done.text)
        self.assertTrue(facts["environment"])
        for point in facts["points"]:
            self.assertEqual(self.report(point, point["runs"][0])["workers"], int(point["value"]))

    def test_values_may_have_commas(self):
        _, facts = self.sweep("--json", "--over", "OMP_SCHEDULE=static;dynamic,1", "--runs", "1", "--", self.program)
        self.assertEqual([point["value"] for point in facts["points"]], ["static", "dynamic,1"])
        self.assertTrue((self.folder / "OMP_SCHEDULE=dynamic,1" / "set.json").is_file())

    def test_runs_take_turns_and_are_sets(self):
        done, _ = self.sweep("--over", "CUTOFF=1,2", "--runs", "4", "--", self.program)
        order = re.findall(r"run \d of 8, CUTOFF=(\d)", done.err.decode())
        self.assertEqual(order, ["1", "2"] * 4)
        text = self.teff("diff", self.folder / "CUTOFF=1", self.folder / "CUTOFF=2").text
        self.assertIn("4 runs", text)
        text = done.out.decode()
        self.assertRegex(text, r"(?m)^  CUTOFF +runs +wall time")
        self.assertRegex(text, r"(?m)^  2 +4 .* 6 ")
        self.assertRegex(text, r"Best: CUTOFF=|No value is faster than another by more than noise")

    def test_a_run_that_fails_is_named_and_loses_nothing(self):
        done, facts = self.sweep("--json", "--over", "CUTOFF=1,7,2", "--", self.program, "{CUTOFF}", status=5)
        said = f"CUTOFF=7, run 1: {self.program} 7 ended with exit status 5"
        self.assertIn(said, done.err.decode())
        self.assertIn(said, facts["notes"])
        self.assertEqual([len(point["runs"]) for point in facts["points"]], [1, 0, 0])
        self.assertFalse(facts["complete"])
        self.assertEqual(facts["best"], "1")
        manifest = json.loads((self.folder / "CUTOFF=7" / "set.json").read_text())
        self.assertEqual([run["exit_status"] for run in manifest["runs"]], [5])

    def test_a_sweep_goes_on_if_it_is_to(self):
        words = ("--json", "--keep-going", "--runs", "2", "--over", "CUTOFF=1,7,2", "--", self.program)
        _, facts = self.sweep(*words, status=5)
        self.assertEqual([len(point["runs"]) for point in facts["points"]], [2, 0, 2])

    def test_bad_input_is_said_and_nothing_is_left(self):
        for words, said, status in (
            (("--over", "CUTOFF", "--", self.program), "as in OMP_NUM_THREADS=1,2,4", 2),
            (("--over", "CUTOFF=1,,2", "--", self.program), "a value of CUTOFF is empty", 2),
            (("--over", "CUTOFF=1,1", "--", self.program), "1 is there twice", 2),
            (("--over", "CUTOFF=1", "--", self.program, "{CUT}"), "the command has the place {CUT}", 1),
            (("--over", "CUTOFF=1", "--", "./none", "{CUTOFF}"), "cannot start ./none", 1),
            (("--over", "CUTOFF=1"), "PROGRAM", 2),
        ):
            done, _ = self.sweep(*words, status=status)
            self.assertIn(said, done.text)
            self.assertFalse(self.folder.exists(), done.text)
        self.folder.mkdir()
        (self.folder / "mine").write_text("precious")
        done, _ = self.sweep("--over", "CUTOFF=1", "--", self.program, status=1)
        self.assertIn("is there already: choose another folder", done.text)
        self.assertEqual((self.folder / "mine").read_text(), "precious")

    def test_a_program_without_openmp_is_said(self):
        done, facts = self.sweep("--json", "--over", "CUTOFF=1,2", "--", "/bin/true", status=1)
        self.assertIn("CUTOFF=1, run 1: nothing to record", done.text)
        self.assertIsNone(facts["best"])
