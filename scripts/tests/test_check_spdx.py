# SPDX-License-Identifier: Apache-2.0

import unittest

import check_spdx

from tests.tree import problems

LINE = check_spdx.LICENCE


class Spdx(unittest.TestCase):
    def test_files_with_the_line_pass(self):
        files = {"a.cpp": f"// {LINE}\n", "run": f"#!/bin/sh\n# {LINE}\n", "data.json": "{}"}
        self.assertEqual(problems(check_spdx.find_problems, files), [])

    def test_a_file_without_it_is_found(self):
        self.assertIn("a.rs: has no line", problems(check_spdx.find_problems, {"a.rs": "fn main() {}\n"})[0])

    def test_the_line_must_stand_at_the_top(self):
        self.assertEqual(len(problems(check_spdx.find_problems, {"a.ts": "\n" * 9 + LINE})), 1)

    def test_the_kernel_module_has_two_licences(self):
        both = check_spdx.OTHERS["labs/kernel/module"]
        files = {"labs/kernel/module/a.c": f"// {both}\n", "labs/kernel/user/a.cpp": f"// {LINE}\n"}
        self.assertEqual(problems(check_spdx.find_problems, files), [])

    def test_only_there(self):
        both = check_spdx.OTHERS["labs/kernel/module"]
        self.assertEqual(len(problems(check_spdx.find_problems, {"labs/kernel/module/a.c": f"// {LINE}\n"})), 1)
        self.assertEqual(len(problems(check_spdx.find_problems, {"runtime/a.c": f"// {both}\n"})), 1)
