# SPDX-License-Identifier: Apache-2.0
"""The routines of teff.h for preemption, if preemption is off: programs build and run nevertheless."""

from harness import LIBRARY, ROOT, ProductTest, environment, run

SOURCE = """#include <teff.h>
#include <stdio.h>
#ifdef _OPENMP
#include <omp.h>
#endif
static void function(void) {}
int main(void) {
#ifdef _OPENMP
    if (omp_get_max_threads() < 1) return 1;
#endif
    printf("%d ", teff_set_preemption(0));
    printf("%d ", teff_set_preemption(1));
    printf("%d", teff_exempt_from_preemption(function));
    teff_hold_preemption();
    teff_release_preemption();
    teff_release_preemption();
    return 0;
}
"""


class PreemptionRoutines(ProductTest):
    def setUp(self):
        super().setUp()
        self.source = self.place / "routines.c"
        self.source.write_text(SOURCE)

    def build(self, *flags):
        binary = self.place / "routines"
        command = ["gcc", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", ROOT / "build" / "include", *flags]
        done = run([*command, self.source, "-o", binary])
        self.assertEqual(done.status, 0, done.text)
        return binary

    def output_of(self, binary, **extra):
        done = run([binary], environment(**extra))
        self.assertEqual((done.status, done.err), (0, b""), done.text)
        return done.out.decode()

    def test_do_nothing_without_teff(self):
        for standard in ["c89", "c17"]:
            with self.subTest(standard):
                self.assertEqual(self.output_of(self.build(f"-std={standard}")), "-1 -1 -1")
        self.assertEqual(self.output_of(self.build("-fopenmp")), "-1 -1 -1")  # on libgomp

    def test_do_nothing_while_preemption_is_off(self):
        library = str(LIBRARY)
        self.assertEqual(self.output_of(self.build("-fopenmp"), LD_LIBRARY_PATH=library), "-1 -1 -1")

    def test_answer_while_preemption_is_on(self):
        settings = {"TEFF_PREEMPT": "on", "OMP_MAX_TASK_PRIORITY": "3"}
        self.assertEqual(self.output_of(self.build("-fopenmp"), LD_LIBRARY_PATH=str(LIBRARY), **settings), "1 0 0")
