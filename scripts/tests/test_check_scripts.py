# SPDX-License-Identifier: Apache-2.0

import contextlib
import io
import unittest
from unittest import mock

import check_scripts

from tests.tree import problems


def check(files):
    return problems(check_scripts.find_problems, files)


class Scripts(unittest.TestCase):
    @unittest.skipUnless(check_scripts.found_tool("shellcheck"), "shellcheck is not installed")
    def test_a_faulty_shell_script_is_found(self):
        with contextlib.redirect_stdout(io.StringIO()):
            found = check({"a.sh": "#!/bin/bash\nrm $1\n", "run": "#!/usr/bin/env bash\nrm $1\n", "text": "rm $1\n"})
        self.assertEqual([line.split(": ")[0] for line in found], ["a.sh:2", "run:2"])

    @unittest.skipUnless(check_scripts.found_tool("ruff"), "ruff is not installed")
    def test_a_faulty_python_script_is_found(self):
        with contextlib.redirect_stdout(io.StringIO()):
            found = check({"a.py": "import os\n", "b.py": "import os\nos.getpid()\n", "ruff.toml": "[lint]\nselect = [\"F\"]\n"})
        self.assertEqual([line.split(": ")[0] for line in found], ["a.py:1"])

    def test_a_tool_that_is_missing_is_named(self):
        said = io.StringIO()
        with mock.patch("shutil.which", return_value=None), contextlib.redirect_stdout(said):
            self.assertEqual(check({"a.sh": "rm $1\n", "a.py": "import os\n"}), [])
        self.assertIn("skipped: shellcheck is not installed", said.getvalue())
        self.assertIn("skipped: ruff is not installed", said.getvalue())
        with mock.patch("shutil.which", return_value=None):
            self.assertEqual(check_scripts.skipped(), ["shellcheck", "ruff"])
