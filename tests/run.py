#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the built product as users use it: build/bin/teff, and build/lib/libgomp.so.1 under
programs that stock compilers built.

    run.py                  all tests in this folder
    run.py traces kill      only tests whose name contains one of the words
    run.py --folder ompt    the tests in tests/ompt, which are a suite of their own
    run.py --jobs 2         two files of tests at a time, each in a process of its own

Ends with the line "N passed, N failed". If a test was skipped because something is missing, a line
"N skipped" comes before it.
"""

import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from harness import LIBRARY, TEFF  # noqa: E402


def flatten(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from flatten(test)
        else:
            yield test


# These tests compare figures with times that they measure, so no other tests run at the same time.
ALONE = {"test_priorities", "test_stat", "test_tour", "test_truth"}


COUNT = re.compile(r"^(\d+) (passed, (\d+) failed|skipped)$", re.MULTILINE)

# The line that unittest prints above each failed test.
FAILURE = re.compile(r"^={70}$", re.MULTILINE)


def end(passed, failed, skipped):
    """Prints the counts; returns whether all tests passed."""
    if skipped:
        print(f"{skipped} skipped")
    print(f"{passed} passed, {failed} failed")
    return not failed and passed + skipped > 0


def run_tests(tests):
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(unittest.TestSuite(tests))
    failed = {test.id().split(" ")[0] for test, _ in result.failures + result.errors}
    return end(result.testsRun - len(failed) - len(result.skipped), len(failed), len(result.skipped))


def run_file(module, folder, words):
    """Runs a file's tests in a separate process, prints its output when it ends, and returns passed, failed,
    skipped, and what it printed of its failures."""
    command = [sys.executable, __file__, "--folder", folder, "--file", module, *words]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    print(f"== {module}\n{done.stdout}", end="", flush=True)
    passed = failed = skipped = 0
    for number, what, failures in COUNT.findall(done.stdout):
        if what == "skipped":
            skipped = int(number)
        else:
            passed, failed = int(number), int(failures)
    failed = failed or int(done.returncode != 0)
    return passed, failed, skipped, failures_in(module, done.stdout) if failed else ""


def failures_in(module, output):
    """What a file of tests printed from its first failure on; its last lines if no test of it failed."""
    first = FAILURE.search(output)
    shown = output[first.start():] if first else "\n".join(output.splitlines()[-10:]) + "\n"
    return f"== failed: {module}\n{shown}"


def run_files(modules, jobs, folder, words):
    """Runs the files and prints their failures once more at the end, where a reader of a long log looks first."""
    ends = []
    for chosen, workers in ((modules - ALONE, jobs), (modules & ALONE, 1)):
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            ends += pool.map(lambda module: run_file(module, folder, words), sorted(chosen))
    passed, failed, skipped, failures = zip(*ends)
    print("".join(failures), end="")
    return end(sum(passed), sum(failed), sum(skipped))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", default="", help="a folder below tests/, instead of tests/ itself")
    parser.add_argument("--file", default="", help="only the tests of this file, named without .py")
    parser.add_argument("--jobs", type=int, default=1, help="files of tests to run at a time, from 1 (the default)")
    parser.add_argument("words", nargs="*", type=str.lower)
    asked = parser.parse_args()
    folder, words = HERE / asked.folder, asked.words
    for needed in [LIBRARY / "libgomp.so.1"] + ([] if asked.folder else [TEFF]):
        if not needed.exists():
            sys.exit(f"tests/run.py: there is no {needed}; build it with ./run build")
    tests = flatten(unittest.defaultTestLoader.discover(str(folder), pattern=f"{asked.file or 'test*'}.py"))
    chosen = [test for test in tests if not words or any(word in test.id().lower() for word in words)]
    modules = {type(test).__module__ for test in chosen}
    # If a file cannot be loaded, a test of `unittest.loader` reports this.
    if asked.jobs > 1 and modules and "unittest.loader" not in modules:
        sys.exit(not run_files(modules, asked.jobs, asked.folder, words))
    sys.exit(not run_tests(chosen))


if __name__ == "__main__":
    main()
