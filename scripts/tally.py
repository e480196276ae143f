#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the tests of a suite from its output and its exit status.

tally.py LOG STATUS      prints "PASSED FAILED SKIPPED"

A suite that prints the line "N passed, N failed" has counted itself; its line "N skipped" counts
the skipped tests. For other suites, the summaries of the known test runners are added up. A suite
that ends with another status than 0, or that ran no test, has failed at least once: silence is
never a success.
"""

import pathlib
import re
import sys

OWN_COUNT = re.compile(r"^(?P<passed>\d+) passed, (?P<failed>\d+) failed$", re.MULTILINE)
OWN_SKIPPED = re.compile(r"^(?P<skipped>\d+) skipped$", re.MULTILINE)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")

# Each finds the summary of one runner. Groups: passed, failed, skipped, or total in place of
# passed. A group `one_skipped` is one test of those that the total counts.
RUNNERS = [
    # our checks
    re.compile(r"^(?P<passed>\d+) checks passed, (?P<failed>\d+) failed(?:, (?P<skipped>\d+) skipped)?$", re.MULTILINE),
    # ctest
    re.compile(r"^\d+% tests passed, (?P<failed>\d+) tests? failed out of (?P<total>\d+)$", re.MULTILINE),
    re.compile(r"^ *\d+/\d+ Test +#\d+: .*(?P<one_skipped>\*\*\*Skipped) ", re.MULTILINE),
    # cargo test
    re.compile(r"^test result: \w+\. (?P<passed>\d+) passed; (?P<failed>\d+) failed; (?P<skipped>\d+) ignored", re.MULTILINE),
    # python's unittest
    re.compile(r"^Ran (?P<total>\d+) tests? in \S+\n+(?:OK|FAILED)"
               r"(?: \((?:failures=(?P<failed>\d+))?(?:, )?(?:errors=(?P<errors>\d+))?(?:, )?(?:skipped=(?P<skipped>\d+))?"
               r"[^)]*\))?", re.MULTILINE),
    # vitest
    re.compile(r"^ +Tests +(?:(?P<failed>\d+) failed(?: \| )?)?(?:(?P<passed>\d+) passed)?(?:(?: \| )?(?P<skipped>\d+) skipped)?",
               re.MULTILINE),
    # playwright, whose summary has one line per outcome
    re.compile(r"^ +(?P<passed>\d+) passed \([\d.]+m?s\)$", re.MULTILINE),
    re.compile(r"^ +(?P<failed>\d+) failed$", re.MULTILINE),
    re.compile(r"^ +(?P<skipped>\d+) skipped$", re.MULTILINE),
]


def counts(match):
    """(passed, failed, skipped) of one summary."""
    groups = match.groupdict()
    if "one_skipped" in groups:
        return -1, 0, 1
    groups = {name: int(value) for name, value in groups.items() if value}
    failed, skipped = groups.get("failed", 0) + groups.get("errors", 0), groups.get("skipped", 0)
    passed = groups["total"] - failed - skipped if "total" in groups else groups.get("passed", 0)
    return passed, failed, skipped


def tally(log, status):
    """(passed, failed, skipped) of a suite that printed `log` and ended with `status`."""
    log = COLOUR.sub("", log)
    own = list(OWN_COUNT.finditer(log))
    matches = own[-1:] + list(OWN_SKIPPED.finditer(log))[-1:] if own else [
        match for runner in RUNNERS for match in runner.finditer(log)
    ]
    passed, failed, skipped = (sum(column) for column in zip((0, 0, 0), *map(counts, matches)))
    if failed == 0 and (status != 0 or passed == 0):
        failed = 1
    return passed, failed, skipped


if __name__ == "__main__":
    print(*tally(pathlib.Path(sys.argv[1]).read_text(errors="replace"), int(sys.argv[2])))
