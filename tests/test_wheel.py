# SPDX-License-Identifier: Apache-2.0
"""Tests the Python wheel of the present build in a fresh virtual environment, and what it states about
its parts."""

import json
import os
import platform
import sys
import unittest
import zipfile

from harness import ROOT, ProductTest, environment, folder_of_this_run, run

SCRIPT = """
import os, sys
print(sys.executable, sys.argv[1:], os.environ.get("LD_AUDIT") or os.environ["LD_PRELOAD"])
"""


class Wheel(ProductTest):
    @classmethod
    def setUpClass(cls):
        place = folder_of_this_run("wheel")
        tree, cls.venv = place / "tree", place / "venv"
        for words in (["cmake", "--install", ROOT / "build/release", "--strip", "--prefix", tree],
                      [sys.executable, ROOT / "packaging/components.py", tree]):
            done = run(words, dict(os.environ), 180)
            assert done.status == 0, done.text
        cls.doc = tree / "share/doc/teff"
        sys.path.insert(0, str(ROOT / "packaging/python"))
        import wheel  # pylint: disable=import-outside-toplevel
        os.environ["SOURCE_DATE_EPOCH"] = "1700000000"
        cls.wheel = wheel.write(tree, place, "linux_x86_64")
        (place / "again").mkdir()
        cls.again = wheel.write(tree, place / "again", "linux_x86_64")
        del os.environ["SOURCE_DATE_EPOCH"]
        done = run([sys.executable, "-m", "venv", cls.venv], limit_s=180)
        if done.status != 0:
            raise unittest.SkipTest(f"Python makes no virtual environment here: {done.text}")
        cls.pip("install", "--no-index", "--no-deps", cls.wheel)

    @classmethod
    def pip(cls, *words):
        done = run([cls.venv / "bin/pip", *words], limit_s=180)
        assert done.status == 0, done.text

    def test_gives_the_same_bytes_again(self):
        self.assertEqual(self.wheel.read_bytes(), self.again.read_bytes())
        self.assertIsNone(zipfile.ZipFile(self.wheel).testzip())

    def test_the_command_is_on_the_path(self):
        env = environment(PATH=f"{self.venv / 'bin'}:{os.environ['PATH']}")
        done = run(["teff", "run", "--", "sh", "-c", "echo $LD_LIBRARY_PATH"], env)
        self.assertEqual(done.status, 0, done.text)
        self.assertTrue(done.out.decode().startswith(f"{self.venv}/lib/teff"), done.text)

    def test_a_script_is_started_by_the_interpreter(self):
        script = self.place / "script.py"
        script.write_text(SCRIPT, encoding="utf-8")
        python = self.venv / "bin/python"
        old = [int(number) for number in platform.libc_ver()[1].split(".")[:2]] < [2, 35]
        library = "libgomp.so.1" if old else "libteff-audit.so"
        expected = f"{python} ['-o', 'x.py'] {self.venv.resolve()}/lib/teff/{library}\n"
        for words in (["script.py", "-o", "x.py"], ["--", "script.py", "-o", "x.py"], ["--", python, "script.py", "-o", "x.py"]):
            done = run([python, "-m", "teff", "run", *words], cwd=self.place)
            self.assertEqual((done.status, done.out.decode()), (0, expected), done.text)

    def test_the_module_is_the_command_for_other_verbs(self):
        done = run([self.venv / "bin/python", "-m", "teff", "--version"])
        version = (ROOT / "VERSION").read_text(encoding="utf-8").strip()
        self.assertEqual((done.status, done.out.decode()), (0, f"teff {version}\n"), done.text)

    def test_its_files_go_with_it(self):
        self.pip("uninstall", "-y", "teff")
        self.addCleanup(self.pip, "install", "--no-index", "--no-deps", self.wheel)
        left = [path for path in self.venv.rglob("*teff*") if path.is_file()]
        self.assertEqual(left, [])

    def test_the_bill_names_what_is_linked_in(self):
        bill = json.loads((self.doc / "sbom.cdx.json").read_text(encoding="utf-8"))
        names = {part["name"] for part in bill["components"]}
        self.assertLessEqual({"clap", "object", "axum", "rust-std"}, names)
        self.assertTrue(names.isdisjoint({"teff-cli", "clap_derive", "tower-test"}), "neither ours, nor macros, nor tests'")
        self.assertTrue(all(part["licenses"][0]["expression"] for part in bill["components"]))
        licences = (self.doc / "third-party-licences.txt").read_text(encoding="utf-8")
        self.assertIn("object ", licences)


if __name__ == "__main__":
    unittest.main()
