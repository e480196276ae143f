# SPDX-License-Identifier: Apache-2.0
"""Tests recordings of a part of a run: switched on and off by the program or by the clock, rings,
named spans, and reports on a part.
"""

import json
import subprocess
import time

from harness import (
    LIBRARY,
    PROGRAMS,
    ROOT,
    ProductTest,
    environment,
    run,
    skip_if_disturbed,
)
from records import records

BEFORE, INSIDE, AFTER = 7, 20, 11  # tasks of a region of each phase: window.c
THREADS = 2


class WindowTest(ProductTest):
    def setUp(self):
        super().setUp()
        self.program = self.compile(PROGRAMS / "window.c", f"-I{ROOT}/runtime/include")
        self.recording = self.place / "window.teff"

    def record(self, *words, options=(), **variables):
        done = self.teff("record", *options, "-o", self.recording, "--", self.program, *words,
                         env=environment(THREADS, **variables))
        return done.out.decode().split("\n")[:-1]

    def report(self, *options, recording=None):
        return json.loads(self.teff("report", "--json", *options, recording or self.recording).out)

    def text(self, *options):
        return self.teff("report", *options, self.recording).out.decode()

    def tasks(self, report, function):
        """How many explicit tasks the functions with this line of source created."""
        return sum(site["count"] for site in report["sites"] if site["kind"] == "task" and site["function"] == function)

    def regions(self, report, function):
        sites = report["sites"]
        return sum(site["count"] for site in sites if site["kind"] == "implicit" and site["function"] == function)

    def assert_sound(self, report):
        """Nothing of the report is about what was not recorded, and nearly all time is explained."""
        self.assert_about_the_windows(report)
        budget = report["budget"]
        self.assertLess(abs(budget["rest_ns"]), 0.2 * budget["whole_ns"])

    def assert_about_the_windows(self, report):
        """The rest of a region that was under way when recording began is not recorded: how much of
        the time that is depends on the machine's load."""
        self.assertGreaterEqual(report["recording_ns"], report["wall_ns"])
        lengths = [window["to_ns"] - window["from_ns"] for window in report["windows"]]
        self.assertAlmostEqual(sum(lengths), report["wall_ns"], delta=1000)
        budget = report["budget"]
        self.assertAlmostEqual(budget["whole_ns"], report["workers"] * report["wall_ns"], delta=1000)
        self.assertEqual([note for note in report["notes"] if "missing" in note], [])


class OnAndOff(WindowTest):
    def check_part(self):
        report = self.report()
        self.assertEqual(self.tasks(report, "inside"), 3 * INSIDE)
        self.assertEqual(self.regions(report, "inside"), 3 * THREADS)
        self.assertEqual((self.regions(report, "before"), self.regions(report, "after")), (0, 0))
        self.assertEqual(report["grains"]["chunks"], 3 * 4)
        self.assertEqual(len(report["windows"]), 1)
        self.assert_sound(report)
        self.assertGreater(report["windows"][0]["from_ns"], 0)
        self.assertLess(report["windows"][0]["to_ns"], report["recording_ns"])
        self.assertIn("This is about", self.text())

    def test_the_header_switches_recording(self):
        self.assertEqual(self.record("header"), ["stop 0", "start 0", "stop 0"])
        self.check_part()

    def test_the_tool_routine_switches_recording(self):
        self.assertEqual(self.record("tool"),
                         ["pause 0", "start 0", "start 0", "flush 0", "end 0", "start 1", "other 1"])
        self.check_part()

    def test_without_a_recording_the_routines_say_so(self):
        env = environment(THREADS, LD_LIBRARY_PATH=str(LIBRARY))
        done = run([self.program, "header"], env)
        self.assertEqual((done.status, done.out.decode()), (0, "stop -1\nstart -1\nstop -1\n"))
        done = run([self.program, "tool"], env)
        self.assertEqual((done.status, set(done.out.decode().split()[1::2])), (0, {"-2"}))

    def test_without_teff_the_header_does_nothing(self):
        done = run([self.program, "header"])
        self.assertEqual((done.status, done.out.decode()), (0, "stop -1\nstart -1\nstop -1\n"))

    def test_two_parts_are_one_report(self):
        self.record("two")
        report = self.report()
        self.assertEqual((self.regions(report, "before"), self.regions(report, "inside")), (THREADS, 2 * THREADS))
        self.assertEqual(self.regions(report, "after"), 0)
        self.assertEqual(self.tasks(report, "inside"), 2 * INSIDE)
        self.assertEqual((len(report["windows"]), report["grains"]["initial"]), (2, 1))
        self.assert_sound(report)
        self.assertIn("2 stretches", self.text())
        (span,) = report["spans"]
        self.assertEqual((span["name"], span["count"]), ("all", 1))
        self.assertLessEqual(span["wall_ns"], report["wall_ns"])

    def test_a_window_may_end_in_a_region(self):
        self.record("stop in region")
        report = self.report()
        self.assertEqual(self.regions(report, "before"), THREADS)
        # The rest of the region that was under way is not recorded, although recording is on again.
        self.assertEqual(self.tasks(report, "tasks"), BEFORE + INSIDE)
        self.assertEqual(self.tasks(report, "inside"), INSIDE)
        self.assert_about_the_windows(report)

    def test_a_window_may_end_while_threads_are_at_work(self):
        used, = self.record("stop at work")
        report = self.report()
        work = sum(site["work_ns"] for site in report["sites"] if site["kind"] == "implicit")
        self.assertGreaterEqual(work, 0.95 * int(used))
        self.assert_sound(report)

    def wait_at_the_end(self, where):
        """One thread waits and the other works where the window ends: for how long, and the classes of the region."""
        for _ in range(5):
            truth = int(self.record("stop in wait", where)[0])
            report = self.report()
            self.assert_about_the_windows(report)
            (region,) = (region for region in report["budget"]["regions"] if region["line"])
            classes = {one["name"]: one["ns"] for one in region["classes"]}
            if classes.get("descheduled", 0) < 0.5 * truth:
                return truth, classes
        self.skipTest("other processes have the processors")

    def test_a_wait_goes_on_to_the_end_of_the_window(self):
        expected = {"barrier": "imbalance", "region end": "imbalance", "critical": "locks", "ordered": "locks",
                    "taskwait": "nothing_ready"}
        for where, name in expected.items():
            with self.subTest(where):
                truth, classes = self.wait_at_the_end(where)
                # A thread may lose its processor just before it waits, and before the window ends.
                # While the recorder prepares the other thread, the wait is the recorder's.
                delta = 0.02 * truth + classes.get("descheduled", 0) + classes.get("recorder", 0)
                self.assertAlmostEqual(classes.get(name, 0), truth, delta=delta)

    def test_sleep_in_a_window_is_no_work(self):
        self.record("asleep")
        whole, span = self.report(), self.report("--span", "asleep")
        if whole["quality"]["descheduled_basis"] != "told":
            self.skipTest("the kernel does not tell when threads are off their processors")
        for report, times in ((whole, 4), (span, 1)):
            self.assertGreaterEqual(report["quality"]["slept_ns"], times * THREADS * 0.95 * 20e6)
            self.assertLess(report["work_ns"], 20e6)
        slept = next(finding for finding in whole["findings"] if finding["rule"] == "slept")
        self.assertEqual(slept["function"], "asleep")

    def test_sleep_in_a_window_is_no_work_by_estimate_either(self):
        self.record("asleep", TEFF_TRACE_SWITCHES="off")
        report = self.report()
        self.assertGreaterEqual(report["quality"]["descheduled_ns"], 3 * THREADS * 0.9 * 20e6)
        self.assertLess(report["work_ns"], 20e6)

    def test_threads_that_begin_while_recording_is_off(self):
        self.record("threads")
        report = self.report()
        self.assertEqual(self.regions(report, "before"), 5 * THREADS)
        self.assertEqual(self.regions(report, "inside"), THREADS)
        self.assertEqual(report["grains"]["initial"], 2)

    def test_a_child_inherits_that_recording_is_off(self):
        self.assertEqual(self.record("fork"), ["child 0"])
        parent, = (process["process"] for process in self.report()["processes"] if "-" not in process["process"]
                   and not (self.recording / f"process-{process['process']}").exists())
        child, = (process["process"] for process in self.report()["processes"] if process["process"] != parent)
        of_parent, of_child = self.report("--process", parent), self.report("--process", child)
        self.assertEqual((self.regions(of_parent, "before"), self.regions(of_parent, "after")), (THREADS, 0))
        self.assertEqual((self.regions(of_child, "inside"), self.regions(of_child, "after")), (THREADS, 0))


class ByTheClock(WindowTest):
    def test_delay_and_duration(self):
        said = self.record("clock", "2", "2", options=("--delay", "2s", "--duration", "2s"))
        if said != ["in time 1", "in time 1"]:
            self.skipTest("the machine was too busy for the phases to fall where they should")
        report = self.report()
        self.assertEqual(self.regions(report, "inside"), 3 * THREADS)
        self.assertEqual((self.regions(report, "before"), self.regions(report, "after")), (0, 0))
        (window,) = report["windows"]
        self.assertGreaterEqual(window["from_ns"], 1.9e9)
        self.assertGreater(window["to_ns"], window["from_ns"])
        self.assert_sound(report)

    def test_a_program_that_ends_before_the_delay(self):
        self.record("header", options=("--delay", "1m"))
        # teff_record_start ends the delay.
        self.assertEqual(self.tasks(self.report(), "inside"), 3 * INSIDE)
        self.record("spans", options=("--delay", "1m"))
        report = self.report()
        self.assertEqual((report["grains"]["total"], report["windows"], report["findings"]), (0, [], []))
        text = self.text()
        self.assertIn("Nothing was recorded", text)
        self.assertNotIn("Nothing found", text)
        self.assertNotIn("Where the time", text)

    def test_a_running_process_is_refused(self):
        done = self.teff("record", "--pid", "1", status=1)
        self.assertIn("--delay", done.err.decode())


class EachNth(WindowTest):
    STEPS, NTH, STARTS = 57, 10, 3  # of which every.c starts
    CHUNKS, TASKS = 8, 5  # of a step

    def setUp(self):
        super().setUp()
        self.steps = self.compile(PROGRAMS / "every.c", "-pthread")

    def record_steps(self, nth=NTH, steps=STEPS, *, more=(), options=()):
        """What the program says: the CPU time of its loops, serial parts and tasks in each N-th step."""
        done = self.teff("record", "--every", str(nth), *options, "-o", self.recording, "--", self.steps, str(steps),
                         str(nth), *more, env=environment(THREADS))
        return [int(word) for word in done.out.split()]

    def work(self, report, kind):
        return sum(site["work_ns"] for site in report["sites"] if site["kind"] == kind)

    def test_each_nth_region_is_recorded_with_what_follows(self):
        truth = self.record_steps()
        report = self.report()
        times = self.STEPS // self.NTH
        self.assertEqual(report["every"], {"nth": self.NTH, "regions": self.STARTS + 2 * self.STEPS, "recorded": 2 * times})
        regions = {name: self.regions(report, name) for name in ("start", "loop", "tasks")}
        self.assertEqual(regions, {"start": 0, "loop": THREADS * times, "tasks": THREADS * times})
        self.assertEqual((report["grains"]["chunks"], report["grains"]["tasks"]), (self.CHUNKS * times, self.TASKS * times))
        self.assertEqual(report["grains"]["unfinished"], 0)
        # Both regions of a step and what follows them are one stretch; step 57 is not recorded.
        self.assertEqual(len(report["windows"]), times)
        self.assert_sound(report)
        for kind, used in zip(("chunk", "initial", "task"), truth):
            with self.subTest(kind=kind):
                self.assertGreaterEqual(self.work(report, kind), 0.95 * used)
        text = " ".join(self.text().split())
        self.assertIn(f"one in {self.NTH} was recorded", text)
        self.assertIn(f"{2 * times} of {self.STARTS + 2 * self.STEPS} regions", text)
        skip_if_disturbed(report)
        for kind, used in zip(("chunk", "initial", "task"), truth):
            with self.subTest(kind=kind):
                self.assertLessEqual(self.work(report, kind), 1.1 * used + 200_000)

    def test_a_prediction_says_that_it_is_about_these_regions(self):
        self.record_steps()
        report, predict = self.report(), ("predict", "--threads", "1,2", self.recording)
        predicted = json.loads(self.teff(*predict, "--json").out)
        for part in ("recording_ns", "windows", "every"):
            self.assertEqual(predicted[part], report[part], part)
        self.assertAlmostEqual(predicted["replay"]["measured_ns"], report["wall_ns"], delta=1)
        text = " ".join(self.teff(*predict).out.decode().split())
        times = self.STEPS // self.NTH
        self.assertTrue(text.startswith(f"This is about {times} stretches between"), text)
        self.assertIn(f"{2 * times} of {self.STARTS + 2 * self.STEPS} regions", text)

    def test_a_comparison_with_a_whole_run_says_so(self):
        self.record_steps()
        whole = self.place / "whole.teff"
        self.teff("record", "-o", whole, "--", self.steps, str(self.STEPS), str(self.NTH), env=environment(THREADS))
        for other, words in ((whole, "of one all was recorded, of another one in 10"),
                             (self.recording, "Times and counts are not of whole runs: of each, one in 10")):
            text = " ".join(self.teff("diff", other, self.recording).out.decode().split())
            self.assertIn(words, text)
        self.assertNotIn("was recorded", self.teff("diff", whole, whole).out.decode())

    def test_what_is_of_another_part_is_not_judged(self):
        self.record_steps()
        whole = self.place / "whole.teff"
        self.teff("record", "-o", whole, "--", self.steps, str(self.STEPS), str(self.NTH), env=environment(THREADS))
        said = self.teff("diff", "--fail-if", "wall>5%", self.recording, whole, status=1).out.decode()
        self.assertIn("of different parts of their runs", " ".join(said.split()))

    def test_a_set_says_that_it_is_about_these_regions(self):
        self.record_steps(options=("--repeat", "2"))
        self.assertIn("of each, one in 10", " ".join(self.text().split()))

    def test_nothing_can_be_predicted_from_no_region(self):
        self.record_steps(100)
        said = self.teff("predict", self.recording, status=1).err.decode()
        self.assertIn("nothing to predict from", said)

    def test_no_construct_has_so_many_regions(self):
        self.record_steps(100)
        report = self.report()
        self.assertEqual((report["windows"], report["grains"]["total"], report["findings"]), ([], 0, []))
        self.assertEqual(report["every"], {"nth": 100, "regions": self.STARTS + 2 * self.STEPS, "recorded": 0})
        self.assertIn("no construct had so many", " ".join(self.text().split()))

    def test_it_applies_to_what_the_program_chooses(self):
        self.assertEqual(self.record("header", options=("--every", "2")), ["stop 0", "start 0", "stop 0"])
        report = self.report()
        self.assertEqual(report["every"], {"nth": 2, "regions": 3, "recorded": 1})
        self.assertEqual((self.regions(report, "before"), self.regions(report, "inside")), (0, THREADS))
        self.assert_sound(report)

    def test_two_threads_that_begin_regions(self):
        self.record_steps(3, 60, more=("two",))
        report = self.report()
        self.assertEqual(report["every"]["regions"], self.STARTS + 2 * 2 * 60)
        self.assertGreaterEqual(report["every"]["recorded"], 2 * 2 * 60 // 3)
        self.assertGreaterEqual(self.regions(report, "loop"), THREADS * 2 * 60 // 3)
        self.assert_about_the_windows(report)

    def test_a_killed_program_has_no_numbers(self):
        self.record_steps()
        (self.recording / "end.json").unlink()
        text = self.teff("report", self.recording, status=None).out.decode()
        self.assertIn(f"--every {self.NTH}", text)
        report = json.loads(self.teff("report", "--json", self.recording, status=None).out)
        self.assertEqual(report["every"], {"nth": self.NTH, "regions": None, "recorded": None})


class Ring(WindowTest):
    def test_the_newest_records_are_kept(self):
        self.record("many", options=("--last", "4M"))
        chunks = {}
        for stream in sorted(self.recording.glob("stream-*.bin")):
            self.assertLessEqual(stream.stat().st_size, 4 << 20)
            self.assertLessEqual(stream.stat().st_blocks * 512, (4 << 20) + (64 << 10))
            data = stream.read_bytes()
            numbers = [int.from_bytes(data[at + 16:at + 24], "little") for at in range(0, len(data), 1 << 20)]
            chunks[stream.name] = max(numbers)
        self.assertGreater(max(chunks.values()), 4, "no chunk was overwritten: the test proves nothing")
        report = self.report()
        self.assertEqual(self.tasks(report, "tasks"), 20 * AFTER)
        self.assertEqual(self.regions(report, "after"), 20 * THREADS)
        self.assertGreater(report["windows"][0]["from_ns"], 0)
        self.assertGreater(self.tasks(report, "many"), 0)
        self.assertLess(self.tasks(report, "many"), 120 * 8000)
        self.assert_sound(report)
        longest = max(chunks, key=chunks.get)
        with (self.recording / longest).open("r+b") as stream:
            stream.truncate(2 << 20)
        done = self.teff("report", self.recording, status=3)
        first_line = done.out.decode().partition("\n")[0]
        self.assertIn(f"Damaged recording: {longest} of thread", first_line)
        self.assertIn("chunks of its ring, and has nothing before", first_line)

    def test_a_report_on_a_ring_that_is_being_written(self):
        tasks = self.compile(PROGRAMS / "many_tasks.c")
        env = environment(THREADS, TEFF_TRACE=str(self.recording), TEFF_TRACE_LAST="4", LD_LIBRARY_PATH=str(LIBRARY))
        child = subprocess.Popen([tasks, self.place / "count", "60000"], env=env, stdout=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + 60
            while not any(self.chunk_number(path) > 8 for path in self.recording.glob("stream-*.bin")):
                self.assertLess(time.monotonic(), deadline, "no chunk was overwritten")
                time.sleep(0.01)
            for _ in range(5):
                facts = json.loads(self.teff("report", "--json", self.recording, status=3).out)
                self.assertEqual(facts["wholeness"]["kind"], "incomplete")
                self.assertGreater(facts["grains"]["tasks"], 0)
                self.assertIsNone(child.poll(), "the program ended: the test proves nothing")
        finally:
            child.kill()
            child.wait()

    def chunk_number(self, path):
        """The number of the chunk in a stream's first buffer."""
        with path.open("rb") as stream:
            header = stream.read(24)
        return int.from_bytes(header[16:24], "little")

    def test_a_region_that_began_before_takes_the_time_of_its_creator(self):
        self.record("many in a region", options=("--last", "4M"))
        report = self.report()
        self.assertGreater(report["windows"][0]["from_ns"], 0, "no chunk was overwritten: the test proves nothing")
        self.assertEqual(report["grains"]["initial"], 1)
        serial = sum(site["work_ns"] for site in report["sites"] if site["kind"] == "initial")
        self.assertLess(serial, 0.1 * report["wall_ns"])


class Spans(WindowTest):
    def setUp(self):
        super().setUp()
        self.record("spans")
        self.whole = self.report()

    def test_spans_are_listed(self):
        spans = {span["name"]: span for span in self.whole["spans"]}
        self.assertEqual((spans["outer"]["count"], spans["inner"]["count"]), (4, 4))
        self.assertEqual(spans["each thread"]["count"], THREADS)
        self.assertGreater(spans["outer"]["wall_ns"], spans["inner"]["wall_ns"])
        self.assertGreater(spans["outer"]["work_ns"], spans["inner"]["work_ns"])
        self.assertLess(spans["outer"]["work_ns"], self.whole["work_ns"])
        self.assertEqual(spans["deep"]["count"], 64)
        cut = [name for name in spans if name.startswith("000 and")]
        self.assertEqual([len(name) for name in cut], [64])
        self.assertEqual(sum(spans[name]["count"] for name in spans if name[:3].isdigit() or name[0] == "("), 300)
        self.assertIn("outer", self.text())

    def test_a_report_on_one_span(self):
        report = self.report("--span", "inner")
        self.assertEqual(self.tasks(report, "inside"), 4 * INSIDE)
        self.assertEqual(self.regions(report, "inside"), 4 * THREADS)
        self.assertEqual((self.regions(report, "before"), self.regions(report, "after")), (0, 0))
        self.assertEqual((len(report["windows"]), report["grains"]["chunks"]), (4, 16))
        inner = next(span for span in self.whole["spans"] if span["name"] == "inner")
        self.assertAlmostEqual(report["wall_ns"], inner["wall_ns"], delta=1000)
        # In the short stretches it is not known when threads had no processor: that counts as work.
        self.assertGreaterEqual(report["work_ns"], 0.95 * inner["work_ns"])
        self.assert_sound(report)
        done = self.teff("report", "--span", "absent", self.recording, status=1)
        self.assertIn("outer", done.err.decode())

    def test_a_report_on_a_stretch(self):
        end = self.whole["recording_ns"]
        first = self.report("--to", f"{end / 2:.0f}ns")
        second = self.report("--from", f"{end / 2:.0f}ns")
        self.assertAlmostEqual(first["wall_ns"] + second["wall_ns"], self.whole["wall_ns"], delta=2)
        whole = self.report("--from", "0s")
        self.assertEqual(whole["grains"], self.whole["grains"])
        done = self.teff("report", "--from", f"{end + 1e9:.0f}ns", self.recording, status=1)
        self.assertIn("nothing was recorded", done.err.decode())
        # Where the kernel does not tell time off the processor, each part has its own estimate.
        skip_if_disturbed(self.whole)
        for part in (first, second):
            self.assert_about_the_windows(part)
        # What a thread was doing at the cut may be unknown, and these are milliseconds.
        self.assertAlmostEqual(first["work_ns"] + second["work_ns"], self.whole["work_ns"], delta=0.05 * self.whole["work_ns"])


class Records(WindowTest):
    def test_outside_of_the_window_no_record_is_made(self):
        self.record("header")
        for stream in self.recording.glob("stream-*.bin"):
            found = records(stream)
            self.assertLess(len(found), 400, stream.name)  # the regions outside would have made 3,000
            if stream.name == "stream-0000.bin":
                switches = [(record.words[0], record.flags) for record in found if record.name == "WINDOW"]
                self.assertEqual(switches, [(0, 2), (1, 1), (1, 2)])
