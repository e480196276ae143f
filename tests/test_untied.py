# SPDX-License-Identifier: Apache-2.0
"""TEFF_UNTIED=migrate: untied tasks stay on their threads in some programs, which a message says, and those of
libraries always do.
"""

from harness import ROOT, ProductTest, environment, run

SOURCE = """
#include <stdio.h>
#ifdef THREAD_LOCAL
static __thread int count;
#else
static int count;
#endif
__attribute__((noinline)) static void add(void) { count++; }
int main(void) {
    for (int round = 0; round < 3; round++) {
#pragma omp parallel
#pragma omp single
        for (int i = 0; i < 10; i++) {
#pragma omp task untied
            {
#pragma omp critical
                add();
            }
        }
    }
    printf("%s", count > 0 ? "" : "nothing");
    return 0;
}
"""

# In each round a task of the library waits for a child on a thread that waited at the barrier.
# Meanwhile its own thread starts another task, during which the first can continue.
LIBRARY = """
#include <omp.h>
#include <sched.h>

enum { ROUNDS = 20 };

static int begun, child_begun, other_begun, ended;

static void set(int* flag) { __atomic_store_n(flag, 1, __ATOMIC_RELEASE); }
static int is_set(const int* flag) { return __atomic_load_n(flag, __ATOMIC_ACQUIRE); }
static void await(const int* flag) {
    while (!is_set(flag))
        sched_yield();
}

static int waits(void) {
    const int thread = omp_get_thread_num();
    set(&begun);
#pragma omp task
    {
        set(&child_begun);
        await(&other_begun);
    }
    await(&child_begun);
#pragma omp taskwait
    set(&ended);
    return omp_get_thread_num() != thread;
}

static void other(void) {
    set(&other_begun);
    const double until = omp_get_wtime() + 0.02;
    while (!is_set(&ended) && omp_get_wtime() < until)
        sched_yield();
}

int run(void) {
    int moves = 0;
    for (int round = 0; round < ROUNDS; round++) {
        begun = child_begun = other_begun = ended = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
        {
#pragma omp task untied shared(moves)
            moves += waits();
            await(&child_begun); // this thread comes to no scheduling point
#pragma omp task
            other();
            await(&other_begun);
        }
    }
    return moves;
}
"""
MAIN = """
#include <stdio.h>
int run(void);
int main(void) { printf("%s", run() == 0 ? "stay" : "move"); }
"""


class Untied(ProductTest):
    def build(self, *flags):
        source = self.place / "untied.c"
        source.write_text(SOURCE)
        return self.compile(source, *flags)

    def text_of(self, binary, **extra):
        done = run([binary], env=environment(LD_LIBRARY_PATH=str(ROOT / "build" / "lib"), **extra))
        self.assertEqual(done.status, 0, done.text)
        return done.text

    def test_a_program_without_thread_local_variables(self):
        self.assertEqual(self.text_of(self.build(), TEFF_UNTIED="migrate"), "")

    def test_a_program_with_thread_local_variables(self):
        binary = self.build("-DTHREAD_LOCAL")
        self.assertEqual(self.text_of(binary), "")
        text = self.text_of(binary, TEFF_UNTIED="migrate")
        self.assertEqual(text.count("TEFF_UNTIED=migrate has no effect"), 1, text)
        self.assertIn("thread-local variables", text)

    def test_a_recorded_program(self):
        text = self.teff("record", "-o", self.place / "a.teff", "--", self.build(),
                         env=environment(TEFF_UNTIED="migrate")).text
        self.assertEqual(text.count("TEFF_UNTIED=migrate has no effect"), 1, text)
        self.assertIn("recorded", text)

    def test_tasks_of_libraries(self):
        main, library = self.place / "main.c", self.place / "library.c"
        main.write_text(MAIN)
        library.write_text(LIBRARY)
        shared = self.compile(library, "-shared", "-fPIC")
        both = self.compile(main, str(library))
        self.assertEqual(self.text_of(both, TEFF_UNTIED="migrate"), "move")
        apart = self.compile(main, "-Wl,--no-as-needed", str(shared))
        self.assertEqual(self.text_of(apart, TEFF_UNTIED="migrate"), "stay")
