#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the runtime needs little of the stacks on which it runs. These are the stacks of the
program's threads and of its own threads, which may be as small as the system allows (16 KiB,
less what the C library keeps there).

The compiler writes beside each object how much stack every function needs and which functions it
calls (GCC's -fcallgraph-info=su). The check starts at each function that no other function of the
runtime calls: an exported function, or a function that is called through a pointer. The deepest
path of calls below it must stay under LIMIT_BYTES. Functions that only the library's constructor
calls do not count, nor does kmp_set_defaults, which does a part of the constructor's work again, on
the thread that calls it before the program uses OpenMP. Each function in a cycle of calls counts
once. Code that the recorder runs on a stack of its own (run_apart, probe/trace/apart.h) must fit
that stack.

Two things are not counted: the C library, which takes up to two KiB to format a line, and functions
that are called through a pointer.
"""

import collections
import pathlib
import re
import sys

import checklib

OBJECTS = pathlib.Path("build/release/runtime/CMakeFiles/teff_objects.dir/src")
SOURCES = pathlib.Path("runtime/src")
LIMIT_BYTES = 5248
# The recorder's own stack has ApartStack::kBytes.
APART = re.compile(r"run_apart<")
APART_LIMIT_BYTES = 12 << 10
# Called by the dynamic linker when it loads the library, and by the program before it uses OpenMP.
CONSTRUCTORS = re.compile(r"at_load|kmpc?_set_defaults")

NODE = re.compile(r'^node: \{ title: "([^"]*)" label: "([^"]*)"')
EDGE = re.compile(r'^edge: \{ sourcename: "([^"]*)" targetname: "([^"]*)"')
BYTES = re.compile(r"\\n(\d+) bytes \(")


class Functions:
    def __init__(self):
        self.bytes, self.names = {}, {}
        self.calls, self.callers = collections.defaultdict(set), collections.defaultdict(set)

    def read(self, text):
        for line in text.splitlines():
            if node := NODE.match(line):
                if size := BYTES.search(node[2]):
                    self.bytes[node[1]] = max(int(size[1]), self.bytes.get(node[1], 0))
                    self.names[node[1]] = short_name(node[2].split("\\n")[0])
            elif edge := EDGE.match(line):
                self.calls[edge[1]].add(edge[2])
                self.callers[edge[2]].add(edge[1])

    def constructors_alone(self):
        """The constructors, and the functions that no other function calls."""
        alone = {title for title in self.bytes if CONSTRUCTORS.search(title)}
        while more := {title for title in self.bytes
                       if title not in alone and self.callers[title] and self.callers[title] <= alone}:
            alone |= more
        return alone

    def roots(self):
        alone = self.constructors_alone()
        return sorted(title for title in self.bytes if title not in alone and not self.callers[title] - {title})

    def deepest(self, root):
        """(bytes, names of the path) of the deepest path below a function."""
        best = {}  # of what has been left: its deepest path

        def visit(title, above):
            if title in best or title in above or title not in self.bytes:
                return best.get(title, (0, []))
            below = max((visit(called, above | {title}) for called in sorted(self.calls[title])), default=(0, []),
                        key=lambda path: path[0])
            best[title] = self.bytes[title] + below[0], [self.names[title], *below[1]]
            return best[title]

        return visit(root, frozenset())


def short_name(declaration):
    """teff::region::begin of `unsigned int teff::region::begin(teff::team::Worker&)`."""
    return re.sub(r"\(.*", "", declaration.replace("{anonymous}::", "")).split(" ")[-1].removeprefix("teff::")


def complaints(functions, limit_bytes=LIMIT_BYTES, apart_limit_bytes=APART_LIMIT_BYTES):
    found = []
    for root in functions.roots():
        size, path = functions.deepest(root)
        limit = apart_limit_bytes if APART.search(path[0]) else limit_bytes
        if size > limit:
            found.append(f"{size} bytes of stack, more than {limit}: {' > '.join(path)}")
    return sorted(found)


def read_all(objects, sources):
    """Reads what the compiler wrote for the present sources."""
    functions = Functions()
    files = [objects / f"{source.relative_to(sources)}.ci" for source in sorted(sources.rglob("*.cpp"))]
    for file in files:
        if file.exists():
            functions.read(file.read_text())
    return functions


def main():
    functions = read_all(checklib.ROOT / OBJECTS, checklib.ROOT / SOURCES)
    if not functions.bytes:
        sys.exit(f"{OBJECTS}: the compiler has written no call graphs there; build the preset release")
    found = complaints(functions)
    for complaint in found:
        print(complaint)
    print(f"check_stacks: {len(functions.bytes)} functions, {len(found)} paths too deep")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
