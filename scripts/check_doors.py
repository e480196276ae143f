#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that nothing below runtime/src/abi asks which compiler a construct comes from.

The interfaces of GCC's and of LLVM's compilers are translated in abi/. The code of all other
folders names none of their functions and types, and no compiler, except those that compile the
runtime itself (`defined(__clang__)`). Names of environment variables and knobs may occur.
"""

import pathlib
import re

import checklib

SOURCE = pathlib.Path("runtime/src")
# audit/ knows the runtimes by the names of their files; distribute/ is a library of its own, with
# entry points of its own.
NOT_CHECKED = {"abi", "audit", "distribute"}
# Functions of the interfaces, abi/'s folders of them, and questions such as from_clang.
OF_A_COMPILER = re.compile(
    r"\b_*kmpc_\w+|\bkmpc::|\bGOMP_\w+(?=\s*\()|\bGOACC_\w+|abi/\w+\.h|\b(?:is|from|of)_(?:gcc|clang|flang|llvm|icc)\b", re.IGNORECASE
)
COMMENT = re.compile(r"\s*//")
TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')


def names_in(line):
    code = line if line.lstrip().startswith("#include") else TEXT.sub('""', line)
    return [] if COMMENT.match(line) else OF_A_COMPILER.findall(code.split(" // ")[0])


def find_problems(root):
    found = []
    for path in checklib.source_files(root):
        if not path.is_relative_to(SOURCE) or path.suffix not in {".h", ".cpp"} or path.stem.endswith(("_test", "_bench")):
            continue
        if path.relative_to(SOURCE).parts[0] in NOT_CHECKED:
            continue
        for number, line in checklib.numbered_lines(root / path):
            found += [checklib.Problem(str(path), number, f"names {name}, which is for abi/ only") for name in names_in(line)]
    return found


if __name__ == "__main__":
    checklib.run_as_script("check_doors", find_problems)
