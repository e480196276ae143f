# SPDX-License-Identifier: Apache-2.0
"""What Intel's compilers call, and no other compiler of the tests does. (There is no such compiler
among the packages of Debian, so the programs here call the functions.)"""

import platform
import re
import unittest

import intel_atomics
from harness import LIBRARY, PROGRAMS, ProductTest, environment, run

BY_SIZE = {"1", "2", "4", "8", "10", "16", "20", "32"}
OTHER_NAMES = {"start", "end"} | BY_SIZE
CAS = re.compile(r"(bool|val)_[1248]_cas(_cpt)?")


def exported():
    done = run(["nm", "-D", "--defined-only", LIBRARY / "libgomp.so.1"])
    return sorted(re.findall(r" T __kmpc_atomic_(\w+)@", done.text))


def build(source, program):
    """With GCC, whose regions and tasks meet the functions in one program."""
    return run(["gcc", "-fopenmp", "-O1", "-w", source, "-o", program, LIBRARY / "libgomp.so.1"])


@unittest.skipUnless(platform.machine() == "x86_64", "Intel's compilers are for x86-64")
class Atomics(ProductTest):
    def test_each_operation_does_what_its_name_says(self):
        source = self.place / "atomics.c"
        text, left = intel_atomics.program(exported())
        source.write_text(text)
        self.assertEqual({name for name in left if not CAS.fullmatch(name)}, OTHER_NAMES)
        self.assertEqual(len(exported()), 506)
        program = self.place / "atomics"
        done = build(source, program)
        self.assertEqual(done.status, 0, done.text)
        done = run([program], environment(LD_LIBRARY_PATH=str(LIBRARY)))
        self.assertEqual((done.status, done.text), (0, "ok\n"))


class Calls(ProductTest):
    def test_functions_that_only_programs_of_other_compilers_call(self):
        program = self.place / "calls"
        done = build(PROGRAMS / "kmpc_calls.c", program)
        self.assertEqual(done.status, 0, done.text)
        done = run([program], environment(LD_LIBRARY_PATH=str(LIBRARY)))
        self.assertEqual((done.status, done.text), (0, "ok\n"))


del ProductTest
