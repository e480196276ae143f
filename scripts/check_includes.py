#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the layers of runtime/src: a file may include files of its own folder and of the folders in
lower layers, and no others.

Tests and benchmarks (*_test.cpp, *_bench.cpp) may include any folder, because they set up what they
test.
"""

import pathlib
import re

import checklib

SOURCE = pathlib.Path("runtime/src")

# What others build against, too: no layer.
CONTRACTS = (pathlib.Path("runtime/include"),)

# From top to bottom. An include may only run down this list.
LAYERS = [
    "audit", "distribute", "start", "abi", "device", "loop", "region", "task", "team", "sched", "preempt", "fiber", "sync", "idle", "mem", "topo", "probe",
    "icv", "base",
]

# Arrows that run up the list, each with the reason. Such an arrow shuts the way down between the
# same two folders, so that there is never a circle.
EXCEPTIONS = {
    ("mem", "sync"): "the store of free blocks that all workers share is guarded by a mutex",
    ("probe", "sync"): "starting and ending a recording, and giving out its streams, is guarded by a mutex",
}

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def is_test(path):
    return path.stem.endswith(("_test", "_bench"))


def folder_of(path):
    """The layer that a file of runtime/src is in; None for a file that lies in no folder."""
    parts = path.relative_to(SOURCE).parts
    return parts[0] if len(parts) > 1 else None


def resolve(root, including, included):
    """The file that an include means, relative to root; None if there is none."""
    candidates = [folder / included for folder in (including.parent, SOURCE, *CONTRACTS)]
    if is_test(including):
        candidates.append(pathlib.Path("runtime") / included)  # explore/, for tests alone
    for candidate in candidates:
        if (root / candidate).is_file():
            return pathlib.Path(*(root / candidate).resolve().relative_to(root.resolve()).parts)
    return None


def judge(includer, included):
    """Why a file in folder `includer` may not include one in folder `included`; None if it may."""
    if includer == included or (includer, included) in EXCEPTIONS:
        return None
    if (included, includer) in EXCEPTIONS:
        return f"{included}/ includes {includer}/ by way of exception, so {includer}/ may not include {included}/"
    if LAYERS.index(includer) < LAYERS.index(included):
        return None
    return f"{includer}/ lies below {included}/ and may not include it (layers: {' > '.join(LAYERS)})"


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
