# SPDX-License-Identifier: Apache-2.0
"""Tests `teff stat`: compares the counters of a run with what the program is known to do."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest

from harness import LIMIT_S, PROGRAMS, ROOT, TEFF, ProductTest, environment, run

HEADER = ROOT / "runtime" / "include" / "teff_stat.h"
SOURCE = (PROGRAMS / "counted.c").read_text()
STATES = ("user", "dependences", "queues", "regions", "waiting", "idle")


def constant(name):
    return int(re.search(rf"\b{name} = (\d+)", SOURCE).group(1))


DEFERRED, UNDEFERRED, CHAIN, PRIORITY, BARRIERS = map(constant, ("DEFERRED", "UNDEFERRED", "CHAIN", "PRIORITY",
                                                                "BARRIERS"))
ALL = DEFERRED + UNDEFERRED + CHAIN + PRIORITY


class Stat(ProductTest):
    def setUp(self):
        super().setUp()
        self.program = self.compile(PROGRAMS / "counted.c")

    def stat(self, *words, options=("--times", "exact"), threads=2, status=0, **knobs):
        place = self.place / "counters.json"
        done = run([TEFF, "stat", "--json", "-o", place, *options, "--", self.program, *words],
                   env=environment(threads, OMP_MAX_TASK_PRIORITY="9", **knobs))
        self.assertEqual(done.status, status, done.text)
        self.moments = [json.loads(line) for line in place.read_text().splitlines()]
        self.assertEqual([moment["last"] for moment in self.moments][-1:], [True])
        self.out = done.out
        return self.moments[-1]["processes"]

    @contextlib.contextmanager
    def watched(self, *words, options=()):
        """A program that waits, with a function that waits until its counters have something."""
        place = self.place / "counters.json"
        command = [TEFF, "stat", "--json", "--every", "20ms", "-o", place, *options, "--", self.program, *words]
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                 env=environment(2, OMP_MAX_TASK_PRIORITY="9"))
        self.child = child

        def moment(has, after=0):
            for _ in range(10 * LIMIT_S):
                lines = place.read_text().split("\n")[:-1] if place.exists() else []
                moments = [json.loads(line)["processes"] for line in lines[after:]]
                found = next((at for at, processes in enumerate(moments) if has(processes)), None)
                if found is not None:
                    return moments[found], after + found + 1
                time.sleep(0.1)
            self.fail(f"no such moment: {moments[-1:]}")

        try:
            yield moment
            child.stdin.close()
            self.assertEqual(child.wait(LIMIT_S), 0)
            moment(lambda processes: all(not process["runs"] for process in processes))
        finally:
            child.stdin.close()
            child.kill()
            child.wait()

    def assert_sums(self, process):
        """The total is the sum over the workers, and each worker does one thing at a time."""
        for key, value in process["total"].items():
            parts = [worker[key] for worker in process["workers"]]
            if key == "events" or value is None:
                continue
            self.assertEqual(value, sum(parts), key)
        for worker in process["workers"]:
            states = sum(worker[f"{state}_ns"] for state in STATES) + (worker["without_processor_ns"] or 0)
            self.assertLessEqual(states, process["wall_ns"] + len(STATES))

    def assert_all_tasks(self, process):
        total = process["total"]
        self.assertEqual(total["tasks_created"], ALL)
        self.assertEqual(total["tasks_run"], ALL)
        self.assertEqual(total["tasks_undeferred"], UNDEFERRED)
        self.assertEqual(total["tasks_dependent"], CHAIN)
        self.assertEqual(total["tasks_cancelled"], 0)
        self.assertEqual(total["dependences"], CHAIN - 1)
        self.assertLessEqual(total["dependences_unfulfilled"], CHAIN - 1)
        taken = total["queue_takes"] + total["priority_takes"]
        self.assertEqual(taken + total["tasks_run_at_once"], DEFERRED + CHAIN + PRIORITY)
        if total["tasks_run_at_once"] == 0:
            self.assertEqual(total["priority_takes"], PRIORITY)
        self.assertEqual(total["regions_led"], 1)
        self.assert_sums(process)

    def test_one_thread(self):
        (process,) = self.stat(threads=1)
        self.assert_all_tasks(process)
        total = process["total"]
        self.assertTrue(process["ended"])
        self.assertEqual(len(process["workers"]), 1)
        for key in ("tasks_stolen", "lost_steals", "queue_contended", "priority_contended", "contended_locks", "wakes", "idle_ns"):
            self.assertEqual(total[key], 0, key)
        self.assertEqual(total["barriers"], BARRIERS + 1, "single has one")
        self.assertEqual(total["implicit_tasks"], 2)

    def test_four_threads(self):
        (process,) = self.stat(threads=4)
        self.assert_all_tasks(process)
        self.assertEqual(len(process["workers"]), 4)
        self.assertEqual(process["total"]["barriers"], 4 * (BARRIERS + 1))
        self.assertEqual(process["total"]["implicit_tasks"], 5)
        creators = [worker for worker in process["workers"] if worker["tasks_created"]]
        self.assertEqual(len(creators), 1)
        others = sum(worker["tasks_run"] for worker in process["workers"] if not worker["tasks_created"])
        self.assertEqual(process["total"]["tasks_stolen"], others)

    def test_a_full_queue(self):
        (process,) = self.stat(threads=1, TEFF_DEQUE_LIMIT="16")
        self.assert_all_tasks(process)
        self.assertGreater(process["total"]["tasks_run_at_once"], 0)

    def test_a_flood(self):
        flood, seventh = constant("FLOOD"), constant("SEVENTH")
        undeferred = (flood + seventh - 1) // seventh
        for times in ("exact", "sampled"):
            with self.subTest(times=times):
                (process,) = self.stat("flood", options=["--times", times], threads=1)
                total = process["total"]
                self.assertEqual(total["tasks_created"], flood)
                self.assertEqual(total["tasks_run"], flood)
                self.assertEqual(total["tasks_undeferred"], undeferred)
                self.assertEqual(total["tasks_run_at_once"] + total["queue_takes"], flood - undeferred)
                self.assertGreater(total["tasks_run_at_once"], flood // 2, "as without the counters")

    def test_a_stolen_task(self):
        (process,) = self.stat("stolen")
        self.assertEqual(process["total"]["tasks_stolen"], 1)
        creator, = (worker for worker in process["workers"] if worker["tasks_created"])
        thief, = (worker for worker in process["workers"] if worker["tasks_run"])
        self.assertNotEqual(creator["worker"], thief["worker"])

    def test_where_the_time_goes(self):
        """One thread works for half a second, while the other one sleeps."""
        (process,) = self.stat("one", TEFF_SPIN="0")
        works, sleeps = sorted(process["workers"], key=lambda worker: -worker["user_ns"])
        self.assertGreaterEqual(works["user_ns"] + works["without_processor_ns"], 500_000_000)
        self.assertGreaterEqual(sleeps["idle_ns"], 400_000_000)
        self.assertLess(sleeps["user_ns"], 100_000_000)
        self.assertGreater(sleeps["parks"], 0)
        self.assertGreater(sleeps["voluntary_context_switches"], 0)
        self.assert_sums(process)

    def test_time_without_a_processor_is_not_the_users(self):
        """The thread has half of a processor at most, for which another process competes."""
        for times in ("exact", "sampled"):
            for what, status in (("beside another", 0), ("beside another, killed", 128 + 9)):
                with self.subTest(times=times, what=what):
                    (process,) = self.stat(what, options=["--times", times], threads=1, status=status)
                    (worker,) = process["workers"]
                    own = int(self.out)
                    self.assertGreater(worker["without_processor_ns"], own / 4)
                    self.assertLess(worker["user_ns"], 1.25 * own, "three quarters more if it were the user's")
                    self.assertGreater(worker["with_processor_ns"], 0.9 * own)
                    self.assert_sums(process)

    def test_a_turn_beside_a_task(self):
        """The work of an ordered region is the program's, if another task ran while the turn was awaited."""
        (process,) = self.stat("turn", TEFF_TSC="relaxed")
        total = process["total"]
        self.assertGreaterEqual(total["user_ns"] + total["without_processor_ns"], 500_000_000)

    def test_sampled_times(self):
        (process,) = self.stat("one", options=(), TEFF_SPIN="0")
        self.assertEqual(process["times"], "sampled")
        works, sleeps = sorted(process["workers"], key=lambda worker: -worker["user_ns"])
        self.assertGreater(works["user_ns"] + works["without_processor_ns"], 250_000_000)
        self.assertGreater(sleeps["idle_ns"], 250_000_000)
        self.assertLess(sleeps["user_ns"], 100_000_000)

    def test_counts_without_times(self):
        for threads in (1, 4):
            with self.subTest(threads=threads):
                (process,) = self.stat(options=(), threads=threads)
                self.assert_all_tasks(process)

    def test_more_and_more(self):
        """Neither counts nor times decrease from one reading to the next."""
        for times in ("exact", "sampled"):
            with self.subTest(times=times):
                self.stat("one", options=["--times", times, "--every", "10ms"])
                before = self.moments[0]["processes"][0]
                for moment in self.moments[1:]:
                    (now,) = moment["processes"]
                    self.assert_sums(now)
                    self.assertGreaterEqual(now["wall_ns"], before["wall_ns"])
                    earlier = {worker["worker"]: worker for worker in before["workers"]}
                    for worker in now["workers"]:
                        for key in ("tasks_created", *(key for key in worker if key.endswith("_ns"))):
                            less = earlier.get(worker["worker"], {}).get(key, 0)
                            self.assertGreaterEqual(worker[key], less, key)
                    before = now

    def test_while_it_runs(self):
        """Everything about a waiting program is known, and its times increase."""
        for times in ("exact", "sampled"):
            with self.subTest(times=times), self.watched("waiting", options=["--times", times]) as moment:
                (process,), at = moment(lambda processes: [one["total"]["tasks_run"] for one in processes] == [ALL])
                self.assertTrue(process["runs"])
                self.assertFalse(process["ended"])
                self.assert_all_tasks(process)
                self.assertIsNotNone(process["total"]["voluntary_context_switches"])
                (later,), _ = moment(lambda processes, past=process["wall_ns"]: processes[0]["wall_ns"] > past, at)
                self.assertEqual(later["total"]["tasks_run"], ALL)

    def test_late_samples(self):
        """If `teff stat` is stopped, its next sample comes late by at least the time that it was stopped."""
        stopped_s = 0.1
        with self.watched("waiting") as moment:
            _, at = moment(lambda processes: processes and processes[0]["samples"]["count"] > 0)
            self.child.send_signal(signal.SIGSTOP)
            os.waitpid(self.child.pid, os.WUNTRACED)
            time.sleep(stopped_s)
            self.child.send_signal(signal.SIGCONT)
            longest_interval_s = 0.01
            least_ns = (stopped_s - longest_interval_s) * 1e9
            (process,), _ = moment(lambda processes: processes[0]["samples"]["late_max_ns"] >= least_ns, at)
        samples = process["samples"]
        self.assertGreater(samples["late"], 0)
        self.assertGreaterEqual(samples["late_sum_ns"], samples["late_max_ns"])
        self.assertGreaterEqual(samples["count"], samples["late"])

    def test_a_killed_child(self):
        """For the reader the child has ended, although its parent lives on."""
        for times in ("exact", "sampled"):
            with self.subTest(times=times), self.watched("killed child", options=["--times", times]) as moment:
                (_, child), at = moment(lambda processes: len(processes) == 2 and not processes[1]["runs"])
                self.assertFalse(child["ended"])
                self.assertEqual(child["total"]["tasks_run"], 1)
                (_, later), _ = moment(lambda _: True, at + 3)
                self.assertEqual(later, child)

    def test_another_program_of_the_same_process(self):
        for times in ("exact", "sampled"):
            with self.subTest(times=times):
                (process,) = self.stat("exec", options=["--times", times])
                self.assertTrue(process["ended"])
                self.assertEqual(process["total"]["tasks_run"], 2 * ALL)
                self.assertEqual(process["total"]["regions_led"], 2)
                self.assert_sums(process)

    def test_several_regions(self):
        for threads in (1, 2, 64):
            with self.subTest(threads=threads):
                (process,) = self.stat("regions", threads=threads)
                total = process["total"]
                self.assertEqual(len(process["workers"]), threads)
                self.assertEqual(total["tasks_created"], 3 * ALL)
                self.assertEqual(total["tasks_run"], 3 * ALL)
                self.assertEqual(total["dependences"], 3 * (CHAIN - 1))
                self.assertEqual(total["regions_led"], 3)
                self.assertEqual(total["barriers"], 3 * threads * (BARRIERS + 1))
                self.assertEqual(total["implicit_tasks"], 3 * threads + 1)
                self.assert_sums(process)

    def test_a_child(self):
        parent, child = self.stat("fork")
        self.assert_all_tasks(parent)
        self.assertEqual(child["total"]["tasks_created"], 1)
        self.assertEqual(child["total"]["tasks_run"], 1)
        self.assertNotEqual(parent["process"], child["process"])

    def test_children_of_a_process_whose_threads_begin_and_end(self):
        processes = self.stat("many forks")
        self.assertEqual(len(processes), 1 + constant("CHILDREN"))
        for child in processes[1:]:
            self.assertTrue(child["ended"])
            self.assertEqual(child["total"]["regions_led"], 1)

    def test_a_killed_program(self):
        (process,) = self.stat("killed", status=128 + 9)
        self.assertFalse(process["ended"])
        self.assertEqual(process["total"]["tasks_run"], ALL)
        self.assertIsNone(process["total"]["voluntary_context_switches"], "nobody could ask for it")

    def test_events(self):
        """Software events show that the method works. For events that the machine lacks, the reason is stated."""
        (process,) = self.stat("one", options=["--events", "task-clock,page-faults,PAPI_TOT_INS,r0"])
        events, missing = process["total"]["events"], process["not_counted"]
        self.assertEqual(set(events), {"task-clock", "page-faults", "PAPI_TOT_INS", "r0"})
        for name, value in events.items():
            self.assertEqual(value is None, name in missing, name)
        if "task-clock" not in missing:
            self.assertGreater(events["task-clock"], 100_000_000)
            self.assertGreater(events["page-faults"], 0)

    def test_unknown_events(self):
        for name in ("instruction", "basic,cache,software"):
            done = run([TEFF, "stat", "--events", name, "--", self.program])
            self.assertEqual(done.status, 1, done.text)
            self.assertEqual(done.out, b"", "the program does not run")

    def test_tables(self):
        done = run([TEFF, "stat", "--", self.program], env=environment(2, OMP_MAX_TASK_PRIORITY="9"))
        self.assertEqual(done.out.split(), [str(ALL).encode()], "the program's own")
        rows = [line.split() for line in done.err.decode().splitlines() if line.split()[:1] == ["total"]]
        self.assertEqual(len(rows), 5, done.text)
        created, undeferred, dependent, ran = map(int, rows[0][1:5])
        self.assertEqual((created, undeferred, dependent, ran), (ALL, UNDEFERRED, CHAIN, ALL))

    def test_without_openmp(self):
        done = run([TEFF, "stat", "--", self.program, "serial"])
        self.assertEqual(done.status, 0, done.text)
        self.assertIn("nothing was counted", done.text)

    def test_earlier_figures_stay_without_new_ones(self):
        figures = self.place / "counters.json"
        figures.write_text("precious")
        done = run([TEFF, "stat", "-o", figures, "--", self.program, "serial"])
        self.assertEqual(done.status, 0, done.text)
        self.assertIn(f"Nothing was written to {figures}.", done.text)
        self.assertEqual(figures.read_text(), "precious")

    def test_a_recording_is_not_written_over(self):
        recording = self.record(self.program)
        file = recording / "end.json"
        before = file.read_bytes()
        done = run([TEFF, "stat", "-o", file, "--", self.program], env=environment(2, OMP_MAX_TASK_PRIORITY="9"))
        self.assertEqual((done.status, done.out), (1, b""), "the program does not run")
        self.assertIn("is a file of a recording", done.text)
        self.assertEqual(file.read_bytes(), before)

    def test_folders_that_were_left_behind(self):
        """A folder is removed if its `teff stat` and its processes have ended, and if it contains nothing else."""
        place, elsewhere = self.place / "temporary", self.place / "elsewhere"
        notes = place / "teff-stat-mine" / "notes"
        notes.parent.mkdir(parents=True)
        notes.write_text("precious")
        temporary = environment(2, OMP_MAX_TASK_PRIORITY="9", TMPDIR=str(place))

        def begin():
            before = set(place.iterdir())
            child = subprocess.Popen([TEFF, "stat", "-o", "/dev/null", "--", self.program, "waiting"],
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=temporary)
            self.addCleanup(child.communicate, timeout=LIMIT_S)
            for _ in range(10 * LIMIT_S):
                for folder in set(place.iterdir()) - before:
                    if any(folder.iterdir()):
                        return child, folder
                time.sleep(0.1)
            return self.fail("nobody counts")

        def next_one():
            done = run([TEFF, "stat", "-o", "/dev/null", "--", self.program, "serial"], env=temporary)
            self.assertEqual(done.status, 0, done.text)

        children, folders = zip(*(begin() for _ in range(3)))
        for child in children[:2]:
            child.kill()
            child.wait(LIMIT_S)
        next_one()
        self.assertTrue(all(folder.exists() for folder in folders), "their processes live")
        for child in children[:2]:
            child.communicate(timeout=LIMIT_S)
        shutil.copytree(folders[0], elsewhere)
        (place / "teff-stat-link").symlink_to(elsewhere)
        (folders[1] / "notes").write_text("precious")
        next_one()
        self.assertEqual([folder.exists() for folder in folders], [False, True, True])
        self.assertTrue((folders[1] / "notes").exists() and notes.exists() and any(elsewhere.iterdir()))

    def test_a_folder_that_is_not_there(self):
        done = run([self.program], env=environment(2, TEFF_STAT=str(self.place / "no"), LD_LIBRARY_PATH=str(ROOT / "build" / "lib")))
        self.assertEqual(done.status, 0, done.text)
        self.assertIn("TEFF_STAT", done.text)


class Book(unittest.TestCase):
    """The reader's names are in the order of the numbers in the header."""

    def test_names(self):
        reader = (ROOT / "tools/crates/launch/src/stat/board.rs").read_text()
        for prefix, table in (("state", "STATES"), ("count", "COUNTS")):
            enum = re.search(rf"enum teff_stat_{prefix} {{(.*?)}};", HEADER.read_text(), re.S).group(1)
            numbers = [int(number) for number in re.findall(r"= (\d+),", enum)]
            words = re.findall(r'"(\w+)"', re.search(rf"{table}: .*?=(.*?);", reader, re.S).group(1))
            self.assertEqual(numbers, list(range(len(words) + 1)), "the last is how many there are")


if __name__ == "__main__":
    unittest.main()
