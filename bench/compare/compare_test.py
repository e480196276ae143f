#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the comparison scripts, with small shell scripts instead of workloads."""

import argparse
import contextlib
import io
import json
import os
import stat
import tempfile
import time
import unittest
from pathlib import Path
from types import SimpleNamespace

import compare
import launcher
import measure
import readme
import record_cost
import runtimes
import suites
import tables

LINE = "fib size=small time_s=0.250000 result=6765 threads=2 tasks=1000 peak_rss_kib=2048 check=ok"


class ScratchTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def script(self, name, body):
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path


class LauncherTest(ScratchTest):
    def launch(self, body, limit_s=10):
        return launcher.launch([str(self.script("program", body))], dict(os.environ), limit_s)

    def test_final_line_is_read(self):
        outcome = self.launch(f"echo some progress; echo {LINE}")
        self.assertEqual(outcome.failure, "")
        self.assertEqual((outcome.time_s, outcome.result, outcome.tasks), (0.25, "6765", 1000))
        self.assertEqual(outcome.peak_rss_kib, 2048)
        self.assertGreater(outcome.process_s, 0)

    def test_wrong_result_is_a_failure_with_its_message(self):
        outcome = self.launch("echo 'fib: check failed: 1 is not 2' >&2; exit 1")
        self.assertEqual(outcome.failure, "exit status 1: fib: check failed: 1 is not 2")

    def test_crash_names_its_signal(self):
        self.assertEqual(self.launch("kill -SEGV $$").failure, "killed by SIGSEGV")

    def test_missing_line_is_a_failure(self):
        self.assertEqual(self.launch("echo hello").failure, "printed no final line")

    def test_another_reader_takes_the_place_of_the_final_line(self):
        def read(text):
            return launcher.Outcome(figures={"text": text.strip()}) if text.strip() else None

        def launch(body):
            return launcher.launch([str(self.script("program", body))], dict(os.environ), 10, read=read)

        self.assertEqual(launch("echo hello").figures, {"text": "hello"})
        self.assertEqual(launch("true").failure, "printed no figures")

    def test_missing_program_is_a_failure(self):
        outcome = launcher.launch([str(self.folder / "nothing")], {}, 10)
        self.assertIn("No such file", outcome.failure)

    def test_slow_run_is_killed_with_its_children(self):
        start = time.monotonic()
        outcome = self.launch("sleep 30 & sleep 30", limit_s=0.2)
        self.assertEqual(outcome.failure, "took longer than 0.2 s")
        self.assertLess(time.monotonic() - start, 10)

    def test_processor_time_is_that_of_the_child(self):
        outcome = self.launch(f"i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo {LINE}")
        self.assertGreater(outcome.cpu_s, 0.01)


class RuntimeTest(ScratchTest):
    def test_settings_of_the_caller_do_not_reach_the_program(self):
        os.environ["KMP_BLOCKTIME"] = "0"
        self.addCleanup(os.environ.pop, "KMP_BLOCKTIME")
        environment = runtimes.Runtime("libomp", self.folder).environment(8)
        self.assertNotIn("KMP_BLOCKTIME", environment)
        self.assertEqual(environment["OMP_NUM_THREADS"], "8")
        self.assertEqual(environment["LD_LIBRARY_PATH"], str(self.folder))

    def test_missing_teff_says_where_it_was_sought(self):
        self.assertIn(str(self.folder / "libgomp.so.1"), runtimes.teff(self.folder).missing)

    def test_missing_tbb_programs_are_said(self):
        self.assertIn("tbb_*", runtimes.tbb(self.folder).missing)


def cell(runtime, times, tasks=0, result="1"):
    outcomes = [launcher.Outcome(time_s=time_s, tasks=tasks, result=result) for time_s in times]
    return measure.Cell("case", 2, runtime, outcomes)


class MeasureTest(ScratchTest):
    def test_ratio_is_to_the_better_peer_and_leaves_tbb_out(self):
        cells = [cell("libgomp", [4.0]), cell("libomp", [1, 2, 9]), cell("tbb", [0.1]), cell("teff", [1.0])]
        self.assertEqual(measure.ratio_to_best_peer(cells[3], cells), 0.5)

    def test_ratio_needs_a_peer(self):
        cells = [cell("teff", [1.0])]
        self.assertIsNone(measure.ratio_to_best_peer(cells[0], cells))

    def test_ns_per_task(self):
        self.assertEqual(cell("teff", [1e-3, 2e-3, 3e-3], tasks=1000).ns_per_task, 2000)
        self.assertIsNone(cell("teff", [1e-3]).ns_per_task)

    def test_differing_results_are_a_failure(self):
        cells = [cell("libgomp", [1.0]), cell("tbb", [1.0], result="x"), cell("teff", [1.0], result="2")]
        measure.reject_differing_results(cells)
        self.assertEqual([bool(c.failure) for c in cells], [False, False, True])
        self.assertIn("differs from libgomp's 1", cells[2].failure)

    def test_rounds_are_interleaved_and_a_failed_runtime_stops(self):
        log = self.folder / "log"
        self.script("good", f'echo "$NAME" >> {log}; [ "$NAME" = b ] && exit 3; echo {LINE}')
        chosen = [runtimes.Runtime(name, extra={"NAME": name}) for name in ("a", "b", "c")]
        options = SimpleNamespace(runs=2, quick=False, limit=10)
        case = suites.Case("case", "good", (), ())
        cells = measure.measure_case(case, chosen, 2, options, lambda program: self.folder / program)
        self.assertEqual(log.read_text(encoding="utf-8").split(), ["a", "b", "c", "a", "c"])
        self.assertEqual([len(c.outcomes) for c in cells], [2, 0, 2])
        self.assertEqual(cells[1].failure, "exit status 3")

    def test_json_holds_every_time(self):
        record = cell("teff", [1.0, 3.0, 2.0]).as_json()
        self.assertEqual((record["time_s"], record["times_s"]), (2.0, [1.0, 3.0, 2.0]))


class TableTest(unittest.TestCase):
    def test_columns_are_aligned(self):
        lines = tables.aligned(["case", "x"], [["a", "1"], ["long name", "100"]]).splitlines()
        self.assertEqual(lines[2], "a            1")
        self.assertEqual(lines[3], "long name  100")

    def test_markdown(self):
        self.assertEqual(tables.markdown(["a", "b"], [["1", "2"]]).splitlines()[1], "| --- | ---: |")

    def test_numbers_keep_three_digits(self):
        self.assertEqual([tables.number(v) for v in (None, 0.1234, 1.234, 12.34, 1234.5)],
                         ["-", "0.123", "1.23", "12.3", "1234"])

    def test_time_out_shows_its_limit(self):
        slow = measure.Cell("case", 2, "libomp", failure="took longer than 30 s")
        self.assertEqual(tables.summary_value(slow), ">30 s")
        self.assertIn(">30 s", tables.report([slow], [runtimes.Runtime("libomp")], [2], tables.aligned))


class CommandLineTest(unittest.TestCase):
    def test_thread_lists(self):
        self.assertEqual(compare.thread_list("1,2,8"), [1, 2, 8])
        for text in ("", "0", "a", "1,,2"):
            with self.assertRaises(argparse.ArgumentTypeError):
                compare.thread_list(text)

    def test_case_names_are_unique(self):
        names = [case.name for case in suites.SUITES["all"] + suites.VERSIONS]
        self.assertEqual(len(names), len(set(names)))

    def test_versions_are_all_variants_with_both_ties(self):
        names = {case.name for case in suites.VERSIONS}
        self.assertEqual(len(names), 26)
        self.assertLessEqual({"floorplan_all_untied", "strassen_if_tied", "alignment_for_tied"}, names)


class RecordCostTest(ScratchTest):
    ALSO = [record_cost.named_variables("samples:SAMPLES=997")]

    def teff(self, report):
        return self.script("teff", f"""case $1 in
run) echo {LINE} ;;
stat) echo {LINE.replace("0.25", "0.255")} ;;
record) mkdir fib.teff; printf %04000d 0 > fib.teff/0
    [ -n "$SAMPLES" ] && echo {LINE.replace("0.25", "0.27")} || echo {LINE.replace("0.25", "0.26")} ;;
report) {report} ;;
esac""")

    def measure(self, report):
        options = SimpleNamespace(runs=2, limit=10, also=self.ALSO)
        return record_cost.measure(self.teff(report), ["program"], 2, options)

    def test_cost_grain_and_bytes(self):
        sites = [{"kind": "task", "count": 60, "work_ns": 50000}, {"kind": "chunk", "count": 40, "work_ns": 200000},
                 {"kind": "implicit", "count": 2, "work_ns": 9e9}]
        runs = self.measure(f"echo '{json.dumps({'sites': sites})}'")
        self.assertEqual(runs.failure, "")
        self.assertAlmostEqual(runs.cost_percent("record"), 4.0)
        self.assertAlmostEqual(runs.cost_percent("stat"), 2.0)
        self.assertAlmostEqual(runs.cost_percent("samples"), 8.0)
        self.assertEqual(runs.recording, record_cost.Recording(100, 2.5, 4000))
        self.assertEqual(record_cost.row("fib", 2, runs, self.ALSO)[-1], "40.0")

    def test_report_may_be_absent_or_say_nothing(self):
        for report in ("exit 2", "echo '{}'", "echo nonsense"):
            with contextlib.redirect_stderr(io.StringIO()):
                runs = self.measure(report)
            self.assertEqual(record_cost.row("fib", 2, runs, self.ALSO)[-3:], ["-", "-", "-"])

    def test_failure_is_named(self):
        runs = record_cost.measure(self.script("teff", "exit 4"), ["p"], 2, SimpleNamespace(runs=1, limit=10, also=[]))
        self.assertEqual(runs.failure, "run: exit status 4")

    def test_variables_have_a_name_that_is_free(self):
        for text in ("SAMPLES=997", "record:SAMPLES=997", "samples:SAMPLES", ":SAMPLES=997"):
            with self.assertRaises(argparse.ArgumentTypeError):
                record_cost.named_variables(text)


class ReadmeTest(unittest.TestCase):
    @staticmethod
    def cell(case, threads, runtime, ns, failure=None):
        return {"case": case, "threads": threads, "runtime": runtime, "failure": failure, "ns_per_task": ns, "time_s": ns / 1e9}

    def test_tables_have_the_best_figure_in_bold_and_a_dash_where_none_was_measured(self):
        cells = [self.cell("chain", 2, "libgomp", 321), self.cell("chain", 2, "teff", 52.3), self.cell("chain", 2, "tbb", 1, "failed")]
        text = readme.table(readme.TASKS, readme.figures(cells, readme.per_task), ("libgomp", "libomp", "tbb", "teff"))
        self.assertIn("| dependences: chain | 2 | 321 | - | - | **52.3** |", text.splitlines())

    def test_figures_of_constructs_are_nanoseconds_with_separators(self):
        cells = [self.cell("barrier", 8, "libgomp", 30123.4), self.cell("barrier", 8, "teff", 5600)]
        text = readme.table(readme.CONSTRUCTS, readme.figures(cells, readme.per_construct), ("libgomp", "libomp", "teff"))
        self.assertIn("| barrier | 8 | 30,123 | - | **5,600** |", text.splitlines())

    def test_only_what_is_between_the_marks_changes(self):
        text = f"before\n{readme.BEGIN}old\n{readme.END}after\n"
        self.assertEqual(readme.replace(text, "new"), f"before\n{readme.BEGIN}\nnew\n\n{readme.END}after\n")
        with self.assertRaises(SystemExit):
            readme.replace("no marks\n", "new")

    def test_the_readme_has_the_marks_and_every_row(self):
        text = readme.README.read_text(encoding="utf-8")
        self.assertIn(f"{readme.BEGIN}\nnew\n\n{readme.END}", readme.replace(text, "new"))
        for title, *_ in [*readme.TASKS, *readme.CONSTRUCTS]:
            self.assertIn(f"| {title} |", text)

    def test_the_conditions_name_date_processor_and_compiler(self):
        self.assertRegex(readme.conditions(5), r"(?s)^Measured on \d+ \w+ 20\d\d: .+, \d+ processors, Linux \d+\.\d+; libgomp of GCC .+ 5\sinterleaved\sruns")


if __name__ == "__main__":
    unittest.main()
