# SPDX-License-Identifier: Apache-2.0
"""Which OpenMP runtime a program gets under `teff run`, `stat` and `record`: copies of libgomp with
other names and in other folders are replaced, other runtimes are not, and programs are not harmed."""

import itertools
import json
import os
import platform
import shutil
import unittest

from harness import LIBRARY, ProductTest, environment, run

AUDITOR = LIBRARY / "libteff-audit.so"
COPY = "libgomp-e985bcbb.so.1.0.0"

# A libgomp with only what `sum` needs, which prints a line when it is used.
COPY_OF_LIBGOMP = r"""
#include <stdio.h>
void GOMP_parallel(void (*function)(void*), void* data, unsigned threads, unsigned flags) {
    puts("the copy");
    function(data);
}
void GOMP_barrier(void) {}
int omp_get_thread_num(void) { return 0; }
int omp_get_num_threads(void) { return 1; }
"""
VERSIONS = "OMP_1.0 { global: omp_*; }; GOMP_1.0 { global: GOMP_barrier; }; GOMP_4.0 { global: GOMP_parallel; local: *; };"
SUM = r"""
long sum_to(long last);
long sum_to(long last) {
    long sum = 0;
    #pragma omp parallel for reduction(+ : sum) num_threads(2)
    for (long i = 1; i <= last; ++i) sum += i;
    return sum;
}
"""
# The number of threads in a team, found without calling a routine.
TEAM = r"""
long team(void);
long team(void) {
    long threads = 0;
    #pragma omp parallel num_threads(2)
    __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED);
    return threads;
}
"""
TEAM_AND_NUMBER = r"""
#include <stdio.h>
long team(void);
int omp_get_thread_num(void);
int main(void) { printf("%ld %d\n", team(), omp_get_thread_num()); }
"""
NUMBER_IS_42 = "int omp_get_thread_num(void);\nint main(void) { return omp_get_thread_num() - 42; }"
LOADS = r"""
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char** words) {
    for (int at = 1; at < count; ++at) {
        void* library = dlopen(words[at], RTLD_NOW);
        if (!library) return puts(dlerror()), 1;
        long (*sum_to)(long) = (long (*)(long))dlsym(library, "sum_to");
        printf("%ld\n", sum_to(1000));
    }
}
"""
NEEDS = '#include <stdio.h>\nlong sum_to(long);\nint main(void) { printf("%ld\\n", sum_to(1000)); }\n'


def old_glibc():
    words = platform.libc_ver()[1].split(".")
    return [int(word) for word in words[:2]] < [2, 35]


class Runtimes(ProductTest):
    def setUp(self):
        super().setUp()
        if old_glibc():
            self.skipTest("the dynamic linker of glibc before 2.35 is not asked to replace copies of libgomp")
        self.copy = self.built(COPY, COPY_OF_LIBGOMP, "-shared", "-fPIC", f"-Wl,-soname,{COPY}",
                               f"-Wl,--version-script={self.text('versions', VERSIONS)}")
        self.library = self.built("libsum.so", SUM, "-fopenmp", "-shared", "-fPIC", "-nodefaultlibs", self.copy, "-lc",
                                  "-Wl,--disable-new-dtags,-rpath,$ORIGIN")

    def text(self, name, text):
        file = self.place / name
        file.write_text(text, encoding="utf-8")
        return file

    def built(self, name, source, *flags):
        text = self.text(f"{name}.c", source)
        done = run(["gcc", "-O1", "-g", text, "-o", self.place / name, *flags], cwd=self.place)
        self.assertEqual(done.status, 0, done.text)
        return self.place / name

    def out(self, *words, **options):
        return self.teff(*words, **options).out.decode()

    def test_a_copy_of_another_name_is_replaced(self):
        program = self.built("loads", LOADS)
        self.assertEqual(run([program, self.library]).out, b"the copy\n500500\n")
        self.assertEqual(self.out("run", "--", program, self.library), "500500\n")
        self.assertEqual(self.out("run", "--", "sh", "-c", f"{program} {self.library}"), "500500\n")

    def test_a_copy_that_the_program_itself_needs(self):
        program = self.built("needs", NEEDS, self.library, "-Wl,--disable-new-dtags,-rpath,$ORIGIN")
        self.assertEqual(run([program]).out, b"the copy\n500500\n")
        self.assertEqual(self.out("run", "--", program), "500500\n")

    def test_libraries_that_ask_for_it_by_different_names(self):
        program = self.built("loads", LOADS)
        other = self.place / "other"
        other.mkdir()
        renamed = self.built("other/libgomp-d22c30c5.so.1", COPY_OF_LIBGOMP, "-shared", "-fPIC",
                             "-Wl,-soname,libgomp-d22c30c5.so.1", f"-Wl,--version-script={self.place / 'versions'}")
        further = self.built("other/libsum.so", SUM, "-fopenmp", "-shared", "-fPIC", "-nodefaultlibs", renamed, "-lc",
                             "-Wl,--disable-new-dtags,-rpath,$ORIGIN")
        plain = self.built("libplain.so", SUM, "-fopenmp", "-shared", "-fPIC")
        for libraries in itertools.permutations((self.library, further, plain)):
            self.assertEqual(self.out("run", "--", program, *libraries), "500500\n" * 3)
        needs = self.built("needs", NEEDS, self.library, further, plain, "-Wl,--no-as-needed", plain, further,
                           "-Wl,--disable-new-dtags,-rpath,$ORIGIN:$ORIGIN/other")
        self.assertEqual(self.out("run", "--", needs, "1"), "500500\n")

    def test_a_libgomp_in_a_folder_that_is_built_in(self):
        folder = self.place / "own"
        folder.mkdir()
        own = self.built("own/libgomp.so.1", COPY_OF_LIBGOMP, "-shared", "-fPIC", "-Wl,-soname,libgomp.so.1",
                         f"-Wl,--version-script={self.text('versions', VERSIONS)}")
        program = self.built("alone", SUM + NEEDS.replace("long sum_to(long);\n", ""), "-fopenmp", "-nodefaultlibs", own,
                             "-lc", "-Wl,--disable-new-dtags,-rpath,$ORIGIN/own")
        self.assertEqual(run([program]).out, b"the copy\n500500\n")
        self.assertEqual(self.out("run", "--", program), "500500\n")
        self.assertEqual(self.out("run", "--", "sh", "-c", str(program)), "500500\n")

    def test_what_such_a_library_does_is_recorded_and_counted(self):
        program = self.built("loads", LOADS)
        recording = self.record(program, self.library)
        facts = json.loads(self.out("report", "--json", recording))
        self.assertEqual((facts["grains"]["implicit"], facts["workers"]), (2, 2))
        done = self.teff("stat", "--json", "--", program, self.library)
        self.assertNotIn("nothing was counted", done.text)

    def fake(self, name, version):
        """Another runtime, in which each thread has number 42."""
        return self.built(name, "int omp_get_thread_num(void) { return 42; }", "-shared", "-fPIC", f"-Wl,-soname,{name}",
                          f"-Wl,--version-script={self.text(name, version + ' { global: omp_*; local: *; };')}")

    def team_of_gcc(self):
        return self.built("libteam.so", TEAM, "-fopenmp", "-shared", "-fPIC", "-nodefaultlibs", self.copy, "-lc",
                          "-Wl,--disable-new-dtags,-rpath,$ORIGIN")

    def test_a_program_of_another_runtime_keeps_it(self):
        libnvomp = self.fake("libnvomp.so", "OMP_1.0")
        program = self.built("both", TEAM_AND_NUMBER, libnvomp, self.team_of_gcc(), "-Wl,--disable-new-dtags,-rpath,$ORIGIN")
        self.assertEqual(run([program]).out, b"the copy\n1 42\n")
        self.assertEqual(self.out("run", "--", program), "2 42\n")
        alone = self.built("alone", NUMBER_IS_42, libnvomp, "-Wl,-rpath,$ORIGIN")
        self.teff("run", "--", alone)
        done = self.teff("record", "-o", self.place / "a.teff", "--", alone, status=3)
        self.assertIn("uses libnvomp.so", done.text)
        self.assertFalse((self.place / "a.teff").exists())
        self.assertIn("uses libnvomp.so", self.teff("stat", "--", alone, status=3).text)

    def test_libomp_and_libiomp5_are_replaced_beside_libgomp(self):
        team = self.team_of_gcc()
        for name in "libomp.so.5", "libiomp5.so", "libomp-8a2bcdef.so.5":
            other = self.fake(name, "VERSION")
            for number, order in enumerate(itertools.permutations((other, team))):
                program = self.built(f"both{number}", TEAM_AND_NUMBER, "-Wl,--no-as-needed", *order,
                                     "-Wl,--disable-new-dtags,-rpath,$ORIGIN")
                self.assertIn(b" 42\n", run([program]).out)
                self.assertEqual(self.out("run", "--", program), "2 0\n", (name, number))

    def test_a_runtime_that_is_needed_by_a_path(self):
        if not shutil.which("patchelf"):
            self.skipTest("no patchelf")
        team = self.team_of_gcc()
        done = run(["patchelf", "--replace-needed", COPY, str(self.copy), str(team)])
        self.assertEqual(done.status, 0, done.text)
        libomp = self.fake("libomp.so.5", "VERSION")
        for number, order in enumerate(itertools.permutations((libomp, team))):
            program = self.built(f"by_path{number}", TEAM_AND_NUMBER, "-Wl,--no-as-needed", *order, "-Wl,-rpath,$ORIGIN")
            self.assertRegex(self.out("run", "--", program), "2 0\n$")

    def test_what_each_object_gets_is_explained(self):
        team, libomp, libnvomp = self.team_of_gcc(), self.fake("libomp.so.5", "VERSION"), self.fake("libnvomp.so", "OMP_1.0")
        program = self.built("both", TEAM_AND_NUMBER, "-Wl,--no-as-needed", libomp, team, libnvomp, "-Wl,-rpath,$ORIGIN")
        runtime = str(LIBRARY / "libgomp.so.1")
        lines = self.teff("run", "--explain", "--", program).err.decode().splitlines()
        self.assertEqual(set(lines), {
            f"teff: the program asks for libomp.so.5: it gets Teff, {runtime}",
            f"teff: {team} asks for {COPY}: it gets Teff, {runtime}",
            f"teff: another runtime was loaded: {libnvomp}",
        })
        self.assertEqual(self.teff("run", "--", program).err, b"")
        libomptarget = self.built("libomptarget.so.19.1", "int x;", "-shared", "-fPIC", "-Wl,-soname,libomptarget.so.19.1")
        offloads = self.built("offloads", NUMBER_IS_42, "-Wl,--no-as-needed", libomp, libomptarget, "-Wl,-rpath,$ORIGIN")
        lines = self.teff("run", "--explain", "--", offloads).err.decode().splitlines()
        self.assertEqual(set(lines), {
            "teff: the program asks for libomp.so.5, and uses libomptarget: it keeps this runtime",
            f"teff: another runtime was loaded: {libomp}",
        })

    def test_a_program_with_libomptarget_keeps_its_libomp(self):
        libomp = self.fake("libomp.so.5", "VERSION")
        libomptarget = self.built("libomptarget.so.19.1", "int x;", "-shared", "-fPIC", "-Wl,-soname,libomptarget.so.19.1")
        for number, order in enumerate(itertools.permutations((libomp, libomptarget))):
            program = self.built(f"offloads{number}", NUMBER_IS_42, "-Wl,--no-as-needed", *order, "-Wl,-rpath,$ORIGIN")
            self.teff("run", "--", program)
            done = self.teff("record", "-o", self.place / "a.teff", "--", program, status=3)
            self.assertIn("uses libomp.so.5 together with libomptarget", done.text)

    def test_other_runtimes_of_a_process_are_named(self):
        other = self.built("libnvomp.so", "int x;", "-shared", "-fPIC", "-Wl,-soname,libnvomp.so")
        serial = """if (at == count - 1) dlopen("./libnvomp.so", RTLD_NOW);
                    while (clock() < CLOCKS_PER_SEC / 2) {}"""
        program = self.built("loads", "#include <time.h>" + LOADS.replace("printf(", f"{serial}\nprintf("))
        recording = self.record(program, self.library, self.library, cwd=self.place)
        runtime = str((LIBRARY / "libgomp.so.1").resolve())
        self.assertEqual(json.loads((recording / "meta.json").read_text())["other_runtimes"], [])
        end = json.loads((recording / "end.json").read_text())
        self.assertEqual((end["runtime_file"], end["other_runtimes"]), (runtime, [str(other)]))
        facts = json.loads(self.out("report", "--json", recording))
        self.assertEqual(facts["runtimes"], [{"file": runtime, "recorded": True}, {"file": str(other), "recorded": False}])
        self.assertNotIn("serial-part", {finding["rule"] for finding in facts["findings"]})
        text = " ".join(self.out("report", recording).split())
        self.assertIn(f"another OpenMP runtime, of which nothing was recorded: {other}.", text)
        self.assertIn("serial code, or in a runtime that was not recorded", text)
        self.assertNotIn("Parallelise", text)

    def test_a_runtime_that_is_linked_in_is_named(self):
        source = COPY_OF_LIBGOMP + "int main(int count, char** words) { (void)words; return count - 1; }"
        program = self.built("within", source)
        done = self.teff("record", "-o", self.place / "a.teff", "--", program, status=4)
        self.assertIn("linked in", done.text)
        self.teff("record", "-o", self.place / "a.teff", "--", program, "more", status=1)
        program = self.built("static", "int main(void) { return 0; }", "-static")
        done = self.teff("record", "-o", self.place / "a.teff", "--", program)
        self.assertIn("is linked statically", done.text)

    def test_the_settings_of_the_user_stay(self):
        script = 'echo "$LD_AUDIT|$LD_PRELOAD"'
        self.assertEqual(self.out("run", "--", "sh", "-c", script), f"{AUDITOR}|\n")
        env = environment(LD_PRELOAD=str(LIBRARY / "libgomp.so.1"))
        self.assertEqual(self.out("run", "--", "sh", "-c", script, env=env), f"{AUDITOR}|{LIBRARY / 'libgomp.so.1'}\n")
        nested = [os.fspath(LIBRARY.parent / "bin" / "teff"), "run", "--", "sh", "-c", script]
        self.assertEqual(self.out("run", "--", *nested), f"{AUDITOR}|\n", "once")

    def test_a_program_that_refuses_preloaded_libraries_starts(self):
        program = self.built("checked", NEEDS.replace("sum_to(1000)", "7L"), "-fsanitize=address")
        self.assertEqual(self.out("run", "--", program), "7\n")

    def test_static_programs_and_scripts_start(self):
        program = self.built("static", 'int puts(const char*);\nint main(void) { return puts("ran"), 5; }', "-static")
        self.assertEqual(self.out("run", "--", program, status=5), "ran\n")
        script = self.text("script", f"#!/bin/sh\nexec {program}\n")
        script.chmod(0o755)
        self.assertEqual(self.out("run", "--", script, status=5), "ran\n")


if __name__ == "__main__":
    unittest.main()
