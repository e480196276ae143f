# SPDX-License-Identifier: Apache-2.0

import contextlib
import os
import shutil
import unittest

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
        good, bad = check_format.check(root, fix)
        return good, bad, (root / "runtime/src/base/x.cpp").read_text()


class Format(unittest.TestCase):
    def test_laid_out_code_passes(self):
        self.assertEqual(check("int* one();\n")[:2], (["C and C++"], []))

    def test_other_code_is_found(self):
        self.assertEqual(check("int *one( );\n")[:2], ([], ["C and C++"]))

    def test_fix_lays_it_out(self):
        self.assertEqual(check("int *one( );\n", fix=True)[2], "int* one();\n")
