# SPDX-License-Identifier: Apache-2.0
"""Each construct's program of bench/truth, with a few long grains: what the report says of it holds together, and has
the shape that the program's own log and source show. How exact the figures are is for ./run truth on a quiet machine."""

import sys
import unittest

from harness import LIBRARY, ROOT, ProductTest

sys.path.insert(0, str(ROOT / "bench" / "truth"))

# pylint: disable=wrong-import-position
import constructs
import logs
import runs

GRAIN_US, GRAINS = 100, 240
# Report over truth. A span that misses an edge, or has one too many, is off by more in every run;
# what the machine does meanwhile is another thing in each.
BAND = (0.9, 1.15)
ATTEMPTS = 5


class Reports(ProductTest):
    """Programs are recorded, and what the report says is kept with what the log says."""

    @classmethod
    def setUpClass(cls):
        cls.bench = runs.Place(LIBRARY.parent)
        cls.addClassCleanup(cls.bench.close)
        cls.bench.calibrate()

    def measure(self, construct):
        """(truth, report) of one run."""
        program = self.bench.compile(runs.HERE / "programs" / construct.program, construct.flags)
        file = self.place / "pieces.log"
        env = self.bench.environment(2, TRUTH_LOG=str(file), **construct.env)
        report = self.bench.report(self.bench.record([program, str(GRAIN_US), str(GRAINS)], env))
        return constructs.judge(logs.Log(file), construct), report

    def check_sums(self, report):
        """What holds for any program."""
        whole = report["workers"] * report["wall_ns"]
        room = 1 + 1e-6
        self.assertLessEqual(report["work_ns"], whole * room)
        self.assertLessEqual(report["span_ns"], report["wall_ns"] * room)
        self.assertLessEqual(report["span_ns"], report["work_ns"] * room)
        self.assertAlmostEqual(report["parallelism"], report["work_ns"] / report["span_ns"], places=6)

    def check_any_schedule(self, report):
        self.assertGreater(report["span_any_schedule_ns"], 0)
        self.assertLessEqual(report["span_any_schedule_ns"], report["span_ns"] * (1 + 1e-6))

    def check_budget(self, report):
        budget = report["budget"]
        self.assertEqual(budget["workers"], report["workers"])
        self.assertAlmostEqual(budget["whole_ns"] / (budget["workers"] * budget["wall_ns"]), 1, places=6)
        parts = [entry["ns"] for entry in budget["classes"]]
        self.assertGreaterEqual(min(parts), 0)
        self.assertAlmostEqual((sum(parts) + budget["rest_ns"]) / budget["whole_ns"], 1, places=6)
        self.assertLess(abs(budget["rest_ns"]), 0.01 * budget["whole_ns"])

def ratios(truth, report):
    return {
        "work": report["work_ns"] / truth.work,
        "span": report["span_ns"] / truth.span,
        "any schedule": report["span_any_schedule_ns"] / truth.span_any,
    }


class Truth(Reports):
    def check_construct(self, construct):
        off = {"work", "span", "any schedule"}
        for _ in range(ATTEMPTS):
            truth, report = self.measure(construct)
            self.check_sums(report)
            self.check_any_schedule(report)
            self.check_budget(report)
            found = ratios(truth, report)
            off = {name for name in off if not BAND[0] < found[name] < BAND[1]}
            if not off:
                return
        self.fail(f"report over truth, in the last run: {found}; never right: {sorted(off)}")


def add_tests():
    for construct in constructs.CONSTRUCTS:
        def test(self, construct=construct):
            self.check_construct(construct)
        setattr(Truth, f"test_{construct.name.replace(' ', '_')}", test)


add_tests()

if __name__ == "__main__":
    unittest.main()
