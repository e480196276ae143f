# SPDX-License-Identifier: Apache-2.0

import importlib.util
import os
import pathlib
import re
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


def wheels_command():
    path = checklib.ROOT / "packaging/python/teff/__main__.py"
    spec = importlib.util.spec_from_file_location("wheels_command", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Wheel(unittest.TestCase):
    def setUp(self):
        self.command = wheels_command()
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.script = str(pathlib.Path(place.name) / "a script.py")
        pathlib.Path(self.script).write_text("", encoding="utf-8")

    def test_an_interpreter_is_put_before_a_script_alone(self):
        script = self.script
        cases = [
            ([script, "1"], ["--", "PYTHON", script, "1"]),
            (["--", script], ["--", "PYTHON", script]),
            (["-o", script, "--keep-going", "--threads=1", script], ["-o", script, "--keep-going", "--threads=1", "--", "PYTHON", script]),
            (["-o", "x", "python", "-u", script], None),
            (["./program", script], None),
            (["--", "./program", "--", script], None),
            (["absent.py"], None),
            (["-o"], None),
            ([], None),
        ]
        for words, expected in cases:
            with self.subTest(words):
                self.assertEqual(self.command.started_by("PYTHON", words), words if expected is None else expected)

    def test_the_options_with_values_are_those_of_the_verbs(self):
        text = (checklib.ROOT / "tools/crates/launch/src/args.rs").read_text(encoding="utf-8")
        options = re.findall(r"#\[arg\(((?:[^\[\]]|\[[^\]]*\])*)\)\]\s*pub (\w+): (\S+),", text)
        named = {f"--{name.replace('_', '-')}" for attributes, name, kind in options
                 if "long" in attributes and kind != "bool" and "require_equals" not in attributes}
        short = {f"-{name[0]}" for attributes, name, kind in options if "short" in attributes and kind != "bool"}
        self.assertEqual(self.command.WITH_VALUE, named | short)

    def test_the_runtime_is_preloaded_unless_its_path_has_separators(self):
        self.assertEqual(self.command.preloaded("/v/bin/teff", {}), ["/v/lib/teff/libgomp.so.1"])
        self.assertEqual(self.command.preloaded("/v e/bin/teff", {}), [])
        folder = os.path.dirname(self.script)
        self.assertEqual(self.command.preloaded("/v e/bin/teff", {"TEFF_LIB": folder}), [f"{folder}/libgomp.so.1"])
