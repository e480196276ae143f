# SPDX-License-Identifier: Apache-2.0
"""The programs of bench/truth/defects: the first finding of each names its defect and its line."""

import sys
import unittest
from pathlib import Path

from harness import LIBRARY, ROOT, ProductTest

sys.path.insert(0, str(ROOT / "bench" / "truth"))

# pylint: disable=wrong-import-position
import defects
import runs

# Rules that concern the state of the machine, and not the program.
OF_THE_MACHINE = {"descheduled"}


class Defects(ProductTest):
    def findings(self, source, cured):
        place = runs.Place(LIBRARY.parent)
        self.addCleanup(place.close)
        program = place.compile(source, (f"-DCURED={cured:d}",))
        found = place.report(place.record([program], place.environment(2)))["findings"]
        return [finding for finding in found if finding["rule"] not in OF_THE_MACHINE]

    def check_defect(self, name):
        source = runs.HERE / "defects" / f"{name}.c"
        found = self.findings(source, False)
        self.assertTrue(found, "nothing was found")
        self.assertEqual([finding["gain_ns"] for finding in found],
                         sorted((finding["gain_ns"] for finding in found), reverse=True))
        first = found[0]
        self.assertIn(first["rule"], defects.RULES[name])
        self.assertEqual(Path(first["file"]).name, source.name)
        self.assertIn(first["line"], defects.lines_here(source))
        self.assertGreater(first["gain_ns"], 0)
        self.assertTrue(first["evidence"] and first["remedy"] and first["estimate"])

    def check_cure(self, name):
        """The cured program may have other findings, but this one must not come first with such a gain."""
        source = runs.HERE / "defects" / f"{name}.c"
        before, after = (
            sum(finding["gain_ns"] for finding in self.findings(source, cured) if finding["rule"] in defects.RULES[name])
            for cured in (False, True))
        self.assertLess(after, before)


def add_tests():
    for name in sorted(set(defects.RULES) - defects.NEEDS_COUNTERS):
        def test(self, name=name):
            self.check_defect(name)

        def test_cure(self, name=name):
            self.check_cure(name)
        setattr(Defects, f"test_{name}", test)
        setattr(Defects, f"test_{name}_cured", test_cure)


add_tests()

if __name__ == "__main__":
    unittest.main()
