# SPDX-License-Identifier: Apache-2.0
"""Tests target regions in libraries that the program loads when it runs, and programs that load libraries beside their
own regions."""

import csv
import json
import os
import shutil
import sys

from harness import TEFF, environment
from test_devices import SOURCES, Devices, Launched


class Libraries:
    def library(self, *words, folder="", first=10):
        """A library with regions, in a folder of its own."""
        place = self.place / folder
        place.mkdir(exist_ok=True)
        built = self.compile(SOURCES / "later_library.c", "-shared", "-fPIC", f"-DFIRST={first}", *words)
        return built.rename(place / "library.so")


class Later(Libraries, Devices):
    def works(self, *words, **options):
        program = self.compile(SOURCES / "later.c")
        self.assertEqual(self.teff("run", "--", program, *words, **options).text, "0 devices, ok\n", words)
        for devices in (1, 2):
            self.assertEqual(self.on_devices(program, *words, devices=devices, **options).text, f"{devices} devices, ok\n")

    def test_a_library(self):
        library = self.library()
        self.works(library)
        self.works(library, env=environment(OMP_DEFAULT_DEVICE="1"))
        self.works("--again", library)

    def test_a_library_whose_place_has_other_memory(self):
        self.works("--closed", self.library())

    def test_libraries_of_one_name(self):
        self.works(self.library(folder="one"), self.library(folder="two", first=20))
        words = ("-Wl,--build-id=none",)
        self.works(self.library(*words, folder="one"), self.library(*words, folder="two", first=20))

    def test_a_library_that_a_link_names(self):
        link = self.place / "link.so"
        link.symlink_to(self.library(folder="one"))
        self.works(link)
        self.works("--again", link)

    def test_a_library_that_a_relative_path_has_named(self):
        self.library(folder="name with blanks")
        self.works("--elsewhere", os.path.join("name with blanks", "library.so"), cwd=self.place)

    def test_a_library_that_is_gone(self):
        program, library = self.compile(SOURCES / "later.c"), self.library()
        kept = shutil.copy(library, self.place / "kept.so")
        done = self.on_devices(program, "--removed", library, status=1)
        self.assertRegex(done.text, r"target enter data at library.so\+0x\w+ .* needs a library that device 0 cannot load: ")
        self.assertIn("library.so", done.text)
        shutil.copy(kept, library)
        self.works(library)

    def test_another_version(self):
        program, library = self.compile(SOURCES / "later.c"), self.library(folder="one")
        done = self.on_devices(program, "--replaced", library, self.library(folder="two", first=20), status=1)
        self.assertRegex(done.text, "device 0 has another version of .*/one/library.so than this process")

    def test_recordings_name_the_lines_of_regions(self):
        """GCC gives a region the line of its directive, or that of its first statement."""
        program, library = self.compile(SOURCES / "later.c"), self.library()
        source = (SOURCES / "later_library.c").read_text().splitlines()
        directives = [number for number, line in enumerate(source, 1) if line.startswith("#pragma omp target")]
        recording = self.record(TEFF, "run", "--devices", "1", "--", program, library)
        processes = json.loads(self.teff("report", "--json", recording).out)["processes"]
        self.assertEqual(len(processes), 2)
        for process in processes:
            table = self.teff("export", "--format", "csv", "--process", process["process"], "-o", "-", recording).out
            tasks = [row for row in csv.DictReader(table.decode().splitlines()) if row["kind"] == "task"]
            self.assertGreater(len(tasks), 0)
            for task in tasks:
                self.assertTrue(task["file"].endswith("later_library.c"), task)
                self.assertTrue({int(task["line"]), int(task["line"]) - 1} & set(directives), task)


class Python(Libraries, Devices):
    """The interpreter does not use the runtime, and loads what does."""

    SCRIPT = """import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
given, got = (ctypes.c_int * 8)(*range(8)), (ctypes.c_int * 8)()
library.begin_to_count()
print(library.add_table(8, given, got), list(got), library.count_on_device(3))
"""
    SAYS = "1 [10, 12, 14, 16, 14, 16, 18, 20] 8"

    def setUp(self):
        super().setUp()
        self.script = self.place / "script.py"
        self.script.write_text(self.SCRIPT)

    def run_script(self, *options):
        figures = environment(TEFF_DEVICE_FIGURES="TRUE")
        return self.teff("run", *options, "--", os.path.realpath(sys.executable), self.script, self.library(), env=figures)

    def test_its_libraries_use_devices(self):
        done = self.run_script("--devices", "1", "--preload")
        self.assertEqual(done.out.decode().strip(), self.SAYS)
        self.assertRegex(done.text, r"device 0: 5 regions, 2 other constructs")
        self.assertEqual(self.run_script().out.decode().strip(), self.SAYS, "the same on the host")

    def test_without_the_option_it_is_refused(self):
        done = self.teff("run", "--devices", "1", "--", os.path.realpath(sys.executable), self.script, self.library(),
                         status=None)
        self.assertIn("add --preload", done.text)


class LaterInRanks(Libraries, Launched):
    def test_a_library(self):
        program, library = self.compile(SOURCES / "later.c"), self.library()
        for name, _ in self.launchers():
            done = self.ranks(name, program, library, options=("--devices", "ranks"))
            self.assertEqual((done.status, done.text), (0, "2 devices, ok\n"), name)

    def test_a_library_without_regions(self):
        """Its use of the runtime changes the order in which the loader takes leave of libraries."""
        (self.place / "other.c").write_text("int sum(void) {\nint sum = 0;\n#pragma omp parallel for reduction(+ : sum)\n"
                                            "for (int i = 0; i < 10; ++i) sum += i;\nreturn sum;\n}\n")
        (self.place / "main.c").write_text(
            "#include <dlfcn.h>\n#include <stdio.h>\nint main(int argc, char** argv) {\nint on_host = 1;\n"
            "#pragma omp target map(tofrom : on_host)\non_host = 0;\nvoid* library = dlopen(argv[argc - 1], RTLD_NOW);\n"
            'printf("%d %d\\n", on_host, ((int (*)(void))dlsym(library, "sum"))());\nreturn 0;\n}\n')
        library = self.compile(self.place / "other.c", "-shared", "-fPIC")
        for name, _ in self.launchers():
            done = self.ranks(name, self.compile(self.place / "main.c"), library)
            self.assertEqual((done.status, done.text), (0, "0 45\n"), name)

    def test_destructors_of_libraries(self):
        """They come after MPI: what needs no message works, and a region ends the run with a line."""
        source = self.place / "late.c"
        source.write_text("#include <stdlib.h>\nint data[9], sum;\nvoid enter(void) {\n#pragma omp target enter data map(to : data)\n}\n"
                          "__attribute__((destructor)) static void leave(void) {\n"
                          "#pragma omp target exit data map(release : data)\n"
                          "if (getenv(\"REGION\") == NULL) return;\n#pragma omp target map(tofrom : sum)\nsum = 1;\n}\n")
        (self.place / "main.c").write_text("void enter(void);\nint main(void) {\nenter();\nint x;\n#pragma omp target map(from : x)\n"
                                           "x = 0;\nreturn x;\n}\n")
        late = self.compile(source, "-shared", "-fPIC")
        program = self.compile(self.place / "main.c", "-Wl,--no-as-needed", late)
        for name, _ in self.launchers():
            self.assertEqual(self.ranks(name, program).text, "", name)
            done = self.ranks(name, program, env=environment(REGION="1"))
            self.assertNotEqual(done.status, 0, name)
            self.assertIn("comes after device 0 has ended", done.text)
