# SPDX-License-Identifier: Apache-2.0
"""A program that watches itself notices no effect of a recording except those that
docs/recording.md names.
"""

import re
import unittest

from recorder_harness import RECORDING, GuestTest, build, try_in

TASKS = "160000"  # more than two chunks
RING = "mapped: rw-s anon_inode:[perf_event]"  # where the kernel tells of context switches, and samples


def differences(alone, recorded):
    """The lines that only one of the two outputs has, in order."""
    only_alone = [line for line in alone if line not in set(recorded)]
    only_recorded = [line for line in recorded if line not in set(alone)]
    return only_alone, only_recorded


class Unnoticed(GuestTest):
    def watch(self, folder, recorded, env):
        trial = try_in(folder, [build("watch", "watch.c", "watch_state.c"), TASKS], recorded, env=env)
        self.assertEqual((trial.status, trial.err, trial.warnings), (5, "", ""))
        return trial.out.splitlines()

    def test_nothing_is_different_but_the_map(self):
        self.compare({})

    def test_nothing_is_different_with_call_paths(self):
        self.compare({"TEFF_TRACE_CALL_PATHS": "32"})

    def test_nothing_is_different_with_samples(self):
        self.compare({"TEFF_TRACE_SAMPLES": "997"})

    def compare(self, env):
        folder = self.folder("x")
        # The kernel counts pages of its rings beyond perf_event_mlock_kb as the process's (VmPin).
        def without_pins(lines):
            return [line for line in lines if "VmPin:" not in line]

        alone = without_pins(self.watch(folder, False, env))
        (folder / "own.dat").unlink()
        recorded = without_pins(self.watch(folder, True, env))
        # The number of lines depends on the caller: a bare environment has fewer variables.
        self.assertGreater(len([line for line in alone if " variable: " not in line]), 500)
        only_alone, only_recorded = differences(alone, recorded)
        self.assertEqual(only_alone, [])
        recorded = [line for line in recorded if RING not in line]
        only_recorded = [line for line in only_recorded if RING not in line]
        stream = f"mapped: rw-s FOLDER/{RECORDING}/stream-"
        of_child = re.compile(rf"mapped: rw-s FOLDER/{RECORDING}/process-[0-9]+/stream-")
        own = {line.split()[0] for line in recorded if of_child.search(line)}
        self.assertEqual(own, {"child-after"}, "a child that uses OpenMP has its own")
        recorded = [line for line in recorded if not of_child.search(line)]
        only_recorded = [line for line in only_recorded if not of_child.search(line)]
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


    def mappings(self, name, recorded):
        trial = try_in(self.folder(name), [build("threads"), "mappings-of-many"], recorded)
        self.assertEqual((trial.status, trial.warnings), (0, ""))
        return tuple(map(int, re.match(r"(\d+) threads: (\d+) mappings", trial.out).groups()))

    def test_a_thread_has_one_mapping_more(self):
        """The number of mappings of a process is limited. A thread may get more than one: a mapping
        of the recorder may divide what was one mapping of the program."""
        threads, alone = self.mappings("alone", False)
        _, recorded = self.mappings("recorded", True)
        self.assertLessEqual(recorded - alone, 1.5 * threads)


if __name__ == "__main__":
    unittest.main()
