#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every header of the runtime compiles alone, that is, includes what it uses.

The build already checks each header that the source file of the same name includes first, so this
script compiles only the others. A header of another processor architecture is left out.
"""

import concurrent.futures
import os
import platform
import re
import subprocess

import checklib

FOLDERS = ("runtime/src", "runtime/include")
COMPILER = [
    "g++", "-std=c++20", "-fsyntax-only", "-x", "c++", "-Wall", "-Wextra", "-Werror",
    "-fno-exceptions", "-fno-rtti", "-D_GNU_SOURCE", "-DTEFF_VERSION=\"check\"",
    "-I", "runtime/src", "-I", "runtime/include", "-I", "runtime",
]


def compile_alone(root, path):
    # Through an including file rather than as the main file, where `#pragma once` would be a
    # warning. A second include shows a guard that is missing.
    source = f'#include "{root / path}"\n#include "{root / path}"\n'
    done = subprocess.run([*COMPILER, "-"], cwd=root, input=source, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode == 0:
        return None
    first = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr.strip())
    return checklib.Problem(str(path), 0, f"does not compile alone: {first}")


def is_compiled_first(root, path):
    """Whether the source file of the same name includes the header before anything else."""
    source = (root / path).with_suffix(".cpp")
    if not source.exists():
        return False
    first = re.search(r'^#include\s+"(.*)"$|^#include\s+<', source.read_text(), re.MULTILINE)
    return first is not None and first[1] is not None and str(path).endswith("/" + first[1])


def is_for_another_processor(path):
    """Headers in a folder `arch` are for the architecture that they are named after, except arch.h."""
    return path.parent.name == "arch" and path.stem not in ("arch", platform.machine())


def find_problems(root):
    headers = [
        path for path in checklib.source_files(root)
        if path.suffix == ".h" and str(path).startswith(FOLDERS)
        and not is_for_another_processor(path) and not is_compiled_first(root, path)
    ]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [problem for problem in pool.map(lambda path: compile_alone(root, path), headers) if problem]


if __name__ == "__main__":
    checklib.run_as_script("check_headers", find_problems)
