# SPDX-License-Identifier: Apache-2.0
"""A disk that fills up costs records, not the program's result."""

import json
import os
import unittest

from harness import PROGRAMS, TEFF, ProductTest, environment, run

DISK = "3m"  # a stream takes room by the mebibyte; thousands of tasks fill the rest in no time


class DiskFull(ProductTest):
    def test_the_program_goes_on_and_the_report_says_what_is_missing(self):
        recording = self.small_disk(DISK) / "full.teff"
        binary = self.compile(PROGRAMS / "many_tasks.c")
        done = self.teff("record", "-o", recording, "--", binary, self.place / "count", "1000", env=environment(2))
        created = int(done.out)
        facts = json.loads(self.teff("report", "--json", recording, status=3).out)
        self.assertGreater(facts["grains"]["tasks"], 0)
        self.assertLess(facts["grains"]["tasks"], created)
        self.assertTrue(any("could not store" in note for note in facts["notes"]), facts["notes"])

    def test_a_page_that_does_not_fit_leaves_the_one_before(self):
        page = self.small_disk(DISK) / "page.html"
        small, large = self.compile(PROGRAMS / "ending.c"), self.compile(PROGRAMS / "many_tasks.c")
        self.teff("view", "--html", page, self.record(small, name="small.teff"))
        before = page.read_bytes()
        (page.parent / "filler").write_bytes(bytes((3 << 20) - len(before) - (64 << 10)))
        recording = self.record(large, self.place / "count", "200", name="large.teff")
        for words in (["view", "--html", page, recording], ["export", "--format", "graphml", "-o", page, recording]):
            done = self.teff(*words, status=1)
            self.assertIn("No space left on device", done.text)
            self.assertEqual(page.read_bytes(), before)
        self.assertEqual(sorted(os.listdir(page.parent)), ["filler", "page.html"])

    def test_a_limit_on_the_size_of_files(self):
        """The limit causes an error, and no unfinished file is left behind."""
        recording = self.record(self.compile(PROGRAMS / "many_tasks.c"), self.place / "count", "200")
        folder = self.place / "out"
        folder.mkdir()
        for words in (["view", "--html", folder / "page.html", recording],
                      ["export", "--format", "graphml", "-o", folder / "graph", recording],
                      ["export", "--format", "parquet", "-o", folder / "tables", recording]):
            with self.subTest(words=words[:3]):
                limited = " ".join(str(word) for word in [TEFF, *words])
                done = run(["sh", "-c", f"ulimit -f 8; exec {limited}"])
                self.assertEqual(done.status, 1, done.text)
                self.assertIn("File too large", done.text)
                self.assertEqual(os.listdir(folder), [])


if __name__ == "__main__":
    unittest.main()
