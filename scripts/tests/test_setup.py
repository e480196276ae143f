# SPDX-License-Identifier: Apache-2.0
"""Tests what ./run prints if it cannot install some or all packages: without apt, without the
permission, or after a failure."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

import checklib

SHELL = ["bash", "env", "timeout", "tr", "grep", "head", "sort", "nproc", "dirname", "awk", "id", "ln"]
SCRIPT = "set -euo pipefail; source scripts/run/common.sh; source scripts/run/setup.sh; "
# rm does nothing, so that the real build folders stay unchanged.
FAILED_INSTALLATION = (
    "can_install() { true; }; apt-get() { :; }; rm() { :; }; install_packages() { %s; return 1; }; "
    "need build; echo there"
)


class Setup(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.prefix = pathlib.Path(folder.name)
        self.bin = self.prefix / "bin"
        self.bin.mkdir()
        for name in SHELL:
            (self.bin / name).symlink_to(shutil.which(name))

    def command(self, name, says):
        path = self.bin / name
        path.write_text(f"#!{self.bin}/bash\necho '{says}'\n")
        path.chmod(0o755)

    def run_script(self, script, **env):
        return subprocess.run(
            ["bash", "-c", SCRIPT + script], cwd=checklib.ROOT, env={"PATH": str(self.bin), "HOME": "/nowhere", **env},
            capture_output=True, text=True, timeout=30, check=False)

    def all_there(self):
        for name, says in {
            "g++": "g++ (Anyone 13.1.0-2) 13.1.0", "ld": "", "cmake": "cmake version 3.30.1", "ninja": "1.11.1",
            "node": "v20.1.0", "npm": "9.2.0", "cargo": "cargo 1.85.0 (d73d2caf9)",
            "rustc": "rustc 1.85.0 (4d91de4e4)",
        }.items():
            self.command(name, says)

    def test_nothing_is_asked_for_where_all_is_there(self):
        self.all_there()
        done = self.run_script("need build; echo there")
        self.assertEqual((done.returncode, done.stdout), (0, "there\n"), done.stderr)

    def test_what_is_missing_or_too_old_is_named_with_its_version(self):
        self.all_there()
        self.command("cmake", "cmake version 3.18.4")
        self.command("g++", "g++ (GCC) 8.5.0 20210514 (Red Hat 8.5.0-28)")
        (self.bin / "node").unlink()
        (self.bin / "ld").unlink()
        done = self.run_script("need build; echo there")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("no apt-get", done.stderr)
        for line in (
            f"cmake 3.25 or later (found 3.18.4, {self.bin}/cmake)", f"g++ 12 or later (found 8.5.0, {self.bin}/g++)",
            "node 18 or later (not found)", "  ld  ",
        ):
            self.assertIn(line, done.stderr)
        for fine in ("ninja", "cargo", "npm"):
            self.assertNotIn(f"  {fine} ", done.stderr)

    def test_packages_are_not_begun_without_what_lays_them_out(self):
        self.all_there()
        done = self.run_script("source scripts/run/package.sh; verb_package tarball")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("python3 3.10 or later (not found)", done.stderr)

    def test_a_user_without_root_or_sudo_is_told(self):
        self.all_there()
        (self.bin / "npm").unlink()
        self.command("apt-get", "")
        self.command("dpkg-query", "")
        # EUID cannot be set, so the test replaces can_install.
        done = self.run_script("can_install() { false; }; need build")
        self.assertEqual(done.returncode, 1)
        self.assertIn("only root can install it, and there is no sudo", done.stderr)
        self.assertIn("Debian: npm", done.stderr)

    def test_only_what_is_missing_after_a_failed_installation_is_named(self):
        self.all_there()
        for name in ("npm", "ninja"):
            (self.bin / name).unlink()
        done = self.run_script(FAILED_INSTALLATION % f"ln -s bash {self.bin}/npm")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("apt-get could not install it", done.stderr)
        self.assertIn("Debian: ninja-build", done.stderr)
        self.assertNotIn("Debian: npm", done.stderr)

    def test_a_failed_installation_that_left_nothing_missing_is_enough(self):
        self.all_there()
        (self.bin / "npm").unlink()
        done = self.run_script(FAILED_INSTALLATION % f"ln -s bash {self.bin}/npm")
        self.assertEqual((done.returncode, done.stdout), (0, "there\n"), done.stderr)

    def test_headers_are_found_below_any_prefix(self):
        (self.bin / "g++").symlink_to(shutil.which("g++"))
        other = self.prefix / "other"
        (other / "include/wanted_here").mkdir(parents=True)
        (other / "include/wanted_here/it.h").write_text("")
        words = "missing_words 'libwanted-dev:<wanted_here/it.h>'"
        self.assertEqual(self.run_script(words).stdout, "libwanted-dev:<wanted_here/it.h>\n")
        self.assertEqual(self.run_script(words, CMAKE_PREFIX_PATH=f"/nowhere:{other}").stdout, "")
        (self.prefix / "include").symlink_to(other / "include")
        self.assertEqual(self.run_script(words).stdout, "", "beside a bin folder of PATH")

    def test_another_compiler_has_another_minimum(self):
        self.command("clang++-19", "Debian clang version 19.1.7 (3+b1)")
        self.command("clang++-14", "Debian clang version 14.0.6")
        script = 'missing_words "${PACKAGES_BUILD[0]}"'
        self.assertEqual(self.run_script(script, CXX="clang++-19").stdout, "")
        self.assertEqual(self.run_script(script, CXX="clang++-14").stdout, "build-essential:clang++-14>=19\n")


if __name__ == "__main__":
    unittest.main()
