# SPDX-License-Identifier: Apache-2.0
"""Tests the story of ./run demo on a small part of its text: the first finding is the defect, the
change mends it, and what the demo says at its end is true."""

import os
import sys
import unittest
from pathlib import Path

from harness import LIBRARY, ROOT, folder_of_this_run, run, skip_if_disturbed

sys.path.insert(0, str(ROOT / "demo"))

# pylint: disable=wrong-import-position
import story

BLOCKS = 12  # of 32 KiB each: pack.c
LIMIT_S = 120


@unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "on one processor a chain of tasks costs nothing")
class Story(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = folder_of_this_run("demo")
        options = ["--build", LIBRARY.parent, "--bytes", str(BLOCKS * 32768)]
        cls.done = run([sys.executable, ROOT / "demo" / "story.py", *options, cls.place], limit_s=LIMIT_S)
        cls.demo = story.Demo(cls.place, LIBRARY.parent, 2)

    def setUp(self):
        self.assertEqual(self.done.status, 0, self.done.text)

    def test_the_fault_is_found_first_and_goes_with_its_change(self):
        before, after = self.demo.report("before"), self.demo.report("after")
        skip_if_disturbed(before)
        first = story.first_of(before)
        self.assertEqual((first["rule"], first["line"]), (story.FAULT, self.demo.line_of_task()))
        self.assertEqual(Path(first["file"]).parts[-2:], ("before", "pack.c"))
        self.assertEqual(first["title"], f"a chain of {BLOCKS} tasks, each waiting for the one before it")
        self.assertIn('"memory"', " ".join(first["evidence"]))
        self.assertNotIn(story.FAULT, [finding["rule"] for finding in after["findings"]])
        self.assertEqual([report["grains"]["tasks"] for report in (before, after)], [BLOCKS, BLOCKS])

    def test_the_comparison_says_that_it_is_gone(self):
        skip_if_disturbed(self.demo.report("before"))
        gone = self.demo.diff()["findings"]["gone"]
        self.assertIn((story.FAULT, self.demo.line_of_task()), [(finding["rule"], finding["line"]) for finding in gone])

    def packed_by(self, side):
        self.demo.output_of(*self.demo.program(side))
        return (self.place / "text.packed").read_bytes()

    def test_both_programs_give_the_same(self):
        packed = self.packed_by("before")
        self.assertGreater(len(packed), 0)
        self.assertEqual(packed, self.packed_by("after"))

    def test_it_shows_the_finding_the_change_and_the_page(self):
        skip_if_disturbed(self.demo.report("before"))
        shown = [f"{story.FAULT}: ", "+#pragma omp threadprivate(memory)", f"gone {story.FAULT} at ", "The change gained "]
        text = " ".join(self.done.text.split())  # where lines end depends on the figures
        for words in shown:
            self.assertIn(words.strip(), text)
        self.assertGreater((self.place / story.PAGE).stat().st_size, 10_000)
        self.assertTrue(self.done.out.decode().rstrip().endswith(str(self.place / story.PAGE)))


def report_of(gain_ns, rule=story.FAULT):
    return {"findings": [{"rule": rule, "title": "some title", "gain_ns": gain_ns}]}


def diff_of(before_ns, after_ns, descheduled_ns=0):
    lost = {"name": "descheduled", "before_ns": descheduled_ns, "after_ns": 0}
    wall = {"before_ns": before_ns, "after_ns": after_ns}
    return {"wall": wall, "totals": [lost], "before": {"workers": 2}, "after": {"workers": 2}}


class Verdict(unittest.TestCase):
    """What the demo says about the gain, for each possible result of a run."""

    def check(self, words, unsaid, *arguments):
        said = story.verdict(*arguments)
        for word in words:
            self.assertIn(word, said)
        for word in unsaid:
            self.assertNotIn(word, said)

    def test_the_gain_is_as_said(self):
        self.check(["would gain 1.50 s", "gained 1.40 s: from 3.00 s to 1.60 s"], ["wrong", "Try again"],
                   report_of(1.5e9), diff_of(3e9, 1.6e9), 2)

    def test_the_gain_is_another_one_on_a_quiet_machine(self):
        self.check(["would gain 1.50 s", "gained 0.80 s", "wrong by more than 15%", "had processors"], [],
                   report_of(1.5e9), diff_of(3e9, 2.2e9), 2)

    def test_the_gain_is_another_one_on_a_busy_machine(self):
        self.check(["wrong by more than 15%", "for 25% of their time"], ["had processors"],
                   report_of(1.5e9), diff_of(3e9, 2.2e9, 1.5e9), 2)

    def test_another_finding_comes_first(self):
        self.check(['said "some title" first', "not the fault"], ["would gain"],
                   report_of(1.5e9, "serial-part"), diff_of(3e9, 2.2e9), 2)

    def test_nothing_is_found(self):
        self.check(["found nothing"], ["would gain"], {"findings": []}, diff_of(3e9, 2.2e9), 2)

    def test_one_processor(self):
        self.check(["nothing to gain", "one processor"], ["would gain", "wrong"], {"findings": []}, diff_of(3e9, 3e9), 1)


if __name__ == "__main__":
    unittest.main()
