#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every source file names its licence in its first lines."""

import checklib

LICENCE = "SPDX-License-Identifier: Apache-2.0"

# Folders and files that are also available under another licence, each with the reason.
OTHERS = {
    # Most symbols of the kernel may be used only by modules under the GPL.
    "labs/kernel/module": "SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0",
    # Included by the module, and by programs under any licence.
    "runtime/src/preempt/teff_preempt.h": "SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR Apache-2.0",
}
FIRST_LINES = 5
SUFFIXES = {
    ".c", ".cpp", ".h", ".S", ".f90", ".map", ".cmake", ".py", ".sh", ".rs", ".ts", ".tsx", ".js", ".mjs", ".css",
}
NAMES = {"CMakeLists.txt", "Kbuild", "init", "run", ".clang-format", ".clang-tidy", ".editorconfig"}


def licence_of(path):
    return OTHERS.get(path.as_posix()) or OTHERS.get(path.parent.as_posix(), LICENCE)


def names_licence(path, licence):
    return any(licence in line for number, line in checklib.numbered_lines(path) if number <= FIRST_LINES)


def find_problems(root):
    return [
        checklib.Problem(str(path), 0, f"has no line '{licence_of(path)}' among its first {FIRST_LINES}")
        for path in checklib.source_files(root)
        if (path.suffix in SUFFIXES or path.name in NAMES) and not names_licence(root / path, licence_of(path))
    ]


if __name__ == "__main__":
    checklib.run_as_script("check_spdx", find_problems)
