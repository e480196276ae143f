# SPDX-License-Identifier: Apache-2.0
"""bench/truth has a program for each construct. Tests the report on each of these programs, with a
few long grains: the report must agree in structure with the program's own log and source. ./run
truth, on a machine without other load, tests how exact the figures are."""

import unittest

from known_truth import BY_NAME, Reports  # says where the next one is

# isort: split
# pylint: disable=wrong-import-order
import constructs

GRAIN_US, GRAINS = 100, 240
# Limits of report / truth. If the span lacks an edge, or has one too many, every run is beyond
# them; disturbances by the machine differ from run to run.
BAND = (0.9, 1.15)
ATTEMPTS = 5


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
            log, report, _ = self.measure(construct, GRAIN_US, GRAINS)
            self.assertLess(abs(report["budget"]["rest_ns"]), 0.01 * report["budget"]["whole_ns"])
            found = ratios(constructs.judge(log, construct), report)
            off = {name for name in off if not BAND[0] < found[name] < BAND[1]}
            if not off:
                return
        self.fail(f"report over truth, in the last run: {found}; never right: {sorted(off)}")


def add_tests():
    for construct in BY_NAME.values():
        def test(self, construct=construct):
            self.check_construct(construct)
        setattr(Truth, f"test_{construct.name.replace(' ', '_')}", test)


add_tests()

if __name__ == "__main__":
    unittest.main()
