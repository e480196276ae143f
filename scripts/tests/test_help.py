# SPDX-License-Identifier: Apache-2.0
"""Each verb of ./run explains itself with -h, and neither installs nor builds anything for that."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ["cmake", "ninja", "cargo", "npm", "apt-get", "sudo"]


def ask(*words, path):
    environment = os.environ | {"PATH": f"{path}:{os.environ['PATH']}"}
    return subprocess.run([ROOT / "run", *words], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60,
                          check=False)


class Help(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="teff-help-")
        self.addCleanup(place.cleanup)
        self.path = Path(place.name)
        self.started = self.path / "started"
        for tool in TOOLS:
            (self.path / tool).write_text(f"#!/bin/sh\necho {tool} >>'{self.started}'\n", encoding="utf-8")
            (self.path / tool).chmod(0o755)

    def verbs(self):
        usage = ask("help", path=self.path).stdout
        return sorted(set(re.findall(r"^  ([a-z]+)\b", usage, re.MULTILINE)) - {"help", "clean"})

    def test_of_each_verb(self):
        self.assertGreater(len(self.verbs()), 15)
        for words in [*([verb] for verb in self.verbs()), ["bench", "micro"], ["bench", "compare"], ["truth", "defects"]]:
            for option in ("-h", "--help"):
                with self.subTest(" ".join([*words, option])):
                    done = ask(*words, option, path=self.path)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    self.assertIn("usage" if words[0] not in done.stdout else words[0], done.stdout)
                    self.assertFalse(self.started.exists(), "it has started one of " + ", ".join(TOOLS))

    def test_clean_removes_nothing_when_it_is_asked(self):
        done = ask("clean", "-h", path=self.path)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("clean takes no arguments", done.stderr)


if __name__ == "__main__":
    unittest.main()
