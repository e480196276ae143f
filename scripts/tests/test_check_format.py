# SPDX-License-Identifier: Apache-2.0

import contextlib
import os
import shutil
import unittest
from unittest import mock

import check_format
import checklib

from tests.tree import tree


@contextlib.contextmanager
def silence():
    """The formatter's complaints are wanted here, but not in the log."""
    saved = os.dup(2)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)


def check(text, fix=False):
    with tree({"runtime/src/base/x.cpp": text}) as root, silence():
        shutil.copy(checklib.ROOT / ".clang-format", root)
        good, bad, _ = check_format.check(root, fix)
        return good, bad, (root / "runtime/src/base/x.cpp").read_text()


@unittest.skipIf(shutil.which(check_format.CLANG_FORMAT) is None, f"no {check_format.CLANG_FORMAT} here")
class Format(unittest.TestCase):
    def test_laid_out_code_passes(self):
        self.assertEqual(check("int* one();\n")[:2], (["C and C++"], []))

    def test_other_code_is_found(self):
        self.assertEqual(check("int *one( );\n")[:2], ([], ["C and C++"]))

    def test_fix_lays_it_out(self):
        self.assertEqual(check("int *one( );\n", fix=True)[2], "int* one();\n")


class WithoutFormatter(unittest.TestCase):
    def test_a_language_whose_formatter_is_missing_is_skipped_by_name(self):
        files = {"runtime/src/base/x.cpp": "int* one();\n"}
        with tree(files) as root, mock.patch("shutil.which", return_value=None), mock.patch("builtins.print") as printed:
            self.assertEqual(check_format.check(root), ([], [], ["C and C++"]))
        self.assertIn(check_format.CLANG_FORMAT, printed.call_args[0][0])

    def test_one_that_a_package_of_node_brings_is_missed_where_that_is_not_installed(self):
        with tree({"viewer/package.json": "{}\n"}) as root, mock.patch("builtins.print") as printed:
            self.assertEqual(check_format.check(root), ([], [], ["TypeScript"]))
        self.assertIn(check_format.BIOME, printed.call_args[0][0])
