# SPDX-License-Identifier: Apache-2.0
"""Tests the runner: which ways in which a program ends it calls ok, wrong, hang and crash."""

import pathlib
import tempfile
import unittest

from situation import read_head, run_to_its_end


def end_of(script, limit_s=20):
    with tempfile.TemporaryDirectory() as place:
        return run_to_its_end(["sh", "-c", script], {"PATH": "/usr/bin:/bin"}, place, limit_s)


class Ends(unittest.TestCase):
    def test_ok(self):
        self.assertEqual(end_of("true").cell, "ok")

    def test_wrong_says_what_the_program_said(self):
        self.assertEqual(end_of("echo noise; echo 'wrong: 2 threads instead of 3'; exit 1").cell, "wrong: 2 threads instead of 3")

    def test_wrong_without_a_word(self):
        self.assertEqual(end_of("exit 3").cell, "wrong: exit status 3")

    def test_spins(self):
        self.assertEqual(end_of("echo 'spins 12 ms CPU'; exit 1").cell, "spins 12 ms CPU")

    def test_crash(self):
        self.assertEqual(end_of("kill -SEGV $$").cell, "crash SIGSEGV")

    def test_hang_asleep(self):
        self.assertEqual(end_of("sleep 100", 0.5).cell, "hang")

    def test_hang_of_a_child_at_work(self):
        outcome = end_of("(while :; do :; done) & wait", 2)
        self.assertEqual(outcome.kind, "hang")
        self.assertIn("burns", outcome.cell)

    def test_skipped(self):
        outcome = end_of("echo 'skipped: no cgroups'; exit 77")
        self.assertEqual((outcome.kind, outcome.detail), ("skipped", "no cgroups"))


class Heads(unittest.TestCase):
    def head_of(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".c") as file:
            file.write(text)
            file.flush()
            return read_head(pathlib.Path(file.name))

    def test_words_go_on_over_lines(self):
        head = self.head_of("// Situation: a sentence that\n// goes on\n// env: A=1\n//\n// words\n#include <a>\n// limit: 3\n")
        self.assertEqual(head, {"Situation": ["a sentence that goes on"], "env": ["A=1"]})

    def test_several_libraries(self):
        head = self.head_of("// library: a.so a.c\n// library: b.so a.c -DB\n")
        self.assertEqual(head["library"], ["a.so a.c", "b.so a.c -DB"])


if __name__ == "__main__":
    unittest.main()
