# SPDX-License-Identifier: Apache-2.0
"""A program of programs/, with the directives in its first comment.

    env: NAME=VALUE...             what it needs in its environment
    flags: FLAG...                 what the compiler needs
    stderr: TEXT                   what it writes there; without this, nothing
    count: PATTERN N [when C]      exactly N events have names that match PATTERN, if C holds; N and C are expressions of T, the number of threads
"""

import re

HEADER = re.compile(r"^(?://|!) ?(.*)$")


class Program:
    def __init__(self, source):
        self.source = source
        self.env, self.flags, self.stderr, self.counts = {}, [], "", []
        for line in source.read_text().splitlines():
            match = HEADER.match(line)
            if not match:
                break
            word, _, rest = match[1].partition(": ")
            if word == "env":
                self.env.update(pair.split("=", 1) for pair in rest.split())
            elif word == "flags":
                self.flags = rest.split()
            elif word == "stderr":
                self.stderr = rest
            elif word == "count":
                pattern, _, rest = rest.partition(" ")
                number, _, condition = rest.partition(" when ")
                self.counts.append((pattern, number, condition or "True"))

    def expected(self, threads):
        """(pattern, number of events) for a run with this number of threads."""
        for pattern, number, condition in self.counts:
            if evaluate(condition, threads):
                yield pattern, evaluate(number, threads)


def evaluate(expression, threads):
    return eval(expression, {"__builtins__": {}}, {"T": threads})  # pylint: disable=eval-used
