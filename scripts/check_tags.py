#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A tag such as [park-2] ties the sides of a memory ordering together, so it never stands alone.

It stands where the protocol is explained and at each access that takes part in it.
"""

import collections
import pathlib
import re

import checklib

SOURCE = pathlib.Path("runtime/src")
SUFFIXES = {".h", ".cpp", ".S", ".md"}
TAG = re.compile(r"\[[a-z]+(?:-[a-z]+)*-[0-9]+\]")


def find_problems(root):
    places = collections.defaultdict(list)
    for path in checklib.source_files(root):
        if path.is_relative_to(SOURCE) and path.suffix in SUFFIXES:
            for number, line in checklib.numbered_lines(root / path):
                for tag in TAG.findall(line):
                    places[tag].append((str(path), number))
    return [
        checklib.Problem(*found[0], f"{tag} stands nowhere else: the other side of the ordering does not name it")
        for tag, found in places.items() if len(found) == 1
    ]


if __name__ == "__main__":
    checklib.run_as_script("check_tags", find_problems)
