# SPDX-License-Identifier: Apache-2.0
"""Programs that Clang compiled run on the library as libomp.so.5, beside code of GCC, and can be
recorded."""

import json
import re
import shutil

from harness import LIBRARY, PROGRAMS, ProductTest, environment, run
from records import numbers, records

LLVM = LIBRARY / "llvm"

TASKS = """
#include <stdio.h>
static long sum;
static void add(int i) {
    for (volatile int k = 0; k < 20000; k++) {}
#pragma omp atomic
    sum += i;
}
int main(void) {
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 50; i++)
#pragma omp task
        add(i);
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < 50; i++)
        add(i);
    printf("%ld\\n", sum);
    return 0;
}
"""

# The barrier is the function's last call, which Clang makes a jump: it returns into the runtime.
LAST = """
static void spin(int times) { for (volatile int k = 0; k < times; k++) {} }
int omp_get_thread_num(void);
__attribute__((noinline)) static void step(void) {
    spin(1000000 * (1 + omp_get_thread_num()));
#pragma omp barrier
}
int main(void) {
#pragma omp parallel num_threads(2)
    step();
    return 0;
}
"""

# A task's code as Flang makes it: its last call is the wait, so Clang makes that call a jump.
LAST_WAIT = """
typedef struct { int reserved, flags, more, length; const char* text; } Ident;
static Ident here = {0, 2, 0, 0, ";;;0;0;;"};
int __kmpc_global_thread_num(Ident*);
void* __kmpc_omp_task_alloc(Ident*, int, int, unsigned long, unsigned long, int (*)(int, void*));
int __kmpc_omp_task(Ident*, int, void*);
int __kmpc_omp_taskwait(Ident*, int);
static int begun;
static void meet(void) {
    __atomic_fetch_add(&begun, 1, __ATOMIC_RELAXED);
    while (__atomic_load_n(&begun, __ATOMIC_RELAXED) < 2) {}
}
__attribute__((noinline)) static void create_two(void) {
    for (int i = 0; i < 2; i++)
#pragma omp task
        meet();
}
static int waiter(int thread, void* task) {
    create_two();
    return __kmpc_omp_taskwait(&here, thread);
}
int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single nowait
    {
        const int thread = __kmpc_global_thread_num(&here);
        __kmpc_omp_task(&here, thread, __kmpc_omp_task_alloc(&here, thread, 1, 40, 0, waiter));
    }
    return 0;
}
"""

# Of each thread, two loops and two sections.
STATIC_LOOPS = """
static void spin(void) { for (volatile int k = 0; k < 2000000; k++) {} }
int main(void) {
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (int i = 0; i < 48; i++)
            spin();
#pragma omp for schedule(static, 1) nowait
        for (long i = 47; i >= 0; i--)
            spin();
#pragma omp sections
        {
            spin();
#pragma omp section
            spin();
        }
    }
    return 0;
}
"""

# Each iteration waits for the one before it, which the other thread runs.
DOACROSS = """
int main(void) {
#pragma omp parallel for ordered(1) schedule(static, 1) num_threads(2)
    for (int i = 0; i < 20; i++) {
#pragma omp ordered depend(sink : i - 1)
        for (volatile int k = 0; k < 200000; k++) {}
#pragma omp ordered depend(source)
    }
    return 0;
}
"""

SCHEDULE = """
#include <omp.h>
#include <stdio.h>
int main(void) {
    omp_sched_t kind;
    int chunk;
    omp_get_schedule(&kind, &chunk);
    printf("%x,%d", (unsigned)kind, chunk);
    return 0;
}
"""


class Clang(ProductTest):
    def setUp(self):
        super().setUp()
        if not shutil.which("clang-19"):
            self.skipTest("no clang-19")

    def build(self, source, *words):
        program = self.place / source.stem
        done = run(["clang-19", "-fopenmp=libomp", "-O2", "-g", source, "-o", program, *words])
        self.assertEqual(done.status, 0, done.text)
        return program

    def environment(self):
        return environment(LD_LIBRARY_PATH=f"{LLVM}:{LIBRARY}:{self.place}")

    def test_it_runs_and_is_recorded_without_a_library_path(self):
        source = self.place / "tasks.c"
        source.write_text(TASKS)
        program = self.build(source)
        self.assertEqual(self.teff("run", "--", program).out, b"2450\n")
        recording = self.place / "r.teff"
        self.teff("record", "-o", recording, "--", program)
        self.assertEqual(json.loads(self.teff("report", "--json", recording).out)["grains"]["tasks"], 50)

    def test_threadprivate_data_and_routines(self):
        program = self.build(PROGRAMS / "clang_threads.c", "-fnoopenmp-use-tls")
        done = run([program], self.environment())
        self.assertEqual((done.status, done.text), (0, "ok\n"))

    def test_threadprivate_data_in_a_forked_child(self):
        done = run([self.build(PROGRAMS / "threadprivate_fork.c")], self.environment())
        self.assertEqual((done.status, done.text), (0, "ok\n"))

    def test_a_preempted_task_keeps_the_clauses_that_it_has_passed(self):
        program = self.build(PROGRAMS / "clang_preempted.c")
        done = run([program], self.environment() | {"OMP_MAX_TASK_PRIORITY": "5", "TEFF_PREEMPT": "on"})
        self.assertEqual((done.status, done.text), (0, "ok\n"))

    def test_a_task_with_threadprivate_data_is_not_preempted(self):
        program = self.build(PROGRAMS / "clang_preempted.c", "-DTHREADPRIVATE", "-fnoopenmp-use-tls")
        done = run([program], self.environment() | {"OMP_MAX_TASK_PRIORITY": "5", "TEFF_PREEMPT": "on"})
        self.assertEqual((done.status, done.out), (0, b"ok\n"), done.text)
        self.assertIn(b"reaches a thread-local variable", done.err)

    def test_constructs_at_the_edge_of_the_interface(self):
        program = self.build(PROGRAMS / "clang_edges.c", "-fopenmp-version=51", "-O1")
        for threads in 1, 2, 8:
            done = run([program], self.environment() | {"OMP_NUM_THREADS": str(threads)})
            self.assertEqual((done.status, done.text), (0, "ok\n"), threads)

    def test_code_of_gcc_and_of_clang_share_one_team(self):
        library = self.place / "libofgcc.so"
        done = run(["gcc", "-fopenmp", "-O2", "-shared", "-fPIC", PROGRAMS / "gcc_library.c", "-o", library])
        self.assertEqual(done.status, 0, done.text)
        program = self.build(PROGRAMS / "clang_threads.c", "-DLIBRARY", "-L", self.place, "-lofgcc")
        done = run([program], self.environment())
        self.assertEqual((done.status, done.text), (0, "ok\n"))
        done = run([program], self.environment() | {"LD_DEBUG": "files"})
        self.assertNotIn("/usr/lib/llvm", done.err.decode())

    def test_a_recording_has_its_tasks_and_chunks(self):
        source = self.place / "tasks.c"
        source.write_text(TASKS)
        program = self.build(source)
        recording = self.place / "tasks.teff"
        done = run([program], self.environment() | {"TEFF_TRACE": str(recording)})
        self.assertEqual((done.status, done.out), (0, b"2450\n"), done.text)
        report = json.loads(self.teff("report", "--json", recording).out)
        counts = {site["kind"]: site["count"] for site in report["sites"]}
        self.assertEqual((counts["task"], counts["chunk"]), (50, 50))
        lines = {site["kind"]: site["line"] for site in report["sites"]}
        self.assertEqual(TASKS.split("\n")[lines["task"] - 1].strip()[:16], "#pragma omp task")

    def record_static_loops(self, threads):
        source = self.place / "loops.c"
        source.write_text(STATIC_LOOPS)
        return self.record(self.build(source), env=environment(threads), name=f"{threads}.teff")

    def test_a_recording_says_where_static_loops_begin_and_end(self):
        flags = numbers("TEFF_TEAM_SIZE_")
        expected = [(flags["LOOP"], 48), (flags["LOOP_END"], 0)] * 2 + [(flags["LOOP"], 2), (flags["LOOP_END"], 0)]
        streams = list(self.record_static_loops(2).glob("stream-*.bin"))
        self.assertEqual(len(streams), 2)
        for stream in streams:
            marks = [record for record in records(stream) if record.name == "TEAM_SIZE"]
            self.assertEqual([(mark.flags, mark.words[1]) for mark in marks], expected)

    def test_predictions_divide_static_loops_anew(self):
        for recorded in 1, 2:
            recording = self.record_static_loops(recorded)
            said = json.loads(self.teff("predict", "--json", "--threads", "1,2,4,64", recording).out)
            one, *others = (point["in_parallel_ns"] for point in said["points"])
            # In parts of 98: 24 + 24 + 1, 12 + 12 + 1 and, with a thread for each iteration, 1 + 1:
            # there is no barrier between the second loop and the sections.
            for time, (parts, most) in zip(others, ((49, 60), (25, 31), (2, 6)), strict=True):
                self.assertGreater(time / one * 98, 0.9 * parts, recorded)
                self.assertLess(time / one * 98, most, recorded)

    def test_a_barrier_at_the_end_of_a_region_is_in_the_program(self):
        source = self.place / "last.c"
        source.write_text(LAST)
        recording = self.place / "last.teff"
        self.teff("record", "-o", recording, "--", self.build(source))
        phases = json.loads(self.teff("report", "--json", recording).out)["phases"]
        ends = {(phase["ends_at"], phase["until"]["file"].rsplit("/", 1)[-1]) for phase in phases}
        self.assertIn(("barrier", "last.c"), ends)
        self.assertEqual({file for _, file in ends}, {"last.c"})

    def test_a_wait_at_the_end_of_a_task_is_in_the_program(self):
        source = self.place / "last_wait.c"
        source.write_text(LAST_WAIT)
        recording, profile = self.place / "last_wait.teff", self.place / "profile.json"
        self.teff("record", "-o", recording, "--", self.build(source))
        self.teff("export", "--format", "firefox", "-o", profile, recording)
        (wait,) = set(re.findall(r'"taskwait ([^"]*)"', profile.read_text()))
        line = LAST_WAIT.split("\n").index("static int waiter(int thread, void* task) {") + 1
        self.assertTrue(wait.endswith(f"last_wait.c:{line}"), wait)

    def test_an_iteration_follows_the_one_that_it_waited_for(self):
        source = self.place / "doacross.c"
        source.write_text(DOACROSS)
        recording = self.place / "doacross.teff"
        self.teff("record", "-o", recording, "--", self.build(source))
        points = [record for path in recording.glob("stream-*.bin") for record in records(path) if record.name == "DOACROSS"]
        kinds = numbers("TEFF_DOACROSS_")
        iterations = {name: sorted(point.words[2] for point in points if point.flags == flag) for name, flag in kinds.items()}
        self.assertEqual(iterations, {"SOURCE": list(range(20)), "SINK": list(range(19))})
        report = json.loads(self.teff("report", "--json", recording).out)
        self.assertGreater(report["span_ns"], 0.9 * report["work_ns"])

    def test_a_schedule_of_the_environment_has_the_modifier_that_was_named(self):
        source = self.place / "schedule.c"
        source.write_text(SCHEDULE)
        program = self.build(source)
        for words, expected in [("static,4", "1,4"), ("monotonic:static,4", "80000001,4"), ("nonmonotonic:static,4", "1,4"),
                                ("dynamic", "2,1"), ("monotonic:guided,3", "80000003,3")]:
            with self.subTest(words):
                self.assertEqual(run([program], self.environment() | {"OMP_SCHEDULE": words}).out.decode(), expected)

    def test_each_nth_region_of_each_construct_is_recorded(self):
        program = self.build(PROGRAMS / "every.c", "-pthread")
        recording = self.place / "every.teff"
        self.teff("record", "--every", "10", "-o", recording, "--", program, "57", "10")
        report = json.loads(self.teff("report", "--json", recording).out)
        self.assertEqual((report["every"]["recorded"], report["grains"]["chunks"], report["grains"]["tasks"]), (10, 40, 25))


del ProductTest
