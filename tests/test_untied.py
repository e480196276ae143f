# SPDX-License-Identifier: Apache-2.0
"""TEFF_UNTIED=migrate says once why untied tasks stay on their threads, if they do."""

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
