# SPDX-License-Identifier: Apache-2.0
"""Checks that each iteration of a loop is dispatched exactly once, according to the loop's chunks."""

import itertools
from fractions import Fraction


def signed(value):
    return value - 2**64 if value >= 2**63 else value


def faults_in_series(chunks):
    """Complaints about the starts of chunks: each chunk must begin where the one before ends, and all steps must be
    equal."""
    ordered = sorted(chunks)
    steps = set()
    for (start, iterations), (following, _) in itertools.pairwise(ordered):
        if following == start:
            yield f"two chunks start at {start}"
        elif iterations:
            steps.add(Fraction(following - start, iterations))
    if len(steps) > 1:
        yield f"chunks overlap or leave gaps: the distances of their starts per iteration are {sorted(map(float, steps))}"


def faults_in_chunks(count, chunks):
    """Complaints about chunks (start, iterations) of a loop of `count` iterations; starts may be signed or unsigned."""
    total = sum(iterations for _, iterations in chunks)
    if total != count:
        yield f"{total} iterations were dispatched of {count}"
    if any(iterations == 0 for _, iterations in chunks):
        yield "a chunk has no iterations"
    if any(True for _ in faults_in_series(chunks)):
        yield from faults_in_series([(signed(start), iterations) for start, iterations in chunks])


class Loop:
    """One work-sharing loop of a region: the events of all threads of the team about it."""

    def __init__(self, count):
        self.count = count
        self.chunks = []

    def faults(self, cancelled):
        if cancelled:
            return
        yield from faults_in_chunks(self.count, self.chunks)
