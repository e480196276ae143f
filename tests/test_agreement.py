# SPDX-License-Identifier: Apache-2.0
"""Tests that no finding of a report contradicts the report's budget, for programs with a defect of
each kind, on any machine."""

import json
import sys
import unittest

from harness import ROOT, ProductTest, environment

TRUTH = ROOT / "bench" / "truth"
sys.path.insert(0, str(TRUTH))

import agreement  # noqa: E402  pylint: disable=wrong-import-position


class Agreement(ProductTest):
    def test_programs_with_a_defect(self):
        for source in sorted((TRUTH / "defects").glob("*.c")):
            with self.subTest(source.stem):
                program = self.compile(source)
                recording = self.record(program, env=environment(2), name=f"{source.stem}.teff")
                report = json.loads(self.teff("report", "--json", recording).out)
                self.assertEqual(agreement.contradictions(report), [])
                self.assertLessEqual(report["undisturbed_ns"], report["wall_ns"])


class Check(unittest.TestCase):
    """The check finds what it looks for."""

    def report(self, *findings):
        classes = [{"name": "scheduling", "ns": 4e6}, {"name": "serial", "ns": 1e6}, {"name": "descheduled", "ns": 9e6}]
        return {"wall_ns": 20e6, "undisturbed_ns": 15e6, "findings": findings,
                "budget": {"workers": 2, "processors": 2, "classes": classes}}

    def finding(self, rule, lost_ns, gain_ns, function="main"):
        title = "1 ms without a parallel region" if rule == "serial-part" else "title"
        whole_ns = 20e6 if rule == "descheduled" else 15e6
        return {"rule": rule, "title": title, "file": "a.c", "function": function, "lost_ns": lost_ns,
                "gain_ns": gain_ns, "gain_share": gain_ns / whole_ns}

    def faults(self, *findings):
        return agreement.contradictions(self.report(*findings))

    def test_findings_that_agree(self):
        machine = self.finding("descheduled", 9e6, 4.5e6)
        chunks = self.finding("tiny-chunks", 4e6, 2e6)
        serial = self.finding("serial-part", 1e6, 5e5)
        self.assertEqual(self.faults(machine, chunks, serial), [])
        self.assertEqual(self.faults(self.finding("serial-sleep", 10e6, 9e6)), [])

    def test_more_than_the_budget_has(self):
        for finding in (self.finding("tiny-chunks", 4.1e6, 2e6), self.finding("tiny-chunks", 4e6, 2.1e6),
                        self.finding("serial-part", 2e6, 5e5), self.finding("serial-sleep", 10e6, 9.1e6),
                        self.finding("serial-sleep", 11e6, 9e6)):
            self.assertEqual(len(self.faults(finding)), 1, finding)

    def test_other_processes_may_have_taken_most_of_the_run(self):
        """The undisturbed run is shorter than what they took, and nothing else may gain so much."""
        report = self.report(self.finding("descheduled", 12e6, 6e6))
        report["budget"]["classes"][2]["ns"] = 12e6
        report["undisturbed_ns"] = 5e6
        self.assertEqual(agreement.contradictions(report), [])
        report["findings"] = [{**self.finding("tiny-chunks", 12e6, 6e6), "gain_share": 1.2}]
        report["budget"]["classes"][0]["ns"] = 12e6
        self.assertEqual(agreement.contradictions(report), ["tiny-chunks: more gained than there is"])

    def test_a_share_of_another_time(self):
        chunks = {**self.finding("tiny-chunks", 4e6, 2e6), "gain_share": 0.1}
        self.assertEqual(self.faults(chunks), ["tiny-chunks: a share of 0.100 instead of 0.133"])

    def test_order_and_repetition(self):
        small, large = self.finding("serial-part", 1e6, 4e5), self.finding("tiny-chunks", 4e6, 2e6)
        self.assertEqual(self.faults(small, large), ["not by gain"])
        self.assertEqual(self.faults(large, self.finding("descheduled", 1e6, 5e5)), ["the machine is not the first"])
        self.assertEqual(self.faults(large, large), ["tiny-chunks: 2 times in main"])


if __name__ == "__main__":
    unittest.main()
