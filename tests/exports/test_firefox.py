# SPDX-License-Identifier: Apache-2.0
"""Tests the exported profiles for the Firefox profiler: the profiler's own command line tool loads
them."""

import collections
import json
import re
import shutil
import tempfile
import unittest

import polars
from exports_harness import FEW_SOURCES, OWN, READERS, TRACES, ExportTest, environment
from harness import run

PROGRAM = READERS / "node_modules" / "@firefox-devtools" / "profiler-cli" / "dist" / "profiler-cli.js"
NS_PER_MS = 1e6
LIMIT_S = 60
MOST_STARTS = 20
SUFFIXES = {"task": "", "implicit": " [implicit]", "chunk": " [chunk]", "initial": ""}


class Profiler:
    """A session of the command line, which has loaded the profile and answers questions. Its folder must have a short name: a
    socket is in it."""

    def __init__(self, test, path):
        folder = tempfile.mkdtemp(prefix="teff-fx-", dir="/tmp")
        test.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        self.test, self.env = test, environment(PROFILER_CLI_SESSION_DIR=folder)
        test.addCleanup(self.stop)  # first: a load that fails may have started the daemon
        self.load(path)

    def load(self, path):
        """Tries again if necessary: the tool gives its daemon 500 ms to start, which is too little on a busy
        machine."""
        for _ in range(MOST_STARTS):
            done = run(["node", PROGRAM, "load", path], self.env, LIMIT_S)
            if "daemon did not become ready" not in done.text:
                break
            self.stop()
        self.test.assertEqual(done.status, 0, done.text)

    def stop(self):
        run(["node", PROGRAM, "stop", "--all"], self.env, LIMIT_S)

    def call(self, *words):
        done = run(["node", PROGRAM, *words], self.env, LIMIT_S)
        self.test.assertEqual(done.status, 0, done.text)
        return done.out

    def ask(self, *words):
        return json.loads(self.call(*words, "--json"))

    def threads(self):
        return self.ask("thread", "list")["threads"]

    def functions(self, thread):
        """The self time of each function, in nanoseconds."""
        found = self.ask("thread", "functions", "--include-idle", "--limit", "100000", "--thread", thread["threadHandle"])
        self.test.assertEqual((found["weightType"], found["filteredFunctionCount"]), ("tracing-ms", len(found["functions"])))
        times = collections.Counter()
        for one in found["functions"]:  # several are called "runtime": at different constructs
            times[one["name"]] += one["selfSamples"] * NS_PER_MS
        return times

    def categories(self, thread):
        found = self.ask("thread", "samples", "--include-idle", "--thread", thread["threadHandle"])
        parts = found["categoryBreakdown"]["categories"]
        return collections.Counter({one["name"]: one["samples"] * NS_PER_MS for one in parts})


def name_of(row):
    """The name of a grain's function, as docs/formats/exports.md describes it."""
    if row["kind"] == "initial":
        return "(outside of parallel regions)"
    place = f"{row['function']} {row['file']}:{row['line']}" if row["file"] else row["function"]
    return place + SUFFIXES[row["kind"]]


class Firefox(ExportTest):
    def test_it_is_loaded_with_a_thread_for_each_worker(self):
        self.of_each("firefox", self.check_it_is_loaded_with_a_thread_for_each_worker, FEW_SOURCES)

    def check_it_is_loaded_with_a_thread_for_each_worker(self, recording, path, facts):
        profiler = Profiler(self, path)
        meta, threads = profiler.ask("profile", "meta"), profiler.threads()
        self.assertEqual((meta["importedFrom"], meta["product"]), ("Teff", facts["command"]))
        speedscope = json.loads(self.export(recording, "speedscope").read_text())["profiles"]
        self.assertEqual([one["name"] for one in threads], [one["name"] for one in speedscope])
        end = max(one["endValue"] for one in speedscope)
        self.assert_ns(meta["context"]["rootRange"]["end"] * NS_PER_MS, end, 2)
        for thread, worker in zip(threads, speedscope):
            total = sum(profiler.functions(thread).values())
            stacked = sum(length for length, depth in self.stretches(worker) if depth)
            self.assert_ns(total, stacked, 2)

    def stretches(self, worker):
        """(length, frames on the stack) between the events of speedscope's profile."""
        depth, last = 0, worker["startValue"]
        for event in worker["events"]:
            yield event["at"] - last, depth
            depth, last = depth + (1 if event["type"] == "O" else -1), event["at"]

    def test_times_of_functions_are_those_of_fragments(self):
        for source in (TRACES / "tasks.c", TRACES / "loops.c", TRACES / "nested.c", OWN / "wavefront.c"):
            with self.subTest(program=source.name):
                self.check_times_of_functions_are_those_of_fragments(self.recording(source))

    def check_times_of_functions_are_those_of_fragments(self, recording):
        profiler = Profiler(self, self.export(recording, "firefox"))
        threads = profiler.threads()
        found = sum(map(profiler.functions, threads), collections.Counter())
        by_category = sum(map(profiler.categories, threads), collections.Counter())
        tables = self.export(recording, "parquet")
        fragments, grains, sites, idle = (polars.read_parquet(tables / f"{name}.parquet")
                                          for name in ("fragments", "grains", "sites", "idle"))
        names = {row["site"]: name_of(row) for row in sites.iter_rows(named=True) if row["kind"] in SUFFIXES}
        lengths, parts, kinds = collections.Counter(), collections.Counter(), collections.Counter()
        of_grains = grains.select("grain", "site", "kind")
        for row in fragments.join(of_grains, on="grain").iter_rows(named=True):
            length = row["end_ns"] - row["start_ns"]
            lengths[names[row["site"]]] += length
            parts[names[row["site"]]] += 1
            kinds[row["kind"]] += length
        for name, length in lengths.items():
            self.assert_ns(found[name], length, 2 * parts[name])
        words = {"task": "Task", "implicit": "Implicit task", "initial": "Initial task", "chunk": "Chunk"}
        for kind, length in kinds.items():
            self.assert_ns(by_category[words[kind]], length, 2 * len(fragments))
        self.assert_ns(by_category["Idle"], (idle["end_ns"] - idle["start_ns"]).sum(), 2 * len(idle))

    def test_times_of_functions_have_the_work_of_the_report(self):
        recording = self.recording(TRACES / "loops.c")
        profiler, facts = Profiler(self, self.export(recording, "firefox")), self.facts(recording)
        found = sum(map(profiler.functions, profiler.threads()), collections.Counter())
        self.assertTrue(facts["sites"])
        for site in facts["sites"]:
            # The recorder's own time is in the fragments, and not in the work.
            self.assertGreaterEqual(found[name_of(site)] + 2 * site["count"] + 1, site["work_ns"], site)

    def test_functions_say_where_they_are(self):
        profiler = Profiler(self, self.export(self.recording(TRACES / "tasks.c"), "firefox"))
        shown = profiler.ask("thread", "functions", "--include-idle", "--thread", "t-0")["functions"]
        task, = (one for one in shown if re.fullmatch(r"main /.*/tasks\.c:24", one["name"]))
        about = profiler.ask("function", "info", task["functionHandle"])
        self.assertRegex(json.dumps(about), r"/tasks\.c")

    def test_it_is_of_the_version_that_it_says(self):
        profile = json.loads(self.export(self.recording(TRACES / "tasks.c"), "firefox").read_text())
        self.assertEqual(profile["meta"]["preprocessedProfileVersion"], 61)
        shared = profile["shared"]
        for thread in profile["threads"]:
            samples = thread["samples"]
            self.assertEqual({samples["length"]}, {len(samples[column]) for column in ("stack", "time", "weight")})
            self.assertEqual(samples["time"], sorted(set(samples["time"])))
            self.assertTrue(all(stack is None or stack < shared["stackTable"]["length"] for stack in samples["stack"]))


if __name__ == "__main__":
    unittest.main()
