# SPDX-License-Identifier: Apache-2.0
"""The cost of an operation must not grow with the number of operations before it. Each program of
growth/ performs N operations, where N is its argument. The cost of one more operation, in
instructions, must be the same for two values of N.
"""

import pathlib
import shutil
import unittest

from harness import LIBRARY, ProductTest, environment, instructions, run

HERE = pathlib.Path(__file__).resolve().parent

# How much the cost of one operation may grow while their number grows fourfold. Steps that grow
# with the number become four times as many, and must be noticed even if the other steps are more at
# the smaller number.
ROOM = 1.3


@unittest.skipUnless(shutil.which("valgrind"), "no valgrind here")
class Growth(ProductTest):
    def cost_of_one_more(self, program, count, **extra):
        env = environment(1, LD_LIBRARY_PATH=str(LIBRARY), **extra)
        before, after = (instructions([program, n], env) for n in (count, count * 5 // 4))
        return (after - before) / (count // 4)

    def check(self, name, count, *flags, **extra):
        """Compares the cost at `count` operations with the cost at four times as many."""
        program = self.compile(HERE / "growth" / f"{name}.c", *flags)
        small, large = (self.cost_of_one_more(program, n, **extra) for n in (count, 4 * count))
        self.assertLess(large, ROOM * small, f"instructions for one at {count} and {4 * count}")

    def test_a_nested_level_under_a_thread_limit(self):
        self.check("nested_levels", 200, OMP_THREAD_LIMIT="8")

    def test_an_item_of_a_task_reduction(self):
        self.check("reduction_items", 1000)

    def test_a_value_of_a_control_variable(self):
        self.check("icv_values", 1000)


class Files(ProductTest):
    def test_regions_with_dynamic_adjustment_open_next_to_none(self):
        program = self.compile(HERE / "growth" / "dynamic_regions.c", "-rdynamic")
        done = run([program, 20_000], environment(2, LD_LIBRARY_PATH=str(LIBRARY)))
        self.assertEqual(done.status, 0, done.text)
        self.assertLess(int(done.out), 2_000) # one look every tenth of a second, of a few files each
