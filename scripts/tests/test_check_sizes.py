# SPDX-License-Identifier: Apache-2.0

import unittest

import check_sizes

from tests.tree import problems


class Sizes(unittest.TestCase):
    def test_the_limit_itself_passes(self):
        self.assertEqual(problems(check_sizes.find_problems, {"a.cpp": "x\n" * check_sizes.LIMIT}), [])

    def test_a_longer_file_is_found(self):
        files = {"a.cpp": "x\n" * (check_sizes.LIMIT + 1), "a.json": "x\n" * 5000}
        self.assertEqual(problems(check_sizes.find_problems, files), ["a.cpp: has 801 lines, more than 800: split it"])
