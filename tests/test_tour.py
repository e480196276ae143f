# SPDX-License-Identifier: Apache-2.0
"""Tests docs/tour.md: its patches apply, the patched programs are right, its problems are found,
and the page shows the patches unchanged. ./run tour makes its figures."""

import re
import sys
import unittest

from harness import LIBRARY, ROOT, ProductTest, environment, run

sys.path.insert(0, str(ROOT / "bench" / "tour"))

# pylint: disable=wrong-import-position
import tour
from cases import BY_RULE, CASES
from stops import Stop, runs

ATTEMPTS = 30  # of 0.3 s each; under load another finding is often greater
PAGE = tour.TOUR.read_text()


class Tour(ProductTest):
    @classmethod
    def setUpClass(cls):
        cls.bench = runs.Place(LIBRARY.parent, runs.may_be_urgent())
        cls.addClassCleanup(cls.bench.close)

    def check_stop(self, case):
        stop = Stop(self.bench, case)
        stop.build()
        arguments = [word for word in case.arguments if word != "--no-check"]
        changed = run([stop.after / stop.name, *arguments], environment(2))
        self.assertEqual(changed.status, 0, changed.text)
        found = any(stop.once() for _ in range(ATTEMPTS))
        self.assertTrue(found, f"no finding {case.rule}")


class Page(unittest.TestCase):
    """What the page contains about each case, besides the outputs."""

    def test_the_patches_are_those_shown(self):
        for case in CASES:
            with self.subTest(case.rule):
                begin, end = tour.block_of(PAGE, case.rule, "change")
                self.assertEqual(PAGE[begin:end].strip("\n"), tour.indented(tour.change_of(case)).strip("\n"))

    def test_all_blocks_are_of_cases(self):
        shown = set(re.findall(r"<!-- (\S+) (?:report|change|gain) -->", PAGE))
        self.assertEqual(shown, set(BY_RULE))

    def test_the_commands_are_those_of_the_cases(self):
        for case in CASES:
            with self.subTest(case.rule):
                begin, end = tour.block_of(PAGE, case.rule, "report")
                self.assertIn(" ".join([f"./{case.source.stem}", *case.arguments]) + "\n", PAGE[begin:end])
                self.assertIn(f"         {case.rule}: ", PAGE[begin:end])


def add_tests():
    for case in CASES:
        def test(self, case=case):
            self.check_stop(case)
        setattr(Tour, f"test_{case.rule.replace('-', '_')}", test)


add_tests()

if __name__ == "__main__":
    unittest.main()
