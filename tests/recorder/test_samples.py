# SPDX-License-Identifier: Apache-2.0
"""Samples say in which functions the time of tasks, regions and serial parts goes, and how much of it
in the kernel; and a recording is whole where the kernel takes none."""

import collections
import json
import math
import pathlib
import shutil
import subprocess
import unittest

from harness import LIBRARY, TEFF, environment, run
from recorder_harness import (
    FLAGS,
    PROGRAMS,
    RECORDING,
    GuestTest,
    build,
    build_folder,
    report,
    try_in,
)
from records import numbers, records

MS = 400
RATE = 997
LEAST = 2 / 3  # of the samples that a CPU time asks for: see check_number
SAMPLES = numbers("TEFF_SAMPLES_")


def room(share, samples):
    """Four standard deviations of a share of so many samples, and two samples at the edges."""
    return 4 * math.sqrt(share * (1 - share) / samples) + 2 / samples


class Samples(GuestTest):
    def setUp(self):
        super().setUp()
        self.program = build("hot")

    def need_event(self):
        if try_in(self.folder("can"), [self.program, "can"], False).out != "1\n":
            self.skipTest("the kernel refuses the event")

    def record(self, *words, prefix=(), rate=RATE):
        """The report, and what the program printed: its CPU time, and how much of it in the kernel, in ns."""
        self.recordings = getattr(self, "recordings", 0) + 1
        folder = self.folder(str(self.recordings))
        self.recording = folder / RECORDING
        env = {"TEFF_TRACE_SAMPLES": str(rate)}
        trial = try_in(folder, [self.program, *words], True, env=env, prefix=prefix)
        self.assertEqual((trial.status, trial.err), (0, ""))
        return report(self.recording), *map(int, trial.out.split())

    def inside(self, facts, kind, **place):
        (site,) = (
            site
            for site in facts["sites"]
            if site["kind"] == kind and all(site[name] == value for name, value in place.items())
        )
        return site["inside"]

    def check_number(self, facts, kind, cpu_ns, tolerance=0.05):
        """The event also counts the time for which a hypervisor had the processor, as the work does. The thread's CPU
        time leaves it out. Where the hypervisor delays the kernel's timer, the kernel leaves periods out."""
        (work_ns,) = (site["work_ns"] for site in facts["sites"] if site["kind"] == kind)
        samples = self.inside(facts, kind)["samples"]
        self.assertGreater(samples, LEAST * RATE * cpu_ns / 1e9 - 5)
        self.assertLess(samples, (1 + tolerance) * RATE * max(cpu_ns, work_ns) / 1e9 + 5)

    def shares(self, inside):
        return {
            function["function"]: (function["samples"] - function["kernel"]) / inside["samples"]
            for function in inside["functions"]
        }

    def stream_records(self, name):
        return [
            [record for record in records(path) if record.name == name]
            for path in sorted(self.recording.glob("stream-*.bin"))
        ]

    def test_a_task_spends_three_quarters_in_one_function(self):
        self.need_event()
        facts, cpu, _ = self.record("task", MS)
        inside = self.inside(facts, "task")
        samples = inside["samples"]
        self.check_number(facts, "task", cpu)
        shares = self.shares(inside)
        self.assertAlmostEqual(shares["hot"], 0.75, delta=0.02 + room(0.75, samples))
        self.assertAlmostEqual(shares["cold"], 0.25, delta=0.02 + room(0.25, samples))
        for function in inside["functions"][:2]:
            self.assertEqual((function["file"].rsplit("/")[-1], function["object"]), ("hot.c", "hot"))
            self.assertGreater(function["line"], 0)
        sampling = facts["sampling"]
        self.assertEqual((sampling["lost"], sampling["refused"]), (0, 0))
        self.assertEqual(sampling["period_ns"], 10**9 // RATE)

    def test_the_text_has_the_functions_under_their_sites(self):
        self.need_event()
        self.record("task", MS)
        text = run([TEFF, "report", self.recording]).out.decode()
        self.assertRegex(
            text,
            r"Where the time inside goes: .* 1\.00 ms of CPU time\n(.*\n)*?.*, task: \d+ samples\n +7\d %  hot \(hot\.c:\d+\)",
        )

    def test_a_serial_part_is_named_by_the_function_that_ran(self):
        self.need_event()
        for _ in range(3):
            facts, _, _ = self.record("serial", MS)
            inside = self.inside(facts, "initial")
            self.assertEqual(inside["functions"][0]["function"], "assemble")
            parts = [finding for finding in facts["findings"] if finding["rule"] == "serial-part"]
            evidence = "\n".join(line for part in parts for line in part["evidence"])
            if parts:
                return self.assertRegex(evidence, r"of \d+ samples: \d+ % in assemble \(hot\.c:\d+\)")
        self.skipTest("the machine is so busy that the finding is held back")

    def check_kernel(self, facts, cpu, kernel):
        inside = self.inside(facts, "task")
        # The kernel's own count is made of ticks of its clock, where it is not exact.
        self.assertGreater(kernel / cpu, 0.4, "the test's program is mostly in the kernel")
        self.assertAlmostEqual(inside["kernel"] / inside["samples"], kernel / cpu, delta=0.15)
        self.check_number(facts, "task", cpu, 0.1)
        return inside

    def test_time_in_the_kernel_is_apart(self):
        self.need_event()
        self.check_kernel(*self.record("kernel", MS))

    def test_it_is_known_without_a_privilege(self):
        self.need_event()
        without = ("setpriv", "--bounding-set", "-all", "--inh-caps", "-all")
        if run([*without, "true"], {}).status != 0:
            self.skipTest("setpriv cannot drop privileges")
        inside = self.check_kernel(*self.record("kernel", MS, prefix=without))
        paranoid = int(pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text())
        if paranoid > 1:
            self.assertEqual(inside["kernel_unplaced"], inside["kernel"])

    def test_samples_that_did_not_fit_are_counted(self):
        self.need_event()
        facts, cpu, _ = self.record("long", 1500, rate=10000)
        sampling = facts["sampling"]
        taken = sampling["samples"] + sampling["lost"]
        self.assertAlmostEqual(taken, 10000 * cpu / 1e9, delta=1500 * cpu / 1e9)
        self.assertLessEqual(sampling["samples"], 64 * 4096 / 32)
        self.assertGreater(sampling["samples"], 1000)

    def test_each_thread_is_sampled(self):
        self.need_event()
        facts, *_ = self.record("threads", MS)
        samples = [len(stream) for stream in self.stream_records("SAMPLE")]
        self.assertGreaterEqual(sum(samples), 2 * LEAST * RATE * MS / 1000)
        shares = self.shares(self.inside(facts, "implicit"))
        self.assertAlmostEqual(shares["hot"], 0.75, delta=0.02 + room(0.75, sum(samples)))

    def test_a_forked_child_has_samples_of_its_own(self):
        self.need_event()
        _, child_cpu, _, parent_cpu, _ = self.record("fork", MS)
        (child,) = self.recording.glob("process-*")
        parent = [record for record in records(self.recording / "stream-0000.bin") if record.name == "SAMPLE"]
        own = [record for record in records(child / "stream-0000.bin") if record.name == "SAMPLE"]
        for samples, cpu in ((parent, parent_cpu), (own, child_cpu)):
            self.assertGreater(len(samples), LEAST * RATE * cpu / 1e9 - 5)
            self.assertLess(len(samples), 1.3 * RATE * cpu / 1e9 + 5)  # see check_number
        self.assertGreater(min(record.at for record in own), min(record.at for record in parent))
        mid = sorted(record.at for record in own)[len(own) // 2]  # the parent then waits for its child
        self.assertFalse([record for record in parent if mid < record.at < max(record.at for record in own)])

    def test_nothing_is_sampled_by_default(self):
        facts, _, _ = self.record("task", 20, rate=0)
        self.assertIsNone(facts["sampling"])
        self.assertEqual(self.stream_records("SAMPLE") + self.stream_records("SAMPLES"), [[], []])
        self.assertFalse([site for site in facts["sites"] if "inside" in site])

    def test_an_event_is_not_asked_for_under_a_filter(self):
        filtered = build("switches")
        facts, _, _ = self.record("task", 20, prefix=(filtered, "refused"))
        self.assertEqual((facts["sampling"]["samples"], facts["sampling"]["refused"]), (0, 1))
        self.assertTrue([note for note in facts["notes"] if "took no samples of 1 thread" in note])


class Replaced(GuestTest):
    """A library that another has replaced at the same address before its samples were stored."""

    def setUp(self):
        super().setUp()
        if try_in(self.folder("can"), [build("hot"), "can"], False).out != "1\n":
            self.skipTest("the kernel refuses the event")
        self.program = build("replaced")

    def library(self, name):
        library = build_folder() / f"lib{name}.so"
        flags = [*FLAGS, "-fPIC", "-shared", f"-DNAME=in_{name}"]
        subprocess.run(
            ["gcc", *flags, PROGRAMS / "spinner.c", "-o", library], check=True, timeout=60
        )
        return library

    def samples_by_function(self, start, *words):
        """`start`: the words before the program's, and the environment."""
        before, env = start
        libraries = [self.library(name) for name in ("alpha", "omega")]
        command = [*before, self.program, *libraries, str(MS), *words]
        settings = environment(2, LD_LIBRARY_PATH=str(LIBRARY)) | env
        done = run(command, settings, cwd=self.place)
        self.assertEqual((done.status, done.out), (0, b"same\n"), done.err)
        facts = json.loads(run([TEFF, "report", "--json", self.place / RECORDING]).out)
        samples = {"initial": collections.Counter(), "implicit": collections.Counter()}
        for site in facts["sites"]:
            for function in site.get("inside", {}).get("functions", ()):
                name = function["function"] or function["object"]
                samples[site["kind"]][name] += function["samples"]
        return samples

    def check(self, samples, alpha, omega, unnamed):
        """Each of the three is a number of stretches of MS ms."""
        stretch = RATE * MS / 1000
        for name, stretches in (("in_alpha", alpha), ("in_omega", omega), ("", unnamed)):
            with self.subTest(name):
                self.assertLessEqual(samples[name], 1.1 * stretches * stretch + 8)
                self.assertGreaterEqual(samples[name], LEAST * stretches * stretch - 5)

    def test_its_samples_do_not_get_the_other_name(self):
        for option in ("--sample", "--sample-stacks"):
            with self.subTest(option):
                record = [TEFF, "record", option, "-o", self.place / RECORDING, "--"]
                self.check(self.samples_by_function((record, {}))["initial"], 0, 1, 1)

    def test_a_library_in_a_region_has_its_name_and_so_has_the_next(self):
        record = [TEFF, "record", "--sample", "-o", self.place / RECORDING, "--"]
        samples = self.samples_by_function((record, {}), "team")
        self.check(samples["implicit"], 2, 0, 0)
        self.check(samples["initial"], 0, 1, 0)

    def test_without_the_auditor_no_name_is_a_guess(self):
        env = {"TEFF_TRACE": str(self.place / RECORDING), "TEFF_TRACE_SAMPLES": str(RATE)}
        self.check(self.samples_by_function(([], env))["initial"], 0, 0, 2)


class Options(GuestTest):
    def test_record_has_an_option(self):
        program = build("hot")
        for option, period in (("--sample", 1003009), ("--sample=100", 10**7)):
            recording = self.place / f"{period}.teff"
            done = run([TEFF, "record", option, "-o", recording, "--", program, "task", "20"])
            self.assertEqual(done.status, 0, done.err)
            (about,) = (
                record
                for record in records(recording / "stream-0000.bin")
                if record.name == "SAMPLES"
            )
            self.assertEqual(about.words[1], period)
            self.assertIn(about.flags, (SAMPLES["BEGIN"], SAMPLES["REFUSED"]))

    def test_functions_of_a_program_that_has_changed_have_no_names(self):
        program = pathlib.Path(shutil.copy(build("hot"), self.place / "hot"))
        recording = self.place / "changed.teff"
        done = run([TEFF, "record", "--sample", "-o", recording, "--", program, "task", "100"])
        self.assertEqual(done.status, 0, done.err)
        shutil.copy(build("switches"), program)
        facts = json.loads(run([TEFF, "report", "--json", recording]).out)
        (task,) = (site for site in facts["sites"] if site["kind"] == "task")
        self.assertEqual(task["function"], "in_task", "it was kept in the recording")
        if task.get("inside", {}).get("functions"):
            notes = "\n".join(note for note in facts["notes"] if str(program) in note)
            self.assertIn("not the build that ran: functions of samples and call paths in it are shown", notes)
            self.assertEqual(task["inside"]["functions"][0]["function"], "")
            self.assertEqual(task["inside"]["functions"][0]["object"], "hot")

    def test_rates_that_cannot_be(self):
        program = build("hot")
        for rate in ("0", "10001", "x"):
            done = run([TEFF, "record", f"--sample={rate}", "--", program, "task", "20"])
            self.assertIn(b"--sample", done.err)
            self.assertNotEqual(done.status, 0)


if __name__ == "__main__":
    unittest.main()
