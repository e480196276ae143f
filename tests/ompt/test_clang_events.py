# SPDX-License-Identifier: Apache-2.0
"""Programs that Clang compiled: their events follow the specification, and are as many as the
program's first comment says. Their frames divide each stack into the program's and the runtime's.

The programs of clang/ have constructs that GCC compiles into the program's own code. Those of
programs/ are the same as for GCC.
"""

import shutil
import unittest

from checker import Checker
from events import Counts
from harness import LIBRARY, environment, run
from ompt_harness import HERE, PROGRAMS, TOOL_FLAGS, OmptTest, Run, tool
from program import Program
from test_sampling import SOURCES, sampler

LLVM = LIBRARY / "llvm"
THREADS = (1, 2, 4)

# Their comments count what GCC makes of them: other barriers, loops without iterations, atomic
# operations by locks, targets that Clang runs in the program's own code.
COUNTED_FOR_GCC = {"barriers", "combined", "loops", "mutexes", "target"}
FLAGS = {"mutexes": ["-latomic"]}


@unittest.skipUnless(shutil.which("clang-19"), "no clang-19")
class ClangTest(OmptTest):
    def build(self, source, *words):
        compiler = "clang++-19" if source.suffix == ".cpp" else "clang-19"
        program = self.place / source.stem
        done = run([compiler, "-fopenmp=libomp", "-O1", "-g", source, "-o", program, *words])
        self.assertEqual(done.status, 0, done.text)
        return program

    def observed(self, program, threads, **extra):
        """Runs a program with the tool that writes its events, or with the tool that it contains."""
        log = self.place / "events.log"
        log.unlink(missing_ok=True)
        env = environment(threads, OMPT_LOG=str(log), LD_LIBRARY_PATH=f"{LLVM}:{LIBRARY}", **extra)
        done = run([program], env, 60, cwd=self.place)
        self.assertEqual(done.status, 0, done.text)
        return Run(done, log.read_text() if log.exists() else "")

    def events_of(self, program, threads, **extra):
        return self.observed(program, threads, OMP_TOOL_LIBRARIES=str(tool()), **extra).events

    def check(self, source):
        program = Program(source)
        binary = self.build(source, *program.flags, *FLAGS.get(source.stem, []))
        for threads in THREADS:
            with self.subTest(threads=threads):
                events = self.events_of(binary, threads, **program.env)
                self.assertEqual(Checker(events).complaints, [])
                if source.stem in COUNTED_FOR_GCC:
                    continue
                counts = Counts(events)
                for pattern, expected in program.expected(threads):
                    self.assertEqual(counts.matching(pattern), expected, pattern)


class Frames(ClangTest):
    def test_a_sampling_tool_gets_right_answers(self):
        library = sampler()
        binary = self.build(SOURCES / "sampled.c", *TOOL_FLAGS, "-Wl,--no-as-needed", library, f"-Wl,-rpath,{library.parent}")
        for threads in THREADS:
            with self.subTest(threads=threads):
                self.assertEqual(self.observed(binary, threads, OMP_MAX_ACTIVE_LEVELS="2").text, "")

    def test_frames_divide_the_stack_into_the_program_and_the_runtime(self):
        binary = self.build(SOURCES / "unwound.c", *TOOL_FLAGS, "-rdynamic")
        for threads in THREADS:
            with self.subTest(threads=threads):
                self.assertEqual(self.observed(binary, threads, OMP_MAX_ACTIVE_LEVELS="2").text, "")


class Details(ClangTest):
    def test_a_region_that_the_program_calls_has_an_exit_frame_until_its_end(self):
        source = self.place / "serial.c"
        source.write_text("int main(int argc, char** argv) {\n#pragma omp parallel if (argc > 9)\n    {\n"
                          "#pragma omp flush\n    }\n    return argv == 0;\n}\n")
        events = {event.name: event for event in self.events_of(self.build(source), 2)}
        self.assertTrue(events["parallel_begin.team"]["flags"].startswith("invoker_program"))
        _, _, _, _, exit_frame, _ = events["flush"].tasks()[0]
        self.assertNotEqual(exit_frame, "0")
        _, _, _, _, exit_frame, _ = events["sync.barrier_implicit_parallel.begin"].tasks()[0]
        self.assertEqual(exit_frame, "0")

    def test_out_of_all_memory(self):
        source = self.place / "all.c"
        source.write_text("int main(void) {\n#pragma omp parallel\n#pragma omp single\n    {\n"
                          "#pragma omp task depend(out : omp_all_memory)\n        ;\n    }\n    return 0;\n}\n")
        events = self.events_of(self.build(source, "-fopenmp-version=51"), 2)
        self.assertEqual([event["list"] for event in events if event.name == "dependences"], ["out_all:0"])

    def test_a_single_ends_where_its_body_ends(self):
        source = self.place / "single.c"
        source.write_text("int main(void) {\n#pragma omp parallel\n    {\n#pragma omp single nowait\n"
                          "        {\n#pragma omp flush\n        }\n#pragma omp flush\n    }\n    return 0;\n}\n")
        events = self.events_of(self.build(source), 1)
        names = [event.name for event in events if event.name == "flush" or event.name.startswith("work.")]
        self.assertEqual(names, ["work.single_executor.begin", "flush", "work.single_executor.end", "flush"])


class ClangEvents(ClangTest):
    """Has a test for each program."""


def add_tests():
    for source in [*PROGRAMS.iterdir(), *(HERE / "clang").iterdir()]:
        if source.suffix in (".c", ".cpp"):
            def check(self, source=source):
                self.check(source)
            setattr(ClangEvents, f"test_{source.parent.name}_{source.stem}", check)


add_tests()
