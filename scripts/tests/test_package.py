# SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import subprocess
import tempfile
import unittest

import checklib

SCRIPT = """
set -euo pipefail
source scripts/run/common.sh
source scripts/run/package.sh
"""
EPOCH = 1_700_000_000


class Tree(unittest.TestCase):
    def test_everything_in_it_bears_one_time_and_is_readable_by_all(self):
        # In place of cmake --install: files of before and after the commit, for their owner only.
        installs = """
            limited() {
                (umask 077; mkdir -p "$TREE/share"; echo text >"$TREE/share/old"; touch -d 2001-01-01 "$TREE/share/old")
                ln -sf old "$TREE/share/link"
            }
        """
        with tempfile.TemporaryDirectory() as place:
            tree = pathlib.Path(place) / "tree"
            script = SCRIPT + installs + 'package_tree "$TREE" --strip'
            env = {**os.environ, "TREE": str(tree), "SOURCE_DATE_EPOCH": str(EPOCH)}
            subprocess.run(["bash", "-c", script], cwd=checklib.ROOT, env=env, check=True, timeout=30)
            states = {path.name: path.lstat() for path in [tree, *tree.rglob("*")]}
        self.assertEqual(set(states), {"tree", "share", "old", "link"})
        self.assertEqual({int(state.st_mtime) for state in states.values()}, {EPOCH})
        self.assertEqual((states["share"].st_mode & 0o777, states["old"].st_mode & 0o777), (0o755, 0o644))
