# SPDX-License-Identifier: Apache-2.0
"""Programs on processes that share no memory: right results, clear ends, nothing left behind."""

import os
import pathlib
import re
import signal
import subprocess
import time
import unittest

from harness import COMPILERS, FLAGS, TEFF, environment, folder_of_this_run, run

HERE = pathlib.Path(__file__).resolve().parent
NUMBERS = (2, 4, 8)
LIMIT_S = 60

RIGHT = ("globals", "heap", "stack", "false_sharing", "critical", "locks", "atomics", "dynamic_loops", "reductions",
         "constructs", "tasks", "trees", "dependences", "task_loops", "reallocation", "spinning", "mutexes",
         "system_calls", "forks")


def processes_of(program):
    """The processes that run this very file, zombies included."""
    found = []
    for place in pathlib.Path("/proc").iterdir():
        try:
            if place.name.isdigit() and program.name[:15] in (place / "stat").read_text().split("(", 1)[1].rsplit(")", 1)[0]:
                found.append(int(place.name))
        except (OSError, IndexError):
            continue  # it has just ended
    return found


class SharedNothing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # The name tells this run's processes from others'.
        cls.program = folder_of_this_run("cases") / f"cases{os.getpid()}"
        done = run([*COMPILERS[".c"], *FLAGS, HERE / "cases.c", "-o", cls.program])
        assert done.status == 0, done.text

    def tearDown(self):
        """Nothing of a run is left: no process, no zombie, no segment."""
        deadline = time.monotonic() + 10
        while (left := processes_of(self.program)) and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertEqual(left, [])
        self.assertEqual([name for name in os.listdir("/dev/shm") if "teff" in name], [])

    def start(self, number, case, *options, **variables):
        command = [TEFF, "run", "--processes", str(number), *options, "--", self.program, case]
        return command, environment(number, **variables)

    def finish(self, number, case, *options, **variables):
        command, env = self.start(number, case, *options, **variables)
        return run(command, env, LIMIT_S)

    def each(self, *options):
        for case in RIGHT:
            for number in NUMBERS:
                with self.subTest(case=case, processes=number):
                    done = self.finish(number, case, *options)
                    self.assertEqual((done.status, done.out), (0, b"right\n"), done.text)

    def test_right_over_sockets(self):
        self.each()

    def test_right_over_rings(self):
        self.each("--transport", "ring")

    def test_one_process(self):
        self.assertEqual(self.finish(1, "tasks").out, b"right\n")

    def test_what_is_printed_comes_in_order_and_once(self):
        done = self.finish(4, "output")
        self.assertEqual(done.out, b"before\n" + 4 * b"in\n" + b"between\nafter\nright\n")

    def test_exit_in_a_region(self):
        done = self.finish(4, "exits")
        self.assertEqual((done.status, done.out, done.err), (17, b"buffered\n", b""))

    def test_a_crash_is_named(self):
        done = self.finish(4, "crashes")
        self.assertEqual(done.status, -signal.SIGABRT)
        self.assertRegex(done.err.decode(), r"teff: process 3 of 4 \(\d+\) was killed by signal 6 \(Aborted\)")

    def test_a_race_is_named(self):
        done = self.finish(2, "races")
        self.assertRegex(done.err.decode(), r"teff: processes \d and \d both changed address 0x\w+ \(.*/cases\d+\+0x\w+")

    def test_what_cannot_work_is_named(self):
        for case, word in (("thread", "pthread_create"), ("doacross", "doacross")):
            with self.subTest(case=case):
                done = self.finish(2, case)
                self.assertEqual(done.status, 70, done.text)
                self.assertIn(word, done.err.decode())
        self.assertIn("OMP_CANCELLATION", self.finish(2, "tasks", OMP_CANCELLATION="true").text)

    def test_figures(self):
        done = self.finish(2, "globals", "--verbose")
        figures = re.search(r"messages: (\d+), bytes to the hub: (\d+), .*bytes per barrier: (\d+)", done.err.decode())
        self.assertIsNotNone(figures, done.text)
        self.assertGreater(int(figures[2]), 4 * 10000)  # half of the array is the other's

    def staying(self, transport):
        """A run that stays in a region: the command, and its processes in the order of their numbers."""
        command, env = self.start(4, "stays", "--transport", transport)
        child = subprocess.Popen([str(word) for word in command], env=env, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, start_new_session=True)
        self.addCleanup(child.communicate)
        self.addCleanup(child.kill)
        pids = []
        for line in iter(child.stdout.readline, b"ready\n"):
            self.assertTrue(line, "the run ended early")
            pids.append(int(line.split()[1]))
        return child, pids

    def killed(self, child, expected):
        _, err = child.communicate(timeout=LIMIT_S)
        self.assertEqual(child.returncode, -signal.SIGKILL)
        self.assertRegex(err.decode(), expected)
        self.tearDown()

    def test_any_process_is_killed(self):
        for transport in ("sockets", "ring"):
            for victim in range(4):
                with self.subTest(victim=victim, transport=transport):
                    child, pids = self.staying(transport)
                    os.kill(pids[victim], signal.SIGKILL)
                    self.killed(child, rf"teff: process \d of 4 \({pids[victim]}\) was killed by signal 9 \(Killed\)")

    def test_the_hub_is_killed(self):
        for transport in ("sockets", "ring"):
            with self.subTest(transport=transport):
                child, _ = self.staying(transport)
                child.kill()
                self.killed(child, "teff: the process that connects all others has died")

    def test_an_interrupt_ends_all(self):
        child, _ = self.staying("sockets")
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=LIMIT_S)
        self.assertEqual(child.returncode, -signal.SIGINT)


if __name__ == "__main__":
    unittest.main()
