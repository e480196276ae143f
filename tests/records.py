# SPDX-License-Identifier: Apache-2.0
"""Reads the records of a stream by what the header of each chunk says of their sizes."""

import re
import struct
from dataclasses import dataclass

from harness import ROOT

CHUNK_BYTES = 1 << 20
HEADER = (ROOT / "runtime" / "include" / "teff_trace.h").read_text()


def numbers(prefix):
    """The enumerators of the format that begin so, without that: {name: number}."""
    return {name: int(value) for name, value in re.findall(rf"\b{prefix}(\w+)\s*=\s*(\d+)", HEADER)}


TYPES = numbers("TEFF_REC_")
NAMES = {number: name for name, number in TYPES.items()}


@dataclass
class Record:
    name: str
    flags: int
    when: int
    words: tuple  # of 64 bits, behind the head
    at: int  # `when` on the clock itself

    def halves(self, word):
        return self.words[word] & 0xFFFFFFFF, self.words[word] >> 32


def records(path):
    data = path.read_bytes()
    found = []
    for begin in range(0, len(data), CHUNK_BYTES):
        chunk = data[begin : begin + CHUNK_BYTES]
        (base,), (at,), sizes = struct.unpack_from("<Q", chunk, 24), struct.unpack_from("<I", chunk, 44), chunk[64:320]
        while at < len(chunk) and chunk[at] != TYPES["NONE"]:
            size = sizes[chunk[at]]
            length = size % 128 * 16
            tail = struct.unpack_from("<I", chunk, at + 12)[0] if size >= 128 else 0
            head, *words = struct.unpack_from(f"<{length // 8}Q", chunk, at)
            found.append(Record(NAMES[head & 0xFF], head >> 8 & 0xFF, head >> 16, tuple(words), base + (head >> 16)))
            at += length + (tail + 15) // 16 * 16
    return found
