# SPDX-License-Identifier: Apache-2.0
"""Tests devices over the standard binary interface of MPI, and over the interface of new versions of
MPICH, with those of the Python package index."""

from harness import ROOT, TEFF, ProductTest, environment, run

SOURCES = ROOT / "tests" / "devices"
LIBRARIES = [ROOT / "build" / path for path in ("mpich-4.3/lib/libmpi.so.12", "mpich-5.0/lib/libmpi.so.12",
                                               "mpich-5.0/lib/libmpi_abi.so.1")]

AT_EXIT = """
#include <cstdio>
#include <cstdlib>
#include <omp.h>
static void at_exit() {
    int where = 1;
#pragma omp target map(from : where)
    where = omp_is_initial_device();
    std::printf(where == 0 ? "on a device\\n" : "on the host\\n");
    std::fflush(stdout);
}
int main() {
    std::atexit(at_exit);
#pragma omp target nowait
    ;
    return 3;
}
"""


class NewMpich(ProductTest):
    """Each test runs with all libraries."""

    def setUp(self):
        super().setUp()
        if not all(library.exists() for library in LIBRARIES):
            self.skipTest("there is no MPICH in build/mpich-*: ./run test product installs it from the Python package index")

    def ranks(self, library, program, *words):
        return run([library.parent.parent / "bin" / "mpiexec", "-n", 3, TEFF, "run", "--", program, *words],
                   environment(TEFF_MPI=str(library)), cwd=self.place)

    def test_programs(self):
        for source in ("maps.c", "kinds.cpp", "lists.c"):
            program = self.compile(SOURCES / source)
            for library in LIBRARIES:
                done = self.ranks(library, program)
                self.assertEqual((done.status, done.text), (0, "2 devices, ok\n"), library)

    def test_deferred_constructs(self):
        program = self.compile(SOURCES / "deferred.c")
        for library in LIBRARIES:
            file = self.place / "file"
            done = self.ranks(library, program, file)
            self.assertEqual((done.status, done.text), (0, "2 devices, ok\n"), library)
            file.unlink()

    def test_exit_handlers_of_the_program_use_devices(self):
        source = self.place / "at_exit.cpp"
        source.write_text(AT_EXIT)
        program = self.compile(source)
        for library in LIBRARIES:
            done = self.ranks(library, program)
            self.assertEqual((done.status, done.text), (3, "on a device\n"), library)


class OtherInterfaces(ProductTest):
    """Libraries that call themselves standard. No launcher is needed: MPI is not begun."""

    def refusal(self, source):
        file, library = self.place / "library.c", self.place / "liblibrary.so"
        file.write_text(source)
        done = run(["gcc", "-shared", "-fPIC", "-Wl,-soname,libmpi_abi.so.2", file, "-o", library])
        self.assertEqual(done.status, 0, done.text)
        done = self.teff("run", "--", self.compile(SOURCES / "settings.c"), status=None,
                         env=environment(TEFF_MPI=str(library), PMI_RANK="0", PMI_SIZE="2"))
        self.assertNotEqual(done.status, 0, done.text)
        return done.text

    def test_another_version(self):
        text = self.refusal("int MPI_Abi_get_version(int* a, int* b) { *a = 2, *b = 7; return 0; }")
        self.assertIn("rank 0 cannot load the MPI library: it has version 2.7 of the standard binary interface of MPI, and "
                      "Teff knows 1", text)

    def test_no_version(self):
        self.assertIn("it does not say which version of the standard binary interface", self.refusal("int other;"))

    def test_missing_functions(self):
        self.assertIn("it lacks a function of MPI",
                      self.refusal("int MPI_Abi_get_version(int* a, int* b) { *a = 1, *b = 0; return 0; }"))
