# SPDX-License-Identifier: Apache-2.0
"""Tests that the checker can fail: correct streams of events, and the complaint when one line of
them is changed.
"""

import pathlib
import re
import unittest

from checker import Checker
from events import parse
from loops import faults_in_chunks

STREAMS = pathlib.Path(__file__).parent / "streams"
# Lines without which the stream is still correct: a failed test of a lock, or the destruction of
# one.
OPTIONAL = ("acquire.test_lock", "lock_destroy")


def read(name):
    lines = (STREAMS / f"{name}.txt").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def complaints(lines):
    numbered = [f"100 {number} {line}" for number, line in enumerate(lines, 1)]
    return Checker(parse("\n".join(numbered))).complaints


def is_optional(line):
    return any(event in line for event in OPTIONAL)


class Streams(unittest.TestCase):
    def streams(self):
        return [read("region"), read("tasks"), read("target")]

    def test_right_ones_are_right(self):
        for lines in self.streams():
            self.assertEqual(complaints(lines), [])

    def test_no_line_may_be_missing(self):
        for lines in self.streams():
            for at, line in enumerate(lines):
                if not is_optional(line):
                    self.assertTrue(complaints(lines[:at] + lines[at + 1:]), f"missing: {line}")

    def test_no_line_may_come_twice(self):
        for lines in self.streams():
            for at, line in enumerate(lines):
                if not is_optional(line) and "lock_init" not in line:
                    self.assertTrue(complaints(lines[:at] + [line] + lines[at:]), f"twice: {line}")

    def test_no_line_may_come_on_another_thread(self):
        for lines in self.streams():
            for at, line in enumerate(lines):
                if "finalize" not in line:
                    moved = "7" + line[1:]
                    self.assertTrue(complaints(lines[:at] + [moved] + lines[at + 1:]), f"elsewhere: {line}")

    def test_no_object_may_be_another(self):
        for lines in self.streams():
            for at, line in enumerate(lines):
                for name in set(re.findall(r"=([TPKX]\d+)", line)):
                    wrong = re.sub(rf"={name}\b", f"={name[0]}77", line)
                    self.assertTrue(complaints(lines[:at] + [wrong] + lines[at + 1:]), f"{name} is another: {line}")

    def test_new_objects_have_no_data(self):
        for lines in self.streams():
            for at, line in enumerate(lines):
                for fresh in (" fresh=1", " region_fresh=1"):
                    wrong = line.replace(fresh, fresh[:-1] + "0")
                    if wrong == line:
                        continue
                    self.assertTrue(complaints(lines[:at] + [wrong] + lines[at + 1:]), line)


class Faults(unittest.TestCase):
    """(stream, what is replaced, by what, what the checker says)"""

    CASES = [
        ("region", "index=1 th=T2\n1 work", "index=0 th=T2\n1 work", "another implicit task has this index"),
        ("region", "task=K3 size=2", "task=K3 size=3", "another implicit task says 2 threads"),
        ("region", "start=2 iterations=2", "start=1 iterations=2", "overlap or leave gaps"),
        ("region", "start=2 iterations=2", "start=2 iterations=3", "6 iterations were dispatched of 5"),
        ("region", "task=K3 count=5", "task=K3 count=6", "another thread says 5 iterations"),
        ("region", "next=K4 th=T2", "next=K2 th=T2", "the next task is on thread 1"),
        ("region", "enter=300:20 th", "enter=0 th", "enter_frame is 0"),
        ("region", "exit=200:20 enter=100:20 th", "exit=50:20 enter=100:20 th", "exit_frame is below"),
        ("region", "exit=0 enter=300:20", "exit=400:20 enter=300:20", "no runtime frame called it"),
        ("region", "enter=300:20 th", "enter=-300:20 th", "below the callback"),
        ("region", "T=K2,2,0,P2", "T=K2,4,0,P2", "ompt_get_task_info says"),
        ("region", "T=K2,2,0,P2", "T=K2,2,1,P2", "ompt_get_task_info says"),
        ("region", ";K1,1,0,P1,0,300:20", "", "ompt_get_task_info says"),
        ("region", "P=P2,2;P1,1\n2", "P=P2,2\n2", "ompt_get_parallel_info says"),
        ("region", "P=P2,2;P1,1\n1", "P=P2,1;P1,1\n1", "ompt_get_parallel_info says"),
        ("region", "count=2 list=in:10,out:18", "count=1 list=in:10,out:18", "the count is not that of the list"),
        ("region", "list=in:10", "list=?9:10", "an unknown type of dependence"),
        ("region", "dependences=1 exit", "dependences=0 exit", "its create event said that it has none"),
        ("region", "wait.barrier_implicit_parallel.begin parallel=P2 task=K3",
         "wait.barrier_explicit.begin parallel=P2 task=K3", "a wait inside sync.barrier_implicit_parallel"),
        ("tasks", "next=K3", "next=K1", "scopes are open|is K1, not K3|the thread's current task"),
        ("tasks", "late_fulfill", "early_fulfill", "the task is detached already"),
        ("tasks", "late_fulfill prior=K5 next=-", "late_fulfill prior=K4 next=-", "the task is done, not detached"),
        ("tasks", "taskwait_complete prior=K6", "taskwait_complete prior=K4", "the task is no taskwait"),
        ("tasks", "acquired.test_lock wait=9", "acquired.test_lock wait=8", "the task acquires"),
        ("tasks", "1 released.lock wait=9\n", "", "holds a mutex"),
        ("tasks", "task_create.taskwait", "task_create.implicit", "no create event belongs|is no taskwait"),
        ("tasks", "start=0 iterations=4", "start=0 iterations=3", "3 iterations of taskloops were dispatched of 4"),
    ]

    def test_each_is_named(self):
        for name, old, new, complaint in self.CASES:
            with self.subTest(f"{old} -> {new}"):
                text = "\n".join(read(name)) + "\n"
                self.assertIn(old, text)
                self.assertRegex("\n".join(complaints(text.replace(old, new, 1).splitlines())), complaint)


class Chunks(unittest.TestCase):
    def test_series_of_any_step_and_order(self):
        down = 2**64
        for count, chunks in [(0, []), (5, [(0, 5)]), (6, [(4, 2), (0, 4)]), (5, [(10, 2), (16, 3)]), (4, [(down - 4, 2), (0, 2)])]:
            self.assertEqual(list(faults_in_chunks(count, chunks)), [], chunks)

    def test_faults(self):
        for count, chunks in [(4, [(0, 2)]), (4, [(0, 2), (0, 2)]), (6, [(0, 2), (2, 2), (5, 2)]), (2, [(0, 2), (9, 0)]), (1, [])]:
            self.assertTrue(list(faults_in_chunks(count, chunks)), chunks)
