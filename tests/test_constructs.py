# SPDX-License-Identifier: Apache-2.0
"""Tests that the recording of each construct agrees with the times that the program itself measures
by the same clock.
"""

import collections
from dataclasses import dataclass

from harness import PROGRAMS, ProductTest, environment
from records import numbers, records

TASK, RUN, WAIT, LOOP = (numbers(f"TEFF_{name}_") for name in ("TASK", "RUN", "WAIT", "LOOP"))
DEP, FULFIL, DOACROSS = (numbers(f"TEFF_{name}_") for name in ("DEP", "FULFIL", "DOACROSS"))
LENGTH = (1 << 48) - 1
SLACK = 2000  # ticks: the processor may read its clock a little earlier or later than the program says
THREADS = 3
ROUNDS, ROWS, COLUMNS = 5, 6, 5  # the program's


@dataclass
class Fact:
    thread: int
    before: int
    after: int
    number: int

    def has(self, at):
        return self.before - SLACK <= at <= self.after + SLACK

    def lies_in(self, begin, end):
        return begin <= self.before + SLACK and self.after <= end + SLACK


@dataclass
class Member:
    """An implicit task."""

    task: int
    parent: int
    number: int
    began: int
    ended: int
    region: int


def end_of(record, word=1):
    """The end of a record, whose length is in word number `word`."""
    return record.at + (record.words[word] & LENGTH)


class Constructs(ProductTest):
    def setUp(self):
        super().setUp()
        program = self.compile(PROGRAMS / "constructs.c")
        recording = self.place / "test.teff"
        env = environment(THREADS, OMP_CANCELLATION="true", OMP_SCHEDULE="dynamic")
        done = self.teff("record", "-o", recording, "--", program, env=env)
        self.facts = collections.defaultdict(list)
        for line in done.out.decode().splitlines():
            name, *values = line.split("|")
            self.facts[name].append(Fact(*map(int, values)))
        self.streams = [records(path) for path in sorted(recording.glob("stream-*.bin"))]
        self.records = collections.defaultdict(list)
        for record in [record for stream in self.streams for record in stream]:
            self.records[record.name].append(record)
        self.runs = {record.words[0]: record for record in self.records["RUN"]}
        self.ran_in = {record.words[0]: number for number, stream in enumerate(self.streams)
                       for record in stream if record.name == "RUN"}
        self.created = {record.words[0]: record for record in self.records["CREATE"]}
        self.members = [
            Member(task, record.words[1], record.words[2] >> 32, self.runs[task].at, end_of(self.runs[task]),
                   self.runs[task].words[2])
            for task, record in self.created.items() if record.flags & TASK["IMPLICIT"] and record.words[1]
        ]

    def fact(self, name):
        (fact,) = self.facts[name]
        return fact

    def member(self, fact, among=None):
        """The innermost implicit task, of those in `among`, in which the fact's thread was."""
        around = [member for member in (self.members if among is None else among)
                  if member.number == fact.thread and fact.lies_in(member.began, member.ended)]
        self.assertTrue(around, fact)
        return max(around, key=lambda member: member.began)

    def of(self, name, *flags):
        return [record for record in self.records[name] if not flags or record.flags in flags]

    def waits(self, task, *kinds):
        return [record for record in self.of("WAIT", *(WAIT[kind] for kind in kinds)) if record.words[0] == task]

    def explicit(self, fact):
        """The explicit task of the thread that ran the fact's code: the one that began last, since it may be nested
        in others."""
        streams = {self.ran_in[member.task] for member in self.members if member.number == fact.thread}
        around = [task for task, run in self.runs.items() if not self.created[task].flags & TASK["IMPLICIT"]
                  and self.ran_in[task] in streams and fact.lies_in(run.at, end_of(run))]
        self.assertTrue(around, fact)
        return max(around, key=lambda task: self.runs[task].at)

    def stream_of(self, record):
        return next(number for number, stream in enumerate(self.streams) if any(record is other for other in stream))

    def created_in(self, fact):
        return [task for task, record in self.created.items()
                if fact.has(record.at) and not record.flags & TASK["IMPLICIT"]]

    def chunk(self, fact):
        """The chunk that contained an iteration."""
        (chunk,) = [record for record in self.of("CHUNK") if record.words[1] == self.member(fact).task
                    and fact.lies_in(record.at, end_of(record, 4))]
        self.assertTrue(chunk.words[2] <= fact.number < chunk.words[2] + chunk.words[3], fact)
        return chunk

    def loop_of(self, name):
        """The one loop whose chunks contained these iterations."""
        (loop,) = {self.chunk(fact).words[0] for fact in self.facts[name]}
        (record,) = [record for record in self.of("LOOP") if record.words[0] == loop]
        return record

    def test_sections(self):
        loop = self.loop_of("section")
        self.assertEqual(loop.flags & LOOP["SCHEDULE_MASK"], LOOP["SECTIONS"])
        self.assertEqual(len(self.facts["section"]), 3)

    def test_to_set_a_loop_up_and_to_leave_it_is_no_work(self):
        parts = self.of("LOOP_THREAD")
        begins = {loop.words[0]: loop.at for loop in self.of("LOOP")}
        self.assertTrue([part for part in parts if part.at < begins[part.words[0]]], "who met it, and set it up")
        barriers = {(wait.words[0], wait.at) for wait in self.of("WAIT", WAIT["IMPLICIT_BARRIER"])}
        self.assertTrue([part for part in parts if (part.words[1], end_of(part, 2)) in barriers])

    def test_a_region_ends_when_its_leader_goes_on(self):
        ends = {record.words[0]: record.at for record in self.of("REGION_END")}
        leaders = [member for member in self.members if member.number == 0]
        self.assertTrue(leaders)
        for leader in leaders:
            self.assertGreater(ends[leader.region], leader.ended)

    def test_a_single_is_a_fragment_of_the_task_that_runs_it(self):
        fact = self.fact("single")
        member = self.member(fact)
        for wait in self.waits(member.task, *(kind for kind in WAIT if kind != "KIND")):
            self.assertFalse(wait.at < fact.after - SLACK and end_of(wait) > fact.before + SLACK, wait)
        others = [other for other in self.members if other.region == member.region and other is not member]
        self.assertEqual(len(others), THREADS - 1)
        for other in others:
            barriers = self.waits(other.task, "IMPLICIT_BARRIER")
            self.assertTrue(any(end_of(wait) + SLACK >= fact.after for wait in barriers))

    def test_tasks_of_a_single(self):
        fact = self.fact("task of single")
        (task,) = self.created_in(fact)
        self.assertEqual(self.created[task].words[1], self.member(fact).task)

    def test_taskgroup(self):
        begins, ends = self.fact("group begins"), self.fact("group ends")
        task = self.member(begins).task
        (begin,) = [record for record in self.of("GROUP_BEGIN") if begins.has(record.at)]
        (wait,) = [record for record in self.of("WAIT", WAIT["TASKGROUP"]) if ends.has(end_of(record))]
        self.assertEqual([begin.words[0], wait.words[0]], [task, task])
        self.assertTrue(ends.has(wait.at))
        for fact in self.facts["in group"]:
            self.assertLessEqual(end_of(self.runs[self.explicit(fact)]), end_of(wait) + SLACK)

    def test_fulfilments(self):
        early, late, waited = map(self.fact, ("fulfilled early", "fulfilled late", "waited for events"))
        by_flag = {record.flags: record for record in self.of("FULFIL")}
        self.assertEqual(set(by_flag), {0, FULFIL["LATE"]})
        self.assertTrue(all(record.words[1] > 0 for record in by_flag.values()), "they say how long they took")
        self.assertTrue(early.has(by_flag[0].at))
        self.assertTrue(late.has(by_flag[FULFIL["LATE"]].at))
        self.assertEqual(by_flag[0].words[0], self.explicit(early))
        task = by_flag[FULFIL["LATE"]].words[0]
        self.assertTrue(self.created[task].flags & TASK["DETACHABLE"])
        self.assertLessEqual(end_of(self.runs[task]), by_flag[FULFIL["LATE"]].at + SLACK)
        (wait,) = [record for record in self.waits(self.member(waited).task, "TASKWAIT") if waited.has(end_of(record))]
        self.assertLessEqual(by_flag[FULFIL["LATE"]].at, end_of(wait) + SLACK)

    def test_a_fulfilment_stands_in_the_stream_of_the_task_that_fulfils(self):
        for flags, name in ((0, "fulfilled early"), (FULFIL["LATE"], "fulfilled late")):
            by = self.runs[self.explicit(self.fact(name))]
            self.assertEqual([self.stream_of(record) for record in self.of("FULFIL", flags)], [self.stream_of(by)])

    def test_kinds_of_tasks(self):
        for name, flag in (("undeferred", "UNDEFERRED"), ("untied", "UNTIED"), ("included", "INCLUDED")):
            fact = self.fact(name)
            (task,) = self.created_in(fact)
            self.assertTrue(self.created[task].flags & TASK[flag], name)
            self.assertEqual(task, self.explicit(self.fact(f"{name} body")))
            if name != "untied":
                self.assertTrue(fact.has(self.runs[task].at) and fact.has(end_of(self.runs[task])))

    def test_taskloop(self):
        fact = self.fact("taskloop")
        tasks = self.created_in(fact)
        self.assertEqual(len(tasks), fact.number)
        for task in tasks:
            self.assertTrue(self.created[task].flags & TASK["TASKLOOP"])
            self.assertEqual(self.created[task].words[1], self.member(fact).task)
        ran = collections.Counter(self.explicit(fact) for fact in self.facts["iteration of taskloop"])
        self.assertEqual(ran, dict.fromkeys(tasks, 2))
        (begin,) = [record for record in self.of("GROUP_BEGIN") if fact.has(record.at)]
        (wait,) = [record for record in self.of("WAIT", WAIT["TASKGROUP"]) if fact.has(end_of(record))]
        self.assertLessEqual(begin.at, min(self.created[task].at for task in tasks))
        self.assertGreaterEqual(end_of(wait), max(end_of(self.runs[task]) for task in tasks))

    def test_nested_regions(self):
        outer = self.fact("outer region")
        regions = {record.words[0]: record for record in self.of("REGION") if outer.has(record.at)}
        self.assertEqual(sorted(record.halves(3)[1] for record in regions.values()), [1, 2, 2])
        # Two inner regions may run at the same time, and their members have the same numbers. So a
        # fact says which member of the outer region leads its inner region.
        outer_number = {member.task: member.number for member in self.members}
        inner = [self.member(fact, [member for member in self.members
                                    if outer_number.get(member.parent) == fact.number])
                 for fact in self.facts["inner member"]]
        self.assertEqual(len({member.task for member in inner}), 4)
        for member in inner:
            self.assertEqual(regions[member.region].words[1], member.parent)

    def test_a_region_of_one_thread(self):
        fact = self.fact("lonely region")
        (region,) = [record for record in self.of("REGION") if fact.has(record.at)]
        self.assertEqual(region.halves(2)[1], 1)
        member = self.member(self.fact("alone"))
        self.assertEqual(member.region, region.words[0])
        kinds = [wait.flags for wait in sorted(self.waits(member.task, "BARRIER", "IMPLICIT_BARRIER", "REGION_END"),
                                               key=lambda wait: wait.at)]
        self.assertEqual(kinds, [WAIT["BARRIER"], WAIT["REGION_END"]])
        loop = self.loop_of("iteration alone")
        self.assertEqual(loop.flags & LOOP["SCHEDULE_MASK"], LOOP["DYNAMIC"])

    def test_barriers(self):
        for fact in self.facts["barrier"]:
            (wait,) = [record for record in self.waits(self.member(fact).task, "BARRIER")
                       if record.halves(2)[1] == fact.number + 1]
            self.assertTrue(fact.has(wait.at) and fact.has(end_of(wait)))

    def test_static_loops_that_the_runtime_divides(self):
        loop = self.loop_of("iteration of runtime")
        self.assertEqual(loop.flags & LOOP["SCHEDULE_MASK"], LOOP["STATIC"])
        self.assertEqual(loop.words[6], 3)
        chunks = [record for record in self.of("CHUNK") if record.words[0] == loop.words[0]]
        self.assertEqual(sorted((record.words[2], record.words[3]) for record in chunks),
                         [(first, min(3, 20 - first)) for first in range(0, 20, 3)])

    def test_combined_loops(self):
        loop = self.loop_of("iteration of combined")
        self.assertEqual((loop.flags & LOOP["SCHEDULE_MASK"], loop.words[6]), (LOOP["DYNAMIC"], 4))

    def assert_doacross(self, name):
        facts = self.facts[name]
        (loop,) = {self.chunk_of_row(fact) for fact in facts}
        found = [record for record in self.of("DOACROSS") if record.words[0] == loop]
        sources = {record.words[2]: record for record in found if record.flags == DOACROSS["SOURCE"]}
        self.assertEqual(sorted(sources), list(range(ROWS * COLUMNS)))
        for fact in facts:
            row, column = divmod(fact.number, COLUMNS)
            sinks = [record for record in found if record.flags == DOACROSS["SINK"]
                     and record.words[1] == self.member(fact).task and fact.has(record.at)]
            expected = {(row - 1, column + 1), (row, column - 1)}
            self.assertEqual(sorted(record.words[2] for record in sinks),
                             sorted(i * COLUMNS + j for i, j in expected if i >= 0 and 0 <= j < COLUMNS))
            for sink in sinks:
                self.assertLessEqual(sources[sink.words[2]].at, sink.at + SLACK)
                self.assertTrue(fact.has(sink.at - sink.words[3]))
                self.assertGreaterEqual(sink.words[4], sink.words[3], "what it took has the wait in it")
            self.assertEqual(sources[fact.number].words[1], self.member(fact).task)
            self.assertGreaterEqual(sources[fact.number].at + SLACK, fact.after)
            self.assertGreater(sources[fact.number].words[4], 0)

    def chunk_of_row(self, fact):
        return self.chunk(Fact(fact.thread, fact.before, fact.after, fact.number // COLUMNS)).words[0]

    def test_doacross(self):
        self.assert_doacross("doacross")

    def test_doacross_of_one_thread(self):
        self.assert_doacross("doacross alone")

    def test_taskwait_with_depend(self):
        fact = self.fact("taskwait depend")
        task = self.member(fact).task
        (wait,) = [record for record in self.waits(task, "DEPEND") if fact.has(record.at)]
        found = self.of_wait(wait)
        awaited = {self.explicit(fact) for fact in self.facts["awaited"]}
        self.assertEqual({record.words[1] for record in found}, awaited)
        for record in found:
            self.assertTrue(wait.at <= record.at <= end_of(wait))
            end = end_of(self.runs[record.words[1]])
            self.assertLessEqual(end, (record.at if record.flags & DEP["FULFILLED"] else end_of(wait)) + SLACK)
        behind = self.explicit(self.fact("behind"))
        self.assertEqual([record for record in self.of("DEP") if record.words[0] == behind], [],
                         "its predecessors had ended before it was created")

    def of_wait(self, wait):
        return [record for record in self.of("DEP")
                if record.flags & DEP["OF_WAIT"] and record.words[0] == wait.words[0]]

    def test_cancelled_loops_have_the_chunks_that_ran(self):
        facts = self.facts["iteration cancelled"]
        loop = self.loop_of("iteration cancelled")
        chunks = [record for record in self.of("CHUNK") if record.words[0] == loop.words[0]]
        self.assertEqual(len(chunks), len(facts))

    def test_cancelled_tasks_have_not_run(self):
        ran = {self.explicit(fact) for fact in self.facts["task cancelled"]}
        discarded = {task for task, run in self.runs.items() if run.flags & RUN["CANCELLED"]}
        self.assertFalse(ran & discarded)
