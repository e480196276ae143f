# SPDX-License-Identifier: Apache-2.0
"""Programs on processes that share no memory: right results, clear ends, nothing left behind."""

import contextlib
import itertools
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

from harness import COMPILERS, FLAGS, TEFF, environment, folder_of_this_run, run

HERE = pathlib.Path(__file__).resolve().parent
NUMBERS = (2, 5)
LIMIT_S = 60

RIGHT = {
    "cases": ("globals", "heap", "stack", "false_sharing", "critical", "locks", "atomics", "dynamic_loops", "reductions",
              "constructs", "tasks", "trees", "dependences", "groups", "older_tasks", "events_alone", "task_loops", "reallocation", "spinning"),
    "libc": ("block_sizes", "handlers", "mutexes", "other_mutexes", "system_calls", "maps", "maps_of_files", "results_of_libc", "opens_itself",
             "forks", "closes_all"),
    "streams": ("statics", "calls_once", "exceptions", "counted_exceptions", "shared_pointers"),
}

# A case that is refused, and what the message names.
REFUSED = {
    "thread": "pthread_create",
    "doacross": "doacross",
    "conditions": "a condition variable that threads of a region share",
    "semaphores": "a semaphore that threads of a region share",
    "posix_barriers": "a POSIX barrier that threads of a region share",
    "read_write_locks": "a read-write lock that threads of a region share",
    "late_shared_map": "mapped as shared after the first parallel region",
    "late_fixed_map": "mapped at a given address after the first parallel region",
    "late_code": "code that the program makes after the first parallel region",
    "before_main": "a parallel region before main",
    "late_library": "a library that is loaded by dlopen after the first parallel region",
}

# A case in which nobody can go on, and what the message says of its processes.
STUCK = {
    "lock_below": r"process \d waits for a lock, .*; process \d holds it",
    "locks_crossed": r"process 0 waits for a lock, .*; process 1 holds it\n.*process 1 waits for a lock",
    "lock_twice": r"process 0 waits for a lock, .*; process 0 holds it",
    "event_of_nobody": r"waits for tasks, or for the event of a detachable task",
    "needs_creator": r"process \d yields in a loop, and nothing changes",
}


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


def children_of(pid):
    try:
        return sorted(int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
    except OSError:
        return []  # it has ended


class SharedNothing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # The name tells this run's processes from others'.
        cls.folder = folder_of_this_run("cases")
        sources = ("cases.c", "libc.c", "endings.c", "files.c", "streams.cpp", "units.f90")
        cls.programs = {pathlib.Path(source).stem: cls.build(source) for source in sources}

    @classmethod
    def build(cls, source):
        source = HERE / source
        program = cls.folder / f"{source.stem}{os.getpid()}"
        done = run([*COMPILERS[source.suffix], *FLAGS, source, "-o", program], cwd=cls.folder)
        assert done.status == 0, done.text
        return program

    def left(self):
        return [pid for program in self.programs.values() for pid in processes_of(program)]

    def tearDown(self):
        """Nothing of a run is left: no process, no zombie, no segment."""
        deadline = time.monotonic() + 10
        while (left := self.left()) and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertEqual(left, [])
        self.assertEqual([name for name in os.listdir("/dev/shm") if "processes" in name], [])

    def start(self, number, program, case, *options, **variables):
        command = [TEFF, "run", "--processes", str(number), *options, "--", self.programs[program], case]
        return command, environment(number, **variables)

    def finish(self, number, program, case, *options, place=None, stdin=subprocess.DEVNULL, **variables):
        command, env = self.start(number, program, case, *options, **variables)
        return run(command, env, LIMIT_S, cwd=place, stdin=stdin)

    def place(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        return pathlib.Path(made.name)

    def each(self, *options):
        for program, cases in RIGHT.items():
            for case, number in itertools.product(cases, NUMBERS):
                with self.subTest(case=case, processes=number):
                    done = self.finish(number, program, case, *options)
                    self.assertEqual((done.status, done.out), (0, b"right\n"), done.text)

    def test_right_over_sockets(self):
        self.each()

    def test_right_over_rings(self):
        self.each("--transport", "ring")

    def test_one_process(self):
        self.assertEqual(self.finish(1, "cases", "tasks").out, b"right\n")

    def test_what_is_printed_comes_in_order_and_once(self):
        done = self.finish(4, "libc", "output")
        self.assertEqual(done.out, b"before\n" + 4 * b"in\n" + b"between\nafter\nright\n")

    def test_what_threads_write_is_in_the_file(self):
        for program, case in itertools.product(("files", "streams", "units"), ("writes", "writes_own")):
            with self.subTest(program=program, case=case):
                place = self.place()
                done = self.finish(4, program, case, place=place)
                self.assertEqual(done.status, 0, done.text)
                lines = [line.split() for path in place.iterdir() for line in path.read_bytes().splitlines()]
                self.assertEqual(sorted(int(line[0]) for line in lines), list(range(40)))
                self.assertEqual({tuple(line[1:]) for line in lines}, {(b"of", b"the", b"forty")})

    def test_what_threads_print_is_whole(self):
        for program in ("files", "streams", "units"):
            with self.subTest(program=program):
                done = self.finish(4, program, "prints")
                lines = [line.split() for line in done.out.splitlines()]
                self.assertEqual(sorted(int(line[0]) for line in lines[:-1]), list(range(400)), done.text)
                self.assertEqual((done.status, done.err, lines[-1]), (0, b"", [b"end"]))

    def test_what_threads_read_is_read_once(self):
        place = self.place()
        numbers = place / "numbers"
        numbers.write_text("".join(f"{i}\n" for i in range(5000)))
        for program in ("files", "streams"):
            with self.subTest(program=program), numbers.open() as file:
                done = self.finish(4, program, "reads", stdin=file)
                self.assertEqual((done.status, done.out), (0, b"5000 12497500\n"), done.text)
        with self.subTest(program="units"):
            self.assertEqual(self.finish(4, "units", "reads_own", place=place).out.split(), [b"4", b"49990000"])

    def test_reading_that_cannot_work_is_named(self):
        for program, words in {"files": "input from a pipe", "streams": "input from a pipe", "units": "a Fortran READ"}.items():
            with self.subTest(program=program):
                place, (end, other) = self.place(), os.pipe()
                (place / "numbers").write_text("1\n")
                os.write(other, b"1 2 3\n")
                os.close(other)
                done = self.finish(2, program, "reads", place=place, stdin=end)
                os.close(end)
                self.assertEqual((done.status, done.out), (70, b""), done.text)
                self.assertIn(words, done.err.decode())
        self.assertIn("a Fortran WRITE to a unit", self.finish(2, "units", "late", place=self.place()).text)

    def test_destructors_of_statics_have_regions(self):
        for number in (1, 2, 4):
            with self.subTest(processes=number):
                done = self.finish(number, "streams", "ends")
                self.assertEqual((done.status, done.out), (0, b"right\nended well\n"), done.text)

    def test_a_notice_that_a_beat_takes_is_not_awaited(self):
        """The time between a look for a notice and its receipt is made longer than usual."""
        library = self.folder / "slow_looks.so"
        done = run([*COMPILERS[".c"], *FLAGS, "-fPIC", "-shared", HERE / "slow_looks.c", "-o", library])
        self.assertEqual(done.status, 0, done.text)
        done = self.finish(3, "cases", "tiny_tasks", LD_PRELOAD=str(library))
        self.assertEqual((done.status, done.out), (0, b"right\n"), done.text)

    def test_exit_in_a_region(self):
        done = self.finish(4, "endings", "exits")
        self.assertEqual((done.status, done.out, done.err), (17, b"buffered\n", b""))

    def test_a_crash_is_named(self):
        done = self.finish(4, "endings", "crashes")
        self.assertEqual(done.status, -signal.SIGABRT)
        self.assertRegex(done.err.decode(), r"teff: process 3 of 4 \(\d+\) was killed by signal 6 \(Aborted\)")

    def test_a_stack_that_is_used_up_is_named(self):
        done = self.finish(2, "endings", "deep")
        self.assertEqual(done.status, -signal.SIGSEGV)
        self.assertRegex(done.err.decode(), r"teff: the stack of process 1 is used up \(256 MiB\)")

    def test_a_signal_that_is_raised_ends_the_run(self):
        done = self.finish(2, "endings", "raises")
        self.assertEqual((done.status, done.out), (-signal.SIGSEGV, b""), done.text)

    def test_waits_last_as_long_as_they_should(self):
        done = self.finish(2, "libc", "waits")
        self.assertEqual((done.status, done.out), (0, b"right\n"), done.text)

    def test_a_race_is_named(self):
        done = self.finish(2, "endings", "races")
        self.assertRegex(done.err.decode(), r"teff: processes \d and \d both changed address 0x\w+ \(.*/endings\d+\+0x\w+")

    def test_what_cannot_work_is_named(self):
        for case, words in REFUSED.items():
            with self.subTest(case=case):
                done = self.finish(2, "endings", case)
                self.assertEqual((done.status, done.out), (70, b""), done.text)
                self.assertIn(words, done.err.decode())
                self.assertIn("is not supported with --processes", done.err.decode())
        self.assertIn("std::thread", self.finish(2, "streams", "thread").text)
        self.assertIn("a file that another thread has opened", self.finish(4, "streams", "late_file").text)
        self.assertIn("OMP_CANCELLATION", self.finish(2, "cases", "tasks", OMP_CANCELLATION="true").text)

    def test_a_run_in_which_nobody_can_go_on_ends(self):
        for transport in ("sockets", "ring"):
            for case, words in STUCK.items():
                with self.subTest(case=case, transport=transport):
                    done = self.finish(2, "endings", case, "--transport", transport, TEFF_PROCESS_PATIENCE="1")
                    self.assertEqual((done.status, done.out), (70, b""), done.text)
                    text = done.err.decode()
                    self.assertIn("teff: no process can go on:", text)
                    self.assertRegex(text, words)
                    self.assertNotIn("has died", text)

    def test_figures(self):
        done = self.finish(2, "cases", "globals", "--verbose")
        figures = re.search(r"messages: (\d+), bytes to the hub: (\d+), .*bytes per barrier: (\d+)", done.err.decode())
        self.assertIsNotNone(figures, done.text)
        self.assertGreater(int(figures[2]), 4 * 10000)  # half of the array is the other's

    def launch(self, number, case, *options):
        return self.launched(*self.start(number, "endings", case, *options))

    def launched(self, command, env):
        child = subprocess.Popen([str(word) for word in command], env=env, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, start_new_session=True)
        self.addCleanup(child.communicate)
        self.addCleanup(child.kill)
        return child

    def staying(self, transport, case="stays"):
        """A run that stays in a region, and the pids of its four processes."""
        child = self.launch(4, case, "--transport", transport)
        pids = []
        while len(pids) < 4:
            line = child.stdout.readline()
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
                    child.stdout.readline()  # the others are at the barrier, or about to be
                    os.kill(pids[victim], signal.SIGKILL)
                    self.killed(child, rf"teff: process \d of 4 \({pids[victim]}\) was killed by signal 9 \(Killed\)")

    def test_a_process_is_killed_amid_messages(self):
        for transport in ("sockets", "ring"):
            for victim in range(8):
                with self.subTest(victim=victim, transport=transport):
                    child, pids = self.staying(transport, "flows")
                    time.sleep(0.02 * victim)  # wherever it then is
                    os.kill(pids[victim % 4], signal.SIGKILL)
                    self.killed(child, rf"teff: process \d of 4 \({pids[victim % 4]}\) was killed by signal 9 \(Killed\)")

    def kill_one(self, hub, number):
        """As soon as there are that many: the newest, or the first one."""
        deadline = time.monotonic() + 2  # it may have ended
        while len(there := children_of(hub)) < number and time.monotonic() < deadline:
            pass
        for pid in there[-1:] if number % 2 else there[:1]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def test_a_process_is_killed_while_all_are_started(self):
        killed = 0
        for number in range(12):
            with self.subTest(round=number):
                transport = ("sockets", "ring")[number % 2]
                child = self.launched(*self.start(4, "cases", "critical", "--transport", transport))
                self.kill_one(child.pid, 1 + number % 4)
                out, err = child.communicate(timeout=LIMIT_S)
                killed += child.returncode != 0
                if child.returncode == 0:
                    self.assertEqual((out, err), (b"right\n", b""))
                else:
                    self.assertRegex(err, rb"teff: (process \d of 4 .* was killed by signal 9|a process could not be started)")
                self.tearDown()
        self.assertGreater(killed, 0)

    def test_the_hub_is_killed(self):
        for transport in ("sockets", "ring"):
            with self.subTest(transport=transport):
                child, _ = self.staying(transport)
                child.kill()
                self.killed(child, "teff: the process that connects all others has died")

    def test_a_core_dump_would_have_what_is_in_use(self):
        for transport in ("sockets", "ring"):
            with self.subTest(transport=transport):
                child, pids = self.staying(transport)
                for pid in pids:
                    mappings = re.findall(r"^Size: +(\d+) kB\n(?:[^V].*\n)*VmFlags: (.*)$",
                                          pathlib.Path(f"/proc/{pid}/smaps").read_text(), re.MULTILINE)
                    self.assertGreater(len(mappings), 10)
                    dumped = sum(int(size) for size, flags in mappings if "wr" in flags.split() and "dd" not in flags.split())
                    self.assertLess(dumped, 64 << 10, "kB")
                child.kill()
                child.communicate()

    def test_an_openmp_library_that_is_loaded_later_is_refused(self):
        library = self.folder / "late.so"
        done = run([*COMPILERS[".c"], *FLAGS, "-fPIC", "-shared", "-Dmain=work", HERE / "cases.c", "-o", library])
        self.assertEqual(done.status, 0, done.text)
        script = (f"import ctypes; library = ctypes.CDLL({str(library)!r}); "
                  "print(library.omp_get_max_threads(), flush=True); "
                  "library.work(2, (ctypes.c_char_p * 3)(b'work', b'globals', None))")
        done = run([TEFF, "run", "--processes", "2", "--", "/usr/bin/python3", "-c", script], environment(2))
        self.assertEqual((done.status, done.out), (70, b"2\n"), done.text)
        self.assertIn("loads its OpenMP library after its start", done.err.decode())

    def test_signals_reach_the_program(self):
        child = self.launch(2, "handles")
        self.assertEqual(child.stdout.readline(), b"ready 0\n")
        for name in ("SIGTERM", "SIGUSR1", "SIGWINCH", "SIGPIPE", "SIGCONT", "SIGRTMIN", "SIGRTMAX"):
            child.send_signal(getattr(signal, name))
        out, err = child.communicate(timeout=LIMIT_S)
        self.assertEqual((child.returncode, out, err), (0, b"all 0\nright\n", b""))

    def test_an_interrupt_ends_all(self):
        child, _ = self.staying("sockets")
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=LIMIT_S)
        self.assertEqual(child.returncode, -signal.SIGINT)


if __name__ == "__main__":
    unittest.main()
