# SPDX-License-Identifier: Apache-2.0

import unittest

import check_includes

from tests.tree import problems


def check(files):
    return problems(check_includes.find_problems, {f"runtime/src/{path}": text for path, text in files.items()})


class Includes(unittest.TestCase):
    def test_down_and_sideways_are_allowed(self):
        self.assertEqual(check({
            "task/task.h": '#include "base/list.h"\n#include "dependence.h"\n#include <stdint.h>\n',
            "task/dependence.h": "",
            "base/list.h": "",
        }), [])

    def test_up_is_refused(self):
        found = check({"base/list.h": '\n#include "task/task.h"\n', "task/task.h": ""})
        self.assertEqual(len(found), 1)
        self.assertIn("runtime/src/base/list.h:2: base/ lies below task/", found[0])

    def test_a_path_cannot_hide_the_folder(self):
        found = check({"base/list.h": '#include "../task/task.h"\n', "task/task.h": ""})
        self.assertIn("base/ lies below task/", found[0])

    def test_an_exception_shuts_the_way_back(self):
        upward, downward = next(iter(check_includes.EXCEPTIONS))
        self.assertIsNone(check_includes.judge(upward, downward))
        self.assertIn("by way of exception", check_includes.judge(downward, upward))

    def test_a_missing_file_is_found(self):
        self.assertIn("does not exist", check({"base/list.cpp": '#include "base/nothing.h"\n'})[0])

    def test_a_folder_outside_the_list_is_refused(self):
        self.assertIn("is in no layer", check({"utils/all.h": ""})[0])

    def test_only_tests_may_use_the_explorer(self):
        files = {"../explore/explore.h": "", "sync/a_test.cpp": '#include "explore/explore.h"\n'}
        self.assertEqual(check(files), [])
        files = {"../explore/explore.h": "", "sync/a.cpp": '#include "explore/explore.h"\n'}
        self.assertIn("does not exist", check(files)[0])

    def test_tests_may_use_any_folder(self):
        self.assertEqual(check({"base/list_test.cpp": '#include "task/task.h"\n', "task/task.h": ""}), [])
