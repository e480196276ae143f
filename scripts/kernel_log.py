#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the output of the guests of `./run kernel`.

kernel_log.py LOG...      prints the checks, the figures and a verdict; status 1 if anything is wrong

A log has a line `ok NAME` or `FAILED NAME` for each check, then `== dmesg` with the kernel's
messages while the module was tried, and `== end`. A guest that hangs or dies prints no end, and
this is a failure. A message of the kernel's own alarms anywhere in the log is a failure, too.
"""

import pathlib
import re
import sys

# The messages that a kernel prints when something is wrong with it.
ALARM = re.compile(
    r"\bBUG\b|\bWARNING\b|\bOops\b|Call Trace|general protection|kernel NULL pointer|unable to handle|Kernel panic"
    r"|\brcu\w*:.*(?:stall|self-detected)|soft lockup|hard LOCKUP|blocked for more than|scheduling while atomic"
    r"|sleeping function called|bad unlock|refcount_t|list_(?:add|del) corruption|Bad page|Bad rss|double fault"
    r"|stack (?:guard|segment)|hrtimer.*(?:corrupt|hung)|UBSAN|traps:.*in teff_preempt", re.IGNORECASE)
STEP = re.compile(r"^(ok|FAILED) (.+)$")
EMULATED = re.compile(r"clocksource|tsc: ", re.IGNORECASE)


def lines_of(text):
    """The console's lines, without the control sequences of the firmware's terminal."""
    return [re.sub(r"\x1b(?:\[[0-9;?]*[a-zA-Z]|c)", "", line).rstrip() for line in text.splitlines()]


def judge(text):
    """(checks that passed, what went wrong, figures) of one guest."""
    passed, problems, figures = [], [], []
    lines = lines_of(text)
    for number, line in enumerate(lines):
        step = STEP.match(line)
        if step and step[1] == "ok":
            passed.append(step[2])
        elif step:
            reason = lines[number - 1].strip() if number and lines[number - 1].startswith("  ") else ""
            problems.append(f"check failed: {step[2]}" + (f"; {reason}" if reason else ""))
        elif line.startswith("  figure: "):
            figures.append(line.removeprefix("  figure: "))
        elif ALARM.search(line) and not EMULATED.search(line):
            problems.append(f"the kernel complains: {line}")
    if not passed:
        problems.append("no check ran")
    if "== dmesg" not in lines or "== end" not in lines:
        problems.append("the guest did not come to its end: it hung, died, or ran out of time")
    return passed, problems, figures


def main():
    bad = good = 0
    for name in sys.argv[1:]:
        passed, problems, figures = judge(pathlib.Path(name).read_text(encoding="utf-8", errors="replace"))
        for step in passed:
            print(f"ok      {step}")
        for figure in figures:
            print(f"figure  {figure}")
        for problem in problems:
            print(f"FAILED  {problem}   ({name})")
        good += len(passed)
        bad += len(problems)
    print(f"{good} passed, {bad} failed")
    sys.exit(bool(bad) or not good)


if __name__ == "__main__":
    main()
