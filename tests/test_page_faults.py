# SPDX-License-Identifier: Apache-2.0
"""Tests that a program that gives its memory back and takes it again is told so, and that one that
keeps its memory is not."""

import json
import unittest

from harness import PROGRAMS, ProductTest, environment, skip_if_disturbed

KEPT = {"MALLOC_TRIM_THRESHOLD_": "1073741824", "MALLOC_MMAP_THRESHOLD_": "33554432"}


class PageFaults(ProductTest):
    def report(self, *words, **knobs):
        program = self.compile(PROGRAMS / "page_faults.c")
        recording = self.record(program, *words, env=environment(2, **knobs), name=f"{'-'.join(words)}{len(knobs)}.teff")
        end = json.loads((recording / "end.json").read_text())
        return json.loads(self.teff("report", "--json", recording).out), end

    def rules(self, report):
        return [finding["rule"] for finding in report["findings"] if finding["rule"] != "descheduled"]

    def test_memory_that_comes_again_and_again(self):
        report, end = self.report("fresh")
        skip_if_disturbed(report)
        self.assertEqual(self.rules(report)[:1], ["page-faults"])
        (finding,) = (finding for finding in report["findings"] if finding["rule"] == "page-faults")
        self.assertIn("memory is returned to the system and taken again", finding["title"])
        self.assertLessEqual(finding["lost_ns"], end["system_ns"])
        self.assertGreater(4096 * end["minor_faults"], 10 * end["most_resident_bytes"])

    def test_the_remedies_work(self):
        for words, knobs in ((("kept",), {}), (("fresh",), KEPT)):
            with self.subTest(words=words):
                report, _ = self.report(*words, **knobs)
                self.assertNotIn("page-faults", self.rules(report))


if __name__ == "__main__":
    unittest.main()
