#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the tests of a suite from what it printed and how it ended.

    tally.py LOG STATUS      prints "PASSED FAILED"

A suite that ends with the line "N passed, N failed" has counted itself. Otherwise the summaries of the known test runners are
summed. A suite that ends badly, or that ran nothing, has failed at least once: silence is never a success.
"""

import pathlib
import re
import sys

OWN_COUNT = re.compile(r"^(?P<passed>\d+) passed, (?P<failed>\d+) failed$", re.MULTILINE)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")

# Each finds the summary of one runner. Groups: passed, failed, or total in place of passed.
RUNNERS = [
    # our checks
    re.compile(r"^(?P<passed>\d+) checks passed, (?P<failed>\d+) failed$", re.MULTILINE),
    # ctest
    re.compile(r"^\d+% tests passed, (?P<failed>\d+) tests? failed out of (?P<total>\d+)$", re.MULTILINE),
    # cargo test
    re.compile(r"^test result: \w+\. (?P<passed>\d+) passed; (?P<failed>\d+) failed;", re.MULTILINE),
    # python's unittest
    re.compile(r"^Ran (?P<total>\d+) tests? in \S+\n+(?:OK|FAILED)"
               r"(?: \((?:failures=(?P<failed>\d+))?(?:, )?(?:errors=(?P<errors>\d+))?[^)]*\))?", re.MULTILINE),
    # vitest
    re.compile(r"^ +Tests +(?:(?P<failed>\d+) failed(?: \| )?)?(?:(?P<passed>\d+) passed)?", re.MULTILINE),
    # playwright, whose summary has one line per outcome
    re.compile(r"^ +(?P<passed>\d+) passed \([\d.]+m?s\)$", re.MULTILINE),
    re.compile(r"^ +(?P<failed>\d+) failed$", re.MULTILINE),
]


def counts(match):
    groups = {name: int(value) for name, value in match.groupdict().items() if value}
    failed = groups.get("failed", 0) + groups.get("errors", 0)
    passed = groups["total"] - failed if "total" in groups else groups.get("passed", 0)
    return passed, failed


def tally(log, status):
    """(passed, failed) of a suite that printed `log` and ended with `status`."""
    log = COLOUR.sub("", log)
    own = list(OWN_COUNT.finditer(log))
    matches = own[-1:] or [match for runner in RUNNERS for match in runner.finditer(log)]
    passed = sum(counts(match)[0] for match in matches)
    failed = sum(counts(match)[1] for match in matches)
    if failed == 0 and (status != 0 or passed == 0):
        failed = 1
    return passed, failed


if __name__ == "__main__":
    print(*tally(pathlib.Path(sys.argv[1]).read_text(errors="replace"), int(sys.argv[2])))
