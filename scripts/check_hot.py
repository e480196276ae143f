#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that a benchmark exists for each function that is marked `// HOT name`: the benchmark of
that name.

Benchmarks are: BENCHMARK(name) in runtime/src/**/*_bench.cpp; the cases of bench/compare/suites.py;
the constructs of bench/constructs/programs.
"""

import re

import checklib

MARK = re.compile(r"// HOT ([\w/]+)")
SOURCES = {".h", ".cpp"}
BENCHMARKS = [
    ("runtime/src", "_bench.cpp", re.compile(r"BENCHMARK\((\w+)\)")),
    ("bench/compare", "suites.py", re.compile(r'(?:micro|workload)\("(\w+)"')),
    ("bench/constructs/programs", ".c", re.compile(r'\.name = "(\w+)"')),
]


def benchmarks(root, paths):
    names = set()
    for folder, ending, pattern in BENCHMARKS:
        for path in paths:
            if path.is_relative_to(folder) and path.name.endswith(ending):
                names.update(pattern.findall((root / path).read_text()))
    return names


def find_problems(root):
    paths = checklib.source_files(root)
    known = benchmarks(root, paths)
    return [
        checklib.Problem(str(path), number, f"HOT {name}: there is no benchmark of that name")
        for path in paths if path.is_relative_to("runtime/src") and path.suffix in SOURCES
        for number, line in checklib.numbered_lines(root / path) for name in MARK.findall(line) if name not in known
    ]


if __name__ == "__main__":
    checklib.run_as_script("check_hot", find_problems)
