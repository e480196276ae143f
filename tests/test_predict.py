# SPDX-License-Identifier: Apache-2.0
"""Predictions of programs whose parallelism is known. The predicted times are virtual, so they
hardly depend on how busy the machine is.
"""

import json

from harness import PROGRAMS, ProductTest, environment
from known_truth import BY_NAME, Reports, constructs

GRAIN_US, GRAINS = 100, 240


class Shares(Reports):
    """Work that is divided by the number of threads is divided anew for another number."""

    def predict(self, construct, recorded, *threads):
        recording = self.bench.record(
            [self.program(construct), str(GRAIN_US), str(GRAINS)], self.bench.environment(recorded))
        said = self.teff("predict", "--json", "--threads", ",".join(map(str, threads)), recording)
        points = json.loads(said.text)["points"]
        return {point["threads"]: point["in_parallel_ns"] for point in points}

    def test_a_loop_that_the_compiler_has_shared_out(self):
        for recorded in (1, 2):
            with self.subTest(recorded=recorded):
                times = self.predict(BY_NAME["inlined static loop"], recorded, 1, 4)
                self.assertGreater(times[1] / times[4], 3)
                self.assertLess(times[1] / times[4], 4.1)

    def test_what_one_thread_does_alone_is_not_divided(self):
        # Half of the work is in the body of a single construct, or a third is done while a lock is
        # held.
        for construct, most in (("single", 2), ("critical", 3)):
            with self.subTest(construct=construct):
                times = self.predict(BY_NAME[construct], 1, 1, 64)
                self.assertLess(times[1] / times[64], 1.1 * most)


class Sleeps(ProductTest):
    """Sleeps are part of the predicted time, each on its own thread. usleep never takes less than it is told to."""

    def predict(self, part):
        return self.predict_program("asleep.c", part, env=environment(2))

    def predict_program(self, source, *words, env):
        """What is said for 1, 2, 4 and 64 threads."""
        program = self.compile(PROGRAMS / source)
        recording = self.record(program, *words, env=env, name=f"{words[0]}.teff")
        quality = json.loads(self.teff("report", "--json", recording).out)["quality"]
        if quality["descheduled_basis"] == "estimated":
            self.skipTest("the kernel tells nobody here when a thread sleeps")
        return json.loads(self.teff("predict", "--json", "--threads", "1,2,4,64", recording).out)["points"]

    def at_least(self, part, *least_ms):
        points = self.predict(part)
        for point, ms in zip(points, least_ms, strict=True):
            self.assertGreaterEqual(point["time_ns"], ms * 1e6, (part, point["threads"]))
        self.assertGreaterEqual(points[0]["slept_ns"], least_ms[0] * 1e6)
        return [point["time_ns"] for point in points]

    def test_two_threads_with_regions_have_two_teams(self):
        points = self.predict_program("two_teams.c", "two", env=environment(1))
        self.assertEqual([point["workers"] for point in points], [3 * point["threads"] for point in points])
        one, two, _, most = points
        # On a busy machine one of them may begin long after the other. Each has half of the work.
        # The first thread waits for them, and does not sleep for as long as in the recording.
        self.assertGreater(one["time_ns"] - two["time_ns"], 0.2 * one["work_ns"])
        self.assertGreater(one["time_ns"] - most["time_ns"], 0.4 * one["work_ns"])

    def test_sleeps_in_all_tasks_overlap_on_other_threads(self):
        # How many iterations GCC's static loop has is not known.
        for part, most_threads in ("all", 16), ("loop", 64):
            with self.subTest(part=part):
                one, two, four, _ = self.at_least(part, 160, 80, 40, 160 / most_threads)
                self.assertAlmostEqual(one / two, 2, delta=0.3)
                self.assertAlmostEqual(one / four, 4, delta=0.8)

    def test_one_task_that_sleeps_bounds_the_time(self):
        self.at_least("one", 50, 50, 50, 50)

    def test_a_sleep_in_a_serial_part_takes_its_time_on_any_number_of_threads(self):
        self.at_least("serial", 50, 50, 50, 50)

    def test_a_sleep_while_a_lock_is_held_keeps_others_waiting(self):
        self.at_least("lock", 80, 80, 80, 80)


class Machines(Reports):
    """A modelled machine does all of a recorded program's work, and needs at least the time of this work."""

    def test_each_construct_comes_to_its_end(self):
        for construct in constructs.CONSTRUCTS:
            with self.subTest(construct=construct.name):
                self.run_on_a_machine(construct)

    def run_on_a_machine(self, construct):
        env = self.bench.environment(2, **construct.env)
        recording = self.bench.record([self.program(construct), str(GRAIN_US), "48"], env)
        options = ("predict", "--json", "--machine", "opteron-io", "--threads", "1,2,5,48")
        said = self.teff(*options, recording)
        facts = json.loads(said.text)
        self.assertEqual(facts["machine"]["cores"], 48)
        for point, replay in zip(facts["machine"]["points"], facts["points"], strict=True):
            threads = point["threads"]
            self.assertEqual(threads, replay["threads"])
            self.assertAlmostEqual(point["work_ns"] / (replay["work_ns"] + replay["slept_ns"]), 1, delta=0.001)
            self.assertGreaterEqual(point["time_ns"], point["work_ns"] / threads)
            if threads == 1:
                self.assertGreaterEqual(point["moved"], 0)
                self.assertLess(point["time_ns"], 1.1 * point["work_ns"])
        self.assertEqual(said.out, self.teff(*options, recording).out)

    def test_a_run_on_a_machine_becomes_a_recording(self):
        """The report of this recording has all work and tasks, is within the modelled time, and says that the run
        was modelled."""
        env = self.bench.environment(2)
        for construct in constructs.CONSTRUCTS:
            with self.subTest(construct=construct.name):
                recording = self.bench.record([self.program(construct), str(GRAIN_US), "48"], env | construct.env)
                folder = self.place / f"{construct.name}.teff"
                said = self.teff("predict", "--json", "--machine", "server", "--threads", "2,8", "--record", folder, recording)
                point = json.loads(said.text)["machine"]["points"][-1]
                report = json.loads(self.teff("report", "--json", folder).text)
                self.assertEqual((report["workers"], report["complete"], report["grains"]["unfinished"]), (8, True, 0))
                self.assertAlmostEqual(report["work_ns"] / point["work_ns"], 1, delta=0.1)
                self.assertGreaterEqual(report["wall_ns"] * 1.0001, point["time_ns"])
                self.assertLessEqual(report["span_ns"], report["wall_ns"])
                self.assertIn("Modelled, not measured: a run on the modelled machine server", report["notes"][0])
                self.assertIn("exists; name a new folder", self.teff(
                    "predict", "--machine", "server", "--record", folder, recording, status=1).err.decode())
        folder = self.place / "task tree.teff"
        self.assertIn("is a modelled run", self.teff("predict", folder, status=1).err.decode())
        said = self.teff("export", "--format", "csv", "-o", self.place / "a.csv", folder)
        self.assertIn("nothing of it was measured", said.err.decode())

    def test_a_recorded_modelled_run_has_the_dependences(self):
        """The longest path is that of the program: the modelled run keeps the dependences."""
        construct = BY_NAME["wavefront"]
        recording = self.bench.record([self.program(construct), str(GRAIN_US), "64"], self.bench.environment(1))
        folder = self.place / "wavefront.teff"
        said = self.teff("predict", "--json", "--machine", "server", "--threads", "8", "--record", folder, recording)
        facts = json.loads(said.text)
        report = json.loads(self.teff("report", "--json", folder).text)
        self.assertAlmostEqual(report["span_ns"] / facts["points"][0]["span_ns"], 1, delta=0.1)

    def test_what_there_is_is_listed(self):
        recording = self.bench.record([self.program(BY_NAME["task tree"]), "10", "20"], self.bench.environment(2))
        for options, words in (
                (("--machine", "none-such"), "opteron-io, opteron-performance, server, tilepro64, two-cores"),
                (("--schedule", "none-such"), "work_stealing, central"),
                (("--machine", "two-cores", "--threads", "3"), "two-cores has 2 cores"),
                (("--seed", "2"), "--machine"),
                (("--record", "r"), "--record needs a modelled machine"),
                (("--machine", __file__), ":2: ")):
            with self.subTest(options=options):
                self.assertIn(words, self.teff("predict", *options, recording, status=1).err.decode())
