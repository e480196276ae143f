# SPDX-License-Identifier: Apache-2.0
"""Counters say what the kernel counted in each task, chunk and serial part, no more and no less."""

import csv
import io
import unittest

from harness import LIBRARY, TEFF, environment, run
from recorder_harness import RECORDING, GuestTest, build, first_process, report, try_in

FAULTS, CLOCK = "page-faults=1:2", "task-clock=1:1"
TASKS, CHUNKS = 8, 6  # as in counters.c
EXTRA_FAULTS = 4  # of a grain that is the first one on a stack, or is interrupted by a signal
EXTRA_NS = 5_000_000  # of the kernel's interrupts, between two readings of one clock


class Counters(GuestTest):
    def setUp(self):
        super().setUp()
        self.program = build("counters")

    def record(self, *words, events=FAULTS, threads=2, **env):
        folder = self.folder("-".join(map(str, words)) or "run")
        env |= {"TEFF_TRACE_COUNTERS": events}
        self.trial = try_in(folder, [self.program, *words], True, threads=threads, env=env)
        self.assertEqual((self.trial.status, self.trial.err), (0, ""), self.trial.warnings)
        return folder / RECORDING

    def grains(self, recording):
        """The grains of the recording's first process, also if a child has done more work."""
        first = first_process(recording)
        done = run([TEFF, "export", "--format", "csv", "--process", first, "-o", "-", recording])
        self.assertEqual(done.status, 0, done.err)
        return list(csv.DictReader(io.StringIO(done.out.decode())))

    def of_last_region(self, recording, kind):
        """The grains of a kind, without those of the first region of the program."""
        rows = [row for row in self.grains(recording) if row["kind"] == kind]
        return sorted(rows, key=lambda row: int(row["create_ns"]))

    def faults_of_tasks(self, recording, number=TASKS):
        tasks = self.of_last_region(recording, "task")
        return [int(row["page-faults"]) for row in tasks[-number:]]

    def check(self, counted, touched, extra=EXTRA_FAULTS):
        self.assertEqual(len(counted), len(touched))
        for found, least in zip(counted, touched, strict=True):
            self.assertGreaterEqual(found, least, counted)
            self.assertLessEqual(found, least + extra, counted)

    def test_tasks_have_the_faults_of_their_pages(self):
        recording = self.record("tasks")
        self.check(self.faults_of_tasks(recording), [3 * (i + 1) for i in range(TASKS)])

    def test_one_thread_counts_exactly(self):
        recording = self.record("tasks", threads=1)
        self.assertEqual(self.faults_of_tasks(recording), [3 * (i + 1) for i in range(TASKS)])

    def test_what_runs_in_waits_and_yields_belongs_to_others(self):
        recording = self.record("yields", TEFF_UNTIED="migrate")
        tasks = self.of_last_region(recording, "task")[-2 * TASKS :]
        parents = {row["grain"] for row in tasks}
        outer = [int(row["page-faults"]) for row in tasks if row["parent"] not in parents]
        inner = [int(row["page-faults"]) for row in tasks if row["parent"] in parents]
        self.check(outer, [3 * (i + 1) for i in range(TASKS)])
        self.check(inner, [1] * TASKS)

    def test_preempted_tasks_have_their_own_faults(self):
        recording = self.record("tasks", TEFF_PREEMPT="stress")
        self.check(self.faults_of_tasks(recording), [3 * (i + 1) for i in range(TASKS)], extra=32)

    def test_chunks_have_the_faults_of_their_pages(self):
        for what in "chunks", "locks":
            recording = self.record(what)
            chunks = self.of_last_region(recording, "chunk")
            by_iteration = sorted((int(row["first_iteration"]), int(row["page-faults"])) for row in chunks)
            self.assertEqual([first for first, _ in by_iteration], list(range(CHUNKS)))
            self.check([faults for _, faults in by_iteration], [5 * (i + 1) for i in range(CHUNKS)])

    def test_implicit_tasks_are_counted_on_both_sides_of_a_barrier(self):
        recording = self.record("threads")
        implicit = self.of_last_region(recording, "implicit")[-2:]
        self.check([int(row["page-faults"]) for row in implicit], [30, 30], extra=8)

    def test_cpu_time_is_what_the_program_measures(self):
        recording = self.record("clocks", events=f"{CLOCK},{FAULTS}")
        counted = [int(row["task-clock"]) for row in self.of_last_region(recording, "task")[-TASKS:]]
        took = [int(line) for line in self.trial.out.split()]
        for found, own in zip(counted, took, strict=True):
            self.assertGreaterEqual(found, own)
            self.assertLessEqual(found, own + EXTRA_NS)

    def test_sums_of_grains_are_those_of_the_report(self):
        recording = self.record("chunks", events=f"{FAULTS},{CLOCK}")
        facts = report(recording)
        counters = facts["counters"]
        self.assertEqual(counters["events"], ["page-faults", "task-clock"])
        rows = self.grains(recording)
        for at, event in enumerate(counters["events"]):
            total = counters["in_grains"][at]
            self.assertEqual(total, sum(int(row[event]) for row in rows))
            self.assertEqual(total, sum(site["counters"][at] for site in facts["sites"]))
            self.assertEqual(total, sum(region["counts"][at] for region in counters["regions"]))
        # The serial part and two regions.
        self.assertEqual(len(counters["regions"]), 3)
        cpu_ns = facts["quality"]["cpu_ns"]
        self.assertLessEqual(counters["in_grains"][1] + counters["outside"][1], cpu_ns)
        text = run([TEFF, "report", recording]).out.decode()
        self.assertIn("Counters: what was counted in the grains of each site", text)

    def test_readings_are_the_recorders_time(self):
        quality = report(self.record("tasks"))["quality"]
        self.assertGreater(quality["counters_ns"], 0)
        self.assertLessEqual(quality["counters_ns"], quality["recorder_ns"])

    def test_a_forked_child_counts_its_own(self):
        recording = self.record("tasks", "forked")
        (child,) = recording.glob("process-*")
        self.check(self.faults_of_tasks(child), [3 * (i + 1) for i in range(TASKS)], extra=8)
        self.assertEqual(self.faults_of_tasks(recording, 2 * TASKS)[1::2][-1:], [1])

    def test_a_ring_defines_its_counters_in_each_chunk(self):
        recording = self.record("tasks", TEFF_TRACE_LAST="4")
        self.check(self.faults_of_tasks(recording), [3 * (i + 1) for i in range(TASKS)])

    def test_a_refused_event_is_named_and_the_others_are_counted(self):
        recording = self.record("tasks", events=f"dreams=1:99,{FAULTS}")
        self.assertIn("dreams is not counted: the kernel does not tell it", self.trial.warnings)
        self.assertEqual(report(recording)["counters"]["events"], ["page-faults"])

    def test_an_event_of_no_processor_is_refused(self):
        self.record("tasks", events=f"r999=4000000000:1,{FAULTS}")
        self.assertEqual(self.trial.warnings.count("r999 is not counted: "), 1)

    def test_nothing_is_counted_without_the_option(self):
        folder = self.folder("off")
        try_in(folder, [self.program, "tasks"], True)
        self.assertIsNone(report(folder / RECORDING)["counters"])
        self.assertNotIn("page-faults", self.grains(folder / RECORDING)[0])

    def test_the_program_sees_nothing(self):
        self.compare(self.program, "tasks", env={"TEFF_TRACE_COUNTERS": f"{FAULTS},{CLOCK}"})

    def test_the_option_takes_names(self):
        folder = self.folder("names")
        command = [TEFF, "record", "-o", folder / RECORDING, "--counters", "page-faults,task-clock"]
        settings = environment(2, TEFF_LIB=str(LIBRARY))
        done = run([*command, "--", self.program, "tasks"], settings, cwd=folder)
        self.assertEqual(done.status, 0, done.err)
        self.assertEqual(report(folder / RECORDING)["counters"]["events"], ["page-faults", "task-clock"])
        command[-1] = "cpu-migrations"
        done = run([*command, "--", self.program, "tasks"], settings, cwd=folder)
        self.assertEqual(done.status, 1)
        self.assertIn(b"cpu-migrations cannot be counted in each grain", done.err)


if __name__ == "__main__":
    unittest.main()
