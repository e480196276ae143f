# SPDX-License-Identifier: Apache-2.0
"""Records the programs of bench/truth. Returns what the report says of a program, and what the
program's own log says."""

import sys

from harness import LIBRARY, ROOT, ProductTest

sys.path.insert(0, str(ROOT / "bench" / "truth"))

# pylint: disable=wrong-import-position
import constructs
import logs
import runs

BY_NAME = {construct.name: construct for construct in constructs.CONSTRUCTS}


class Reports(ProductTest):
    @classmethod
    def setUpClass(cls):
        cls.bench = runs.Place(LIBRARY.parent)
        cls.addClassCleanup(cls.bench.close)
        cls.bench.calibrate()

    def program(self, construct):
        return self.bench.compile(runs.HERE / "programs" / construct.program, construct.flags)

    def measure(self, construct, us, grains, threads=2):
        """(log, report, recording) of one run with `grains` grains of this length."""
        file = self.place / "pieces.log"
        env = self.bench.environment(threads, TRUTH_LOG=str(file), **construct.env)
        recording = self.bench.record([self.program(construct), str(us), str(grains)], env)
        return logs.Log(file), self.bench.report(recording), recording
