#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every check that needs only the sources, prints what they find, and counts them.

    check_all.py            all of them
    check_all.py --quick    without those that call a compiler for each file

A check may have a function skipped(), which returns the tools that it lacks; each counts as skipped.
"""

import sys

import check_docs
import check_doors
import check_headers
import check_hot
import check_includes
import check_links
import check_locks
import check_modules
import check_scripts
import check_sinks
import check_sizes
import check_spdx
import check_tags
import check_titles
import check_version
import check_width
import check_words
import checklib

CHECKS = [
    check_includes, check_headers, check_hot, check_links, check_locks, check_docs, check_doors, check_modules, check_scripts, check_sinks,
    check_sizes, check_spdx, check_tags, check_titles, check_version, check_width, check_words,
]
SLOW = {check_headers}


def main():
    failed = skipped = 0
    checks = [check for check in CHECKS if check not in SLOW or "--quick" not in sys.argv[1:]]
    for check in checks:
        problems = sorted(check.find_problems(checklib.ROOT))
        for problem in problems:
            print(problem)
        print(f"{check.__name__}: {f'{len(problems)} problems' if problems else 'ok'}")
        failed += bool(problems)
        skipped += len(check.skipped()) if hasattr(check, "skipped") else 0
    print(f"{len(checks) - failed} checks passed, {failed} failed, {skipped} skipped")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
