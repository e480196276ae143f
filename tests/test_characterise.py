# SPDX-License-Identifier: Apache-2.0
"""Tests `teff characterise`. labs/instructions/tests tests it on programs whose instructions are
counted."""

import csv
import json
import os
import xml.etree.ElementTree

from harness import PROGRAMS, ProductTest


class Study(ProductTest):
    def setUp(self):
        super().setUp()
        self.program = self.compile(PROGRAMS / "accesses.c", "-pthread")

    def test_recordings_without_counts_are_compared_by_their_times(self):
        for case in ("tasks", "chunks", "nested"):
            self.record(self.program, case, name=f"{case}.teff")
        found = json.loads(self.teff("characterise", "--json", "-o", self.place / "study", self.place).out)
        self.assertEqual((found["recordings"], found["lengths_in"]), (3, "ns"))
        self.assertEqual(len(found["programs"]), 3)
        for drawing in ("tree.svg", "loadings.svg"):
            xml.etree.ElementTree.parse(self.place / "study" / drawing)

    def test_counters_are_shown_by_site_with_the_sums_of_the_report(self):
        for case in ("tasks", "chunks", "nested"):
            counters = ["--counters", "page-faults,task-clock"] if case == "tasks" else []
            self.teff("record", *counters, "-o", self.place / f"{case}.teff", "--", self.program, case)
        args = ("characterise", "-o", self.place / "study", self.place)
        found = json.loads(self.teff(*args, "--json").out)["programs"]
        (counters,) = [program["counters"] for program in found if program["counters"]]
        report = json.loads(self.teff("report", "--json", self.place / "tasks.teff").out)
        self.assertEqual(counters["in_grains"], report["counters"]["in_grains"])
        self.assertEqual(counters["outside"], report["counters"]["outside"])
        for site, truth in zip(counters["sites"], report["sites"], strict=True):
            self.assertEqual((site["line"], site["counters"]), (truth["line"], truth["counters"]))
            self.assertEqual(site["per_grain"], [sum / truth["count"] for sum in truth["counters"]])
        table = (self.place / "study" / "counters.csv").read_text()
        rows = list(csv.DictReader(table.splitlines()))
        self.assertEqual(len(rows), 2 * len(counters["sites"]))
        of_faults = [int(row["count"]) for row in rows if row["event"] == "page-faults"]
        self.assertEqual(sum(of_faults), counters["in_grains"][0])
        text = self.teff(*args).text
        self.assertEqual(text.count("sums, and means of a grain"), 1)
        self.assertRegex(text, "site +kind +grains +page-faults +a grain +task-clock +a grain")

    def test_what_lies_in_the_place_of_counts_is_left_out_with_a_word(self):
        recording = self.record(self.program, "tasks", name="one.teff")
        pid = json.loads((recording / "meta.json").read_text())["pid"]
        names = [recording / f"counts-{pid}-{number}.bin" for number in range(2, 6)]
        os.mkfifo(names[0])
        names[1].mkdir()
        names[2].symlink_to("/dev/zero")
        with open(names[3], "wb") as long:
            long.truncate((4 << 30) + 1)
        text = self.teff("characterise", self.place, status=1).text
        for name, why in zip(names, ["is no plain file"] * 3 + ["has 4294967297 bytes, more than 4294967296"]):
            self.assertIn(f"left out: {name} {why}.", text)

    def test_too_few_programs_are_refused_with_what_to_do(self):
        self.record(self.program, "tasks", name="one.teff")
        done = self.teff("characterise", self.place, status=1)
        self.assertIn("recordings of 1 programs and inputs, but components need at least 3", done.text)
        self.assertIn("contains none", self.teff("characterise", "/usr/share/doc", status=1).text)
