#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The folders of runtime/src are layers: a file may include its own folder and folders below it, nothing else.

Tests and benchmarks (*_test.cpp, *_bench.cpp) may use any folder: they set up what they test.
"""

import pathlib
import re

import checklib

SOURCE = pathlib.Path("runtime/src")

# From top to bottom. An include may only run down this list.
LAYERS = [
    "abi", "loop", "task", "team", "sched", "preempt", "fiber", "sync", "mem", "topo", "probe", "icv", "base",
]

# (folder, folder) pairs that run up the list, each with the reason.
EXCEPTIONS = {}

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def is_test(path):
    return path.stem.endswith(("_test", "_bench"))


def folder_of(path):
    """The layer that a file of runtime/src is in; None for a file that lies in no folder."""
    parts = path.relative_to(SOURCE).parts
    return parts[0] if len(parts) > 1 else None


def resolve(root, including, included):
    """The file that an include means, relative to root; None if there is none."""
    candidates = [including.parent / included, SOURCE / included, pathlib.Path("runtime/include") / included]
    for candidate in candidates:
        if (root / candidate).is_file():
            return pathlib.Path(*(root / candidate).resolve().relative_to(root.resolve()).parts)
    return None


def judge(upper, lower):
    """Why a file in folder `upper` may not include one in folder `lower`; None if it may."""
    if upper == lower or (upper, lower) in EXCEPTIONS:
        return None
    if LAYERS.index(upper) < LAYERS.index(lower):
        return None
    return f"{upper}/ lies below {lower}/ and may not include it (layers: {' > '.join(LAYERS)})"


def problems_of_file(root, path):
    folder = folder_of(path)
    if folder not in LAYERS:
        yield checklib.Problem(str(path), 0, f"is in no layer; scripts/check_includes.py lists them: {', '.join(LAYERS)}")
        return
    for number, line in checklib.numbered_lines(root / path):
        match = INCLUDE.match(line)
        if not match:
            continue
        target = resolve(root, path, match[1])
        if target is None:
            yield checklib.Problem(str(path), number, f'includes "{match[1]}", which does not exist')
        elif not is_test(path) and target.is_relative_to(SOURCE) and folder_of(target) in LAYERS:
            reason = judge(folder, folder_of(target))
            if reason:
                yield checklib.Problem(str(path), number, reason)


def find_problems(root):
    sources = [
        path for path in checklib.source_files(root)
        if path.is_relative_to(SOURCE) and path.suffix in (".h", ".cpp", ".S")
    ]
    return [problem for path in sources for problem in problems_of_file(root, path)]


if __name__ == "__main__":
    checklib.run_as_script("check_includes", find_problems)
