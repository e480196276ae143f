#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Test the built product as its users meet it: build/bin/teff and build/lib/libgomp.so.1 under programs of stock compilers.

    run.py                  everything beside this script
    run.py traces kill      only tests whose name contains one of the words
    run.py --folder ompt    the tests in tests/ompt, which are a suite of their own

Ends with the line "N passed, N failed", before which "N skipped" stands where a test lacked something and said so.
"""

import argparse
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from harness import LIBRARY, TEFF  # noqa: E402  pylint: disable=wrong-import-position


def flatten(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from flatten(test)
        else:
            yield test


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", default="", help="a folder of tests/ instead of tests/ itself")
    parser.add_argument("words", nargs="*", type=str.lower)
    chosen = parser.parse_args()
    folder, words = HERE / chosen.folder, chosen.words
    for needed in [LIBRARY / "libgomp.so.1"] + ([] if chosen.folder else [TEFF]):
        if not needed.exists():
            sys.exit(f"tests/run.py: there is no {needed}; build it with ./run build")
    tests = list(flatten(unittest.defaultTestLoader.discover(str(folder))))
    chosen = [test for test in tests if not words or any(word in test.id().lower() for word in words)]
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(unittest.TestSuite(chosen))
    failed = {test.id().split(" ")[0] for test, _ in result.failures + result.errors}
    if result.skipped:
        print(f"{len(result.skipped)} skipped")
    print(f"{result.testsRun - len(failed) - len(result.skipped)} passed, {len(failed)} failed")
    sys.exit(bool(failed or not result.testsRun))


if __name__ == "__main__":
    main()
