# SPDX-License-Identifier: Apache-2.0
"""Recordings have the time that threads were off their processors, as the kernel tells it; and are
whole where the kernel tells nothing."""

import contextlib
import json
import os
import subprocess
import sys
import unittest

from recorder_harness import RECORDING, GuestTest, build, report, try_in
from records import numbers, records

WORK_MS = 300
OFF, THREAD = numbers("TEFF_OFF_"), numbers("TEFF_THREAD_")


@contextlib.contextmanager
def busy_processes():
    """One on each processor, and one more."""
    loop = [sys.executable, "-c", "while True: pass"]
    all_of_them = [subprocess.Popen(loop) for _ in range(len(os.sched_getaffinity(0)) + 1)]
    try:
        yield
    finally:
        for process in all_of_them:
            process.kill()
            process.wait()


class Interval:
    """An OFF record, on the monotonic clock."""

    def __init__(self, record, meta):
        ns = 1e9 / meta["ticks_per_second"]
        self.begin = meta["start_monotonic_ns"] + (record.at - meta["start_ticks"]) * ns
        self.ns = record.words[0] * ns
        self.slept = record.flags == OFF["SLEPT"]


class Switches(GuestTest):
    def setUp(self):
        super().setUp()
        self.program = build("switches")

    def need_event(self):
        if try_in(self.folder("can"), [self.program, "can"], False).out != "1\n":
            self.skipTest("the kernel refuses the event")

    def record(self, name, *command, **env):
        folder = self.folder(name)
        trial = try_in(folder, command, True, env=env)
        self.assertEqual(trial.status, 0, trial.err)
        return trial, folder / RECORDING

    def streams(self, recording):
        return [records(path) for path in sorted(recording.glob("stream-*.bin"))]

    def intervals(self, recording):
        meta = json.loads((recording / "meta.json").read_text())
        return [
            [Interval(record, meta) for record in stream if record.name == "OFF"]
            for stream in self.streams(recording)
        ]

    def basis(self, recording):
        return report(recording)["quality"]["descheduled_basis"]

    def test_the_intervals_are_what_the_kernel_counts(self):
        self.need_event()
        with busy_processes():
            trial, recording = self.record("busy", self.program, "work", WORK_MS)
        intervals = self.intervals(recording)
        lines = trial.out.splitlines()
        self.assertEqual((len(lines), len(intervals)), (2, 2))
        # The leader has the first stream.
        for line, of_stream in zip(lines, intervals, strict=True):
            begin, end, preemptions, delay, _ = map(int, line.split())
            lost = [
                off
                for off in of_stream
                if begin < off.begin + off.ns / 2 < end and not off.slept
            ]
            self.assertGreater(preemptions, 5, "the test's processes are busy")
            self.assertLessEqual(abs(len(lost) - preemptions), 2)
            # The counter's clock is another one, and goes on while a switch is under way.
            room = 0.02 * delay + 100_000 * preemptions
            self.assertAlmostEqual(sum(off.ns for off in lost), delay, delta=room)
        self.assertEqual(self.basis(recording), "told")

    def test_what_tasks_lost_is_none_of_their_work(self):
        self.need_event()
        with busy_processes():
            trial, recording = self.record("busy", self.program, "work", WORK_MS)
        facts = report(recording)
        work = sum(site["work_ns"] for site in facts["sites"] if site["kind"] == "task")
        cpu = sum(int(line.split()[4]) for line in trial.out.splitlines())
        self.assertAlmostEqual(work / cpu, 1, delta=0.05)

    def test_sleeps_in_tasks_are_told_and_sleeps_of_idle_threads_are_not(self):
        self.need_event()
        _, recording = self.record("asleep", self.program, "sleep")
        slept = [off for off in self.intervals(recording)[0] if off.slept and off.ns > 4.9e6]
        self.assertEqual(len(slept), 3)
        facts = report(recording)["quality"]
        self.assertGreaterEqual(facts["slept_ns"], 3 * 4.9e6)
        self.assertEqual((facts["undecided_ns"], facts["descheduled_basis"]), (0, "told"))

    def test_a_sleep_before_the_first_region_is_no_lost_processor(self):
        asleep_ms = 400
        with busy_processes():  # so that the thread is preempted, too
            _, recording = self.record("late", self.program, "late", asleep_ms)
        facts = report(recording)
        slept = [one for one in facts["findings"] if one["rule"] == "serial-sleep"]
        self.assertEqual(len(slept), 1, facts["findings"])
        self.assertIn("before the first region", slept[0]["title"])
        self.assertGreaterEqual(facts["quality"]["slept_ns"], 0.95 * asleep_ms * 1e6)

    def check_serial_sleep(self, recording, asleep_ms):
        facts = report(recording)
        slept = [one for one in facts["findings"] if one["rule"] == "serial-sleep"]
        self.assertEqual(len(slept), 1, facts["findings"])
        self.assertAlmostEqual(slept[0]["gain_ns"] / 1e6, asleep_ms, delta=0.1 * asleep_ms)

    def test_nor_is_that_of_another_thread_than_the_first(self):
        with busy_processes():
            _, recording = self.record("thread", self.program, "thread", 400)
        self.check_serial_sleep(recording, 400)

    def test_nor_is_that_of_a_child_forked_after_a_region(self):
        with busy_processes():
            _, recording = self.record("child", self.program, "child", 400)
        [child] = recording.glob("process-*")
        self.check_serial_sleep(child, 400)

    def check_estimate(self, trial, recording):
        self.assertEqual(trial.warnings, "")
        self.assertEqual(self.basis(recording), "estimated")
        for stream in self.streams(recording):
            self.assertEqual([record for record in stream if record.name == "OFF"], [])
            told = [record.flags & THREAD["TOLD"] for record in stream if record.name == "THREAD"]
            self.assertEqual(sum(told), 0)

    def test_nothing_is_told_where_it_is_turned_off(self):
        self.check_estimate(
            *self.record("off", self.program, "work", 10, TEFF_TRACE_SWITCHES="off")
        )

    def test_an_event_is_not_asked_for_under_a_filter(self):
        self.check_estimate(
            *self.record("filter", self.program, "refused", self.program, "work", 10)
        )


if __name__ == "__main__":
    unittest.main()
