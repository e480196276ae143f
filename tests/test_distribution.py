# SPDX-License-Identifier: Apache-2.0
"""teff.h: programs that distribute their memory build and run with Teff, with another runtime, and with none."""

from harness import LIBRARY, PROGRAMS, ROOT, ProductTest, environment, run

INCLUDE = ROOT / "build" / "include"
STRICT = ["-Wextra", "-Wpedantic", "-I", INCLUDE]
DISTRIBUTIONS = ["standard", "fine", "coarse", "blocked", "nearest"]


class Distribution(ProductTest):
    def setUp(self):
        super().setUp()
        self.program = self.compile(PROGRAMS / "distribution.c", *STRICT)

    def on_teff(self, program, **extra):
        return run([program], environment(LD_LIBRARY_PATH=str(LIBRARY), **extra))

    def assert_fine(self, done):
        self.assertEqual((done.status, done.err), (0, b""), done.text)

    def test_each_distribution(self):
        for name in DISTRIBUTIONS:
            with self.subTest(name):
                self.assert_fine(self.on_teff(self.program, OMP_DATA_DISTRIBUTION=name))

    def test_a_word_that_is_none_is_said(self):
        done = self.on_teff(self.program, OMP_DATA_DISTRIBUTION="rough")
        self.assertEqual(done.status, 0, done.text)
        self.assertIn("OMP_DATA_DISTRIBUTION", done.text)
        self.assertIn("standard, fine, coarse, blocked or nearest", done.text)

    def test_without_teff_it_is_malloc(self):
        done = run([self.program], environment())
        self.assert_fine(done)
        self.assertEqual(done.out, b"0\n")

    def test_footprints_under_each_scheduler(self):
        program = self.compile(PROGRAMS / "footprint.c", *STRICT)
        for scheduler in ["work_stealing", "central", "locality", "round_robin"]:
            with self.subTest(scheduler):
                self.assert_fine(self.on_teff(program, TEFF_SCHEDULE=scheduler, OMP_MAX_TASK_PRIORITY="2"))
        self.assert_fine(run([program], environment()))

    def test_in_each_standard_of_c(self):
        source = self.place / "plain.c"
        source.write_text("""#include <teff.h>
            int main(void) {
                void *memory = omp_malloc_specific(1 << 20, OMP_MALLOC_FINE);
                size_t bytes[1];
                if (memory == NULL || omp_malloc_bytes_per_node(memory, 1, bytes, 1) != 0) return 1;
                teff_next_task_footprint(memory, 1);
                omp_malloc_free(memory);
                return 0;
            }""")
        for standard in ["c89", "c99", "c17"]:
            with self.subTest(standard):
                binary = self.place / standard
                done = run(["gcc", "-Wall", "-Werror", *STRICT, f"-std={standard}", source, "-o", binary])
                self.assertEqual(done.status, 0, done.text)
                self.assert_fine(run([binary], environment()))

    def test_in_cxx_without_any_runtime(self):
        source = self.place / "plain.cpp"
        source.write_text("""#include "teff.h"
            int main() {
                void *memory = omp_malloc_specific(1 << 20, OMP_MALLOC_FINE);
                size_t bytes[1];
                if (memory == nullptr || omp_malloc_bytes_per_node(memory, 1, bytes, 1) != 0) return 1;
                omp_malloc_free(memory);
                return 0;
            }""")
        binary = self.place / "plain"
        done = run(["g++", "-Wall", "-Werror", *STRICT, source, "-o", binary])
        self.assertEqual(done.status, 0, done.text)
        self.assert_fine(run([binary], environment()))
        self.assert_fine(run([binary], environment(LD_PRELOAD=str(LIBRARY / "libteff.so"))))
