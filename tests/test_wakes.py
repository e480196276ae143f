# SPDX-License-Identifier: Apache-2.0
"""The recording says which thread woke which, and on which processors workers ran, in agreement
with the program.
"""

import json
import os
import unittest

from harness import PROGRAMS, ProductTest, environment
from model import DATA, KINDS, column
from records import numbers, records

CAUSES = numbers("TEFF_WAKE_")
NOBODY = 0xFFFF
INEXACT_NS = 100_000  # of the tools' line from ticks to nanoseconds


class Recorded(ProductTest):
    """A program's recording, what it printed, and the page's data."""

    def record_program(self, name, **env):
        self.recording = self.place / "x.teff"
        program = self.compile(PROGRAMS / name)
        done = self.teff("record", "-o", self.recording, "--", program, env=environment(2, **env))
        self.printed = [[int(word) for word in line.split()] for line in done.out.splitlines() if line[:1].isdigit()]
        self.streams = [records(path) for path in sorted(self.recording.glob("stream-*.bin"))]
        self.teff("view", "--html", self.place / "x.html", self.recording)
        self.data = json.loads(DATA.search((self.place / "x.html").read_text())[1])

    def table(self, name):
        columns = {key: column(values) for key, values in self.data[name].items()}
        return [dict(zip(columns, row)) for row in zip(*columns.values())]


class Wakes(Recorded):
    def setUp(self):
        super().setUp()
        self.record_program("wakes.c", OMP_WAIT_POLICY="passive")
        start_ns = json.loads((self.recording / "meta.json").read_text())["start_monotonic_ns"]
        self.waker, self.sleeper = (self.worker(thread) for thread in self.printed[0])
        self.times = [line[0] - start_ns for line in self.printed[1:]]

    def worker(self, thread):
        """The stream that a kernel thread wrote."""
        for number, stream in enumerate(self.streams):
            if any(record.name == "THREAD" and record.halves(2)[0] == thread for record in stream):
                return number
        self.fail(f"no stream of thread {thread}")

    def idles(self, begin, end):
        """Sleeps of the second thread, that another ended between these two instants."""
        return [row for row in self.table("idle")
                if row["worker"] == self.sleeper and begin - INEXACT_NS <= row["woken"] <= end + INEXACT_NS]

    def test_a_task_wakes_a_sleeper(self):
        created, ready = self.times[:2]
        [idle] = self.idles(created, ready)
        self.assertEqual((idle["woken_by"], idle["cause"]), (self.waker, CAUSES["TASK"]))
        self.assertLess(idle["start"], created - 50_000_000, "it had slept for long")
        self.assertGreaterEqual(idle["end"], idle["woken"])

    def test_a_barrier_wakes_a_sleeper(self):
        [idle] = self.idles(*self.times[2:4])
        self.assertEqual((idle["woken_by"], idle["cause"]), (self.waker, CAUSES["TEAM"]))

    def test_each_sleep_that_another_ended_has_one_waker(self):
        ended = [(number, record.words[1]) for number, stream in enumerate(self.streams)
                 for record in stream if record.name == "IDLE" and record.words[1]]
        told = [record.halves(0) for stream in self.streams for record in stream if record.name == "WAKE"]
        self.assertGreaterEqual(len(ended), 2)
        self.assertEqual(len(set(told)), len(told))
        self.assertLessEqual(set(ended), set(told))
        known = [row for row in self.table("idle") if row["woken_by"] != NOBODY]
        self.assertEqual(len(known), len(ended))


@unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "needs two processors")
class Moves(Recorded):
    def test_fragments_have_the_processor_on_which_they_began(self):
        self.record_program("moves.c")
        truth = [processor for [processor] in self.printed]
        self.assertEqual(len(set(truth)), 2)
        kinds = column(self.data["grain"]["kind"])
        tasks = [row for row in self.table("fragment") if KINDS[kinds[row["grain"]]] == "task"]
        self.assertEqual([row["core"] for row in tasks], truth)
        facts = json.loads(self.teff("report", "--json", self.recording).out)
        self.assertEqual(facts["processor_moves"], len(truth))
