#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every source file names its licence in its first lines."""

import checklib

LICENCE = "SPDX-License-Identifier: Apache-2.0"
FIRST_LINES = 5
SUFFIXES = {
    ".c", ".cpp", ".h", ".S", ".f90", ".map", ".cmake", ".py", ".sh", ".rs", ".ts", ".tsx", ".js", ".mjs", ".css",
}
NAMES = {"CMakeLists.txt", "run", ".clang-format", ".clang-tidy", ".editorconfig"}


def names_licence(path):
    return any(LICENCE in line for number, line in checklib.numbered_lines(path) if number <= FIRST_LINES)


def find_problems(root):
    return [
        checklib.Problem(str(path), 0, f"has no line '{LICENCE}' among its first {FIRST_LINES}")
        for path in checklib.source_files(root)
        if (path.suffix in SUFFIXES or path.name in NAMES) and not names_licence(root / path)
    ]


if __name__ == "__main__":
    checklib.run_as_script("check_spdx", find_problems)
