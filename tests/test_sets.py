# SPDX-License-Identifier: Apache-2.0
"""Tests sets of recordings: what is recorded, how a program scales, and what differs between two
programs. No test depends on how long anything takes."""

import json
import math
import signal
import subprocess
import time

from harness import PROGRAMS, TEFF, ProductTest, environment

TASKS, ADDED = 100, 10  # of the program, and of the longer one
INITIAL = 1
DEADLINE_S = 60


class Sets(ProductTest):
    def program(self, *flags):
        return self.compile(PROGRAMS / "scaled.c", *flags)

    def record_set(self, *words, options=(), name="a.teff", status=0, program=None):
        place = self.place / name
        command = [program or self.program(), *words]
        said = self.teff("record", "-o", place, *options, "--", *command, status=status).text
        return place, said

    def manifest(self, place):
        return json.loads((place / "set.json").read_text())

    def scaling(self, place):
        return json.loads(self.teff("report", "--json", place).out)

    def diff(self, *words):
        return json.loads(self.teff("diff", "--json", *words).out)

    def test_numbers_of_threads_take_turns_and_each_run_is_a_recording(self):
        place, said = self.record_set(options=["--repeat", "2", "--threads", "2,1"])
        runs = self.manifest(place)["runs"]
        self.assertEqual([(run["threads"], run["repeat"]) for run in runs], [(1, 1), (2, 1), (1, 2), (2, 2)])
        self.assertTrue(self.manifest(place)["complete"])
        self.assertIn("run 4 of 4, 2 threads", said)
        for run in runs:
            facts = json.loads(self.teff("report", "--json", place / run["directory"]).out)
            self.assertEqual((facts["grains"]["tasks"], facts["workers"]), (TASKS, run["threads"]))
            self.assertEqual((run["exit_status"], run["signal"]), (0, None))

    def test_the_factors_multiply_to_the_efficiency(self):
        place, _ = self.record_set(options=["--repeat", "2", "--threads", "1,2,4"])
        facts = self.scaling(place)
        self.assertEqual([point["threads"] for point in facts["points"]], [1, 2, 4])
        for point in facts["points"]:
            reference = facts["points"][0]["wall_ns"]
            self.assertAlmostEqual(point["speedup"], reference / point["wall_ns"])
            self.assertAlmostEqual(point["efficiency"], point["speedup"] / point["workers"])
            self.assertAlmostEqual(math.prod(point["factors"].values()), point["efficiency"])
            self.assertLessEqual(point["wall_min_ns"], point["wall_ns"])
        self.assertIn("efficiency", self.teff("report", place).text)

    def test_a_failure_ends_the_set_unless_it_is_to_go_on(self):
        options = ["--repeat", "3"]
        place, said = self.record_set("fail", options=options, status=3)
        self.assertEqual([run["exit_status"] for run in self.manifest(place)["runs"]], [3])
        self.assertFalse(self.manifest(place)["complete"])
        self.assertIn("1 recording of 3 that were asked for", said)
        self.assertIn("interrupted", self.teff("report", place).text)
        place, _ = self.record_set("fail", options=options + ["--keep-going"], status=3)
        self.assertEqual(len(self.scaling(place)["points"][0]["runs"]), 3)
        self.assertTrue((self.place / "a.teff.old" / "set.json").exists())

    def test_runs_that_were_killed_are_left_out(self):
        place, _ = self.record_set("abort", options=["--repeat", "2"], status=128 + signal.SIGABRT)
        self.assertEqual(self.manifest(place)["runs"][0]["signal"], signal.SIGABRT)
        said = self.teff("report", place, status=1).text
        self.assertIn("no run that can be read", said)
        self.assertIn("signal 6 ended the program", said)

    def test_a_program_that_sets_its_team_is_said_to(self):
        place, _ = self.record_set("two", options=["--threads", "1,4"])
        self.assertEqual([point["team"] for point in self.scaling(place)["points"]], [2, 2])
        text = self.teff("report", place).text
        self.assertIn("the program's largest team has 2", text.replace("\n    ", " "))
        self.assertIn("against the median run on 1 thread\n", text)
        rows = [line.split() for line in text.splitlines() if line.split()[:1] in (["threads"], ["1"], ["4"])]
        self.assertEqual([row[:2] for row in rows[:3]], [["threads", "workers"], ["1", "2"], ["4", "2"]])

    def test_what_uses_no_openmp_leaves_nothing(self):
        done = self.teff("record", "-o", self.place / "n.teff", "--repeat", "3", "--", "true", status=None)
        self.assertIn("nothing to record", done.text)
        self.assertEqual(done.text.count("nothing to record"), 1)
        self.assertFalse((self.place / "n.teff").exists())

    def test_each_run_reads_the_same_file(self):
        source = self.place / "reads.c"
        source.write_text("#include <stdio.h>\nvolatile int n;\nint main(void) {\n#pragma omp parallel\nn = 0;\n"
                          "while (getchar() >= 0) n++;\nreturn n != 7; }\n")
        program, words = self.compile(source), self.place / "words"
        words.write_text("7 bytes")
        with words.open() as stdin:
            self.teff("record", "-o", self.place / "a.teff", "--repeat", "3", "--", program, stdin=stdin)
        self.assertTrue(self.manifest(self.place / "a.teff")["complete"])

    def test_a_signal_ends_the_set_and_what_was_recorded_stays(self):
        place, program = self.place / "a.teff", self.program()
        command = [TEFF, "record", "-o", place, "--repeat", "1000", "--", program]
        child = subprocess.Popen(command, env=environment(), stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            deadline = time.monotonic() + DEADLINE_S
            while not (place / "run-3").exists():
                self.assertLess(time.monotonic(), deadline, "no third run")
                time.sleep(0.001)
            child.send_signal(signal.SIGTERM)
            self.assertEqual(child.wait(DEADLINE_S), 128 + signal.SIGTERM)
        finally:
            child.kill()
            child.wait()
        manifest = self.manifest(place)
        self.assertFalse(manifest["complete"])
        self.assertGreaterEqual(len(manifest["runs"]), 3)
        self.assertGreaterEqual(len(self.scaling(place)["points"][0]["runs"]), 2)

    def test_one_recording_is_chosen_where_one_is_read(self):
        place, _ = self.record_set(options=["--threads", "1,2"])
        done = self.teff("export", "--format", "csv", "-o", "-", place)
        self.assertIn("this is threads-2-1, the median of its runs on 2 threads", done.text)
        done = self.teff("report", "--json", "--baseline", place, place / "threads-2-1")
        self.assertIn("this is threads-1-1, the median of its runs on 1 thread", done.text)
        self.assertIn("--metrics works on one recording", self.teff("report", "--metrics", place, status=1).text)

    def test_a_recording_is_the_same_as_itself(self):
        place, _ = self.record_set(options=["--repeat", "4"])
        facts = self.diff(place, place)
        self.assertAlmostEqual(facts["joined"]["matched_work_after"], 1)
        self.assertEqual(facts["joined"]["unmatched"], 0)
        self.assertEqual((facts["wall"]["ratio"], facts["wall"]["verdict"]), (1, "noise"))
        self.assertNotIn("change", [site["work"]["verdict"] for site in facts["sites"]])
        self.assertIn("the same recording", self.teff("diff", place, place).text)
        alone = self.diff(place / "run-1", place / "run-2")
        self.assertEqual(alone["wall"]["verdict"], "too-few-runs")
        self.assertEqual(alone["joined"]["unmatched"], 0)
        self.assertIn("teff record --repeat 5", self.teff("diff", place / "run-1", place / "run-2").text)

    def test_a_changed_source_is_joined_function_by_function(self):
        before, _ = self.record_set(name="before.teff", options=["--threads", "1,2"])
        after, _ = self.record_set(name="after.teff", options=["--threads", "1,2"], program=self.program("-DLONGER"))
        facts = self.diff(before, after)
        tasks = {(site["joined"], site["count_before"], site["count_after"])
                 for site in facts["sites"] if site["kind"] == "task"}
        self.assertEqual(tasks, {("line", 40, 40), ("alone", 0, 10), ("line", 60, 60)})
        joined = facts["joined"]
        self.assertEqual((joined["only_before"], joined["only_after"]), (0, 1))
        self.assertEqual((joined["matched"], joined["unmatched"]), (TASKS + INITIAL + 2, ADDED))
        self.assertEqual((joined["no_construct"], joined["other_number"]), (ADDED, 0))
        self.assertEqual([wall["threads"] for wall in facts["wall_by_threads"]], [1, 2])
        self.assertEqual(self.diff("--threads", "1,2", before, after)["after"]["threads"], 2)

    def test_lines_that_moved_are_joined_in_their_order(self):
        source = (PROGRAMS / "scaled.c").read_text()
        moved = self.place / "moved" / "scaled.c"
        moved.parent.mkdir()
        moved.write_text(source.replace("static void work", "\n\n// Two lines, and this one.\nstatic void work"))
        before = self.record(self.program(), name="before.teff")
        after = self.record(self.compile(moved), name="after.teff")
        joined = self.diff(before, after)["joined"]
        self.assertEqual((joined["by_order"], joined["only_before"] + joined["only_after"]), (4, 0))
        self.assertEqual((joined["matched"], joined["unmatched"]), (TASKS + INITIAL + 2, 0))

    def program_of_folders(self, name, above):
        """Two files k.c in two folders, each with a function work of its own; `above` comes first in one."""
        place = self.place / name
        for folder, first, count in [("ta", above, 5), ("tb", "\n\n\n", 7)]:
            (place / folder).mkdir(parents=True)
            (place / folder / "k.c").write_text(
                f"{first}static volatile int n;\nstatic void work(void) {{\n#pragma omp task\n    n++;\n}}\n"
                f"void {folder}(void) {{ for (int i = 0; i < {count}; i++) work(); }}\n")
        main = place / "main.c"
        main.write_text("void ta(void);\nvoid tb(void);\nint main(void) { ta(); tb(); return 0; }\n")
        return self.compile(main, place / "ta/k.c", place / "tb/k.c")

    def test_files_of_one_name_are_told_apart_by_their_folders(self):
        before = self.record(self.program_of_folders("one", ""), name="before.teff")
        after = self.record(self.program_of_folders("two", "// More.\n" * 10), name="after.teff")
        facts = self.diff(before, after)
        counts = {(site["count_before"], site["count_after"]) for site in facts["sites"] if site["kind"] == "task"}
        self.assertEqual(counts, {(5, 5), (7, 7)})
        self.assertEqual(facts["joined"]["unmatched"], 0)

    def test_a_lambda_inserted_in_front_takes_no_other_ones_place(self):
        source = self.place / "lambdas.cpp"
        source.write_text("static volatile int n;\ntemplate<class F> void twice(F f) { f(); f(); }\nint main() {\n"
                          "#ifdef NEW\ntwice([] {\n#pragma omp task\nn += 1;\n});\n#endif\n"
                          "twice([] {\n#pragma omp task\nn += 2;\n});\ntwice([] {\n#pragma omp task\nn += 3;\n});\n}\n")
        before = self.record(self.compile(source), name="before.teff")
        after = self.record(self.compile(source, "-DNEW"), name="after.teff")
        tasks = sorted((site["after"]["line"], site["joined"]) for site in self.diff(before, after)["sites"]
                       if site["kind"] == "task")
        self.assertEqual([joined for _, joined in tasks], ["alone", "line", "line"])
