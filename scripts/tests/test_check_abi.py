# SPDX-License-Identifier: Apache-2.0

import unittest

import abi_table
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


class Table(unittest.TestCase):
    def test_it_keeps_the_order_of_the_map_and_names_the_libgomp(self):
        lines = abi_table.table(MAP + "TEFF_1.0 { global: omp_own; };\nOMP_5.2 { global: omp_new; } OMP_1.0;\n")
        self.assertEqual(lines[0], "7 symbols of libgomp, and Teff's own.")
        self.assertEqual(lines[-2], "| `omp_own` | TEFF_1.0 | never: Teff's own |")
        self.assertEqual(lines[4], "| `omp_a` | OMP_1.0 | GCC 12 or before |")
        self.assertEqual(lines[-1], "| `omp_new` | OMP_5.2 | GCC 13 |")

    def test_symbols_of_libomp_are_listed_apart(self):
        lines = abi_table.table(MAP + "VERSION { global: kmp_a; __kmpc_b_*; };\n")
        self.assertEqual(lines[0], "5 symbols of libgomp, and Teff's own.")
        self.assertEqual(lines[-1], "`kmp_a`, `__kmpc_b_*`")

    def test_what_stands_above_stays(self):
        document = f"# Title\n\n{abi_table.BEGIN}\n\nold\n"
        written = abi_table.with_table(document, MAP)
        self.assertTrue(written.startswith(f"# Title\n\n{abi_table.BEGIN}\n\n5 symbols of libgomp, and Teff's own.\n"))
        self.assertNotIn("old", written)
        self.assertEqual(abi_table.with_table(written, MAP), written)
        with self.assertRaises(ValueError):
            abi_table.with_table("# Title\n", MAP)


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
        self.assertEqual(check_abi.compare(same, same, {"getenv@GLIBC_2.2.5"}, same | {"GOMP_PLUGIN_fatal@GOMP_PLUGIN_1.0"}), [])

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

    def test_a_pattern_stands_for_what_it_matches(self):
        promised, exported = {"__kmpc_b_*@VERSION"}, {"__kmpc_b_1@VERSION", "__kmpc_c_1@VERSION"}
        self.assertEqual(check_abi.compare(promised, exported, set(), set()), [
            "__kmpc_c_1@VERSION: exported by libteff.so, not promised by exports.map"])
        self.assertEqual(check_abi.compare(promised, set(), set(), set()), [
            "__kmpc_b_*@VERSION: promised by exports.map, not exported by libteff.so"])
