# SPDX-License-Identifier: Apache-2.0
"""Each rank of a job of MPI has a recording of its own, and the report compares the ranks."""

import json
import os
import pathlib
import shutil
import subprocess
import unittest

from harness import LIMIT_S, TEFF, ProductTest, environment, run

# Works for as many milliseconds of processor time as its argument says. So the rank with more work
# is longer in its region, however busy the machine is.
PROGRAM = r"""
#include <stdlib.h>
#include <time.h>
static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1e3 + time.tv_nsec * 1e-6;
}
int main(int count, char** words) {
    const char* rank = getenv("PMI_RANK");
    int work = count > 1 ? atoi(words[1]) : rank && *rank == '1' ? 200 : 20;
    #pragma omp parallel
    for (double begin = now(); now() - begin < work;) {}
    return count > 2 ? atoi(words[2]) : 0;
}
"""
MPI = r"""
#include <mpi.h>
#include <stdio.h>
int main(int count, char** words) {
    MPI_Init(&count, &words);
    int rank, ranks, threads = 0, all = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    #pragma omp parallel reduction(+ : threads)
    threads = 1;
    MPI_Reduce(&threads, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%d ranks, %d threads\n", ranks, all);
    MPI_Finalize();
}
"""


def mpi(rank, size, **extra):
    return environment(2, PMI_RANK=str(rank), PMI_SIZE=str(size), **extra)


def side_by_side(commands):
    """Starts all [command, environment], waits for them, and returns their statuses and outputs."""
    started = [subprocess.Popen([str(word) for word in command], env=env, cwd=cwd, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE) for command, env, cwd in commands]
    ended = []
    for child in started:
        try:
            out, err = child.communicate(timeout=LIMIT_S)
        finally:
            child.kill()
        ended.append((child.returncode, (out + err).decode()))
    return ended


class Ranks(ProductTest):
    def setUp(self):
        super().setUp()
        source = self.place / "heat.c"
        source.write_text(PROGRAM, encoding="utf-8")
        self.program = self.compile(source)

    def job(self, size, *words, options=()):
        command = [TEFF, "record", *options, "--", self.program, *words]
        return side_by_side([(command, mpi(rank, size), self.place) for rank in range(size)])

    def facts(self, *words):
        return json.loads(self.teff("report", "--json", *words, cwd=self.place).out)

    def test_each_rank_has_its_recording(self):
        ended = self.job(2)
        self.assertEqual([status for status, _ in ended], [0, 0], ended)
        self.assertIn("go on with: teff report heat.teff", ended[0][1].lower())
        self.assertEqual(ended[1][1], "", "the first speaks for all")
        names = sorted(path.name for path in (self.place / "heat.teff").iterdir())
        self.assertEqual(names, ["rank-0", "rank-0.json", "rank-1", "rank-1.json"])
        status = pathlib.Path("/proc/self/status").read_text()
        mine = next(line for line in status.splitlines() if line.startswith("Cpus_allowed_list"))
        says = json.loads((self.place / "heat.teff/rank-1.json").read_text())
        self.assertEqual(says["bound_to"], mine.split()[1])
        facts = self.facts("heat.teff")
        self.assertEqual((facts["schema"], facts["size"], facts["notes"]), ("teff-ranks", 2, []))
        self.assertEqual([rank["rank"] for rank in facts["ranks"]], [0, 1])
        self.assertTrue(all(rank["complete"] and rank["exit_status"] == 0 for rank in facts["ranks"]))
        for rank in facts["ranks"]:
            self.assertAlmostEqual(rank["regions_ns"] + rank["outside_ns"], rank["wall_ns"], delta=1)
        self.assertEqual(self.facts("heat.teff/rank-1")["schema"], "teff-report")
        text = self.teff("report", "heat.teff", cwd=self.place).text
        self.assertIn("2 ranks\n", text)

    def test_the_slowest_rank_is_named(self):
        # One after the other, so that they do not disturb each other; and with one thread, so that
        # it is known how long other processes kept a rank from its work.
        for rank in range(2):
            done = run([TEFF, "record", "--", self.program], mpi(rank, 2, OMP_NUM_THREADS="1"), cwd=self.place)
            self.assertEqual(done.status, 0, done.text)
        facts = self.facts("heat.teff")
        for rank in facts["ranks"]:
            self.assertLessEqual(rank["regions_undisturbed_ns"] + rank["regions_others_ns"], rank["regions_ns"] + 1)
        between = facts["between"]
        self.assertEqual((between["slowest"], between["uncertain_ns"]), (1, 0))
        self.assertAlmostEqual(between["gain_ns"], between["regions_max_ns"] - between["regions_mean_ns"], delta=1)
        text = self.teff("report", "heat.teff", cwd=self.place).text
        self.assertIn("Rank 1 is the slowest", text)
        self.assertIn("teff report heat.teff/rank-1", text)

    def test_jobs_one_after_the_other(self):
        self.teff("record", "--", self.program, cwd=self.place)
        self.assertTrue((self.place / "heat.teff/meta.json").exists())
        for size, expected in ((3, 3), (2, 2)):
            self.assertEqual({status for status, _ in self.job(size)}, {0})
            facts = self.facts("heat.teff")
            self.assertEqual((facts["size"], len(facts["ranks"])), (size, expected))
        self.assertIn("rank 2 is of an earlier job", facts["notes"][0])
        self.assertTrue((self.place / "heat.teff.old/meta.json").exists())
        self.assertTrue((self.place / "heat.teff/rank-0.old/meta.json").exists())
        self.teff("record", "--", self.program, cwd=self.place)
        self.assertTrue((self.place / "heat.teff/meta.json").exists())
        self.assertTrue((self.place / "heat.teff.old/rank-0.json").exists())
        self.teff("record", "--", self.program, cwd=self.place)
        self.assertTrue((self.place / "heat.teff.old/meta.json").exists(), "the ranks made room")

    def test_names_with_letters(self):
        ended = self.job(2, options=["-o", "runs/%j/a%%-%r.teff"])
        self.assertEqual([status for status, _ in ended], [0, 0], ended)
        folder = self.place / "runs/0"
        self.assertEqual(sorted(path.name for path in folder.iterdir()), ["a%-0.teff", "a%-1.teff"])
        facts = self.facts(folder / "a%-0.teff", folder / "a%-1.teff")
        self.assertEqual([rank["rank"] for rank in facts["ranks"]], [None, None])
        self.teff("record", "-o", "%h.%p", "--", self.program, cwd=self.place)
        host = os.uname().nodename
        self.assertEqual(len(list(self.place.glob(f"{host}.[0-9]*/meta.json"))), 1)
        done = self.teff("record", "-o", "%x", "--", self.program, status=None, cwd=self.place)
        self.assertNotEqual(done.status, 0)
        self.assertIn("%r (rank)", done.text)

    def test_recordings_of_different_programs_are_not_compared(self):
        other = self.program.with_name("cold")
        shutil.copy(self.program, other)
        for program in self.program, other:
            self.teff("record", "--", program, "1", cwd=self.place)
        facts = self.facts("heat.teff", "cold.teff")
        self.assertIsNone(facts["between"])
        self.assertIn("These are different programs: cold, heat.", facts["notes"])
        self.assertIsNotNone(self.facts("heat.teff", "heat.teff")["between"])

    def test_a_rank_that_cannot_be_read_is_named_first(self):
        self.assertEqual([status for status, _ in self.job(3, "1")], [0, 0, 0])
        self.assertIsNotNone(self.facts("heat.teff")["between"])
        stream = next((self.place / "heat.teff/rank-1").glob("stream-*.bin"))
        data = bytearray(stream.read_bytes())
        data[100] ^= 1
        stream.write_bytes(data)
        done = self.teff("report", "heat.teff", status=3, cwd=self.place)
        self.assertTrue(done.text.startswith("heat.teff/rank-1 is left out: "), done.text)
        self.assertNotIn("slowest", done.text)

    def test_ranks_that_fail_or_use_no_openmp(self):
        self.assertEqual([status for status, _ in self.job(2, "5", "7")], [7, 7])
        self.assertIn("Rank 0 ended with exit status 7", " ".join(self.facts("heat.teff")["notes"]))
        shutil.rmtree(self.place / "heat.teff")
        commands = [([TEFF, "record", "-o", "a.teff", "--", program], mpi(rank, 2), self.place)
                    for rank, program in enumerate([self.program, "true"])]
        self.assertEqual([status for status, _ in side_by_side(commands)], [0, 0])
        self.assertIn("Of 2 ranks 1 were recorded: there is nothing of 1.", self.facts("a.teff")["notes"][0])
        commands = [([TEFF, "record", "-o", "b.teff", "--", "true"], mpi(rank, 2), self.place) for rank in range(2)]
        ended = side_by_side(commands)
        self.assertEqual([status for status, _ in ended], [0, 0])
        self.assertIn("nothing to record", ended[0][1])
        self.assertFalse((self.place / "b.teff").exists())

    def test_what_is_for_one_recording_is_refused(self):
        self.job(2, "1")
        done = self.teff("report", "--metrics", "heat.teff", status=None, cwd=self.place)
        self.assertNotEqual(done.status, 0)
        self.assertIn("--metrics works on one recording", done.text)

    def under(self, name, *options):
        if not shutil.which(f"mpirun.{name}") or not shutil.which(f"mpicc.{name}"):
            self.skipTest(f"no mpirun.{name} and mpicc.{name} (Debian: libopenmpi-dev, libmpich-dev)")
        source = self.place / "mpi.c"
        source.write_text(MPI, encoding="utf-8")
        done = run([f"mpicc.{name}", "-fopenmp", "-g", source, "-o", self.place / "mpi"])
        self.assertEqual(done.status, 0, done.text)
        done = run([f"mpirun.{name}", *options, "-np", "2", TEFF, "record", "--", self.place / "mpi"], cwd=self.place)
        self.assertEqual(done.status, 0, done.text)
        self.assertIn("2 ranks, 4 threads", done.text)
        facts = self.facts("mpi.teff")
        self.assertEqual([(rank["rank"], rank["workers"]) for rank in facts["ranks"]], [(0, 2), (1, 2)])

    def test_open_mpi(self):
        self.under("openmpi", "--allow-run-as-root", "--oversubscribe")

    def test_mpich(self):
        self.under("mpich")


if __name__ == "__main__":
    unittest.main()
