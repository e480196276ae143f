# SPDX-License-Identifier: Apache-2.0
"""Tests Archer, a tool that people use: it tells ThreadSanitizer how OpenMP orders accesses. With
Archer, GCC's ThreadSanitizer finds exactly the races of a program on Teff; without Archer it
reports a race at every construct."""

import pathlib
import unittest

from ompt_harness import HERE, OmptTest

ARCHER = sorted(pathlib.Path("/usr/lib").glob("llvm-*/lib/libarcher.so"))


@unittest.skipUnless(ARCHER, "no libarcher.so here (package libomp-dev)")
class Archer(OmptTest):
    def races(self, *words, attach):
        binary = self.compile(HERE / "archer" / "races.c", "-O1", "-fsanitize=thread")
        done = self.run_with_tool([binary, *words], 4, attach=attach, TSAN_OPTIONS="exitcode=0")
        self.assertEqual(done.status, 0, done.text)
        return {line.split(" in ")[-1] for line in done.text.splitlines() if line.startswith("SUMMARY")}, done.text

    def with_archer(self, *words):
        return self.races(*words, attach={"OMP_TOOL_LIBRARIES": str(ARCHER[-1])})

    def test_a_right_program_has_no_races(self):
        races, text = self.with_archer()
        self.assertEqual(races, set(), text)

    def test_a_race_is_found(self):
        races, text = self.with_archer("race")
        self.assertEqual(len(races), 1, text)
        self.assertIn("unprotected", text)

    def test_it_is_the_tool_that_makes_the_difference(self):
        races, _ = self.races(attach={})
        self.assertTrue(races)
