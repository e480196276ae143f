#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that prose has none of the words that readers have stumbled over. Prose is: documents,
help texts, public headers, comments of the runtime.

The list has a plain word for each. Code and text in `backticks` are not prose.
"""

import re

import check_width
import checklib

WORDS = {
    r"(?<!\w)rooms?": "space, memory, or 'holds', 'fits'",
    r"how-manieth": "the number of",
    r"in vain": "without success, or what happened",
    r"for ?naught": "without success",
    r"unmann?\w*": "say what is taken away",
    r"forsaken": "left",
    r"(?<![:.>])ground": "the wait outside of tasks",
    r"c[oa]mes? about|coming about": "happen, be created",
    r"br(?:ing|ings|ought) about": "cause, end",
    r"(?:is|are|was|be|been) had": "is taken, is available, is counted",
    r"anew": "again",
    r"for want of": "because there is no",
    r"of no account": "does not count",
    r"hither|thither|whence|whither|wherefrom|thereof|lest|albeit": "a plain conjunction",
    r"µs": "us, as the report and the page write it",
    r"holds? \w+ up|hold \w+ \w+ up": "delay",
}
PATTERN = re.compile(r"\b(?:" + "|".join(f"({word})" for word in WORDS) + r")\b", re.I)
INSTEAD = list(WORDS.values())

PROSE = {".md"}
COMMENTS = ("runtime/src/", "runtime/include/")
NOT_OURS = {"runtime/include/omp-tools.h"}
# Records of decisions and of releases, which are not rewritten.
AS_WRITTEN = ("docs/decisions/0", "CHANGELOG.md")

# Files whose comments are only changed together with their code.
NOT_YET = {
    "runtime/src/sched/choice.h", "runtime/src/sched/deque.h", "runtime/src/sched/lane.h", "runtime/src/sched/wait.h",
    "runtime/src/sched/work_stealing.h", "runtime/src/task/waiting.cpp", "runtime/src/task/waiting.h",
    "runtime/src/task/waiting_test.cpp",
}


def prose(root, path):
    """(number, text) of a file's prose, without code."""
    name = str(path)
    if path.suffix in PROSE and not name.startswith(AS_WRITTEN):
        lines = check_width.prose_of_markdown(root / path)
        tables = ((n, line) for n, line in checklib.numbered_lines(root / path) if line.startswith(("|", "#")))
        return sorted({*lines, *tables})
    if path.name == "args.rs":  # help texts
        return [(n, line.split("///", 1)[1]) for n, line in checklib.numbered_lines(root / path) if "///" in line]
    if name.startswith(COMMENTS) and name not in NOT_YET | NOT_OURS and path.suffix in {".h", ".cpp"}:
        return [(n, line.split("//", 1)[1]) for n, line in checklib.numbered_lines(root / path) if "//" in line]
    return []


def find_problems(root):
    problems = []
    for path in checklib.source_files(root):
        for number, line in prose(root, path):
            for match in PATTERN.finditer(re.sub(r"`[^`]*`", "`", line)):
                text = f"says '{match[0]}': {INSTEAD[match.lastindex - 1]}"
                problems.append(checklib.Problem(str(path), number, text))
    return problems


if __name__ == "__main__":
    checklib.run_as_script("check_words", find_problems)
