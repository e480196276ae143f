# SPDX-License-Identifier: Apache-2.0
"""Programs that do unusual things to themselves behave the same with and without a recording."""

import json
import os
import unittest

from recorder_harness import RECORDING, GuestTest, build, report

MODES = {
    "descriptors": [
        "close-all-others",
        "without-standard-output",
        "without-standard-error",
        "count-free-numbers",
        "with-three-numbers",
        "replace-all-numbers",
    ],
    "processes": [
        "fork-while-others-record",
        "fork-after-threads-have-gone",
        "fork-by-hand",
        "start-others",
        "become-a-daemon",
        "become-another",
        "exit-in-region",
    ],
    "threads": [
        "cancel-deferred",
        "cancel-asynchronous",
        "handlers-use-openmp",
        "callbacks-use-openmp",
        "callbacks-use-teams-of-teams",
        "callbacks-wait-for-threads",
        "interrupted",
    ],
    "limits": [
        "small-files",
        "no-files-from-the-start",
        "no-descriptors",
        "no-descriptors-from-the-start",
        "locked-memory",
        "little-memory",
        "change-root",
        "change-user",
        "change-user-without-threads",
        "folder-removed",
        "folder-replaced",
        "sandbox",
        "sandbox-in-mid-chunk",
        "sandbox-for-new-places",
        "nobody-listens",
    ],
}
FOR_ROOT = {"change-root", "change-user", "change-user-without-threads"}
# The message that the recorder should print if it cannot go on.
WARNINGS = {
    "small-files": "(File too large)",
    "no-descriptors": "(Too many open files): what follows is counted, not recorded",
    "no-descriptors-from-the-start": "cannot be used (Too many open files): nothing is recorded",
    "change-root": "(No such file or directory)",
    "change-user": "(Permission denied)",
    "change-user-without-threads": "for want of a thread to do it (Resource temp",
    "folder-removed": "(No such file or directory)",
    "folder-replaced": "(No such file or directory)",
    "no-files-from-the-start": "cannot be used (File too large): nothing is recorded",
    "become-another": "exists and is not an empty directory",
}
STATUS = {"exit-in-region": 3}
UNREADABLE = {
    "folder-removed",
    "folder-replaced",
    "no-descriptors-from-the-start",
    "no-files-from-the-start",
    "without-standard-error",
}


class Hosts(GuestTest):
    def check(self, program, mode):
        if mode in FOR_ROOT and os.geteuid() != 0:
            self.skipTest("only root can do that")
        self.place.chmod(0o755)
        recorded, folder = self.compare(build(program), mode)
        self.assertEqual(recorded.status, STATUS.get(mode, 0), recorded.err)
        self.assertIn(WARNINGS.get(mode, ""), recorded.warnings)
        said = recorded.warnings.splitlines()  # of a stream, and of end.json
        self.assertLessEqual(len(said), 2 if mode in WARNINGS else 0, said)
        if mode not in UNREADABLE:
            self.assertIsNotNone(report(folder / RECORDING), "the recording can be read")

    def test_no_record_is_lost_while_all_memory_is_locked(self):
        _, folder = self.compare(build("limits"), "locked-memory")
        self.assertEqual(report(folder / RECORDING)["wholeness"]["kind"], "whole")

    def test_a_report_says_why_records_are_lost(self):
        _, folder = self.compare(build("limits"), "small-files")
        end = json.loads((folder / RECORDING / "end.json").read_text())
        self.assertIn("File too large", end["lost_because"])
        self.assertIn(end["lost_because"], report(folder / RECORDING)["wholeness"]["text"])

    def test_a_folder_that_takes_its_place_is_left_alone(self):
        _, folder = self.compare(build("limits"), "folder-replaced")
        self.assertEqual(
            [path.name for path in (folder / RECORDING).iterdir()], ["stream-0000.bin"]
        )
        self.assertEqual((folder / RECORDING / "stream-0000.bin").read_bytes(), b"precious")


def add_modes():
    for program, modes in MODES.items():
        for mode in modes:
            name = f"test_{program}_{mode.replace('-', '_')}"
            setattr(Hosts, name, lambda self, program=program, mode=mode: self.check(program, mode))


add_modes()

if __name__ == "__main__":
    unittest.main()
