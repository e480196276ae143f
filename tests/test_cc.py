# SPDX-License-Identifier: Apache-2.0
"""Tests `teff cc`: programs that it compiles do the same as those that GCC alone compiles, on
libgomp and on Teff, and the chunks of their static loops are recorded.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shutil

from harness import (
    COMPILERS,
    FLAGS,
    LIBRARY,
    PROGRAMS,
    TEFF,
    ProductTest,
    environment,
    folder_of_this_run,
    run,
)
from records import records

CACHE = folder_of_this_run("cc")  # the plugin is built once for all tests
SITES = (PROGRAMS / "static_sites.c").read_text().splitlines()
# Of a function that calls one of these, the loops were changed.
STATIC = re.compile(r"GOMP_(?:loop(?:_ull)?_static_start|parallel_loop_static)\b")

BESIDE = """
void both(int *a, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) a[i] = i;
#pragma omp parallel for %s
    for (int i = 1; i < n; ++i) a[i] += i;
}
"""


def line_of(mark):
    return next(number for number, line in enumerate(SITES, 1) if f"// {mark}" in line)


def have_headers():
    done = run(["gcc", "-print-file-name=plugin"])
    return (pathlib.Path(done.out.decode().strip()) / "include" / "gcc-plugin.h").is_file()


class CcTest(ProductTest):
    def setUp(self):
        super().setUp()
        if not have_headers():
            self.skipTest("the headers of GCC's plugins are not installed")

    def cc(self, *words, cache=CACHE, status=0, **extra):
        done = run([TEFF, "cc", *words], environment(XDG_CACHE_HOME=str(cache), **extra), cwd=self.place)
        self.assertEqual(done.status, status, done.text)
        return done

    def both(self, source, *flags):
        """The program as GCC compiles it, and as it does through `teff cc`."""
        compiler = [*COMPILERS[source.suffix], *FLAGS, "-w", *flags, source, "-o"]
        plain, seen = self.place / "plain", self.place / "seen"
        done = run([*compiler, plain], cwd=self.place)
        self.assertEqual(done.status, 0, done.text)
        self.cc(*compiler, seen)
        return plain, seen

    def calls(self, source, *flags):
        """The functions of the runtime that the compiled text calls."""
        (self.place / "text.c").write_text(source)
        self.cc("gcc", "-O2", "-fopenmp", "-w", *flags, "-S", "text.c", "-o", "text.s")
        return set(re.findall(r"GOMP_\w+", (self.place / "text.s").read_text()))


class SameProgram(CcTest):
    def check(self, suffix, *flags):
        plain, seen = self.both(PROGRAMS / f"static_loops{suffix}", *flags)
        for threads in (1, 2, 3, 8):
            expected = run([plain], environment(threads))
            self.assertEqual(expected.status, 0, expected.text)
            for library in ({}, {"LD_LIBRARY_PATH": str(LIBRARY)}):
                with self.subTest(threads=threads, **library):
                    done = run([seen], environment(threads, **library))
                    self.assertEqual((done.status, done.out.decode()), (0, expected.out.decode()))
        symbols = run(["nm", "-D", seen]).out.decode()
        self.assertRegex(symbols, STATIC)
        return symbols

    def test_c(self):
        for flags in (["-O0"], ["-O3"]):
            symbols = self.check(".c", *flags)
            self.assertIn("GOMP_loop_ull_static_next", symbols)
            self.assertIn("GOMP_loop_dynamic_next", symbols)  # functions that stay as they are

    def test_cpp(self):
        self.check(".cpp")

    def test_fortran(self):
        self.check(".f90")

    def test_link_time_optimisation(self):
        self.check(".cpp", "-flto")


class Loops(CcTest):
    def test_a_static_loop_calls_the_runtime(self):
        for schedule in ("", "schedule(static)", "schedule(static, 7)", "schedule(static, n)", "schedule(auto)"):
            with self.subTest(schedule=schedule):
                calls = self.calls(BESIDE % schedule)
                self.assertEqual({call for call in calls if "loop" in call and "end" not in call},
                                 {"GOMP_loop_static_start", "GOMP_loop_static_next"})

    def test_a_function_with_a_loop_that_cannot_be_told_apart_stays_as_it_is(self):
        for clauses in ("schedule(monotonic: dynamic)", "schedule(dynamic) lastprivate(conditional: n)",
                        "schedule(dynamic) ordered(1)"):
            with self.subTest(clauses=clauses):
                self.assertNotRegex(" ".join(self.calls(BESIDE % clauses)), STATIC)
                other = "void other(int *a) {\n#pragma omp parallel for\nfor (int i = 0; i < 9; ++i) a[i] = i;\n}"
                self.assertRegex(" ".join(self.calls(BESIDE % clauses + other)), STATIC)

    def test_other_schedules_stay_as_they_are(self):
        for schedule in ("dynamic, 3", "guided", "runtime", "nonmonotonic: dynamic"):
            with self.subTest(schedule=schedule):
                alone = f"void one(int *a) {{\n#pragma omp parallel for schedule({schedule})\n" \
                        "for (int i = 0; i < 9; ++i) a[i] = i;\n}"
                self.assertNotRegex(" ".join(self.calls(alone)), STATIC)

    def test_loops_that_only_gcc_can_divide_stay_as_they_are(self):
        for clauses, inner in (("ordered", ""), ("collapse(2)", "for (int j = 0; j < i; ++j)"),
                               ("reduction(inscan, +: s)", "")):
            scan = "{ s += i;\n#pragma omp scan inclusive(s)\na[i] = s; }" if "inscan" in clauses else "a[i] = i;"
            with self.subTest(clauses=clauses):
                alone = f"void one(int *a) {{ int s = 0;\n#pragma omp parallel for {clauses}\n" \
                        f"for (int i = 0; i < 9; ++i) {inner} {scan}\n}}"
                self.assertNotRegex(" ".join(self.calls(alone)), STATIC)

    def test_loops_that_gcc_compiles_wrongly_with_other_schedules_stay_as_they_are(self):
        for header, is_changed in (("unsigned i = n; i > 0; --i", False), ("unsigned i = n; i != 0; --i", False),
                                   ("unsigned i = 0; i != n; ++i", True), ("unsigned i = 0; i < n; i += 2", True),
                                   ("int i = n; i > 0; --i", True), ("unsigned long i = n; i > 0; --i", True)):
            with self.subTest(header=header):
                calls = self.calls(f"void one(int *a, unsigned n) {{\n#pragma omp parallel for\nfor ({header}) a[i] = 1;\n}}")
                self.assertEqual(bool(STATIC.search(" ".join(calls))), is_changed)


class Recorded(CcTest):
    def test_each_chunk_is_recorded_at_its_line(self):
        plain, seen = self.both(PROGRAMS / "static_sites.c")
        reports = []
        for program in (plain, seen):
            recording = self.record(program, env=environment(2), name=f"{program.name}.teff")
            reports.append(json.loads(self.teff("report", "--json", recording).out))
        before, after = reports
        chunks = {site["line"]: site["count"] for site in after["sites"] if site["kind"] == "chunk"}
        for mark, count in (("whole", 2), ("orphan", 2 * 5), ("hundreds", 12), ("dynamic", 4)):
            # GCC's debug information names the line of the directive, or that of its loop.
            self.assertIn(count, (chunks.pop(line_of(mark), 0), chunks.pop(line_of(mark) + 1, 0)), mark)
        self.assertEqual(chunks, {})
        self.assertEqual(before["grains"]["chunks"], 4)
        # The time of the loops is no longer an estimate from the query of the team's size.
        self.assertLess(after["quality"]["unseen_static_ns"], 0.5 * after["work_ns"])
        self.assertGreater(before["quality"]["unseen_static_ns"], 0.5 * before["regions_work_ns"])

    def test_the_iterations_are_all_there(self):
        _, seen = self.both(PROGRAMS / "static_sites.c")
        recording = self.record(seen, env=environment(3))
        found = [record for stream in recording.glob("stream-*.bin") for record in records(stream)]
        self.assertEqual(sum(record.name in ("CHUNK", "CHUNK_SHORT") for record in found), 3 + 3 * 5 + 12 + 4)


class Compilers(CcTest):
    def test_make_may_start_several(self):
        cache = self.place / "new" / "cache"
        shutil.copy(PROGRAMS / "static_sites.c", self.place)
        with concurrent.futures.ThreadPoolExecutor() as pool:
            compile_one = lambda n: self.cc("gcc", "-fopenmp", "-c", "static_sites.c", "-o", f"{n}.o", cache=cache)  # noqa: E731
            list(pool.map(compile_one, range(3)))
        self.assertEqual([file.suffix for file in (cache / "teff").iterdir()], [".so"])

    def test_without_openmp_no_plugin_is_built(self):
        cache = self.place / "cache"
        shutil.copy(PROGRAMS / "static_sites.c", self.place)
        self.cc("gcc", "-c", "static_sites.c", cache=cache)
        self.cc("--", "gcc", "static_sites.o", "-fopenmp-simd", "-o", "plain", cache=cache)
        self.assertFalse(cache.exists())

    def test_the_status_is_the_compilers(self):
        (self.place / "wrong.c").write_text("int main(void) { return x; }\n")
        done = self.cc("gcc", "-fopenmp", "wrong.c", status=1)
        self.assertIn("undeclared", done.err.decode())

    def test_ccache_may_stand_before_the_compiler(self):
        (self.place / "ccache").write_text('#!/bin/sh\nexec "$@"\n')
        (self.place / "ccache").chmod(0o755)
        shutil.copy(PROGRAMS / "static_sites.c", self.place)
        self.cc(self.place / "ccache", "gcc", "-fopenmp", "static_sites.c", "-o", "seen")
        self.assertRegex(run(["nm", "-D", self.place / "seen"]).out.decode(), STATIC)


class Messages(ProductTest):
    def refused(self, *words, **extra):
        done = run([TEFF, "cc", *words], environment(XDG_CACHE_HOME=str(self.place / "cache"), **extra), cwd=self.place)
        self.assertEqual(done.status, 1, done.text)
        return done.err.decode()

    def compiler(self, answer):
        """A compiler that gives this answer to the question where its plugins are."""
        path = self.place / "compiler"
        path.write_text(f"#!/bin/sh\necho '{answer}'\n")
        path.chmod(0o755)
        return path

    def test_missing_headers(self):
        said = self.refused(self.compiler("/nowhere/gcc/x86_64-linux-gnu/13/plugin"), "-fopenmp", "x.c")
        self.assertIn("gcc-13-plugin-dev", said)

    def test_another_compiler(self):
        self.assertIn("no GCC", self.refused(self.compiler("plugin"), "-fopenmp", "x.c"))

    def test_no_compiler(self):
        self.assertIn("there is no compiler absent", self.refused("absent", "-fopenmp", "x.c"))

    def test_a_plugin_that_cannot_be_built(self):
        headers = self.place / "13" / "plugin" / "include"
        headers.mkdir(parents=True)
        (headers / "plugin-version.h").write_text("")
        path = self.place / "compiler"
        path.write_text(f'#!/bin/sh\n[ "$1" = -print-file-name=plugin ] && echo {headers.parent} && exit\n'
                        "echo no cc1plus >&2\nexit 1\n")
        path.chmod(0o755)
        said = self.refused(path, "-fopenmp", "x.c")
        self.assertIn("no cc1plus", said)
        self.assertEqual(os.listdir(self.place / "cache" / "teff"), [])
