#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the tags of memory orderings: a tag such as [park-2] names the sides of one ordering, so
it never stands alone.

A tag must stand where the protocol is explained and at each access that takes part. An access to an
atomic that is not relaxed has a tag on its own lines or on a neighbouring line. Tests need no tags,
and neither does the file that defines the fences.
"""

import collections
import pathlib
import re

import checklib

SOURCE = pathlib.Path("runtime/src")
SUFFIXES = {".h", ".cpp", ".S", ".md"}
TAG = re.compile(r"\[[a-z]+(?:-[a-z]+)*-[0-9]+\]")


ORDER = re.compile(r"memory_order_(acquire|release|acq_rel|seq_cst)")
COMMENT = re.compile(r"^\s*(//|#|\||-)")
NO_ACCESS = re.compile(r"^\s*//|atomic_signal_fence")
FENCES = SOURCE / "base/atomics.h"
NEAR = 2 # lines: an access may be broken into some


def untagged(root, path):
    """Accesses without a tag in one file."""
    lines = [line for _, line in checklib.numbered_lines(root / path)]
    for at, line in enumerate(lines):
        is_access = ORDER.search(line) and not NO_ACCESS.search(line)
        if is_access and not any(TAG.search(near) for near in lines[max(0, at - NEAR):at + NEAR + 1]):
            yield checklib.Problem(str(path), at + 1, "an access that is not relaxed names no partner by a tag")


def find_problems(root):
    found = tags_alone(root)
    for path in checklib.source_files(root):
        is_code = path.is_relative_to(SOURCE) and path.suffix in {".h", ".cpp"}
        if is_code and path != FENCES and not path.stem.endswith(("_test", "_bench")):
            found += untagged(root, path)
    return found


def tags_alone(root):
    places = collections.defaultdict(list)
    for path in checklib.source_files(root):
        if path.is_relative_to(SOURCE) and path.suffix in SUFFIXES:
            for number, line in checklib.numbered_lines(root / path):
                for tag in TAG.findall(line):
                    places[tag].append((str(path), number))
    return [
        checklib.Problem(*found[0], f"{tag} stands nowhere else: the other side of the ordering does not name it")
        for tag, found in places.items() if len(found) == 1 or one_access(root, found)
    ]


def one_access(root, found):
    """Does the tag stand at accesses, and at only one of them?"""
    lines = [(root / path).read_text().splitlines()[number - 1] for path, number in found]
    accesses = sum(not COMMENT.match(line) for line in lines)
    return 0 < accesses < 2


if __name__ == "__main__":
    checklib.run_as_script("check_tags", find_problems)
