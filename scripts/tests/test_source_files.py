# SPDX-License-Identifier: Apache-2.0

import subprocess
import unittest
from unittest import mock

import checklib

from tests.tree import tree

FILES = {
    ".gitignore": "# what is built\n/build/\n/tools/target/\nnode_modules/\n*.teff/\n",
    "a.c": "",
    "build/a.o": "",
    "runtime/build/kept.c": "",
    "tests/target/kept.c": "",
    "tools/target/a.rlib": "",
    "tools/run.teff/meta.json": "",
    "viewer/.gitignore": "/data.json\n",
    "viewer/data.json": "",
    "viewer/node_modules/a.js": "",
    "viewer/src/data.json": "",
}
SOURCES = [
    ".gitignore", "a.c", "runtime/build/kept.c", "tests/target/kept.c", "viewer/.gitignore", "viewer/src/data.json",
]


def found(root):
    return [str(path) for path in checklib.source_files(root)]


class SourceFiles(unittest.TestCase):
    def test_a_tarball_has_all_files_that_are_not_ignored(self):
        with tree(FILES) as root:
            self.assertEqual(found(root), SOURCES)

    def test_a_repository_without_git_has_the_same(self):
        with tree(FILES | {".git/config": ""}) as root, mock.patch("shutil.which", return_value=None):
            self.assertEqual(found(root), SOURCES)

    def test_so_has_one_that_git_cannot_read(self):
        with tree(FILES | {".git": "gitdir: /nowhere\n"}) as root, mock.patch("sys.stderr"):
            self.assertEqual(found(root), SOURCES)

    @unittest.skipIf(checklib.listed_by_git(checklib.ROOT) is None, "needs git, and the project as its repository")
    def test_git_and_the_ignored_patterns_agree_on_this_project(self):
        root = checklib.ROOT
        listed = {path for path in checklib.listed_by_git(root) if (root / path).is_file()}
        self.assertEqual(listed, set(checklib.walk(root)))

    def test_git_lists_new_files_too(self):
        with tree(FILES) as root, mock.patch("shutil.which", return_value="git"):
            try:
                subprocess.run(["git", "-C", str(root), "init", "-q"], check=True, timeout=30)
            except FileNotFoundError:
                self.skipTest("there is no git")
            self.assertEqual(found(root), SOURCES)


if __name__ == "__main__":
    unittest.main()
