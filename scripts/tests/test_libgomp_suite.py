# SPDX-License-Identifier: Apache-2.0

import pathlib
import tempfile
import unittest

from libgomp_suite import compare, directives, execute, selectors, tcl, tests
from libgomp_suite.execute import Outcome


class Tcl(unittest.TestCase):
    def test_words(self):
        for text, words in [
            ("run", ["run"]),
            ("  run  { target lp64 } ", ["run", " target lp64 "]),
            ('"-O2 -g" {target c }', ["-O2 -g", "target c "]),
            ("{ a { b c } } d", [" a { b c } ", "d"]),
            (r'"a\[0\]\n(\r|x)\\."', ["a[0]\n(\r|x)\\."]),
            (r"{a\[0\]}", [r"a\[0\]"]),
            ('""', [""]),
            ("", []),
        ]:
            with self.subTest(text=text):
                self.assertEqual(tcl.split(text), words)

    def test_what_is_not_closed_is_refused(self):
        for text in ("{ a { b }", '"a'):
            with self.subTest(text=text), self.assertRaises(ValueError):
                tcl.split(text)


class Selectors(unittest.TestCase):
    def test_answers(self):
        for selector, answer in [
            ("lp64", True),
            ("ia32", False),
            ("*-*-*", True),
            ("i?86-*-* x86_64-*-*", True),
            ("alpha*-*-*", False),
            ("skip-all-targets", False),
            ("{ ! lp64 }", False),
            ("{ ! *-*-* }", False),
            ("{ offload_target_nvptx || offload_target_amdgcn }", False),
            ("{ lp64 && { ! ia32 } }", True),
            ("{ { i?86-*-* x86_64-*-* } && lp64 }", True),
            ("{ { i?86-*-* x86_64-*-* } && ia32 }", False),
        ]:
            with self.subTest(selector=selector):
                self.assertEqual(selectors.holds(selector, "c"), answer)

    def test_languages(self):
        self.assertTrue(selectors.holds("c", "c"))
        self.assertFalse(selectors.holds("c", "c++"))
        self.assertTrue(selectors.holds(" c++ ", "c++"))

    def test_an_unknown_word_is_refused(self):
        with self.assertRaises(selectors.UnknownTarget):
            selectors.holds("quantum_runtime", "c")


def read(text, language="c", level="", default=("-O2",)):
    return directives.read(text, language, level, default)


class Directives(unittest.TestCase):
    def test_a_source_without_directives_is_run(self):
        found = read("int main () { return 0; }\n")
        self.assertEqual((found.action, found.flags, found.unsupported), ("run", ["-O2"], ""))

    def test_actions(self):
        for text, action, refused in [
            ("/* { dg-do run } */", "run", False),
            ("// { dg-do  run }", "run", False),
            ("/* { dg-do link } */", "link", False),
            ('/* { dg-do "compile" } */', "compile", False),
            ("! { dg-do run { target lp64 } }", "run", False),
            ("/* { dg-do run { target { ! lp64 } } } */", "run", True),
            ("/* { dg-do run { target ia32 } } */\n/* { dg-do run { target lp64 } } */", "run", False),
            ("/* { dg-do run { target lp64 } } */\n/* { dg-do link { target ia32 } } */", "run", False),
        ]:
            with self.subTest(text=text):
                found = read(text)
                self.assertEqual((found.action, bool(found.unsupported)), (action, refused))

    def test_options_replace_and_additional_ones_add(self):
        self.assertEqual(read('/* { dg-options "-O0 -g" } */').flags, ["-O0", "-g"])
        self.assertEqual(read('/* { dg-options "-O0" { target ia32 } } */').flags, ["-O2"])
        self.assertEqual(read('/* { dg-additional-options "-std=c99" {target c } } */').flags, ["-O2", "-std=c99"])
        self.assertEqual(read('/* { dg-additional-options "-std=c99" { target c } } */', "c++").flags, ["-O2"])
        both = '/* { dg-options "-O1" } */\n/* { dg-additional-options "-g -fPIC" } */'
        self.assertEqual(read(both).flags, ["-O1", "-g", "-fPIC"])

    def test_the_default_is_not_changed_by_a_test(self):
        default = ["-O2"]
        read('/* { dg-additional-options "-g" } */', default=default)
        self.assertEqual(default, ["-O2"])

    def test_environment_sources_and_time(self):
        found = read('/* { dg-set-target-env-var OMP_PLACES "{6,7}:4:-2,!{2,3}" } */\n'
                     '/* { dg-set-target-env-var OMP_NUM_THREADS "4" } */\n'
                     '/* { dg-additional-sources "a.c b.c" } */\n'
                     "! { dg-timeout 10 }\n! { dg-timeout-factor 2.0 }\n")
        self.assertEqual(found.environment, {"OMP_PLACES": "{6,7}:4:-2,!{2,3}", "OMP_NUM_THREADS": "4"})
        self.assertEqual(found.sources, ["a.c", "b.c"])
        self.assertEqual((found.time_limit_s, found.time_factor), (10, 2.0))

    def test_what_cannot_run_here(self):
        for text, refused in [
            ("/* { dg-require-effective-target tls_runtime } */", False),
            ("/* { dg-require-effective-target offload_device } */", True),
            ('/* { dg-skip-if "" { *-*-* } } */', True),
            ('! { dg-skip-if "separate file" { ! offload_target_nvptx } }', True),
            ('! { dg-xfail-run-if TODO { offload_device_any_intel_mic } }', False),
            ('! { dg-xfail-run-if TODO { lp64 } }', True),
            ('/* { dg-require-alias "" } */', False),
        ]:
            with self.subTest(text=text):
                self.assertEqual(bool(read(text).unsupported), refused)

    def test_skip_if_looks_at_the_flags(self):
        text = '! { dg-skip-if "" { ! run_expensive_tests } { "*" } { "-O0" "-O2" } }'
        self.assertEqual(read(text, "fortran", "-O2", []).unsupported, "")
        self.assertNotEqual(read(text, "fortran", "-O3 -g", []).unsupported, "")
        only = '! { dg-skip-if "" { *-*-* } { "-O3" } { "" } }'
        self.assertEqual(read(only, "fortran", "-O2", []).unsupported, "")
        self.assertNotEqual(read(only, "fortran", "-O3", []).unsupported, "")

    def test_expected_ends(self):
        found = read('/* { dg-shouldfail "error" } */\n/* { dg-output "a(\\n|\\r)+" } */\n/* { dg-output "b\\\\." } */')
        self.assertTrue(found.should_fail)
        self.assertEqual(found.output, "a(\n|\r)+b\\.")

    def test_what_is_about_the_compiler_is_passed_over(self):
        self.assertEqual(read('int x; /* { dg-warning "unused" } */\n/* { dg-final { scan-tree-dump "x" "y" } } */').action, "run")

    def test_an_unknown_directive_is_refused(self):
        with self.assertRaises(ValueError):
            read("/* { dg-make-coffee now } */")


class Judgement(unittest.TestCase):
    def verdict(self, status, text="", **asked):
        return execute.judge(directives.Directives(**asked), status, text, 60).verdict

    def test_verdicts(self):
        self.assertEqual(self.verdict(0), "pass")
        self.assertEqual(self.verdict(3), "exit status 3")
        self.assertEqual(self.verdict(-6), "SIGABRT")
        self.assertEqual(self.verdict(None), "no end after 60 s")
        self.assertEqual(self.verdict(1, should_fail=True), "pass")
        self.assertEqual(self.verdict(0, should_fail=True), "exit status 0, should fail")
        self.assertEqual(self.verdict(0, "The answer is 42\n", output="is 42(\n|\r)+"), "pass")
        self.assertEqual(self.verdict(0, "begin\nmiddle\nend\n", output="begin.*end"), "pass")
        self.assertEqual(self.verdict(0, "The answer is 41\n", output="is 42(\n|\r)+"), "other output")
        self.assertEqual(self.verdict(None, should_fail=True), "no end after 60 s")


class Finding(unittest.TestCase):
    def test_each_folder_has_its_languages(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in {"libgomp.c/a.c": "", "libgomp.c/a.h": "", "libgomp.c-c++-common/b.c": "",
                               "libgomp.c++/x/d.C": "", "libgomp.c++/e.cc": "",
                               "libgomp.fortran/f.f90": "! { dg-do run }\n", "libgomp.fortran/g.F": "", "libgomp.fortran/h.c": "",
                               "libgomp.oacc-c/o.c": ""}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            all_tests = tests.find(root, ["-O0", "-O2"])
            found = [(test.name, test.language, test.level) for test in all_tests]
        self.assertEqual(sorted(found), [
            ("libgomp.c++/x/d.C", "c++", ""),
            ("libgomp.c-c++-common/b.c as c", "c", ""),
            ("libgomp.c-c++-common/b.c as c++", "c++", ""),
            ("libgomp.c/a.c", "c", ""),
            ("libgomp.fortran/f.f90 -O0", "fortran", "-O0"),
            ("libgomp.fortran/f.f90 -O2", "fortran", "-O2"),
            ("libgomp.fortran/g.F -O", "fortran", "-O"),
            ("libgomp.oacc-c/o.c", "c", ""),
        ])
        of_openacc = [test for test in all_tests if "-fopenacc" in test.command([], pathlib.Path("program"))]
        self.assertEqual([test.name for test in of_openacc], ["libgomp.oacc-c/o.c"])
        self.assertEqual(of_openacc[0].asked.environment, {"ACC_DEVICE_TYPE": "host"})


class Target(unittest.TestCase):
    def test_tests_of_target_constructs_are_known(self):
        for text, uses in (("#pragma omp target map(to: x)", True), ("!$OMP END TARGET", True),
                           ("#pragma omp declare target", True), ("omp_target_alloc (4, 0);", True),
                           ("#pragma omp parallel for", False), ("{ dg-do run { target lp64 } }", False)):
            with self.subTest(text=text), tempfile.TemporaryDirectory() as folder:
                source = pathlib.Path(folder) / "a.c"
                source.write_text(text)
                self.assertEqual(tests.Test("a", source, "c", "", directives.Directives()).uses_target(), uses)


class Comparison(unittest.TestCase):
    def compare(self, exceptions=None, **verdicts):
        results = [compare.Result(name, None, {"libgomp": Outcome(stock), "teff": Outcome(ours)})
                   for name, (stock, ours) in verdicts.items()]
        return compare.Comparison(results, "libgomp", ["teff"], exceptions or {})

    def test_only_what_got_worse_is_a_failure(self):
        found = self.compare(both=("pass", "pass"), better=("SIGABRT", "pass"), worse=("pass", "SIGSEGV"), none=("SIGABRT", "SIGABRT"))
        self.assertEqual([result.name for result in found.differing()], ["better", "worse"])
        self.assertEqual([result.name for result in found.failures()], ["worse"])

    def test_a_named_exception_is_no_failure(self):
        found = self.compare({"worse": "a reason"}, worse=("pass", "SIGSEGV"))
        self.assertEqual(found.failures(), [])
        self.assertIn("    excepted: a reason", list(found.lines()))

    def test_an_exception_that_is_not_needed_is_told(self):
        self.assertIn("is named as an exception", "\n".join(self.compare({"both": "a reason"}, both=("pass", "pass")).lines()))

    def test_each_runtime_that_is_judged_counts(self):
        outcomes = {"libgomp": Outcome("pass"), "sockets": Outcome("pass"), "mpich": Outcome("SIGSEGV")}
        found = compare.Comparison([compare.Result("a", None, outcomes)], "libgomp", ["sockets", "mpich"], {})
        self.assertEqual([result.name for result in found.failures()], ["a"])
        self.assertIn("1 worse on sockets or mpich than on libgomp", list(found.lines())[-1])

    def test_what_does_not_build_is_named_and_counted(self):
        found = compare.Comparison([compare.Result("a", "a.c:1: error: x\nmore")], "libgomp", ["teff"], {})
        self.assertEqual(next(iter(found.lines())), "a\n    does not build: a.c:1: error: x")
        self.assertIn("1 do not build", list(found.lines())[-1])

    def test_the_list_of_exceptions(self):
        self.assertEqual(compare.read_exceptions("# comment\n\nlibgomp.c/a.c: needs luck\n"), {"libgomp.c/a.c": "needs luck"})
        for text in ("libgomp.c/a.c\n", "".join(f"t{i}: r\n" for i in range(6))):
            with self.subTest(text=text), self.assertRaises(ValueError):
                compare.read_exceptions(text)


if __name__ == "__main__":
    unittest.main()
