# SPDX-License-Identifier: Apache-2.0
"""Reads the expected graph of a program of traces/ from the program's first comment.

    // env: NAME=VALUE               environment that the program needs
    // graph:                        which grain creates which, two blanks per level:
    //   initial                     KIND [SITE] [inline] [cancelled] [*COUNT]
    //     implicit region *T        T is the number of threads; a line with a count of 0 is ignored
    // chunks: SITE first+iterations ...
    // edge: SITE -> SITE [*COUNT]   dependences

A SITE is a mark in the source, such as [region]. The recording must name the line of the mark, or
the next line, because a construct without code of its own has the line of its first statement.
"""

import collections
import re

MARK = re.compile(r"//\s*\[(\w+)\]\s*$")
HEADER = re.compile(r"^// ?(.*)$")


def parse_count(text, threads):
    if text.startswith("T"):
        return threads - int(text[2:] or 0)
    return int(text)


class Expected:
    def __init__(self, source, threads):
        lines = source.read_text().splitlines()
        self.threads = threads
        self.marks = {number: match[1] for number, line in enumerate(lines, 1) if (match := MARK.search(line))}
        self.env = {}
        self.tree = ()
        self.chunks = collections.Counter()
        self.edges = collections.Counter()
        header = []
        for line in lines:
            match = HEADER.match(line)
            if not match:
                break
            header.append(match[1])
        self.parse(header)

    def parse(self, header):
        tree = []
        for line in header:
            word, _, rest = line.partition(": ")
            if word == "env":
                self.env.update(pair.split("=", 1) for pair in rest.split())
            elif word == "chunks":
                site, *chunks = rest.split()
                self.chunks.update((site, *map(int, chunk.split("+"))) for chunk in chunks)
            elif word == "edge":
                source, arrow, target, *count = rest.split()
                assert arrow == "->", line
                self.edges[source, target] += int(count[0][1:]) if count else 1
            elif line.startswith("  "):
                tree.append(line)
        self.tree = self.subtrees(tree, 1)

    def subtrees(self, lines, level):
        """The trees whose roots are at this level, in the form that `tree_of` returns."""
        indent = "  " * level
        trees = []
        while lines and lines[0].startswith(indent):
            words = lines.pop(0).split()
            count = parse_count(words.pop()[1:], self.threads) if words[-1].startswith("*") else 1
            children = self.subtrees(lines, level + 1)
            trees += [(" ".join(words), children)] * count
        return tuple(sorted(trees))

    def site(self, line):
        return self.marks.get(line) or self.marks.get(line - 1) or f"line {line}"
