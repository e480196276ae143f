# SPDX-License-Identifier: Apache-2.0

import unittest

import check_abi

MAP = """
/* a comment; with a semicolon */
OMP_1.0 { global: omp_a; omp_a_; local: *; };
GOMP_1.0 {
    global:
        GOMP_a; # another
        GOMP_b;
};
GOMP_2.0 { global: GOMP_c; } GOMP_1.0;
"""

NM = """\
0000000000000000 A GOMP_1.0@@GOMP_1.0
0000000000001310 T GOMP_a@@GOMP_1.0
0000000000001320 T omp_a@OMP_1.0
                 U getenv@GLIBC_2.2.5
                 U _ZNSt6vectorE@GLIBCXX_3.4
                 w __gmon_start__
"""


class Abi(unittest.TestCase):
    def test_a_version_script_is_read(self):
        self.assertEqual(check_abi.read_map(MAP), {
            "omp_a@OMP_1.0", "omp_a_@OMP_1.0", "GOMP_a@GOMP_1.0", "GOMP_b@GOMP_1.0", "GOMP_c@GOMP_2.0",
        })

    def test_symbols_are_read(self):
        exported, needed = check_abi.read_symbols(NM)
        self.assertEqual(exported, {"GOMP_a@GOMP_1.0", "omp_a@OMP_1.0"})
        self.assertEqual(needed, {"getenv@GLIBC_2.2.5", "_ZNSt6vectorE@GLIBCXX_3.4", "__gmon_start__"})

    def test_equal_lists_pass(self):
        same = {"GOMP_a@GOMP_1.0"}
        self.assertEqual(check_abi.compare(same, same, {"getenv@GLIBC_2.2.5"}, same | {"acc_init@OACC_2.0"}), [])

    def test_each_difference_is_found(self):
        complaints = check_abi.compare(
            promised={"GOMP_a@GOMP_1.0", "GOMP_b@GOMP_1.0"},
            exported={"GOMP_a@GOMP_1.0", "GOMP_c@GOMP_1.0"},
            needed={"_Znwm"},
            system={"GOMP_a@GOMP_2.0"})
        self.assertEqual(complaints, [
            "GOMP_a@GOMP_2.0: in the system's libgomp, not in libteff.so",
            "GOMP_b@GOMP_1.0: promised by exports.map, not exported by libteff.so",
            "GOMP_c@GOMP_1.0: exported by libteff.so, not promised by exports.map",
            "_Znwm: needed from libstdc++ at run time",
        ])
