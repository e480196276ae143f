# SPDX-License-Identifier: Apache-2.0
"""Tests that a program does not notice the counting of `teff stat`, whatever happens to the
files."""

import json
import re
import unittest

from harness import PROGRAMS, TEFF, ProductTest, environment, run

SOURCE = (PROGRAMS / "counted_guest.c").read_text()
TASKS, THREADS, SLEEPS = (int(re.search(rf"\b{name} = (\d+)", SOURCE).group(1)) for name in ("TASKS", "THREADS", "SLEEPS"))


class StatGuest(ProductTest):
    def setUp(self):
        super().setUp()
        self.program = self.compile(PROGRAMS / "counted_guest.c")
        self.figures = self.place / "counters.json"

    def stat(self, *command, options=(), status=0, **knobs):
        """The processes that were counted, and the messages."""
        self.figures.unlink(missing_ok=True)
        done = run([TEFF, "stat", "--json", "-o", self.figures, *options, "--", *command], env=environment(2, **knobs))
        self.assertEqual(done.status, status, done.text)
        lines = self.figures.read_text().splitlines()
        return (json.loads(lines[-1])["processes"] if lines else []), done.text

    def shell(self, script, status=7):
        return self.stat("sh", "-c", f"{self.program}; {script}; exit 7", status=status)

    def test_a_full_disk(self):
        """The program goes on, whether the disk is full from the beginning or when more workers start."""
        disk = self.small_disk("128k")
        for left_kib, mode, counted in ((4, "plain", False), (64, "many", True)):
            with self.subTest(mode=mode):
                filler = disk / "filler"
                filler.write_bytes(bytes((128 - left_kib) << 10))
                processes, said = self.stat(self.program, mode, TMPDIR=str(disk))
                self.assertIn("No space left on device", said)
                self.assertEqual(bool(processes), counted, said)
                filler.unlink()

    def test_a_limit_on_files(self):
        for kib, mode in ((16, "plain"), (48, "many")):
            with self.subTest(mode=mode):
                _, said = self.stat("sh", "-c", f"ulimit -f {2 * kib}; exec {self.program} {mode}")
                self.assertIn("File too large", said)

    def test_a_program_that_closes_all_files(self):
        (process,), _ = self.stat(self.program, "closes all", options=["-e", "page-faults"], status=5)
        self.assertEqual(process["total"]["tasks_run"], TASKS)
        self.assertIsNone(process["total"]["events"]["page-faults"], "nobody could ask for it any more")

    def test_a_folder_that_the_program_writes_to(self):
        for script in ("mkfifo $TEFF_STAT/d", "mkdir $TEFF_STAT/d", "ln -s nowhere $TEFF_STAT/d", "echo x > $TEFF_STAT/d"):
            with self.subTest(script=script):
                (process,), _ = self.shell(script)
                self.assertEqual(process["total"]["tasks_run"], TASKS)

    def test_a_folder_that_the_program_removes(self):
        processes, said = self.shell("rm -rf $TEFF_STAT")
        self.assertEqual(processes, [])
        self.assertIn("nothing was counted", said)

    def test_processes_with_one_number(self):
        alone = ["unshare", "--mount-proc", "-rpf"]
        if run([*alone, "true"]).status != 0:
            self.skipTest("namespaces cannot be made here")
        processes, _ = self.stat("sh", "-c", f"for i in 1 2 3; do {' '.join(alone)} {self.program}; done")
        self.assertEqual([process["total"]["tasks_run"] for process in processes], [TASKS] * 3)

    def test_switches_of_all_threads_of_a_number(self):
        (process,), _ = self.stat(self.program, "sleeps")
        self.assertGreaterEqual(process["total"]["voluntary_context_switches"], THREADS * SLEEPS)

    def test_a_program_that_ends_at_once(self):
        """What is only reported at a normal end is unknown."""
        (process,), _ = self.stat(self.program, "_exit", options=["-e", "task-clock"])
        self.assertFalse(process["ended"])
        self.assertEqual(process["total"]["tasks_run"], TASKS)
        self.assertIsNone(process["total"]["voluntary_context_switches"])
        self.assertIsNone(process["total"]["events"]["task-clock"])

    def test_barriers_that_the_program_has_not(self):
        (process,), _ = self.stat(self.program, "targets")
        self.assertEqual(process["total"]["barriers"], 0)

    def test_what_was_there_stays_if_the_program_cannot_start(self):
        self.figures.write_text("precious")
        for command in (["/nonexistent/program"], [self.place]):
            done = run([TEFF, "stat", "-o", self.figures, "--", *command])
            self.assertNotEqual(done.status, 0)
            self.assertEqual(self.figures.read_text(), "precious")

    def test_a_program_in_the_place_of_the_figures(self):
        before = self.program.read_bytes()
        done = run([TEFF, "stat", "-o", self.program, "--", self.program])
        self.assertNotEqual(done.status, 0, done.text)
        self.assertEqual(self.program.read_bytes(), before)

    def test_figures_that_cannot_be_written(self):
        for script, status in (("exit 7", 7), ("true", 1)):
            with open("/dev/full", "wb") as full:
                done = run([TEFF, "stat", "--", "sh", "-c", f"{self.program}; {script}"], stderr=full)
            self.assertEqual(done.status, status, script)

    def test_many_processes(self):
        """More processes than files may be open."""
        script = self.place / "many.sh"
        script.write_text(f"for i in $(seq 40); do {self.program}; done")
        done = run(["sh", "-c", f"ulimit -n 24; exec {TEFF} stat --json -o {self.figures} -- sh {script}"])
        self.assertEqual(done.status, 0, done.text)
        processes = json.loads(self.figures.read_text())["processes"]
        self.assertEqual(len(processes), 40)


if __name__ == "__main__":
    unittest.main()
