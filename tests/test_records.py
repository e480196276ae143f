# SPDX-License-Identifier: Apache-2.0
"""Tests records that are not part of the graph: kinds of dependences, priorities, fulfilled events,
which tasks ran at the same time, and the resources that the threads used.
"""

import json
import shutil
import unittest

from harness import PROGRAMS, ProductTest, environment, run
from records import numbers, records

WAIT, DEP, THREAD = numbers("TEFF_WAIT_"), numbers("TEFF_DEP_"), numbers("TEFF_THREAD_")
TASK = numbers("TEFF_TASK_")
IMPLICIT = TASK["IMPLICIT"]
QUEUE = 16  # fewer than the program's TASKS
PRIORITY_LIMIT = 50


class Records(ProductTest):
    def setUp(self):
        super().setUp()
        env = environment(1, OMP_MAX_TASK_PRIORITY=str(PRIORITY_LIMIT), TEFF_DEQUE_LIMIT=str(QUEUE))
        self.recording = self.record(self.compile(PROGRAMS / "facts.c"), env=env)
        self.streams = [records(path) for path in sorted(self.recording.glob("stream-*.bin"))]
        self.end = json.loads((self.recording / "end.json").read_text())

    def of(self, name):
        return [record for record in self.streams[0] if record.name == name]

    def tasks(self):
        """The explicit tasks in the order in which they were created."""
        return [record.words[0] for record in self.of("CREATE") if not record.flags & IMPLICIT]

    def test_what_depend_clauses_say(self):
        first, second, third, fourth, last = self.tasks()[2:7]
        found = [(r.words[1], r.words[0], r.flags & 7, r.flags >> 3 & 7) for r in self.of("DEP")]
        self.assertEqual(found, [
            (first, second, DEP["IN"], DEP["INOUT"]),
            (second, third, DEP["MUTEXINOUTSET"], DEP["IN"]),
            (third, fourth, DEP["INOUT"], DEP["INOUT"]),
            (fourth, last, DEP["IN"], DEP["INOUT"]),
        ])
        fulfilled = [bool(record.flags & DEP["FULFILLED"]) for record in self.of("DEP")]
        self.assertEqual(fulfilled, [False, False, False, True])

    def test_priorities(self):
        first, second = self.tasks()[7:9]
        found = [(record.words[0], record.halves(1)[0]) for record in self.of("PRIORITY")]
        self.assertEqual(found, [(first, 3), (second, PRIORITY_LIMIT)])

    def test_fulfilments(self):
        early, late = self.tasks()[:2]
        self.assertEqual([(record.words[0], record.flags) for record in self.of("FULFIL")], [(early, 0), (late, 1)])
        body = next(record for record in self.of("RUN") if record.words[0] == late)
        self.assertGreaterEqual(self.of("FULFIL")[1].when, body.when + (body.words[1] & (1 << 48) - 1))

    def test_tasks_that_ran_at_once_are_no_yields(self):
        kinds = [record.flags for record in self.of("WAIT")]
        self.assertGreater(kinds.count(WAIT["RUN_AT_ONCE"]), 0)
        self.assertEqual(kinds.count(WAIT["TASKYIELD"]), 0, "a single taskyield does nothing")

    def test_what_threads_have_used(self):
        self.assertEqual(len(self.streams), 2)
        self.assertEqual(len(self.end["thread_cpu_ns"]), 2)
        for number, stream in enumerate(self.streams):
            threads = [record for record in stream if record.name == "THREAD"]
            self.assertEqual(stream[1], threads[0])
            self.assertEqual(threads[0].flags & ~THREAD["TOLD"], THREAD["BEGINS"])
            self.assertGreater(threads[0].words[1], 0, "the recorder opened a file")
            of_end = self.end["thread_cpu_ns"][number] or threads[-1].words[0]
            self.assertGreaterEqual(of_end, threads[0].words[0])
            self.assertGreaterEqual(self.end["cpu_ns"], of_end)
        last = self.of("THREAD")[-1].flags & ~THREAD["TOLD"]
        self.assertEqual(last, THREAD["ENDS"], "of the thread that ends the program")


class FinishedPredecessors(ProductTest):
    BLOCKS, STEPS, READERS = 200, 5, 300  # as the program has them

    def test_dependences_on_tasks_that_have_finished_are_recorded(self):
        program = self.compile(PROGRAMS / "finished_predecessors.c")
        for threads in (1, 2):
            recording = self.record(program, env=environment(threads))
            found = [record for path in recording.glob("stream-*.bin") for record in records(path)
                     if record.name == "DEP"]
            self.assertEqual(len(found), self.BLOCKS * (self.STEPS - 1) + 2 * self.READERS)
            on_blocks = [record for record in found if record.flags & DEP["FULFILLED"]]
            self.assertGreaterEqual(len(on_blocks), self.BLOCKS * (self.STEPS - 1) + self.READERS)


class TasksRunAtOnce(ProductTest):
    TASKS = 10_000

    def setUp(self):
        super().setUp()
        env = environment(1, TEFF_DEQUE_LIMIT=str(QUEUE))
        self.recording = self.record(self.compile(PROGRAMS / "at_once.c"), str(self.TASKS), env=env)
        self.stream = records(self.recording / "stream-0000.bin")
        self.explicit = {r.words[0]: r for r in self.stream if r.name == "CREATE" and not r.flags & IMPLICIT}
        self.ran = {r.words[0]: (r.when, r.words[1] & (1 << 48) - 1) for r in self.stream if r.name == "RUN"}

    def begins_with_end_of_creation(self, task):
        created = self.explicit[task]
        return self.ran[task][0] == created.when + (created.words[2] >> 32)

    def test_one_reading_of_the_clock_ends_the_creation_and_begins_the_body(self):
        self.assertEqual(len(self.explicit), 6 * self.TASKS)
        of_loops = [task for task, record in self.explicit.items() if record.flags & TASK["TASKLOOP"]]
        self.assertEqual(len(of_loops), 2 * self.TASKS)
        undeferred = [task for task, record in self.explicit.items() if record.flags & TASK["UNDEFERRED"]]
        self.assertEqual(len(undeferred), 4 * self.TASKS)
        self.assertTrue(all(map(self.begins_with_end_of_creation, undeferred)))

    def test_one_reading_ends_the_body_and_the_wait_of_its_creator(self):
        waits = [(r.when, r.words[1]) for r in self.stream if r.name == "WAIT" and r.flags == WAIT["RUN_AT_ONCE"]]
        self.assertGreater(len(waits), 2 * (self.TASKS - 2 * QUEUE))
        self.assertGreater(len(set(waits) & set(self.ran.values())), len(waits) * 3 // 4)

    def test_a_task_takes_16_bytes_if_nothing_is_recorded_within_it(self):
        (size, *_) = json.loads((self.recording / "end.json").read_text())["stream_bytes"]
        flat, nested = 4 * self.TASKS * 16, self.TASKS * 2 * (32 + 16)  # CREATE, for another parent, and SHORT_RUN
        self.assertLess(size, flat + nested + (96 << 10))


def compile_with_clang(test, source):
    if not shutil.which("clang-19"):
        test.skipTest("no clang-19")
    program = test.place / source.stem
    done = run(["clang-19", "-fopenmp=libomp", "-O2", "-g", source, "-o", program])
    test.assertEqual(done.status, 0, done.text)
    return program


class TasksOfClangRunAtOnce(TasksRunAtOnce):
    def compile(self, source):
        return compile_with_clang(self, source)


class DetachedTasksRunAtOnce(ProductTest):
    TASKS = 100

    def setUp(self):
        super().setUp()
        recording = self.record(self.compile(PROGRAMS / "detached_at_once.c"), env=environment(1))
        self.stream = records(recording / "stream-0000.bin")
        self.explicit = [r for r in self.stream if r.name == "CREATE" and not r.flags & IMPLICIT]

    def test_a_creation_ends_before_the_body_begins(self):
        self.assertEqual(len(self.explicit), 2 * self.TASKS)
        began = {r.words[0]: r.when for r in self.stream if r.name == "RUN"}
        self.assertTrue(all(r.when + (r.words[2] >> 32) <= began[r.words[0]] for r in self.explicit))

    def test_the_creator_waits_for_a_body_that_is_not_undeferred(self):
        deferred = [r for r in self.explicit if not r.flags & TASK["UNDEFERRED"]]
        waits = [r for r in self.stream if r.name == "WAIT" and r.flags == WAIT["RUN_AT_ONCE"]]
        self.assertGreaterEqual(len(deferred), self.TASKS)
        self.assertEqual(len(waits), len(deferred))


class DetachedTasksOfClangRunAtOnce(DetachedTasksRunAtOnce):
    def compile(self, source):
        return compile_with_clang(self, source)


if __name__ == "__main__":
    unittest.main()
