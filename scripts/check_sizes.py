#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that no source file is too long to read; see "Sizes" in docs/hacking.md."""

import checklib

LIMIT = 800
SUFFIXES = {".c", ".cpp", ".h", ".S", ".f90", ".py", ".sh", ".rs", ".ts", ".tsx"}

# Files that read best whole, each with the reason.
EXCEPTIONS = {}


def line_count(path):
    return len(path.read_text(encoding="utf-8", errors="replace").splitlines())


def find_problems(root):
    return [
        checklib.Problem(str(path), 0, f"has {lines} lines, more than {LIMIT}: split it")
        for path in checklib.source_files(root)
        if path.suffix in SUFFIXES and str(path) not in EXCEPTIONS and (lines := line_count(root / path)) > LIMIT
    ]


if __name__ == "__main__":
    checklib.run_as_script("check_sizes", find_problems)
