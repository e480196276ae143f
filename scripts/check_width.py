#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that prose is at most 100 columns wide: comments on lines of their own, and Markdown.

Tables, drawings and code are not prose: lines of Markdown that start with `|`, are indented or are
fenced, and lines with gaps of two or more blanks. Directives of a test program (`env:`) are not
prose either.
"""

import re

import checklib

WIDEST = 100
MARKERS = dict.fromkeys((".c", ".cpp", ".h", ".S", ".rs", ".ts"), "//")
MARKERS.update(dict.fromkeys((".py", ".sh", ".cmake"), "#"))
GENERATED = {"docs/knobs.md"}
GAP = re.compile(r"\S {2,}\S")
DIRECTIVE = re.compile(r"(//|#) [A-Za-z]+: ")


def prose_of_source(path, marker):
    """(number, line) of each comment that stands alone on its line."""
    return [(number, line) for number, line in checklib.numbered_lines(path) if line.lstrip().startswith(marker)]


def prose_of_markdown(path):
    fenced = False
    for number, line in checklib.numbered_lines(path):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith(("|", "    ", "#", "<")):
            yield number, line


def prose(root, path):
    if path.suffix == ".md" and str(path) not in GENERATED:
        return prose_of_markdown(root / path)
    marker = MARKERS.get(path.suffix)
    return prose_of_source(root / path, marker) if marker else []


def is_too_wide(line):
    return len(line.rstrip("\n")) > WIDEST and not GAP.search(line.lstrip()) and not DIRECTIVE.match(line) and len(line.split()) > 2


def find_problems(root):
    return [
        checklib.Problem(str(path), number, f"prose wider than {WIDEST} columns")
        for path in checklib.source_files(root)
        for number, line in prose(root, path)
        if is_too_wide(line)
    ]


if __name__ == "__main__":
    checklib.run_as_script("check_width", find_problems)
