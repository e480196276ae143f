# SPDX-License-Identifier: Apache-2.0
"""What trials with programs of known work and span once showed to be wrong, one by one."""

import json
import os
import shutil
import unittest
import xml.etree.ElementTree as xml
from graphlib import TopologicalSorter

import constructs
import defects
import logs
import runs
from harness import PROGRAMS, TEFF, ProductTest, environment, run
from test_truth import Reports

BY_NAME = {construct.name: construct for construct in constructs.CONSTRUCTS}
NO_FASTER = "no number of workers is faster"


class Trials(Reports):
    def log_and_report(self, name, us, grains, threads=2):
        """(log, report, recording) of a construct's program."""
        construct = BY_NAME[name]
        program = self.bench.compile(runs.HERE / "programs" / construct.program, construct.flags)
        file = self.place / "pieces.log"
        env = self.bench.environment(threads, TRUTH_LOG=str(file), **construct.env)
        recording = self.bench.record([program, str(us), str(grains)], env)
        return logs.Log(file), self.bench.report(recording), recording

    def text(self, recording):
        return self.teff("report", recording).text

    def test_a_serial_part_is_on_the_longest_path(self):
        log, report, recording = self.log_and_report("serial parts", 100, 800)
        serial_ns = constructs.serial_cpu_ns(log)
        self.assertGreater(report["span_ns"], 0.9 * serial_ns)
        self.assertLess(report["parallelism"], 2)
        self.assertLess(report["work_ns"] / report["span_any_schedule_ns"], 2.2)
        self.assertNotIn(NO_FASTER, self.text(recording))

    def test_what_the_recorder_costs_is_no_work(self):
        log, report, _ = self.log_and_report("wavefront", 1, 10000)
        truth = constructs.judge(log, BY_NAME["wavefront"])
        self.assertLess(report["work_ns"], 1.3 * truth.work)
        self.assertLess(report["span_ns"], 3 * truth.span)
        self.assertGreater(report["quality"]["recorder_ns"], 0)
        self.assertGreater(runs.classes_of(report)["recorder"], 0)

    def test_work_is_time_on_a_processor(self):
        for name in ("inlined static loop", "dynamic loop", "task tree"):
            with self.subTest(name):
                _, report, recording = self.log_and_report(name, 100, 1000, threads=4 * (os.cpu_count() or 1))
                cpu_ns = json.loads((recording / "end.json").read_text())["cpu_ns"]
                self.assertLess(report["work_ns"], 1.1 * cpu_ns)
                self.assertTrue(report["quality"]["oversubscribed"])
                self.assertGreater(report["quality"]["descheduled_ns"], 0)
                self.assertGreater(runs.classes_of(report)["descheduled"], 0)

    def test_independent_iterations_are_independent(self):
        for name in ("dynamic loop", "guided loop", "static loop"):
            with self.subTest(name):
                _, report, recording = self.log_and_report(name, 20, 1000)
                self.assertGreater(report["work_ns"] / report["span_any_schedule_ns"], 20)
                self.assertGreater(report["parallelism_any_schedule"], 20)
                self.assertNotIn(NO_FASTER, self.text(recording))

    def test_another_schedule_cuts_an_unbalanced_loop(self):
        for name in ("inlined static loop", "static loop"):
            with self.subTest(name):
                _, report, _ = self.log_and_report(name, 100, 600)
                self.assertLess(report["span_any_schedule_ns"], 0.85 * report["span_ns"])

    def test_only_programs_with_loops_hear_of_schedules(self):
        for name in ("task tree", "wavefront"):
            _, report, recording = self.log_and_report(name, 20, 300)
            self.assertNotIn("schedule(runtime)", json.dumps(report) + self.text(recording))

    def test_a_program_that_is_all_lock_has_no_parallelism(self):
        source = PROGRAMS / "all_lock.c"
        recording = self.record(self.compile(source))
        report = self.bench.report(recording)
        self.assertLess(report["parallelism"], 1.2)
        self.assertLess(report["work_ns"] / report["span_any_schedule_ns"], 1.2)
        self.assertGreater(runs.classes_of(report)["locks"], 0.2 * report["work_ns"])
        lines = {(finding["rule"], finding["line"]) for finding in report["findings"]}
        self.assertIn(("hot-lock", min(defects.lines_here(source))), lines)

    def test_findings_are_the_same_in_each_repetition(self):
        program = self.bench.compile(runs.HERE / "defects" / "hot_lock.c")
        found = set()
        for _ in range(3):
            report = self.bench.report(self.bench.record([program], self.bench.environment(2)))
            first = report["findings"][0]
            found.add((first["rule"], first["file"], first["line"]))
        self.assertEqual(len(found), 1, found)


class Graphs(Reports):
    """The graph as a file."""

    def graph(self, program, *arguments):
        recording = self.bench.record([program, *arguments], self.bench.environment(2))
        file = self.place / "graph.graphml"
        self.teff("export", recording, "--format", "graphml", "-o", file)
        graph = xml.parse(file).getroot()
        space = {"": graph.tag[1:].partition("}")[0]} if graph.tag.startswith("{") else {}
        return [(edge.get("source"), edge.get("target")) for edge in graph.iterfind(".//edge", space)]

    def check_no_cycle(self, edges):
        sorter = TopologicalSorter()
        for source, target in edges:
            sorter.add(target, source)
        sorter.prepare()  # raises CycleError

    def test_no_graph_has_a_cycle(self):
        for name in ("taskwait depend", "taskgroup", "barriers", "wavefront", "untied", "detach"):
            with self.subTest(name):
                construct = BY_NAME[name]
                program = self.bench.compile(runs.HERE / "programs" / construct.program, construct.flags)
                edges = self.graph(program, "20", "60")
                self.assertTrue(edges)
                self.check_no_cycle(edges)

    def test_control_characters_in_arguments(self):
        program = self.bench.compile(runs.HERE / "programs" / "taskwait.c")
        self.assertTrue(self.graph(program, "20", "60", "bell\x07 escape\x1b[31m"))


class Tool(ProductTest):
    def test_a_folder_that_cannot_be_made_is_said_before_the_program_runs(self):
        program = self.compile(PROGRAMS / "where.c")
        trail = self.place / "ran"
        for name in ("absent/deeper/x.teff", "y" * 250 + "/" + "z" * 250 + ".teff"):
            with self.subTest(name):
                trail.unlink(missing_ok=True)
                command = f"touch {trail}; exec {program}"
                done = self.teff("record", "-o", self.place / name, "--", "sh", "-c", command, status=None)
                if done.status == 0:
                    self.teff("report", self.place / name)
                else:
                    self.assertFalse(trail.exists(), done.text)

    def test_all_processes_of_a_script_are_recorded(self):
        program = self.compile(PROGRAMS / "where.c")
        for script in (f"{program}; {program}; {program}", f"{program} & {program} & {program} & wait",
                       f"{program}; (exec env {program}); {program}"):
            with self.subTest(script):
                shutil.rmtree(self.place / "test.teff", ignore_errors=True)
                recording = self.record("sh", "-c", script)
                self.assertEqual(len(list(recording.rglob("meta.json"))), 3)
                self.teff("report", recording)

    def test_a_program_needs_no_dashes_before_it(self):
        program = self.compile(PROGRAMS / "where.c")
        self.teff("record", "-o", self.place / "a.teff", program)
        self.teff("report", self.place / "a.teff")

    def test_json_says_what_it_is(self):
        recording = self.record(self.compile(PROGRAMS / "where.c"))
        report = json.loads(self.teff("report", "--json", recording).out)
        self.assertEqual((report["schema"], report["version"]), ("teff-report", 1))

    def test_no_escape_sequence_reaches_a_terminal(self):
        program = self.compile(PROGRAMS / "all_lock.c")
        recording = self.place / "a.teff"
        done = self.teff("record", "-o", recording, "--", program, "\x1b[31mred")
        self.assertNotIn("\x1b[31m", done.text + self.teff("report", recording).text)

    def test_a_pipe_in_place_of_a_stream_holds_nobody_up(self):
        recording = self.record(self.compile(PROGRAMS / "where.c"))
        stream = recording / "stream-0000.bin"
        stream.unlink()
        os.mkfifo(stream)
        done = run([TEFF, "report", recording], environment(), limit_s=20)
        self.assertGreater(done.status, 0, done.text)
        self.assertIn("stream-0000.bin", done.text)


if __name__ == "__main__":
    unittest.main()
