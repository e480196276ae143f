# SPDX-License-Identifier: Apache-2.0
"""Damaged recordings are refused or marked, and give no finding. `tests/damage.py` makes many more damages."""

import unittest

from damage import DAMAGES, MARKED, PROGRAMS, SAME, WRONG, Bench
from harness import ProductTest


class Damage(ProductTest):
    def setUp(self):
        super().setUp()
        self.bench = Bench(self.place)
        self.bench.prepare()

    def test_no_damage_is_taken_for_a_whole_recording(self):
        for program in (source.stem for source in PROGRAMS):
            for kind in DAMAGES:
                with self.subTest(program=program, kind=kind):
                    self.bench.damage(program, kind, 0)
                    outcome, why = self.bench.judge(program)
                    self.assertNotEqual(outcome, WRONG, why)
                    if kind in ("cut", "empty", "empty_all", "delete", "drop_end"):
                        self.assertEqual(outcome, MARKED)
                        self.assertEqual(self.bench.first_line(), why)
                    if kind == "old_end":
                        self.assertEqual(outcome, SAME, why)

    def test_each_verb_says_what_is_missing(self):
        recording, page = self.bench.folder, self.place / "page.html"
        self.bench.damage("loops", "delete", 0)
        says = "Damaged recording: stream-"
        for words in (["report", recording], ["predict", recording], ["diff", recording, recording]):
            done = self.teff(*words, status=3)
            self.assertIn(says, done.out.decode().partition("\n")[0])
            self.assertNotIn("more than noise", done.text)
        for words in (["export", "--format", "graphml", "-o", self.place / "a.graphml", recording],
                      ["view", "--html", page, recording]):
            self.assertIn(says, self.teff(*words, status=3).err.decode().partition("\n")[0])
        self.assertIn(says, page.read_text())


if __name__ == "__main__":
    unittest.main()
