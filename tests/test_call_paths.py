# SPDX-License-Identifier: Apache-2.0
"""Tests call paths: the calls that led to a construct, which are recorded if the user asks for
them."""

import json
import unittest

from harness import PROGRAMS, ProductTest, environment, run

PYTHON = "/usr/bin/python3"


class CallPaths(ProductTest):
    def setUp(self):
        super().setUp()
        self.program = self.compile(PROGRAMS / "call_paths.cpp")

    def facts(self, *command, options=("--call-paths",), process=(), env=None):
        self.recording = self.place / "test.teff"
        if not process:
            self.teff("record", *options, "-o", self.recording, "--", *command, env=env)
        return json.loads(self.teff("report", "--json", *process, self.recording).out)

    def paths(self, facts, function, kind="implicit"):
        """The paths of the construct in a function: each as names of functions, with its time and its count."""
        sites = [site for site in facts["sites"] if function in site["function"] and site["kind"] == kind]
        self.assertEqual(len(sites), 1, facts["sites"])
        return {
            tuple(call["function"].rsplit("::")[-1] for call in path["calls"]): (path["work_ns"] / 5e6, path["count"])
            for path in sites[0]["call_paths"]
        }

    def test_a_wrapper_is_not_the_end_of_the_trail(self):
        facts = self.facts(self.program, "wrapper")
        paths = self.paths(facts, "wrapper")
        self.assertEqual(set(paths), {("main", "first"), ("main", "second")})
        self.assertEqual([count for _, count in paths.values()], [1, 1])
        ratio = paths["main", "second"][0] / paths["main", "first"][0]
        self.assertGreater(ratio, 1, "3 units and 1, less what the machine took away")
        text = self.teff("report", self.recording).out.decode()
        self.assertRegex(text, r"(?s)Call paths.*wrapper\n +\d+ %  main \(call_paths.cpp:\d+\) > \S*second \(")
        lines = {call["function"].rsplit("::")[-1]: call["line"] for site in facts["sites"] if site["call_paths"]
                 for path in site["call_paths"] for call in path["calls"]}
        source = (PROGRAMS / "call_paths.cpp").read_text().splitlines()
        self.assertIn("wrapper(1)", source[lines["first"] - 1])
        self.assertIn("wrapper(3)", source[lines["second"] - 1])

    def test_what_the_compiler_makes_of_a_wrapper(self):
        for way in ("jump", "inlined"):
            with self.subTest(way=way):
                paths = self.paths(self.facts(self.program, way), "wrapper")
                self.assertEqual(set(paths), {("main", f"first_{way}"), ("main", f"second_{way}")})
                self.recording.rename(self.place / f"{way}.teff")

    def test_nothing_changes_without_it(self):
        without = self.facts(self.program, "wrapper", options=())
        self.assertFalse([site for site in without["sites"] if "call_paths" in site])
        self.assertNotIn("Call paths", self.teff("report", self.recording).out.decode())
        shape = [(site["function"], site["line"], site["kind"], site["count"]) for site in without["sites"]]
        self.recording.rename(self.place / "without.teff")
        facts = self.facts(self.program, "wrapper")
        self.assertEqual([(site["function"], site["line"], site["kind"], site["count"]) for site in facts["sites"]], shape)
        of_grain = [self.keys(name) for name in ("without.teff", "test.teff")]
        self.assertEqual(*of_grain, "grains are the same across runs")
        done = self.teff("report", "--baseline", self.place / "without.teff", self.recording)
        self.assertEqual(done.status, 0)

    def keys(self, name):
        """The values that identify and name the grains in an export."""
        table = self.place / f"{name}.csv"
        self.teff("export", "--format", "csv", "-o", table, self.place / name)
        head, *rows = [line.split(",") for line in table.read_text().splitlines()]
        columns = [at for at, title in enumerate(head) if title in ("key", "identity", "grain", "kind", "source")]
        self.assertGreater(len(columns), 1, head)
        return [[row[at] for at in columns] for row in rows]

    def test_a_path_that_is_deeper_than_asked_is_cut(self):
        for options, most in ((("--call-paths",), 32), (("--call-paths=5",), 5)):
            facts = self.facts(self.program, "deep", options=options)
            site = next(site for site in facts["sites"] if "wrapper" in site["function"])
            (path,) = site["call_paths"]
            self.assertTrue(path["cut"])
            self.assertEqual([call["function"].rsplit("::")[-1] for call in path["calls"]], ["deep"])
            self.assertEqual(path["calls"][0]["times"], most)
            self.assertIn("… > ", self.teff("report", self.recording).out.decode())
            self.recording.rename(self.place / f"{most}.teff")

    def test_tasks_go_on_with_their_creation(self):
        for preempt in ("off", "on"):
            with self.subTest(preempt=preempt):
                env = {"TEFF_PREEMPT": preempt}
                facts = self.facts(self.program, "tasks", env=environment(2, **env))
                paths = self.paths(facts, "spawn", "task")
                self.assertEqual({path[0] for path in paths}, {"main"})
                counts = {path[-1]: count for path, (_, count) in paths.items()}
                self.assertEqual(counts, {"first_way": 1, "second_way": 3})
                self.recording.rename(self.place / f"{preempt}.teff")

    def test_exceptions_in_flight(self):
        paths = self.paths(self.facts(self.program, "exceptions"), "wrapper")
        first = [path for path in paths if path[-1] == "first"]
        second = [path for path in paths if path[-1] == "second"]
        self.assertEqual(first, [("main", "exceptions", "first")])
        self.assertEqual(len(second), 1)
        self.assertIn("~Guard", second[0])
        self.assertEqual(second[0][:3], ("main", "exceptions", "thrower"))

    def test_a_forked_child_has_its_own(self):
        facts = self.facts(self.program, "fork")
        names = [process["process"] for process in facts["processes"]]
        of_each = [self.paths(self.facts(process=("--process", name)), "wrapper") for name in names]
        self.assertEqual([set(paths) for paths in of_each], [{("main", "forks")}, {("main", "forks", "in_child")}])

    def test_lines_of_python(self):
        library = self.place / "library.so"
        source = self.place / "library.c"
        source.write_text(
            "void wrapper(void) {\n#pragma omp parallel\n    __asm__ volatile(\"\");\n    __asm__ volatile(\"\");\n}\n"
        )
        done = run(["gcc", "-O2", "-g", "-fopenmp", "-fPIC", "-shared", source, "-o", library])
        self.assertEqual(done.status, 0, done.text)
        script = self.place / "script.py"
        script.write_text(
            "import ctypes, os, threading\n"
            f"library = ctypes.CDLL({str(library)!r})\n"
            "def once():\n"
            "    library.wrapper()\n"
            "def thrice():\n"
            "    for _ in range(3): library.wrapper()\n"
            "once()\n"
            "thrice()\n"
            "thread = threading.Thread(target=once)\n"
            "thread.start(); thread.join()\n"
            "print(sorted(os.listdir('/proc/self/fd')))\n"
        )
        facts = self.facts(PYTHON, script)
        (site,) = [site for site in facts["sites"] if site["function"] == "wrapper"]
        paths = {
            tuple((call["file"], call["line"], call["function"]) for call in path["calls"]): path["count"]
            for path in site["call_paths"]
        }
        if any(call == ("", 0, "(Python)") for path in paths for call in path):
            self.skipTest("this Python does not let its lines be seen")
        name = str(script)
        self.assertEqual(paths[(name, 7, "<module>"), (name, 4, "once")], 2)
        self.assertEqual(paths[(name, 8, "<module>"), (name, 6, "thrice")], 6)
        (other,) = [count for path, count in paths.items() if path[0][1] not in (7, 8)]
        self.assertEqual(other, 2, "of Python's other thread")

    def test_lines_of_python_that_are_too_many_are_cut(self):
        """Text beyond 4 KiB, and beyond the lines that the interpreter gives, is cut."""
        library = self.place / "library.so"
        source = self.place / "library.c"
        source.write_text("void wrapper(void) {\n#pragma omp parallel\n    __asm__ volatile(\"\");\n"
                          "    __asm__ volatile(\"\");\n}\n")
        done = run(["gcc", "-O2", "-g", "-fopenmp", "-fPIC", "-shared", source, "-o", library])
        self.assertEqual(done.status, 0, done.text)
        for name, depth, is_cut in (("x" * 200 + ".py", 8, False), ("x" * 200 + ".py", 60, True),
                                    ("x.py", 20, False), ("x.py", 150, True)):
            with self.subTest(name=name, depth=depth):
                script = self.place / name
                script.write_text(
                    f"import ctypes\nlibrary = ctypes.CDLL({str(library)!r})\n"
                    "def other(depth):\n    once(depth - 1)\n"
                    "def once(depth):\n    other(depth) if depth > 0 else library.wrapper()\n"
                    f"once({depth // 2})\n"
                )
                facts = self.facts(PYTHON, script)
                (site,) = [site for site in facts["sites"] if site["function"] == "wrapper"]
                (path,) = site["call_paths"]
                if path["calls"][-1]["function"] == "(Python)":
                    self.skipTest("this Python does not let its lines be seen")
                self.assertEqual(path["cut"], is_cut)

    def test_functions_that_call_each_other_in_a_circle_are_one_round(self):
        source = self.place / "circle.c"
        source.write_text(
            '#define STAY __asm__ volatile("")\n#define APART __attribute__((noinline)) void\n'
            "APART one(int);\n"
            "APART body(void) {\n#pragma omp parallel num_threads(1)\n    STAY;\n    STAY;\n}\n"
            "APART three(int depth) { if (depth > 0) one(depth - 1); else body(); STAY; }\n"
            "APART two(int depth) { three(depth); STAY; }\n"
            "APART one(int depth) { two(depth); STAY; }\n"
            "int main(void) { one(2); one(5); STAY; return 0; }\n"
        )
        facts = self.facts(self.compile(source))
        (site,) = [site for site in facts["sites"] if site["function"] == "body"]
        (path,) = site["call_paths"]
        self.assertEqual(path["count"], 2)
        calls = [(call["function"], call["times"]) for call in path["calls"]]
        self.assertEqual(calls, [("main", 1), ("one", 6), ("two", 6), ("three", 6)])

    def test_a_path_in_a_program_without_names_begins_in_it(self):
        source = self.place / "nameless.c"
        source.write_text(
            '#define STAY __asm__ volatile("")\n'
            "__attribute__((noinline)) void body(void) {\n#pragma omp parallel num_threads(1)\n    STAY;\n    STAY;\n}\n"
            "int main(void) { body(); STAY; return 0; }\n"
        )
        facts = self.facts(self.compile(source, "-s"))
        (site,) = [site for site in facts["sites"] if site["kind"] == "implicit"]
        (path,) = site["call_paths"]
        self.assertEqual(len(path["calls"]), 1, path)
        self.assertTrue(path["calls"][0]["function"].startswith("nameless"), path)

    def test_constructs_that_are_too_many_are_one(self):
        """Constructs of one thread, which has no space for more of their paths."""
        constructs, rounds = 2500, 3
        body = "#pragma omp task\n    STAY;\n"
        source = self.place / "crowd.c"
        source.write_text(
            'static volatile int met;\n#define STAY met = met + 1\nint main(void) {\n'
            "#pragma omp parallel num_threads(1)\n"
            f"    for (int i = 0; i < {rounds}; i++) {{\n" + body * constructs + "    }\n    return 0;\n}\n"
        )
        facts = self.facts(self.compile(source, "-O0"))
        tasks = [site for site in facts["sites"] if site["kind"] == "task"]
        (further,) = [site for site in tasks if site["function"] == "(further sites)"]
        self.assertEqual(sum(site["count"] for site in tasks), rounds * constructs)
        self.assertEqual({site["count"] for site in tasks if site is not further}, {rounds})
        self.assertEqual(further["count"], rounds * (constructs + 1 - len(tasks)))
        self.assertGreater(len(tasks), 1500)

    def test_paths_that_are_too_many_are_cut(self):
        """Paths that are known already are still found."""
        source = self.place / "many.c"
        source.write_text(
            '#define STAY __asm__ volatile("")\n'
            "#define APART __attribute__((noinline)) void\n"
            "APART spawn(int turns) {\n#pragma omp task\n"
            "    for (volatile int i = 0; i < turns; i++);\n}\n"
            "APART known(void) { spawn(1000); STAY; }\n"
            "APART new(void) { spawn(1000); STAY; }\n"
            "void left(unsigned, int);\nvoid right(unsigned, int);\n"
            "APART fork(unsigned way, int depth) {\n"
            "    if (depth == 0) spawn(1);\n"
            "    else (way & 1 ? left : right)(way >> 1, depth - 1);\n    STAY;\n}\n"
            "APART left(unsigned way, int depth) { fork(way, depth); STAY; }\n"
            "APART right(unsigned way, int depth) { fork(way, depth); STAY; }\n"
            "int main(void) {\n#pragma omp parallel num_threads(1)\n    {\n"
            "        volatile int at = 9;\n        for (int i = 0; i < 510; i++) {\n            known();\n"
            "            for (unsigned way = 0; i == at && way < 1 << 11; way++) fork(way, 11);\n        }\n"
            "        for (int i = 0; i < 500; i++) new();\n    }\n    return 0;\n}\n"
        )
        facts = self.facts(self.compile(source, "-Wno-builtin-declaration-mismatch"))
        (site,) = [site for site in facts["sites"] if site["kind"] == "task"]
        self.assertEqual(site["count"], 510 + 2048 + 500)
        paths = {tuple(call["function"] for call in path["calls"]): path for path in site["call_paths"]}
        known = paths["main", "known"]
        self.assertEqual((known["count"], known["cut"]), (510, False))
        rest = paths["main",]
        self.assertTrue(rest["cut"])
        self.assertGreater(rest["count"], 500)
        self.assertLess(rest["count"], 500 + 1024)

    def test_another_build_of_a_plugin_at_its_place(self):
        """It is loaded where the first build was, under the same path, and has other frames."""
        source = self.place / "plugin.c"
        source.write_text(
            "void note(char *);\n"
            "__attribute__((noinline)) int NAME(int x) {\n    char room[ROOM];\n    note(room);\n"
            "#pragma omp task firstprivate(x)\n    x++;\n#pragma omp taskwait\n    note(room);\n    return x;\n}\n"
            "int plugin(int x) { return NAME(x) + 1; }\n"
        )
        host = self.place / "host.c"
        host.write_text(
            "#include <dlfcn.h>\n#include <stdio.h>\n#include <unistd.h>\n"
            "void note(char *room) { room[0] = 1; }\n"
            "int main(void) {\n    for (int i = 0; i < 4; i++) {\n"
            "        unlink(\"./now.so\");\n        if (link(i & 1 ? \"./new.so\" : \"./old.so\", \"./now.so\")) return 1;\n"
            "        void *now = dlopen(\"./now.so\", RTLD_NOW);\n        if (!now) return 2;\n"
            "        int (*plugin)(int) = (int (*)(int))dlsym(now, \"plugin\");\n"
            "        if (plugin(i) != i + 1) return 3;\n        dlclose(now);\n    }\n    return 0;\n}\n"
        )
        program = self.compile(host, "-rdynamic", "-ldl")
        for id_kind in ("sha1", "none"):
            with self.subTest(build_id=id_kind):
                for name, room in (("old", 2000), ("new", 3000)):
                    done = run(["gcc", "-O2", "-g", "-fopenmp", "-fPIC", "-shared", f"-Wl,--build-id={id_kind}",
                                f"-DNAME=of_{name}", f"-DROOM={room}", source, "-o", self.place / f"{name}.so"])
                    self.assertEqual(done.status, 0, done.text)
                recording = self.place / f"{id_kind}.teff"
                self.teff("record", "--call-paths", "-o", recording, "--", program, cwd=self.place)
                facts = json.loads(self.teff("report", "--json", recording, cwd=self.place).out)
                tasks = [site for site in facts["sites"] if site["kind"] == "task"]
                paths = [path for site in tasks for path in site["call_paths"]]
                self.assertEqual([path["calls"][0]["function"] for path in paths], ["main"] * len(paths))
                self.assertEqual([site["count"] for site in tasks], [2, 2])
                said = {"sha1": "now.so is not the build that ran", "none": "now.so was loaded in several builds"}[id_kind]
                self.assertEqual(sum(said in note for note in facts["notes"]), 1, facts["notes"])

    def test_depths_that_make_no_sense(self):
        for depth in ("0", "129", "x"):
            done = self.teff("record", f"--call-paths={depth}", "--", self.program, "wrapper", status=None)
            self.assertNotEqual(done.status, 0)
            self.assertIn("--call-paths", done.text)


if __name__ == "__main__":
    unittest.main()
