# SPDX-License-Identifier: Apache-2.0
"""Tests records that are not part of the graph: kinds of dependences, priorities, fulfilled events,
which tasks ran at the same time, and the resources that the threads used.
"""

import json
import unittest

from harness import PROGRAMS, ProductTest, environment
from records import numbers, records

WAIT, DEP, THREAD = numbers("TEFF_WAIT_"), numbers("TEFF_DEP_"), numbers("TEFF_THREAD_")
IMPLICIT = numbers("TEFF_TASK_")["IMPLICIT"]
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


if __name__ == "__main__":
    unittest.main()


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
        self.assertEqual(len(self.explicit), 4 * self.TASKS)
        undeferred = [task for task, record in self.explicit.items() if record.flags]
        self.assertEqual(len(undeferred), 3 * self.TASKS)
        self.assertTrue(all(map(self.begins_with_end_of_creation, undeferred)))

    def test_one_reading_ends_the_body_and_the_wait_of_its_creator(self):
        waits = [(r.when, r.words[1]) for r in self.stream if r.name == "WAIT" and r.flags == WAIT["RUN_AT_ONCE"]]
        self.assertGreater(len(waits), self.TASKS - 2 * QUEUE)
        # The first of each sixteen tasks finds the queue full, and is run by another path.
        self.assertGreater(len(set(waits) & set(self.ran.values())), len(waits) * 3 // 4)

    def test_a_task_takes_16_bytes_if_nothing_is_recorded_within_it(self):
        (size, *_) = json.loads((self.recording / "end.json").read_text())["stream_bytes"]
        flat, nested = 2 * self.TASKS * 16, self.TASKS * 2 * (32 + 16)  # CREATE, for another parent, and SHORT_RUN
        first_of_sixteen = self.TASKS // 16 * 32  # SHORT_RUN and SHORT_WAIT
        self.assertLess(size, flat + nested + 2 * first_of_sixteen + (64 << 10))
