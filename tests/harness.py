# SPDX-License-Identifier: Apache-2.0
"""Functions that all tests of the product share: they compile a program, run a command, and
record."""

import atexit
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "tests" / "programs"
TEFF = ROOT / "build" / "bin" / "teff"
LIBRARY = ROOT / "build" / "lib"
WORKLOADS = ROOT / "workloads"

COMPILERS = {".c": ["gcc", "-std=gnu11"], ".cpp": ["g++", "-std=gnu++17"], ".f90": ["gfortran"]}
# Warnings are errors if WERROR=1 is set, as in CI.
WERROR = ["-Werror"] if os.environ.get("WERROR") == "1" else []
FLAGS = ["-fopenmp", "-O2", "-g", "-Wall", *WERROR]
LIMIT_S = 60


def environment(threads=2, **extra):
    """The caller's own OpenMP settings must not change what a test sees."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "GOMP_", "TEFF_", "LD_"))}
    env["OMP_NUM_THREADS"] = str(threads)
    env.update(extra)
    return env


def folder_of_this_run(name):
    """A folder for what is built once in a run of the tests. It is removed when the process ends."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix=f"teff-{name}-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


class Finished:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    @property
    def text(self):
        return (self.out + self.err).decode(errors="replace")


def run(command, env=None, limit_s=LIMIT_S, cwd=None, **options):
    """Runs a command to its end; a hang ends the command with all its children, and fails the test."""
    options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    child = subprocess.Popen([str(word) for word in command], env=env or environment(), cwd=cwd, start_new_session=True,
                             **options)
    try:
        out, err = child.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        out, err = child.communicate()
        raise AssertionError(f"no end after {limit_s} s: {command}\n{(out + err).decode(errors='replace')}") from None
    return Finished(child.returncode, out, err)


def instructions(command, env=None):
    """The number of instructions that a program's main runs on its thread, which valgrind counts exactly. What runs
    before main differs from run to run: among other things, the C library reads all mappings of the process."""
    callgrind = ["valgrind", "--tool=callgrind", "--toggle-collect=main", "--callgrind-out-file=/dev/null"]
    done = run([*callgrind, *command], env, 120)
    assert done.status == 0, done.text
    return int(re.search(r"Collected : (\d+)", done.text).group(1))


def skip_if_disturbed(report):
    """Skips a test of findings or of sums if the report says that threads had no processor for more than 5 % of their
    time."""
    budget = report["budget"]
    lost_ns = sum(one["ns"] for one in budget["classes"] if one["name"] == "descheduled")
    if lost_ns > 0.05 * budget["whole_ns"]:
        raise unittest.SkipTest(f"the machine was too busy: threads had no processor for {lost_ns / 1e6:.1f} ms")


class ProductTest(unittest.TestCase):
    """A test with its own directory, which is removed when the test ends."""

    def setUp(self):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="teff-test-"))
        self.addCleanup(shutil.rmtree, self.place, ignore_errors=True)

    def compile(self, source, *flags):
        source = pathlib.Path(source)
        binary = self.place / source.stem
        done = run([*COMPILERS[source.suffix], *FLAGS, *flags, source, "-o", binary], cwd=self.place)
        self.assertEqual(done.status, 0, done.text)
        return binary

    def small_disk(self, size):
        """A file system of its own, mounted here."""
        if os.geteuid() != 0:
            self.skipTest("only root can mount a small file system")
        disk = self.place / "disk"
        disk.mkdir()
        done = run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk])
        if done.status != 0:
            self.skipTest(f"a small file system cannot be mounted here: {done.text}")
        self.addCleanup(run, ["umount", "--lazy", disk])
        return disk

    def teff(self, *words, env=None, status=0, **options):
        """Runs teff; None accepts any status."""
        done = run([TEFF, *words], env, **options)
        if status is not None:
            self.assertEqual(done.status, status, f"teff {words}\n{done.text}")
        return done

    def record(self, *command, env=None, status=0, name="test.teff", **options):
        recording = self.place / name
        self.teff("record", "-o", recording, "--", *command, env=env, status=status, **options)
        return recording
