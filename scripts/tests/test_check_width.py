# SPDX-License-Identifier: Apache-2.0

import unittest

import check_width

from tests.tree import problems

LONG = "word " * 25


def found(files):
    return problems(check_width.find_problems, files)


class Width(unittest.TestCase):
    def test_prose_of_100_columns_passes(self):
        line = ("// " + LONG)[:99] + "."
        self.assertEqual(len(line), 100)
        self.assertEqual(found({"a.h": f"{line}\n", "a.md": f"{line}\n"}), [])

    def test_wider_comments_and_paragraphs_are_found(self):
        files = {"a.cpp": f"    // {LONG}\n", "b.py": f"# {LONG}\n", "c.md": f"{LONG}\n", "d.rs": f"/// {LONG}\n"}
        self.assertEqual(len(found(files)), 4)

    def test_code_and_tables_and_links_may_be_wider(self):
        files = {
            "a.cpp": f"int wide = {'1 + ' * 30}1;\n",
            "b.h": f"//     name       {LONG}\n",
            "c.md": f"| {LONG} |\n\n    {LONG}\n\n```\n{LONG}\n```\n{'x' * 120}\n",
        }
        self.assertEqual(found(files), [])
