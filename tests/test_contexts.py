# SPDX-License-Identifier: Apache-2.0
"""Tests tasks that are suspended while other tasks run: what is recorded of them, and what the
report says of them.
"""

import json
import platform
import unittest

from harness import PROGRAMS, TEFF, ProductTest, environment, run
from records import numbers, records

WAIT = numbers("TEFF_WAIT_")
IMPLICIT = numbers("TEFF_TASK_")["IMPLICIT"]
TASKS = 10_000  # the program's N
LENGTH = (1 << 48) - 1


class Hurry(ProductTest):
    """Tasks that yield all the time. Of successive yields, every eighth gives way, and the runtime counts these."""

    YIELDS = 4 * 20_000  # the program's
    WINDOW = 256  # turns are counted in steps of this size

    def recorded(self, *arguments, threads=1):
        recording = self.record(self.compile(PROGRAMS / "yields.c"), *arguments, env=environment(threads))
        done = run([TEFF, "report", recording])
        self.assertEqual(done.status, 0, done.text)
        self.said = [line for line in done.text.splitlines() if "changes from task to task" in line]
        return json.loads((recording / "end.json").read_text())

    def test_most_yields_are_left_out(self):
        end = self.recorded()
        self.assertGreater(sum(end["turns"]), self.YIELDS // 8 // 2, "they still have their turns")
        self.assertLessEqual(sum(end["turns"]), self.YIELDS // 8 + self.WINDOW)

    def test_turns_that_pay(self):
        end = self.recorded("10000")
        self.assertGreaterEqual(sum(end["turns"]), self.WINDOW)
        self.assertEqual(sum(end["hasty_turns"]), 0)
        self.assertEqual(self.said, [])


class Contexts(ProductTest):
    def recorded(self, *arguments, **knobs):
        env = environment(2, TEFF_DEQUE_LIMIT=str(1 << 15), TEFF_CONTEXTS=str(2 * TASKS), OMP_STACKSIZE="64k",
                          OMP_MAX_TASK_PRIORITY="9", **knobs)
        recording = self.record(self.compile(PROGRAMS / "contexts.c"), *arguments, env=env)
        done = run([TEFF, "report", "--json", recording])
        self.assertEqual(done.status, 0, done.text)
        self.facts = json.loads(done.out)
        self.streams = [records(path) for path in sorted(recording.glob("stream-*.bin"))]

    def waits(self, kind):
        return [(stream, record) for stream in self.streams for record in stream
                if record.name == "WAIT" and record.flags == WAIT[kind]]

    def explicit(self):
        return {record.words[0] for stream in self.streams for record in stream
                if record.name == "CREATE" and not record.flags & IMPLICIT}

    def assert_sums(self):
        """Each worker's time belongs to one class at a time, however many of its tasks wait."""
        facts = self.facts
        whole = facts["wall_ns"] * facts["workers"]
        parts = sum(facts[f"{part}_ns"] for part in ("work", "creation", "wait", "no_task"))
        self.assertLess(abs(parts - whole), 0.01 * whole)
        self.assertEqual(facts["grains"]["unfinished"], 0)

    def test_tasks_that_wait_at_the_same_time(self):
        self.recorded()
        explicit = self.explicit()
        self.assertEqual(len(explicit), 2 * TASKS + 1)
        left = [record for _, record in self.waits("TASKWAIT")
                if record.words[0] in explicit and record.words[1] >> 48 > 0]
        # The task that began last need not have left its stack: its event may be fulfilled before
        # it waits.
        self.assertIn(len(left), (TASKS - 1, TASKS))
        # At some moment all of them wait.
        self.assertLess(max(record.when for record in left),
                        min(record.when + (record.words[1] & LENGTH) for record in left))
        self.assertEqual(self.facts["priorities"], [])
        self.assert_sums()

    @unittest.skipUnless(platform.machine() == "x86_64", "tasks are preempted on x86-64")
    def test_a_preempted_task(self):
        self.recorded("preempt", TEFF_PREEMPT="on")
        (stream, wait), = self.waits("PREEMPTED")
        ends = wait.when + (wait.words[1] & LENGTH)
        within = [record.words[0] for record in stream if record.name == "RUN"
                  and wait.when <= record.when and record.when + (record.words[1] & LENGTH) <= ends]
        self.assertEqual(len(within), 1)
        self.assertNotEqual(within[0], wait.words[0])
        rows = {row["priority"]: row for row in self.facts["priorities"]}
        self.assertEqual({priority: row["tasks"] for priority, row in rows.items()}, {2: 1, 1: 1, 0: 2 * TASKS + 1})
        self.assertEqual({priority: row["preempted"] for priority, row in rows.items()}, {2: 0, 1: 1, 0: 0})
        self.assertGreaterEqual(rows[0]["suspended"], TASKS - 1)
        self.assert_sums()


if __name__ == "__main__":
    unittest.main()
