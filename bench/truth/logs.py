# SPDX-License-Identifier: Apache-2.0
"""Reads the log of a program of programs/: its pieces, by the program's own clock
(programs/truth.h).
"""

import mmap
import struct
from dataclasses import dataclass
from pathlib import Path

GRAIN, HOLD, OWN, OTHER = 1, 2, 3, 4
FIRST_MARK = 16
REGION_BEGINS, REGION_ENDS, CREATION_BEGINS, CREATION_ENDS = 16, 17, 18, 19

PAGE = 4096
HEADER = struct.Struct("<10Q")
PIECE = struct.Struct("<QQQIIqq")


@dataclass(slots=True, eq=False)
class Piece:
    begin: int
    end: int
    ran: int
    kind: int
    thread: int
    a: int
    b: int


class Log:
    """The pieces of a run, sorted by the time at which they began, and its marks. Times are
    ticks."""

    def __init__(self, path):
        with Path(path).open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            (self.begin, self.end, begin_ns, end_ns, self.begin_cpu_ns, self.end_cpu_ns, _, threads, capacity,
             self.spare) = HEADER.unpack_from(content)
            if not self.end:
                raise ValueError(f"{path}: the program has not come to its end")
            self.ns_per_tick = (end_ns - begin_ns) / (self.end - self.begin)
            found = [piece for thread in range(threads) for piece in part(content, thread, capacity)]
        found.sort(key=lambda piece: piece.begin)
        self.pieces = [piece for piece in found if piece.kind < FIRST_MARK]
        self.marks = [piece for piece in found if piece.kind >= FIRST_MARK]

    def ns(self, ticks):
        return ticks * self.ns_per_tick

    def regions(self):
        """(begins, ends) marks of the outermost regions."""
        begins = [mark for mark in self.marks if mark.kind == REGION_BEGINS]
        return list(zip(begins, (mark for mark in self.marks if mark.kind == REGION_ENDS)))

    def between(self, begin, end):
        return [piece for piece in self.pieces if begin <= piece.begin < end]


def part(content, thread, capacity):
    """The pieces that one thread has written: all up to the first empty one."""
    first = PAGE + thread * capacity * PIECE.size
    for at in range(first, first + capacity * PIECE.size, PIECE.size):
        piece = Piece(*PIECE.unpack_from(content, at))
        if not piece.kind:
            return
        yield piece
