# SPDX-License-Identifier: Apache-2.0

import subprocess
import unittest

import check_titles

from tests.tree import tree


class Titles(unittest.TestCase):
    def test_a_title_of_72_columns_passes_and_one_more_does_not(self):
        self.assertEqual(list(check_titles.judge("a" * 72 + "\n\nBody\n")), [])
        self.assertEqual(list(check_titles.judge("a" * 73)), ["has a title of 73 columns, more than 72"])

    def test_no_title_and_no_empty_line_are_found(self):
        self.assertEqual(list(check_titles.judge("")), ["has no title"])
        self.assertEqual(list(check_titles.judge("Title\nbody\n")), ["has no empty line between title and body"])

    def test_commits_are_read(self):
        with tree({"a": ""}) as root:
            git = ["git", "-C", str(root), "-c", "user.name=n", "-c", "user.email=e@example.org"]
            subprocess.run(["git", "init", "-q", str(root)], check=True)
            for title in ("first", "b" * 80, "third"):
                subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", title], check=True)
            found = [str(problem) for problem in check_titles.find_problems(root, "HEAD~2..HEAD")]
        self.assertEqual(len(found), 1)
        self.assertIn("has a title of 80 columns", found[0])

    def test_a_tree_without_history_passes(self):
        with tree({"a": ""}) as root:
            self.assertEqual(check_titles.find_problems(root), [])
