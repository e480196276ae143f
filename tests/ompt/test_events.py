# SPDX-License-Identifier: Apache-2.0
"""The events of each program follow the specification, and are as many as the program's first comment says.

libomp also runs GCC's programs. Where libomp conforms, the same checks pass on it, which shows that
they demand no more than the specification.
"""

import re
import unittest

from checker import Checker
from events import Counts
from ompt_harness import PROGRAMS, OmptTest, libomp_folder
from program import Program

THREADS = (1, 2, 4, 8)

# The differences of libomp 19 under programs built by GCC. Complaints:
LIBOMP_COMPLAINTS = re.compile("|".join([  # noqa: FLY002  (each part has a comment)
    r"scopes are open: \[('work.single_executor'(, )?)+\]",  # the executor's single never ends
    r"task_create.*undeferred.*ompt_get_task_info says",  # it shows the new task as the current one
]))
LIBOMP_PROGRAMS = ["barriers.c", "dependences.c", "foreign.c", "mutexes.c", "regions.c", "serial_tasks.c", "sums.f90",
                   "tasks.c", "tree.c", "words.cpp"]


class EventsTest(OmptTest):
    def built(self, source):
        program = Program(source)
        return program, self.compile(source, *program.flags)

    def check_run(self, program, binary, threads, **options):
        done = self.run_with_tool(binary, threads, **program.env, **options)
        self.assertEqual(done.status, 0, done.text)
        return done

    def on_teff(self, source):
        program, binary = self.built(source)
        for threads in THREADS:
            with self.subTest(threads=threads):
                done = self.check_run(program, binary, threads)
                self.assertIn(program.stderr, done.text)
                self.assertEqual(Checker(done.events).complaints, [])
                counts = Counts(done.events)
                for pattern, expected in program.expected(threads):
                    self.assertEqual(counts.matching(pattern), expected, pattern)

    def on_libomp(self, source):
        program, binary = self.built(source)
        for threads in (2, 4):
            with self.subTest(threads=threads):
                done = self.check_run(program, binary, threads, library=libomp_folder())
                # It reports the barriers of GCC's work-sharing constructs as barriers of the
                # implementation.
                done.log = done.log.replace("barrier_implementation", "barrier_implicit_workshare")
                complaints = [c for c in Checker(done.events).complaints if not LIBOMP_COMPLAINTS.search(c)]
                self.assertEqual(complaints, [])
                counts = Counts(done.events)
                for pattern, expected in program.expected(threads):
                    if not self.libomp_differs(source.stem, pattern):
                        self.assertEqual(counts.matching(pattern), expected, pattern)

    @staticmethod
    def libomp_differs(name, pattern):
        if name == "regions":
            return "barrier_implicit_parallel" in pattern  # regions of one thread have no barrier there
        return "single" in pattern


def add_tests():
    for source in sorted(PROGRAMS.iterdir()):
        def on_teff(self, source=source):
            self.on_teff(source)
        setattr(EventsTest, f"test_{source.stem}", on_teff)
    for name in LIBOMP_PROGRAMS:
        def on_libomp(self, source=PROGRAMS / name):
            self.on_libomp(source)
        setattr(EventsTest, f"test_{name.split('.')[0]}_on_libomp",
                unittest.skipUnless(libomp_folder(), "no libomp here")(on_libomp))


add_tests()
