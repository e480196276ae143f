# SPDX-License-Identifier: Apache-2.0
"""A process that does not use OpenMP notices nothing of the preloaded library. The first construct
or routine applies everything that the environment asks for.
"""

import os
import pathlib
import re
import unittest

from harness import LIBRARY, PROGRAMS, ProductTest, environment, run

HERE = pathlib.Path(__file__).resolve().parent
DISPLAY = b"OPENMP DISPLAY ENVIRONMENT BEGIN"
PROCESSORS = len(os.sched_getaffinity(0))
BINDINGS = [{"OMP_PROC_BIND": "true"}, {"OMP_PLACES": "threads"}, {"OMP_PROC_BIND": "spread", "OMP_PLACES": "{0},{1}"},
            {"GOMP_CPU_AFFINITY": "0-1"}]


def plain_environment(**extra):
    env = environment()
    del env["OMP_NUM_THREADS"]
    return env | extra


def preloaded(**extra):
    return plain_environment(LD_PRELOAD=str(LIBRARY / "libgomp.so.1"), **extra)


@unittest.skipIf(PROCESSORS < 2, "needs two processors")
class Binding(ProductTest):
    def setUp(self):
        super().setUp()
        self.program = self.compile(PROGRAMS / "where.c")

    def facts(self, *command, **extra):
        done = self.teff("run", "--", *command, env=plain_environment(**extra))
        return [list(map(int, re.findall(rb"\d+", line))) for line in done.out.splitlines()]

    def test_a_script_binds_nobody(self):
        here = str(self.program)
        scripts = {"a shell": ["sh", "-c", f"{here}; true"],
                   "shells in a shell": ["sh", "-c", f"sh -c '{here}; true'; true"],
                   "xargs": ["sh", "-c", f"echo {here} | xargs -n 1 env"],
                   "a program of its own": [here]}
        for binding in BINDINGS:
            usable = min(PROCESSORS, 2) if set(binding) & {"OMP_PLACES", "GOMP_CPU_AFFINITY"} else PROCESSORS
            for name, command in scripts.items():
                with self.subTest(name, **binding):
                    [[processors, threads, bound]] = self.facts(*command, **binding)
                    self.assertEqual(processors, PROCESSORS)
                    self.assertGreaterEqual(threads, usable)
                    self.assertEqual(bound, threads)

    def test_a_program_without_a_construct_is_not_bound(self):
        for binding in BINDINGS:
            with self.subTest(**binding):
                self.assertEqual(self.facts(self.program, "without", **binding), [[PROCESSORS, 0, 0]])


class Display(ProductTest):
    def said(self, *command, **extra):
        done = run(command, preloaded(OMP_DISPLAY_ENV="true", OMP_NUM_THREADS="two", **extra))
        self.assertEqual(done.status, 0, done.text)
        return done.err.count(DISPLAY), done.err.count(b"OMP_NUM_THREADS='two' is not valid")

    def test_nothing_where_openmp_is_not_used(self):
        program = self.compile(PROGRAMS / "where.c")
        for command in (["true"], ["sh", "-c", "true; exit 0"], [program, "without"]):
            self.assertEqual(self.said(*command, OMP_DISPLAY_AFFINITY="true", OMP_PLACES="cores"), (0, 0), command)

    def test_once_for_each_program_of_a_script_that_uses_it(self):
        program = self.compile(PROGRAMS / "where.c")
        self.assertEqual(self.said("sh", "-c", f"{program}; {program} without; {program}"), (2, 2))

    def test_once_in_children_whose_parent_does_not_use_it(self):
        program = self.compile(HERE / "first_use" / "in_children.c")
        self.assertEqual(self.said(program), (1, 1))

    def test_nothing_where_descriptor_2_is_another_file(self):
        program = self.compile(HERE / "first_use" / "descriptor_2.c")
        settings = preloaded(OMP_DISPLAY_ENV="true", OMP_NUM_THREADS="two")
        for mode in ("file", "pipe"):
            with self.subTest(mode):
                done = run([program, mode], settings, cwd=self.place)
                self.assertEqual((done.status, done.text), (0, ""))

    def test_each_routine_and_lock_is_a_use(self):
        program = self.compile(HERE / "first_use" / "each_routine.c")
        names = run([program, "names"], preloaded()).out.decode().split()
        self.assertGreater(len(names), 60)
        for name in names:
            with self.subTest(name):
                self.assertEqual(self.said(program, name), (1, 1))


if __name__ == "__main__":
    unittest.main()
