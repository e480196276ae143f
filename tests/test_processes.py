# SPDX-License-Identifier: Apache-2.0
"""One recording follows forks, exec, scripts, Python and programs side by side."""

import collections
import json
import time
import unittest

from harness import LIBRARY, LIMIT_S, PROGRAMS, ProductTest, environment, run


class Processes(ProductTest):
    def setUp(self):
        super().setUp()
        self.program = self.compile(PROGRAMS / "processes.c")

    def facts(self, recording, *words):
        done = self.teff("report", "--json", *words, recording, status=None)
        self.assertIn(done.status, (0, 3), done.text)  # 3: not whole, as of a process that left by _exit
        return json.loads(done.out)

    def tasks(self, recording):
        """How many tasks each process has recorded, in their order."""
        names = [process["process"] for process in self.facts(recording)["processes"]]
        return [self.facts(recording, "--process", name)["grains"]["tasks"] for name in names]

    def shell(self, script, **options):
        return self.record("sh", "-c", script, "sh", self.program, **options)

    def test_forked_children(self):
        recording = self.record(self.program, 10, "fork", 3)
        self.assertEqual(self.tasks(recording), [10, 20, 40, 80])
        facts = self.facts(recording)
        self.assertTrue(all(process["complete"] for process in facts["processes"]))
        self.assertEqual(sum(process["shown"] for process in facts["processes"]), 1)
        self.assertEqual([path.name for path in recording.glob("stream-*")], ["stream-0000.bin", "stream-0001.bin"])

    def test_a_script(self):
        recording = self.shell('"$1" 10 && true | "$1" 20; (exec env "$1" 30); exec sh -c \'exec env "$0" 40\' "$1"')
        self.assertEqual(self.tasks(recording), [10, 20, 30, 40])

    def test_a_program_that_becomes_another(self):
        recording = self.record(self.program, 10, "exec")
        self.assertEqual(self.tasks(recording), [10, 10])
        first, second = self.facts(recording)["processes"]
        self.assertEqual(second["process"], first["process"] + "-2")
        self.assertEqual((first["complete"], second["complete"]), (False, True))

    def test_programs_side_by_side(self):
        recording = self.shell('for i in 1 2 3 4 5 6 7 8; do "$1" $((10 * i)) & done; wait')
        self.assertEqual(sorted(self.tasks(recording)), [10 * i for i in range(1, 9)])
        self.assertEqual(len(list(recording.glob("process-*/meta.json"))), 7)

    def test_a_daemon_goes_on_recording(self):
        recording = self.record(self.program, 10, "daemon")
        deadline = time.monotonic() + LIMIT_S
        while not list(recording.glob("process-*/end.json")) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertEqual(self.tasks(recording), [10, 20])

    def test_python_that_forks(self):
        library = self.place / "library.so"
        done = run(["gcc", "-O2", "-fopenmp", "-fPIC", "-shared", "-Dmain=work", PROGRAMS / "processes.c", "-o", library])
        self.assertEqual(done.status, 0, done.text)
        script = self.place / "script.py"
        script.write_text(
            "import ctypes, multiprocessing\n"
            f"library = ctypes.CDLL({str(library)!r})\n"
            "def work(_):\n"
            "    library.work(0, None)\n"
            "if __name__ == '__main__':\n"
            "    multiprocessing.set_start_method('fork')\n"
            "    children = [multiprocessing.Process(target=work, args=(i,)) for i in range(3)]\n"
            "    [child.start() for child in children]\n"
            "    [child.join() for child in children]\n"
        )
        recording = self.record("/usr/bin/python3", script)
        self.assertEqual(self.tasks(recording), [1, 1, 1], "the parent does not use OpenMP")

    def test_the_report_begins_with_the_processes(self):
        recording = self.record(self.program, 10, "fork", 2)
        text = self.teff("report", recording).text
        self.assertTrue(text.startswith("3 processes"), text)
        names = [process["process"] for process in self.facts(recording)["processes"]]
        for name in names:
            self.assertIn(name, text)
        alone = self.teff("report", "--process", names[0], recording).text
        self.assertNotIn("3 processes", alone)
        refused = self.teff("report", "--process", "1", recording, status=1).text
        self.assertIn("has no process 1. It has " + ", ".join(names), refused)

    def test_the_page_and_the_export_are_of_one_process(self):
        recording = self.record(self.program, 10, "fork", 1)
        for words in (["view", "--html", self.place / "x.html"], ["export", "--format", "graphml", "-o", self.place / "x"]):
            self.assertIn("2 processes were recorded", self.teff(*words, recording).text)
            name = self.facts(recording)["processes"][0]["process"]
            self.assertNotIn("2 processes", self.teff(*words, "--process", name, recording).text)

    def test_a_damaged_process_leaves_the_others(self):
        recording = self.record(self.program, 10, "fork", 2)
        damaged, other = sorted(recording.glob("process-*"))
        (damaged / "stream-0000.bin").write_bytes(b"nothing of ours" * 100)
        facts = self.facts(recording)
        self.assertEqual(len(facts["processes"]), 2)
        self.assertTrue(any(damaged.name.removeprefix("process-") in note for note in facts["notes"]), facts["notes"])
        (other / "meta.json").write_text("{")
        facts = self.facts(recording)
        self.assertEqual((len(facts["processes"]), len(facts["notes"])), (1, 2), facts["notes"])
        said = self.teff("view", "--html", self.place / "x.html", recording, status=3).text
        self.assertEqual(said.count("left out"), 2, said)

    def test_a_process_that_lacks_a_file_is_named(self):
        recording = self.record(self.program, 10, "fork", 2)
        *_, last = sorted(recording.glob("process-*"), key=lambda path: self.facts(path)["grains"]["tasks"])
        for folder in recording, *recording.glob("process-*"):
            if folder == last:
                continue  # it has the most work, and is shown
            for name in "stream-0000.bin", "meta.json":
                with self.subTest(f"{folder.name}/{name}"):
                    self.assertEqual(self.teff("report", recording).status, 0)
                    kept = (folder / name).read_bytes()
                    (folder / name).unlink()
                    done = self.teff("report", recording, status=3)
                    self.assertRegex(done.text.splitlines()[0], "^(process .* is damaged|a process is left out): ")
                    (folder / name).write_bytes(kept)

    def test_the_closing_line_counts_them(self):
        done = self.teff("record", "-o", self.place / "a.teff", "--", self.program, 10, "fork", 2)
        self.assertIn("(3 processes)", done.text)

    def test_the_limit_is_one_for_all(self):
        recording = self.shell('for i in 1 2 3; do "$1" 10; done', env=environment(2, TEFF_TRACE_LIMIT="4"))
        self.assertEqual(sum(path.stat().st_size for path in recording.rglob("stream-*")), 4 << 20)

    def test_without_room_further_processes_leave_nothing(self):
        recording = self.place / "full.teff"
        script = ["sh", "-c", 'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do "$1" 10; done', "sh", self.program]
        done = self.teff("record", "-o", recording, "--", *script, env=environment(2, TEFF_TRACE_LIMIT="3"))
        self.assertLess(len(list(recording.glob("process-*"))), 4)
        self.assertEqual(done.text.count("has no room left for more processes"), 1, done.text)
        self.assertIn("began later are not recorded", done.text)

    def test_without_a_session_a_folder_in_use_is_refused(self):
        folder = self.place / "a.teff"
        env = environment(2, TEFF_TRACE=str(folder), LD_LIBRARY_PATH=str(LIBRARY))
        said = [run([self.program, 10], env).text for _ in range(2)]
        self.assertEqual(said[0], "")
        self.assertIn("exists and is not an empty directory", said[1])
        self.assertEqual(list(folder.glob("process-*")), [])

    def test_a_recording_of_several_makes_room_for_the_next(self):
        for _ in range(3):
            recording = self.record(self.program, 10, "fork", 2)
        kept = recording.with_name(recording.name + ".old")
        self.assertEqual(self.tasks(kept), [10, 20, 40])
        kinds = collections.Counter(path.suffix for path in self.place.iterdir() if path.is_dir())
        self.assertEqual(kinds, {".teff": 1, ".old": 1})


if __name__ == "__main__":
    unittest.main()
