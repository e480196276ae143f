# SPDX-License-Identifier: Apache-2.0
"""The cost of event points without a tool, and the cost of counting tasks, in instructions, which
valgrind counts exactly.

python3 tests/ompt/test_cost.py [LIBRARY FOLDER]     prints the counts
"""

import pathlib
import shutil
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from harness import LIBRARY, ProductTest, environment, instructions, run  # noqa: E402

TIMES = 20_000
THINGS = ["task", "region", "critical", "chunk", "dependent task"]
CLANG_THINGS = ["static loop", "masked"]
# The library itself must do the same work in each case. Differences of a few instructions come from
# the start, and are divided by TIMES.
TOLERANCE = 0.5


class Counter:
    """Counts the instructions of a program that does each thing TIMES times or not at all."""

    def __init__(self, program, library, things=THINGS):
        self.program, self.library, self.things = program, library, things

    def instructions(self, counts, **extra):
        return instructions([self.program, *counts], environment(1, LD_LIBRARY_PATH=str(self.library), **extra))

    def cost_of_each(self, **extra):
        nothing = self.instructions([0] * len(self.things), **extra)
        costs = {}
        for i, thing in enumerate(self.things):
            counts = [TIMES if j == i else 0 for j in range(len(self.things))]
            costs[thing] = (self.instructions(counts, **extra) - nothing) / TIMES
        return costs


@unittest.skipUnless(shutil.which("valgrind"), "no valgrind here")
class Cost(ProductTest):
    def test_a_tool_that_is_not_there_costs_nothing(self):
        counter = Counter(self.compile(HERE / "cost" / "counted.c"), LIBRARY)
        none_found = counter.cost_of_each()
        for attach in ({"OMP_TOOL": "disabled"}, {"OMP_TOOL_LIBRARIES": "/nowhere/libtool.so"}):
            with self.subTest(**attach):
                costs = counter.cost_of_each(**attach)
                for thing in THINGS:
                    self.assertAlmostEqual(costs[thing], none_found[thing], delta=TOLERANCE, msg=thing)

    def test_counters_are_a_few_of_a_tasks_instructions(self):
        counter = Counter(self.compile(HERE / "cost" / "counted.c"), LIBRARY)
        plain, counted = counter.cost_of_each(), counter.cost_of_each(TEFF_STAT=self.place)
        self.assertGreater(counted["task"], plain["task"])
        self.assertLess(counted["task"] - plain["task"], 280)
        # Uncounted, a team of one runs these at once, without a place in the table of dependences.
        self.assertGreater(counted["dependent task"], plain["dependent task"])
        self.assertLess(counted["dependent task"], 1400)

    def test_event_points_are_a_branch_each(self):
        # The number of instructions of each construct, plus a tenth: an event point that does
        # anything costs more than this tenth.
        most = {"task": 200, "region": 420, "critical": 60, "chunk": 102}
        costs = Counter(self.compile(HERE / "cost" / "counted.c"), LIBRARY).cost_of_each()
        for thing, limit in most.items():
            self.assertLess(costs[thing], limit, thing)

    @unittest.skipUnless(shutil.which("clang-19"), "no clang-19")
    def test_event_points_of_clang_are_a_branch_each(self):
        program = self.place / "bounds"
        built = run(["clang-19", "-O2", "-fopenmp=libomp", HERE / "cost" / "bounds.c", "-o", program])
        self.assertEqual(built.status, 0, built.text)
        library = f"{LIBRARY}/llvm:{LIBRARY}"
        costs = Counter(program, library, CLANG_THINGS).cost_of_each()
        for thing, limit in {"static loop": 168, "masked": 44}.items():
            self.assertLess(costs[thing], limit, thing)

    @unittest.skipUnless(shutil.which("clang-19"), "no clang-19")
    def test_tasks_of_clang_cost_little_more_than_those_of_gcc(self):
        program = self.place / "counted"
        built = run(["clang-19", "-O2", "-fopenmp=libomp", HERE / "cost" / "counted.c", "-o", program])
        self.assertEqual(built.status, 0, built.text)
        costs = Counter(program, f"{LIBRARY}/llvm:{LIBRARY}").cost_of_each()
        for thing, limit in {"task": 310, "dependent task": 350}.items():
            self.assertLess(costs[thing], limit, thing)


def main():
    import tempfile  # pylint: disable=import-outside-toplevel
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "counted"
        built = run(["gcc", "-O2", "-fopenmp", HERE / "cost" / "counted.c", "-o", program])
        assert built.status == 0, built.text
        library = sys.argv[1] if len(sys.argv) > 1 else LIBRARY
        for thing, cost in Counter(program, library).cost_of_each().items():
            print(f"{thing:14} {cost:8.1f} instructions")


if __name__ == "__main__":
    main()
