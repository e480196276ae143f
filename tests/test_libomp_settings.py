# SPDX-License-Identifier: Apache-2.0
"""The variables and routines by which programs of LLVM's and Intel's compilers set libomp: which
variable counts if several ask for the same thing, in Clang's programs and in GCC's, and the part of
the machine that a process uses."""

import os
import re
import shutil
import unittest

from harness import LIBRARY, PROGRAMS, ProductTest, environment, run

TEAMS = """
#include <omp.h>
#include <stdio.h>
int main(void) {
#pragma omp teams num_teams(4)
#pragma omp parallel
#pragma omp master
    printf("teams %d threads %d\\n", omp_get_num_teams(), omp_get_num_threads());
    return 0;
}
"""
PROCESSORS = len(os.sched_getaffinity(0))
LLVM = LIBRARY / "llvm"


class Settings(ProductTest):
    """`theirs` is Clang's program, `ours` GCC's."""

    def setUp(self):
        super().setUp()
        self.ours = self.compile(PROGRAMS / "settings.c", "-Wl,--no-as-needed", LIBRARY / "libgomp.so.1")
        self.theirs = None
        if shutil.which("clang-19"):
            self.theirs = self.with_clang("settings.c")

    def with_clang(self, name, folder=PROGRAMS):
        program = self.place / f"of-clang-{name}"
        done = run(["clang-19", "-fopenmp=libomp", "-O2", folder / name, "-o", program])
        self.assertEqual(done.status, 0, done.text)
        return program

    def environment(self, **variables):
        variables = {"OMP_NUM_THREADS": "2", **variables}
        env = environment(LD_LIBRARY_PATH=f"{LLVM}:{LIBRARY}") | variables
        return {name: value for name, value in env.items() if value is not None}

    def said(self, program, *words, **variables):
        done = run([program, *words], self.environment(**variables))
        self.assertEqual(done.status, 0, done.text)
        facts = re.findall(r"(\w+) (-?\d+)", done.out.decode())
        return {name: int(value) for name, value in facts}, done.err.decode()

    def facts(self, program, *words, **variables):
        facts, errors = self.said(program, *words, **variables)
        self.assertEqual(errors, "")
        return facts

    def compare(self, fact, of_theirs, of_ours, **variables):
        with self.subTest(**variables):
            self.assertEqual(self.facts(self.ours, **variables)[fact], of_ours, "GCC's program")
            if self.theirs is not None:
                self.assertEqual(self.facts(self.theirs, **variables)[fact], of_theirs, "Clang's program")


class Precedence(Settings):
    def test_of_stack_sizes(self):
        self.compare("stack", 512, 1024, KMP_STACKSIZE="512k", OMP_STACKSIZE="1024k")
        self.compare("stack", 768, 1024, GOMP_STACKSIZE="768", OMP_STACKSIZE="1024k")
        self.compare("stack", 512, 768, GOMP_STACKSIZE="768", KMP_STACKSIZE="512k")
        self.compare("stack", 512, 512, KMP_STACKSIZE="512k")

    def test_of_bindings(self):
        false, close, spread = 0, 3, 4
        self.compare("bind", spread, false, KMP_AFFINITY="scatter", OMP_PROC_BIND="false")
        self.compare("bind", false, close, KMP_AFFINITY="none", OMP_PROC_BIND="close", OMP_PLACES="threads")
        self.compare("bind", close, close, KMP_AFFINITY="noverbose", OMP_PROC_BIND="close")
        self.compare("bind", 1, false, GOMP_CPU_AFFINITY="0", OMP_PROC_BIND="false")
        self.compare("places", 1, PROCESSORS, GOMP_CPU_AFFINITY="0", OMP_PLACES="threads")

    def test_of_limits(self):
        self.compare("limit", 1, 1, KMP_LIBRARY="serial")
        self.compare("limit", 1, 5, KMP_LIBRARY="serial", OMP_THREAD_LIMIT="5")
        for variables in ({"KMP_DEVICE_THREAD_LIMIT": "3"}, {"KMP_ALL_THREADS": "3"},
                          {"KMP_DEVICE_THREAD_LIMIT": "3", "KMP_ALL_THREADS": "2"},
                          {"KMP_DEVICE_THREAD_LIMIT": "3", "OMP_THREAD_LIMIT": "9"},
                          {"KMP_DEVICE_THREAD_LIMIT": "9", "OMP_THREAD_LIMIT": "3"}):
            self.compare("threads", 3, 3, OMP_NUM_THREADS="8", **variables)
        self.compare("threads", PROCESSORS, PROCESSORS, OMP_NUM_THREADS="999", KMP_DEVICE_THREAD_LIMIT="all")

    def test_of_all_teams_together(self):
        if self.theirs is None:
            self.skipTest("no clang-19")
        (self.place / "teams.c").write_text(TEAMS)
        program = self.with_clang("teams.c", self.place)
        for limit, teams, threads in ("2", 2, 1), ("8", 4, 2), ("99", 4, 3):
            done = run([program], self.environment(OMP_NUM_THREADS="3", KMP_TEAMS_THREAD_LIMIT=limit))
            self.assertEqual(done.text, f"teams {teams} threads {threads}\n" * teams, limit)

    def test_of_a_library_that_names_the_runtime(self):
        """The program itself needs none; its library was linked with libomp."""
        if self.theirs is None:
            self.skipTest("no clang-19")
        library, source, program = self.place / "libsettings.so", self.place / "calls.c", self.place / "calls"
        build = ["clang-19", "-fopenmp=libomp", "-O2", "-shared", "-fPIC", "-Dmain=settings", PROGRAMS / "settings.c"]
        done = run([*build, "-o", library])
        self.assertEqual(done.status, 0, done.text)
        source.write_text("int settings(int, char**);\nint main(int count, char** words) { return settings(count, words); }\n")
        done = run(["gcc", source, library, f"-Wl,-rpath,{self.place}", f"-Wl,-rpath-link,{LLVM}", "-o", program])
        self.assertEqual(done.status, 0, done.text)
        facts = self.facts(program, KMP_STACKSIZE="512k", OMP_STACKSIZE="1024k")
        self.assertEqual(facts["stack"], 512)


class TimeOfReading(Settings):
    """libomp reads the environment at the first use of OpenMP, libgomp when it is loaded."""

    def setUp(self):
        super().setUp()
        self.late_of_ours = self.compile(PROGRAMS / "late_environment.c", "-Wl,--no-as-needed", LIBRARY / "libgomp.so.1")
        self.late = self.with_clang("late_environment.c") if self.theirs is not None else None
        self.set = {"threads": 3, "schedule": 3, "chunk": 7, "stack": 512, "teams": 5, "levels": 1, "cancellation": 1}
        self.before = {"OMP_SCHEDULE": "dynamic,2", "KMP_STACKSIZE": "768k", "OMP_NUM_TEAMS": "4", "OMP_MAX_ACTIVE_LEVELS": "6"}
        self.unset = {"threads": 2, "schedule": 2, "chunk": 2, "stack": 768, "teams": 4, "levels": 6, "cancellation": 0}

    def test_of_a_program_of_gcc(self):
        for how in "", "used", "region":
            self.assertEqual(self.facts(self.late_of_ours, how, **self.before), self.unset, how)

    def test_of_a_program_of_clang(self):
        if self.late is None:
            self.skipTest("no clang-19")
        for before in {}, self.before:
            for how, more in (("", {}), ("region", {}), ("defaults", {"schedule": 2, "chunk": 9}), ("teams", {"first": 5}),
                              ("stack", {"first": 512})):
                with self.subTest(how, **before):
                    self.assertEqual(self.facts(self.late, how, **before), self.set | more)
        self.assertEqual(self.facts(self.late, "used", **self.before), self.unset)
        self.assertEqual(self.facts(self.late, "early", **self.before), self.unset | {"chunk": 9})

    def test_of_a_part_of_the_machine(self):
        if self.late is None:
            self.skipTest("no clang-19")
        whole = self.facts(self.late, "whole")
        self.assertEqual(self.facts(self.late, "whole", KMP_HW_SUBSET=":1t"), whole)

    def test_defaults_are_displayed(self):
        for program in filter(None, (self.late_of_ours, self.late)):
            _, errors = self.said(program, "defaults", OMP_DISPLAY_ENV="true")
            self.assertEqual(errors.count("BEGIN"), 1, errors)
            self.assertIn("OMP_SCHEDULE = 'DYNAMIC,9'", errors)

    def test_each_message_is_printed_once(self):
        if self.late is None:
            self.skipTest("no clang-19")
        facts, errors = self.said(self.late, OMP_PLACES="{", TEFF_NO_SUCH="1", TEFF_BARRIER="no", OMP_DISPLAY_ENV="true")
        self.assertEqual(facts, self.set)
        for words in "OMP_PLACES='{' is not valid", "TEFF_NO_SUCH is not a variable", "TEFF_BARRIER='no' is not valid", "BEGIN":
            self.assertEqual(errors.count(words), 1, errors)
        self.assertIn("OMP_NUM_THREADS = '3'", errors)


@unittest.skipIf(PROCESSORS < 2, "needs two processors")
class PartOfTheMachine(Settings):
    def test_threads_stay_in_it(self):
        for program in filter(None, (self.ours, self.theirs)):
            facts = self.facts(program, KMP_HW_SUBSET=":1t@1", OMP_NUM_THREADS=None)
            wanted = {"processors": 1, "threads": 1, "places": 1, "bind": 0, "used": 1}
            self.assertEqual({name: facts[name] for name in wanted}, wanted)
            facts = self.facts(program, KMP_HW_SUBSET=":1t", OMP_NUM_THREADS="3")
            self.assertEqual((facts["processors"], facts["threads"], facts["used"]), (1, 3, 1))

    def test_places_describe_it(self):
        facts = self.facts(self.ours, KMP_HW_SUBSET=":2t", OMP_PLACES="threads", OMP_NUM_THREADS=None)
        self.assertEqual((facts["processors"], facts["threads"], facts["places"]), (2, 2, 2))
        facts = self.facts(self.ours, KMP_HW_SUBSET=":1t", OMP_PLACES="threads", OMP_NUM_THREADS=None)
        self.assertEqual((facts["processors"], facts["threads"], facts["places"]), (1, 1, 1))

    def test_none_if_affinity_is_disabled(self):
        facts = self.facts(self.ours, KMP_HW_SUBSET=":1t", KMP_AFFINITY="disabled")
        self.assertEqual((facts["processors"], facts["places"]), (PROCESSORS, 0))

    def test_a_message_says_why_there_is_none(self):
        for text, message in (("9999s", "expected a number from 1 to 8191 at character 1"),
                              ("8000s", "needs 8000 sockets where there are "),
                              ("1c:intel_core", "attributes are not known"),
                              ("1tile", "expected a layer that is known"),
                              (":1t@8000", "leaves no processor")):
            facts, errors = self.said(self.ours, KMP_HW_SUBSET=text)
            self.assertEqual((facts["processors"], facts["places"]), (PROCESSORS, 0), text)
            self.assertEqual(errors.count("\n"), 1, errors)
            self.assertIn(f"KMP_HW_SUBSET='{text}'", errors)
            self.assertIn(message, errors)


class Routines(Settings):
    def test_defaults_are_set_before_the_first_use(self):
        for program in filter(None, (self.ours, self.theirs)):
            text = "OMP_NUM_THREADS=3|KMP_STACKSIZE=768k| OMP_THREAD_LIMIT=9 |NO_SUCH=1|TEFF_CONTEXTS=5|nothing"
            facts = self.facts(program, text, OMP_NUM_THREADS="2", OMP_PROC_BIND="false")
            self.assertEqual((facts["threads"], facts["stack"], facts["limit"]), (3, 768, 9))
            facts = self.facts(program, "KMP_AFFINITY=scatter,granularity=fine", OMP_NUM_THREADS="2")
            self.assertEqual((facts["bind"], facts["places"]), (4, PROCESSORS))
            facts = self.facts(program, "OMP_PROC_BIND=false", OMP_NUM_THREADS="2", OMP_PROC_BIND="true")
            self.assertEqual((facts["bind"], facts["places"]), (0, 0))

    def test_a_value_that_is_not_valid_gets_a_warning(self):
        facts, errors = self.said(self.ours, "OMP_NUM_THREADS=many", OMP_NUM_THREADS="2")
        self.assertEqual(facts["threads"], 2)
        self.assertIn("OMP_NUM_THREADS='many' is not valid", errors)

    def test_the_kind_of_library_takes_effect(self):
        if self.theirs is None:
            self.skipTest("no clang-19")
        program = self.with_clang("libomp_library.c")
        done = run([program], self.environment(OMP_NUM_THREADS="3"))
        self.assertEqual((done.status, done.text), (0, "ok\n"))


del ProductTest, Settings
