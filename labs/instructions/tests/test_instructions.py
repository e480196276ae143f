# SPDX-License-Identifier: Apache-2.0
"""Tests the counts of instructions and memory accesses on programs whose counts are known, and the
studies that use these counts."""

import collections
import functools
import json
import os
import pathlib
import shutil
import struct
import tempfile
import unittest
import xml.etree.ElementTree

from harness import (
    COMPILERS,
    FLAGS,
    LIBRARY,
    PROGRAMS,
    ROOT,
    ProductTest,
    environment,
    folder_of_this_run,
    instructions,
    run,
)

HOOKS = f"@{ROOT}/build/share/teff/instructions.flags"
WORDS, LINES, GRAINS = 4096, 4096 // 8, 64
OUTSIDE, INITIAL, IMPLICIT, EXPLICIT, CHUNK = range(5)

Count = collections.namedtuple(  # noqa: PYI024  (nine numbers)
    "Count", "task chunk kind instructions reads writes stack_reads stack_writes lines")


def counts(path):
    data = path.read_bytes()
    return [Count(*struct.unpack_from("<QIIQQQQQQ", data, at)) for at in range(64, len(data) - 63, 64)]


def counts_of(recording):
    return [row for path in sorted(recording.glob("counts-*.bin")) for row in counts(path)]


@functools.cache
def built(name, *flags):
    binary = folder_of_this_run(name) / name
    done = run([*COMPILERS[".c"], *FLAGS, "-pthread", PROGRAMS / f"{name}.c", "-o", binary, *flags])
    assert done.status == 0, done.text
    return binary


def accesses(*flags):
    return built("accesses", *flags)


class Counts(ProductTest):
    def of(self, case, threads=4):
        return counts_of(self.record(accesses(HOOKS), case, env=environment(threads)))

    def check_work(self, row, times=1):
        self.assertEqual((row.reads, row.writes), (3 * WORDS * times, WORDS * times), row)
        self.assertLess(row.stack_reads + row.stack_writes, 10, row)
        self.assertAlmostEqual(row.lines, LINES, delta=0.1 * LINES)

    def test_tasks_on_several_threads_have_the_accesses_that_they_make(self):
        for threads in (1, 2, 5):
            tasks = [row for row in self.of("tasks", threads) if row.kind == EXPLICIT]
            self.assertEqual(len({row.task for row in tasks}), GRAINS)
            for row in tasks:
                # The few beside them are of the task's own arguments.
                self.assertLessEqual(row.reads - 3 * WORDS, 2, row)
                self.assertEqual(row.writes, WORDS, row)
                self.assertAlmostEqual(row.lines, LINES, delta=0.1 * LINES)

    def test_chunks_are_numbered_within_their_implicit_task(self):
        rows = self.of("chunks", 2)
        chunks = [row for row in rows if row.kind == CHUNK]
        self.assertEqual(len(chunks), GRAINS)
        for row in chunks:
            self.check_work(row)
        by_task = collections.defaultdict(list)
        for row in chunks:
            by_task[row.task].append(row.chunk)
        self.assertTrue(set(by_task) <= {row.task for row in rows if row.kind == IMPLICIT})
        for numbers in by_task.values():
            self.assertEqual(sorted(numbers), list(range(1, len(numbers) + 1)))

    def test_a_task_that_runs_while_another_waits_keeps_its_counts_to_itself(self):
        tasks = [row for row in self.of("nested", 2) if row.kind == EXPLICIT]
        times = collections.Counter(row.writes // WORDS for row in tasks)
        self.assertEqual(times, {1: GRAINS // 2, 2: GRAINS // 2})

    def test_threads_of_the_programs_own_count_for_no_grain(self):
        rows = self.of("threads", 2)
        outside = [row for row in rows if row.kind == OUTSIDE and row.writes > 0]
        self.assertEqual(len(outside), 4)
        for row in outside:
            self.check_work(row)
        self.assertEqual(sum(row.kind == EXPLICIT for row in rows), GRAINS)

    def test_a_forked_child_has_a_file_of_its_own_and_nothing_of_its_parents(self):
        recording = self.record(accesses(HOOKS), "fork", env=environment(2))
        files = sorted((counts(path) for path in recording.glob("counts-*.bin")), key=len)
        self.assertEqual(len(files), 2)
        child = [row for row in files[0] if row.writes > 0]
        self.assertEqual([row.kind for row in child], [OUTSIDE])
        self.assertEqual(child[0].writes, WORDS)
        self.assertEqual(sum(row.kind == EXPLICIT for row in files[1]), GRAINS)

    def test_programs_run_alike_without_a_recording_without_openmp_and_on_libgomp(self):
        plain = run([accesses(), "tasks"])
        for case, library in (("tasks", LIBRARY), ("tasks", None), ("serial", LIBRARY)):
            env = environment(2, **({"LD_LIBRARY_PATH": str(library)} if library else {}))
            done = run([accesses(HOOKS), case], env, cwd=self.place)
            self.assertEqual((done.status, done.text), (0, plain.out.decode()))
        self.assertEqual(list(self.place.iterdir()), [])

    def test_instructions_are_about_those_that_callgrind_counts(self):
        # Of the plain program; without what is not the tasks'.
        counted = instructions([accesses(), "tasks"], environment(1, LD_LIBRARY_PATH=str(LIBRARY)))
        counted -= instructions([accesses(), "none"], environment(1, LD_LIBRARY_PATH=str(LIBRARY)))
        estimate = sum(row.instructions for row in self.of("tasks", 1) if row.kind == EXPLICIT)
        self.assertGreater(estimate, 0.7 * counted)
        self.assertLess(estimate, 1.3 * counted)

    def test_reading_the_code_of_a_programs_blocks_costs_little(self):
        # Once for each block; this program meets a hundred or so.
        program = ROOT / "workloads" / "bnb.cpp"
        done = run([*COMPILERS[".cpp"], *FLAGS, f"-I{ROOT}/runtime/include", program, "-o", self.place / "bnb", HOOKS])
        self.assertEqual(done.status, 0, done.text)
        command = [self.place / "bnb", "--n", "4", "--prune", "none", "--no-check"]
        self.assertLess(instructions(command, environment(1, LD_LIBRARY_PATH=str(LIBRARY))), 200_000_000)

    def test_atomics_of_16_bytes_do_what_they_do_without_hooks(self):
        source = [*COMPILERS[".cpp"], *FLAGS, "-mcx16", PROGRAMS / "wide_atomics.cpp", "-o"]
        for name, flags in (("plain", ["-latomic"]), ("hooked", [HOOKS])):
            done = run([*source, self.place / name, *flags])
            self.assertEqual(done.status, 0, done.text)
        plain = run([self.place / "plain"], environment(4))
        done = run([self.place / "hooked"], environment(4, LD_LIBRARY_PATH=str(LIBRARY)))
        self.assertEqual((done.status, done.text), (0, plain.out.decode()))
        self.assertIn("sum 3e7 fffffffffffffc18", done.text)
        rows = counts_of(self.record(self.place / "hooked", env=environment(4)))
        self.assertGreater(sum(row.writes for row in rows), 6 * 1000)

    def test_fortran_programs_are_counted(self):
        binary = self.compile(PROGRAMS / "sums.f90", HOOKS)
        rows = counts_of(self.record(binary, env=environment(2)))
        self.assertGreater(sum(row.reads for row in rows), 0)


class Guests(ProductTest):
    """The program does what it does without counts."""

    def recorded(self, case, status):
        recording = self.place / "test.teff"
        done = self.teff("record", "-o", recording, "--", built("counted_hosts", HOOKS), case, env=environment(2),
                         cwd=self.place, status=status)
        return recording, done

    def test_a_program_that_closes_all_descriptors_has_its_own_file_to_itself(self):
        recording, _ = self.recorded("descriptors", 5)
        self.assertEqual((self.place / "own.txt").read_text(), "begin\nend\n")
        self.assertEqual(sum(row.kind == EXPLICIT for row in counts_of(recording)), 2000)

    def test_a_limit_of_the_sizes_of_files_costs_counts_and_says_so(self):
        recording, done = self.recorded("limit", 6)
        self.assertEqual(done.text.count("counts of instructions are lost: File too large"), 1)
        [path] = recording.glob("counts-*.bin")
        self.assertLessEqual(path.stat().st_size, 100 << 10)
        self.assertEqual(path.stat().st_size % 64, 0)
        self.assertGreater(len(counts(path)), 1000)

    def test_threads_that_run_on_while_the_process_ends_are_left_alone(self):
        program = built("counted_hosts", HOOKS)
        for _ in range(8):
            folder = pathlib.Path(tempfile.mkdtemp(dir=self.place)) / "trace"
            done = run([program, "outlived"], environment(2, LD_LIBRARY_PATH=str(LIBRARY), TEFF_TRACE=str(folder)))
            self.assertEqual(done.status, 7, done.text)
            [path] = folder.glob("counts-*.bin")
            self.assertGreater(path.stat().st_size, 64 * 64)
            shutil.rmtree(folder)

    def test_an_allocator_of_the_programs_own_is_not_called_by_hooks(self):
        done = run([built("own_allocator", HOOKS)], limit_s=10)
        self.assertEqual((done.status, done.text), (0, "ok\n"))

    def test_what_another_library_keeps_of_a_thread_before_is_left_alone(self):
        library = self.place / "libkept.so"
        self.compile(PROGRAMS / "early.c", "-DLIBRARY", "-shared", "-fPIC", "-fno-openmp").rename(library)
        program = self.compile(PROGRAMS / "early.c", HOOKS, "-fno-openmp", "-Wl,--no-as-needed", library)
        self.assertEqual(run([program]).text, "42\n")

    def test_data_between_instructions_are_not_followed(self):
        done = run([built("data_in_code", HOOKS)])
        self.assertEqual((done.status, done.text), (0, " is the mark\n"))

    @unittest.skipIf(os.geteuid() != 0, "only root can make a program that runs as somebody else")
    def test_a_program_with_more_rights_than_its_caller_takes_no_folder_from_it(self):
        if os.statvfs(self.place).f_flag & os.ST_NOSUID:
            self.skipTest("programs do not change their user here")
        nobody = {"user": 65534, "group": 65534, "extra_groups": []}
        self.place.chmod(0o755)
        folder = self.place / "folder"
        folder.mkdir()
        folder.chmod(0o777)
        (folder / "meta.json").write_text("{}")
        program = self.place / "program"
        shutil.copy(accesses(HOOKS), program)
        for mode, files in ((0o4755, 0), (0o755, 1)):
            program.chmod(mode)
            done = run([program, "serial"], environment(1, TEFF_TRACE=str(folder)), cwd="/", **nobody)
            self.assertEqual(done.status, 0, done.text)
            self.assertEqual(len(list(folder.glob("counts-*.bin"))), files)


class Study(ProductTest):
    def test_recordings_of_several_inputs_are_compared_and_drawn(self):
        for case in ("tasks", "chunks", "nested"):
            self.record(accesses(HOOKS), case, name=f"{case}.teff")
            self.record(accesses(), case, name=f"{case}-plain.teff")
        done = self.teff("characterise", "--json", "-o", self.place / "study", self.place)
        found = json.loads(done.out)
        self.assertEqual([program["program"] for program in found["programs"]],
                         ["accesses chunks", "accesses nested", "accesses tasks"])
        self.assertEqual((found["recordings"], found["lengths_in"]), (6, "instructions"))
        tasks = {program["program"].split()[1]: program["properties"] for program in found["programs"]}
        for case in tasks.values():
            self.assertEqual(case["tasks"], GRAINS)
            self.assertLess(case["critical_path"], case["sequential_work"])
        self.assertEqual(tasks["chunks"]["memory_writes"], WORDS)
        self.assertAlmostEqual(sum(found["variance"]), 1)
        for drawing in ("tree.svg", "loadings.svg"):
            xml.etree.ElementTree.parse(self.place / "study" / drawing)
        text = self.teff("characterise", self.place).out.decode()
        self.assertIn("Leaving one program out", text)
        self.assertIn("Clusters (Ward", text)

    def test_a_report_has_the_counts_by_site_and_outside_of_grains(self):
        recording = self.record(accesses(HOOKS), "tasks")
        rows = counts_of(recording)
        report = json.loads(self.teff("report", "--json", recording).out)
        events = ["program-instructions", "program-reads", "program-writes"]
        self.assertEqual(report["counters"]["events"], events)
        sums = lambda rows: [sum(row[at] for row in rows) for at in (3, 4, 5)]  # noqa: E731
        self.assertEqual(report["counters"]["outside"], sums([row for row in rows if row.kind == OUTSIDE]))
        (tasks,) = [site for site in report["sites"] if site["kind"] == "task"]
        self.assertEqual(tasks["counters"], sums([row for row in rows if row.kind == EXPLICIT]))
        instructions, reads, writes = tasks["counters"]
        self.assertAlmostEqual(tasks["computational_intensity"], instructions / (reads + writes))
        text = self.teff("report", recording).text
        self.assertRegex(text, "program-instructions +program-reads +program-writes +intensity")

    def test_a_damaged_file_of_counts_is_left_out_with_a_word(self):
        recording = self.record(accesses(HOOKS), "tasks")
        (counts_file,) = recording.glob("counts-*.bin")
        counts_file.write_bytes(bytes(64))
        done = self.teff("report", recording)
        self.assertIn("left out: the program's counts of its instructions", done.text)
        self.assertNotIn("program-reads", done.text)

    def test_threads_outside_of_openmp_are_no_work_and_no_alarm(self):
        self.record(accesses(HOOKS), "tasks", name="tasks.teff")
        self.record(accesses(HOOKS), "threads", name="threads.teff")
        self.record(accesses(HOOKS), "nested", name="nested.teff")
        done = self.teff("characterise", "--json", self.place)
        self.assertNotIn("of its counts are of grains", done.text)
        works = {program["program"].split()[1]: program["properties"]["sequential_work"]
                 for program in json.loads(done.out)["programs"]}
        self.assertAlmostEqual(works["threads"], works["tasks"], delta=0.03 * works["tasks"])
