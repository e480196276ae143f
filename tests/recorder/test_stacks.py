# SPDX-License-Identifier: Apache-2.0
"""Samples with stacks say which functions had called the function that ran, also functions of Python;
and a program that gets a signal with each sample computes the same as without."""

import json
import pathlib
import shutil
import unittest

from harness import LIBRARY, TEFF, run
from recorder_harness import PROGRAMS, RECORDING, GuestTest, build, report, try_in
from records import records
from test_samples import RATE, room

MS = 400
PYTHON = "/usr/bin/python3.11"


class Stacks(GuestTest):
    def setUp(self):
        super().setUp()
        self.program = build("stacks", flags=("-fopenmp", "-fomit-frame-pointer", "-ldl"))
        if try_in(self.folder("can"), [build("hot"), "can"], False).out != "1\n":
            self.skipTest("the kernel refuses the event")

    def record(self, *command, rate=RATE, env=None):
        self.recordings = getattr(self, "recordings", 0) + 1
        folder = self.folder(str(self.recordings))
        self.recording = folder / RECORDING
        env = {"TEFF_TRACE_SAMPLES": str(rate), "TEFF_TRACE_STACKS": "TRUE"} | (env or {})
        self.trial = try_in(folder, command, True, env=env)
        self.assertEqual((self.trial.status, self.trial.err), (0, ""))
        return report(self.recording)

    def inside(self, facts, kind):
        (site,) = (site for site in facts["sites"] if site["kind"] == kind and "inside" in site)
        return site["inside"]

    def check_shares(self, inside, shares):
        """Of the samples in the first function of `shares`."""
        samples = {call["function"]: call["samples"] for call in inside["calls"]}
        whole = samples[next(iter(shares))]
        for function, share in shares.items():
            self.assertAlmostEqual(samples[function] / whole, share, delta=0.03 + room(share, whole), msg=function)
        self.assertGreater(inside["stacks"], 0.8 * (inside["samples"] - inside["kernel"]))

    def folded(self):
        text = run([TEFF, "export", "--format", "folded", "-o", "-", self.recording]).out.decode()
        lines = [line.rsplit(" ", 1) for line in text.splitlines()]
        return [(stack.split(";"), int(ns)) for stack, ns in lines]

    NESTED = {"outer": 1, "middle": 0.5, "inner": 0.25, "burn": 1}

    def test_a_serial_part(self):
        facts = self.record(self.program, "serial", MS)
        inside = self.inside(facts, "initial")
        self.check_shares(inside, self.NESTED)
        stacks = [stack for stack, ns in self.folded() if "inner" in stack]
        self.assertTrue(stacks)
        for stack in stacks:
            at = stack.index("main", 1)
            self.assertEqual(stack[at : at + 5], ["main", "serial", "outer", "middle", "inner"])
        widths = {name: sum(ns for stack, ns in self.folded() if name in stack) for name in self.NESTED}
        self.assertAlmostEqual(widths["middle"] / widths["outer"], 0.5, delta=0.12)

    def test_a_task(self):
        self.check_shares(self.inside(self.record(self.program, "task", MS), "task"), self.NESTED)

    def test_chunks_of_a_loop(self):
        self.check_shares(self.inside(self.record(self.program, "loop", MS), "chunk"), self.NESTED)

    def test_a_library_that_is_loaded_later(self):
        library = build("libstacks.so", "stacks.c", flags=("-DLIBRARY", "-fopenmp", "-fPIC", "-shared", "-fomit-frame-pointer"))
        auditor = LIBRARY / "libteff-audit.so"  # only it tells when a library was loaded
        env = {"STACKS_LIBRARY": str(library), "LD_AUDIT": str(auditor)}
        inside = self.inside(self.record(self.program, "library", MS, env=env), "initial")
        objects = {call["object"] for call in inside["calls"] if call["function"] == "inner"}
        self.assertEqual(objects, {"libstacks.so"})

    def two_libraries(self):
        flags = ("-DLIBRARY", "-fopenmp", "-fPIC", "-shared")
        library = build("libfirst.so", "stacks.c", flags=(*flags, "-fomit-frame-pointer"))
        other = build("libother.so", "stacks.c", flags=(*flags, "-O0", "-fno-omit-frame-pointer"))
        return {"STACKS_LIBRARY": str(library), "STACKS_OTHER_LIBRARY": str(other)}

    def test_libraries_that_take_turns_at_one_address(self):
        facts = self.record(self.program, "reload", MS, env=self.two_libraries())
        inside = self.inside(facts, "initial")
        # Their own functions have no names, as they are gone when the samples are written.
        (under,) = (call["samples"] for call in inside["calls"] if call["function"] == "in_turn")
        self.assertGreater(under, 0.8 * inside["samples"])

    def test_libraries_may_be_unloaded_while_samples_are_written(self):
        libraries = self.two_libraries()
        for stacks in ("TRUE", "FALSE"):
            env = libraries | {"TEFF_TRACE_STACKS": stacks}
            inside = self.inside(self.record(self.program, "unload", 3 * MS, env=env), "implicit")
            objects = {function["object"] for function in inside["functions"]}
            self.assertTrue({"libfirst.so", "libother.so", "ld-linux-x86-64.so.2", "stacks"} & objects)

    def test_a_recursion_is_cut_and_counts_once(self):
        inside = self.inside(self.record(self.program, "deep", MS), "initial")
        (deeper,) = (call for call in inside["calls"] if call["function"] == "deeper")
        self.assertLessEqual(deeper["samples"], inside["stacks"])
        self.assertGreater(deeper["samples"], 0.8 * inside["stacks"])

    def test_the_report_names_the_callers_of_a_serial_part(self):
        facts = self.record(self.program, "serial", MS)
        within = self.inside(facts, "initial")["within"]
        self.assertEqual((within["file"].rsplit("/")[-1], within["object"]), ("stacks.c", "stacks"))
        text = run([TEFF, "report", self.recording]).out.decode()
        self.assertIn("burn (stacks.c:", text)

    def test_speedscope_has_the_samples(self):
        self.record(self.program, "serial", MS)
        text = run([TEFF, "export", "--format", "speedscope", "-o", "-", self.recording]).out
        whole = json.loads(text)
        (sampled,) = (profile for profile in whole["profiles"] if profile["type"] == "sampled")
        names = [frame["name"] for frame in whole["shared"]["frames"]]
        self.assertEqual(len(sampled["samples"]), len(sampled["weights"]))
        self.assertEqual(sum(sampled["weights"]), sampled["endValue"])
        inner = [stack for stack in sampled["samples"] if "inner" in [names[frame] for frame in stack]]
        self.assertGreater(len(inner), 0.1 * len(sampled["samples"]))

    def test_firefox_has_the_samples(self):
        self.record(self.program, "serial", MS)
        whole = json.loads(run([TEFF, "export", "--format", "firefox", "-o", "-", self.recording]).out)
        *workers, sampled = whole["threads"]
        self.assertNotIn(sampled["tid"], [worker["tid"] for worker in workers])
        samples, shared = sampled["samples"], whole["shared"]
        self.assertEqual({len(samples[name]) for name in ("stack", "time", "weight")}, {samples["length"]})
        for i in range(samples["length"] - 1):
            self.assertAlmostEqual(samples["time"][i] + samples["weight"][i], samples["time"][i + 1], places=3)
        inner = [stack for stack in samples["stack"] if "inner" in self.names_on(stack, shared)]
        self.assertGreater(len(inner), 0.1 * samples["length"])

    def names_on(self, stack, shared):
        table, names = shared["stackTable"], []
        while stack is not None:
            names.append(shared["stringArray"][shared["funcTable"]["name"][table["frame"][stack]]])
            stack = table["prefix"][stack]
        return names

    def test_another_python_is_named(self):
        """Programs with the name of an interpreter that export what it exports: its version, which old ones lack."""
        source, state = self.place / "python.c", "void *PyGILState_GetThisThreadState(void) { return 0; }\n"
        version = "const unsigned long Py_Version = 0x030d01f0;\n"
        for name, text, said in (("python3.13", version, "CPython 3.11, and this is 3.13"), ("python3", "", "CPython 3.11 only")):
            with self.subTest(name):
                source.write_text(text + state + "int main(void) {\n#pragma omp parallel\n    ;\n}\n")
                done = run(["gcc", "-fopenmp", "-rdynamic", source, "-o", self.place / name])
                self.assertEqual(done.status, 0, done.text)
                env = {"TEFF_TRACE_SAMPLES": str(RATE), "TEFF_TRACE_STACKS": "TRUE"}
                trial = try_in(self.folder(f"with {name}"), [self.place / name], True, env=env)
                self.assertEqual(trial.status, 0, trial.err)
                self.assertIn(f"samples have no lines of Python: they are read in {said}", trial.warnings)

    def test_lines_of_python(self):
        if not pathlib.Path(PYTHON).exists():
            self.skipTest(f"no {PYTHON}")
        library = build("libbegin.so", "begin.c", flags=("-fopenmp", "-fPIC", "-shared"))
        facts = self.record(PYTHON, PROGRAMS / "stacks.py", library, 100_000)
        inside = self.inside(facts, "initial")
        own = {call["function"]: call for call in inside["calls"] if call["object"] == "python"}
        self.assertEqual({call["file"].rsplit("/")[-1] for call in own.values()} & {"stacks.py"}, {"stacks.py"})
        share = own["heavy"]["samples"] / (own["heavy"]["samples"] + own["light"]["samples"])
        self.assertAlmostEqual(share, 0.75, delta=0.03 + room(0.75, inside["stacks"]))
        lines = (PROGRAMS / "stacks.py").read_text().splitlines()
        self.assertEqual(lines[own["heavy"]["line"] - 1].strip(), "return spin(3 * steps)")
        self.assertEqual(lines[own["main"]["line"] - 1].strip(), "heavy(steps)")
        stacks = [[name.split(" ")[0] for name in stack] for stack, _ in self.folded()]
        stacks = [stack for stack in stacks if "light" in stack and "spin" in stack]
        self.assertTrue(stacks)
        for stack in stacks:
            order = [stack.index(name) for name in ("<module>", "main", "key", "light", "spin")]
            self.assertEqual(order, sorted(order))
            self.assertFalse([name for name in stack if name.startswith("_PyEval_EvalFrameDefault")])
        apart = [stack for stack in stacks if stack.index("key") > stack.index("main") + 1]
        self.assertTrue(apart, "the functions of sorted are in between")

    def test_nothing_is_recorded_of_stacks_by_default(self):
        facts = self.record(self.program, "serial", 20, env={"TEFF_TRACE_STACKS": "FALSE"})
        names = {record.name for record in records(self.recording / "stream-0000.bin")}
        self.assertFalse(names & {"STACK", "SAMPLED", "CODE"})
        self.assertNotIn("calls", self.inside(facts, "initial"))

    def test_a_program_full_of_signals_computes_the_same(self):
        for more in ({}, {"TEFF_PREEMPT": "on", "OMP_MAX_TASK_PRIORITY": "2"}, {"TEFF_CONTEXTS": "2"}):
            for _ in range(3):
                shutil.rmtree(self.place / "x", ignore_errors=True)
                self.record(self.program, "busy", 100, rate=10000, env=more)
                self.assertEqual(self.trial.out, "2000\n")

    def test_the_stack_pointer_may_point_anywhere(self):
        facts = self.record(self.program, "register", 100)
        self.assertEqual(self.trial.out, "3\n")
        self.assertGreater(self.inside(facts, "initial")["samples"], 0)

    def test_an_alternate_stack_may_be_too_small(self):
        facts = self.record(self.program, "small", 100)
        inside = self.inside(facts, "initial")
        self.assertGreater(inside["samples"], 0)
        self.assertNotIn("calls", inside)

    def test_a_program_may_set_a_handler_of_its_own(self):
        facts = self.record(self.program, "handler", 200)
        self.assertEqual(self.trial.out, "10\n")
        self.assertGreater(facts["sampling"]["samples"], 0)


class Option(GuestTest):
    def test_record_has_an_option(self):
        recording = self.place / "o.teff"
        done = run([TEFF, "record", "--sample-stacks", "-o", recording, "--", build("hot"), "task", "20"])
        self.assertEqual(done.status, 0, done.err)
        environment = json.loads((recording / "meta.json").read_text())["environment"]
        self.assertEqual(environment["TEFF_TRACE_STACKS"], "true")
        self.assertEqual(environment["TEFF_TRACE_SAMPLES"], "997")


if __name__ == "__main__":
    unittest.main()
