# SPDX-License-Identifier: Apache-2.0
"""A disk that fills up costs records, not the program's result."""

import json
import os
import subprocess
import unittest

from harness import PROGRAMS, ProductTest, environment

DISK = "3m"  # a stream takes room by the mebibyte; thousands of tasks fill the rest in no time


class DiskFull(ProductTest):
    def mount(self):
        if os.geteuid() != 0:
            self.skipTest("only root can mount a small file system")
        disk = self.place / "disk"
        disk.mkdir()
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", disk], capture_output=True, text=True,
                              check=False)
        if done.returncode != 0:
            self.skipTest(f"a small file system cannot be mounted here: {done.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", "--lazy", disk], check=True)
        return disk

    def test_the_program_goes_on_and_the_report_says_what_is_missing(self):
        recording = self.mount() / "full.teff"
        binary = self.compile(PROGRAMS / "many_tasks.c")
        done = self.teff("record", "-o", recording, "--", binary, self.place / "count", "1000", env=environment(2))
        created = int(done.out)
        facts = json.loads(self.teff("report", "--json", recording).out)
        self.assertGreater(facts["grains"]["tasks"], 0)
        self.assertLess(facts["grains"]["tasks"], created)
        self.assertTrue(any("could not store" in note for note in facts["notes"]), facts["notes"])


if __name__ == "__main__":
    unittest.main()
