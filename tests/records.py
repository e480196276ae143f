# SPDX-License-Identifier: Apache-2.0
"""Reads the records of a stream. The header of each chunk gives their sizes; short records are
completed.
"""

import re
import struct
from dataclasses import dataclass

from harness import ROOT

CHUNK_BYTES = 1 << 20
HEADER = (ROOT / "runtime" / "include" / "teff_trace.h").read_text()


def numbers(prefix):
    """The enumerators of the format that begin with this prefix, without the prefix: {name: number}."""
    return {name: int(value) for name, value in re.findall(rf"\b{prefix}(\w+)\s*=\s*(\d+)", HEADER)}


TYPES = numbers("TEFF_REC_")
TASK, WAIT = numbers("TEFF_TASK_"), numbers("TEFF_WAIT_")
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


class Whole:
    """The last records of a chunk, from which its short records are completed."""

    def __init__(self):
        self.last = {"CREATE": (0, 0, 0), "RUN": (0, 0, 0), "DEP": (0, 0, 0), "CHUNK": (0,) * 5}
        self.sites = {}  # of the last WAIT of each kind
        self.other_address = 0

    def name_and_words(self, name, flags, words):
        if name == "WAIT":
            self.sites[flags] = words[2] & 0xFFFFFFFF
        if name == "SHORT_WAIT":
            task, ticks = self.task_and_ticks(*words)
            return "WAIT", (task, ticks, self.sites[flags])
        made = getattr(self, name.lower(), None)
        if name == "DEP":
            self.other_address = self.last["DEP"][2]
        if made:
            name, words = name.removeprefix("SHORT_").replace("TASK", "CREATE"), made(*words)
        if name in self.last:
            self.last[name] = words
        return name, words

    def short_create(self, site_and_cost):
        task, parent, _ = self.last["CREATE"]
        return task + 1, parent, site_and_cost

    def of_task(self, flags, cost_and_ran):
        """The records that a SHORT_TASK stands for besides its CREATE: names, flags and words."""
        ran, (task, parent, site_and_cost) = cost_and_ran >> 32, self.last["CREATE"]
        if ran == 0:
            return []
        _, ticks_and_cpu, region = self.last["RUN"]
        run = "RUN", 0, (task, ran - 1 | ticks_and_cpu >> 48 << 48, region)
        wait = "WAIT", WAIT["RUN_AT_ONCE"], (parent, ran - 1, site_and_cost & 0xFFFFFFFF)
        return [run] if flags & (TASK["UNDEFERRED"] | TASK["INCLUDED"]) else [run, wait]

    def short_task(self, cost_and_ran):
        task, parent, site_and_cost = self.last["CREATE"]
        return task + 1, parent, site_and_cost & 0xFFFFFFFF | (cost_and_ran & 0xFFFFFFFF) << 32

    def short_run(self, packed):
        _, ticks_and_cpu, region = self.last["RUN"]
        task, ticks = self.task_and_ticks(packed)
        return task, ticks | ticks_and_cpu >> 48 << 48, region

    def short_chunk(self, packed):
        loop, task, first, iterations, ticks_and_cpu = self.last["CHUNK"]
        distance = (packed >> 24) - (packed >> 63 << 40)  # it has a sign
        first = first + distance & 0xFFFFFFFFFFFFFFFF
        return loop, task, first, iterations, packed & 0xFFFFFF | ticks_and_cpu >> 48 << 48

    @staticmethod
    def task_and_ticks(packed):
        ordinal, stream = packed >> 24 & 0xFFFFFFFF, packed >> 56
        return stream << 48 | ordinal, packed & 0xFFFFFF

    def short_dep(self, packed):
        task, address = self.last["CREATE"][0], self.last["DEP"][2]
        if packed & 1 << 31:
            address, self.other_address = self.other_address, address
        distance = packed >> 32
        distance -= distance >> 31 << 32  # it has a sign
        return task, task - (packed & 0x7FFFFFFF), address + distance & 0xFFFFFFFFFFFFFFFF


def chunks(data):
    """In the order of their numbers; of two with the same number, the first one in the file."""
    by_sequence = {}
    for begin in range(0, len(data), CHUNK_BYTES):
        chunk = data[begin : begin + CHUNK_BYTES]
        if any(chunk[:8]):
            by_sequence.setdefault(struct.unpack_from("<Q", chunk, 16)[0], chunk)
    return [chunk for _, chunk in sorted(by_sequence.items())]


def records(path):
    found = []
    for chunk in chunks(path.read_bytes()):
        (base,), (at,), sizes = struct.unpack_from("<Q", chunk, 24), struct.unpack_from("<I", chunk, 44), chunk[64:320]
        whole = Whole()
        while at < len(chunk) and chunk[at] != TYPES["NONE"]:
            size = sizes[chunk[at]]
            length = size % 128 * 16
            tail = struct.unpack_from("<I", chunk, at + 12)[0] if size >= 128 else 0
            head, *words = struct.unpack_from(f"<{length // 8}Q", chunk, at)
            kind, flags, when = NAMES[head & 0xFF], head >> 8 & 0xFF, head >> 16
            name, whole_words = whole.name_and_words(kind, flags, tuple(words))
            found.append(Record(name, flags, when, whole_words, base + when))
            if kind == "SHORT_TASK":
                when += words[0] & 0xFFFFFFFF
                found += [Record(*record[:2], when, record[2], base + when) for record in whole.of_task(flags, *words)]
            at += length + (tail + 15) // 16 * 16
    return found
