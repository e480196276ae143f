#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the comparison with HashTag-Text. With --build, the real program also runs."""

import argparse
import contextlib
import io
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import hashtag
import measure
from build_option import take_build

SCRIPT = Path(__file__).resolve().with_name("hashtag.py")
BUILD = take_build()


def output_of_program(scale=1.0):
    response = {"requests": 5, "mean_us": 4 * scale, "median_us": 3 * scale, "p90_us": 8 * scale, "p99_us": 9 * scale,
                "begin_mean_us": 2 * scale, "begin_median_us": 1.5 * scale}
    return json.dumps({"time_s": 0.5 * scale, "late_us": 1, "interarrival_us": 10, "result": "texts:1:2",
                       "task_count": 25, "peak_rss_kib": 9, "priorities": {"1": response, "2": response, "3": response}})


def cell(runtime, *scales, failure=""):
    outcomes = [hashtag.read_figures(output_of_program(scale)) for scale in scales]
    return measure.Cell("10 us between requests", 2, runtime, outcomes, failure)


class FigureTest(unittest.TestCase):
    def test_output_is_read(self):
        outcome = hashtag.read_figures(output_of_program())
        self.assertEqual((outcome.time_s, outcome.result, outcome.tasks), (0.5, "texts:1:2", 25))
        self.assertEqual(outcome.figures["priority 3, 99 %, us"], 9)
        self.assertLessEqual(set(hashtag.figure_names()), set(outcome.figures))

    def test_anything_else_is_no_output(self):
        for text in ("", "hashtag size=small", "{}", "[1]", '{"time_s": "x"}'):
            self.assertIsNone(hashtag.read_figures(text), text)

    def test_medians_are_shown_as_ratios_to_libgomp(self):
        header, rows = hashtag.comparison([cell("libgomp", 1, 2, 9), cell("teff", 1, 1, 5), cell("preempt", 0.5)])
        self.assertEqual(header, ["figure", "libgomp", "teff / libgomp", "preempt / libgomp"])
        self.assertEqual(rows[0], ["total, ms", "1000", "0.500", "0.250"])
        self.assertIn(["priority 1, median, us", "6.00", "0.500", "0.250"], rows)

    def test_failures_are_shown(self):
        slow = cell("libgomp", failure="took longer than 30 s")
        _, rows = hashtag.comparison([slow, cell("libomp", failure="killed by SIGSEGV"), cell("teff", 1)])
        self.assertEqual(rows[0], ["total, ms", ">30 s", "failed", "-"])

    def test_without_libgomp_there_are_no_ratios(self):
        self.assertEqual(hashtag.comparison([cell("teff", 1)])[1][0], ["total, ms", "-", "-"])

    def test_report_names_the_case(self):
        options = hashtag.parse_arguments(["--tasks", "tied"])
        text = hashtag.report([cell("libgomp", 1), cell("teff", 1)], options)
        self.assertIn("10 us between requests, 2 threads, tied tasks, taskgroup", text)
        self.assertEqual(text.count("1.00"), len(hashtag.figure_names()))


class CommandLineTest(unittest.TestCase):
    def refuse(self, *arguments):
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors), self.assertRaises(SystemExit) as ended:
            hashtag.parse_arguments(arguments)
        self.assertEqual(ended.exception.code, 2)
        return errors.getvalue()

    def test_arrivals(self):
        self.assertEqual(hashtag.parse_arguments([]).interarrival, [0, 10])
        self.assertEqual(hashtag.parse_arguments(["--load", "0.5"]).interarrival, [])
        self.assertEqual(hashtag.parse_arguments(["--load", "0.5,0.8"]).load, [0.5, 0.8])

    def test_bad_arrivals_are_named(self):
        self.assertIn("'x' is not a list of numbers", self.refuse("--interarrival", "x"))
        self.assertIn("must be 0 or more", self.refuse("--interarrival=-1"))
        self.assertIn("must be above 0", self.refuse("--load", "0"))

    def test_clients(self):
        options = hashtag.parse_arguments(["--clients", "1,16"])
        self.assertEqual((options.clients, options.interarrival), ([1, 16], []))
        self.assertIn("--clients 16", " ".join(hashtag.client_case(16, options).command(False, True)))
        for text in ("0", "x", "1,", "-2"):
            self.assertIn("is not a list of whole numbers", self.refuse(f"--clients={text}"))

    def test_searches_above_their_requests_need_more_priorities(self):
        self.assertEqual(hashtag.parse_arguments([]).max_priority, 3)
        self.assertEqual(hashtag.parse_arguments(["--searches", "above"]).max_priority, 6)
        self.assertEqual(hashtag.parse_arguments(["--searches", "above", "--max-priority", "2"]).max_priority, 2)

    def test_settings(self):
        self.assertEqual(hashtag.settings("a:B=c,D=e=f"), ("a", {"B": "c", "D": "e=f"}))
        for text in ("", "a", "a:", "a:B", ":B=c", "teff:B=c"):
            with self.assertRaises(argparse.ArgumentTypeError, msg=text):
                hashtag.settings(text)
        self.assertIn("name of its own", self.refuse("--also", "a:B=c", "--also", "a:D=e"))

    def test_case_carries_arrival_and_priorities(self):
        case = hashtag.interarrival_case(2.5, hashtag.parse_arguments(["--max-priority", "0", "--requests", "7"]))
        self.assertEqual(case.settings, (("OMP_MAX_TASK_PRIORITY", "0"),))
        command = " ".join(case.command(False, True))
        self.assertIn("--interarrival 2.500 --tasks untied", command)
        self.assertIn("--requests 7", command)


class RealProgramTest(unittest.TestCase):
    def test_every_runtime_answers(self):
        if not BUILD:
            self.skipTest("no --build given")
        with tempfile.TemporaryDirectory() as folder:
            figures = Path(folder) / "figures.json"
            command = [sys.executable, str(SCRIPT), "--build", str(BUILD), "--quick", "--runs", "1", "--load", "0.5",
                       "--interarrival", "0", "--clients", "3", "--searches", "above", "--inserts", "10", "--results", "50",
                       "--also", "central:TEFF_SCHEDULE=central", "--json", str(figures)]
            done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            cells = json.loads(figures.read_text(encoding="utf-8"))
        self.assertLessEqual({"libgomp", "teff", "central"}, {record["runtime"] for record in cells})
        self.assertEqual(len({record["case"] for record in cells}), 3)
        self.assertTrue(all(record["runs"] for record in cells if record["runtime"] != "libomp"))
        self.assertIn("load 0.5", done.stdout)
        self.assertIn("central / libgomp", done.stdout)


if __name__ == "__main__":
    unittest.main()
