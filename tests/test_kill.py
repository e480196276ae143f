# SPDX-License-Identifier: Apache-2.0
"""Tests recordings of killed programs: a recording has all grains that had finished before the
kill, and the report says that the recording is incomplete."""

import json
import os
import random
import signal
import struct
import subprocess
import time
import unittest

from harness import LIBRARY, PROGRAMS, ProductTest, environment

ROUNDS = 20
LAST_MOMENT_S = 0.04  # what it records in that time is read twice
START_LIMIT_S = 20
RUN_MS = 60_000  # it does not end before it is killed, even if that is late


class Kill(ProductTest):
    def setUp(self):
        super().setUp()
        self.binary = self.compile(PROGRAMS / "many_tasks.c")

    def kill_at(self, moment_s, threads, number):
        """Returns the recording, and how many tasks the program said had finished."""
        recording, counter = self.place / f"{number}.teff", self.place / f"{number}.count"
        env = environment(threads, TEFF_TRACE=str(recording), LD_LIBRARY_PATH=str(LIBRARY))
        child = subprocess.Popen([self.binary, counter, str(RUN_MS)], env=env, stdout=subprocess.DEVNULL)
        try:
            self.wait_for_first_task(counter)
            time.sleep(moment_s)
        finally:
            os.kill(child.pid, signal.SIGKILL)
            child.wait()
        self.assertEqual(child.returncode, -signal.SIGKILL, "the program ended before it was killed")
        return recording, read_counter(counter)

    def wait_for_first_task(self, counter):
        deadline = time.monotonic() + START_LIMIT_S
        while read_counter(counter) == 0:
            self.assertLess(time.monotonic(), deadline, "no task finished")
            time.sleep(0.0005)

    def test_recordings_of_killed_programs_are_readable(self):
        seed = random.randrange(1 << 30)
        moments = random.Random(seed)
        for number in range(ROUNDS):
            moment_s, threads = moments.uniform(0, LAST_MOMENT_S), moments.choice((1, 2, 4))
            with self.subTest(seed=seed, moment_s=round(moment_s, 4), threads=threads):
                recording, finished = self.kill_at(moment_s, threads, number)
                facts = json.loads(self.teff("report", "--json", recording, status=3).out)
                self.assertFalse(facts["complete"])
                self.assertEqual((facts["wholeness"]["kind"], facts["findings"]), ("incomplete", []))
                text = self.teff("report", recording, status=3).out.decode()
                self.assertTrue(text.startswith("Incomplete recording: "), text)
                grains = facts["grains"]
                never_ending = grains["initial"] + grains["implicit"]
                recorded = grains["tasks"] - (grains["unfinished"] - never_ending)
                # Each thread may have ended a task's body, but not yet written its record.
                self.assertGreaterEqual(recorded + threads, finished)
                self.assertGreater(recorded, 0)


def read_counter(path):
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return 0
    return struct.unpack("<q", content)[0] if len(content) == 8 else 0


if __name__ == "__main__":
    unittest.main()
