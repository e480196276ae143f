# SPDX-License-Identifier: Apache-2.0
"""A program that watches itself finds nothing of a recording but what docs/recording.md names."""

import unittest

from recorder_harness import RECORDING, GuestTest, build, try_in

TASKS = "40000"  # more than two chunks


def differences(alone, recorded):
    """The lines that only one of them has, in order."""
    only_alone = [line for line in alone if line not in set(recorded)]
    only_recorded = [line for line in recorded if line not in set(alone)]
    return only_alone, only_recorded


class Unnoticed(GuestTest):
    def watch(self, folder, recorded):
        trial = try_in(folder, [build("watch", "watch.c", "watch_state.c"), TASKS], recorded)
        self.assertEqual((trial.status, trial.err, trial.warnings), (5, "", ""))
        return trial.out.splitlines()

    def test_nothing_is_different_but_the_map(self):
        folder = self.folder("x")
        alone = self.watch(folder, False)
        (folder / "own.dat").unlink()
        recorded = self.watch(folder, True)
        self.assertGreater(len(alone), 1000)
        only_alone, only_recorded = differences(alone, recorded)
        self.assertEqual(only_alone, [])
        stream = f"mapped: rw-s FOLDER/{RECORDING}/stream-"
        self.assertEqual([line for line in only_recorded if stream not in line], [])
        moments = {line.split()[0] for line in only_recorded}
        self.assertEqual(
            moments,
            {"serial", "region", "file", "exit"},
            "no child and no other program has the mapping",
        )
        self.assertEqual(
            [line for line in recorded if stream not in line], alone, "and the order is the same"
        )


if __name__ == "__main__":
    unittest.main()
