# SPDX-License-Identifier: Apache-2.0
"""Reads the log of the tool (tool/log.h) as a list of events."""

import collections
import fnmatch


class Event:
    """One line: PID SEQUENCE TID EVENT key=value..."""

    def __init__(self, line):
        pid, sequence, tid, self.name, *fields = line.split()
        self.pid, self.sequence, self.tid = int(pid), int(sequence), int(tid)
        self.fields = dict(field.split("=", 1) for field in fields)
        self.words = self.name.split(".")

    def __getitem__(self, key):
        return self.fields[key]

    def __contains__(self, key):
        return key in self.fields

    def __str__(self):
        shown = " ".join(f"{key}={value}" for key, value in self.fields.items() if key not in ("T", "P", "ra"))
        return f"#{self.sequence} thread {self.tid}: {self.name} {shown}"

    def tasks(self):
        """The levels of ompt_get_task_info: (task, flags, thread number, region, exit frame, enter frame), the current one first."""
        levels = [level.split(",") for level in self.fields.get("T", "").split(";") if level]
        return [(task, int(flags, 16), int(number), region, exit_, enter) for task, flags, number, region, exit_, enter in levels]

    def regions(self):
        """The levels of ompt_get_parallel_info: (region, team size), the innermost first."""
        levels = [level.split(",") for level in self.fields.get("P", "").split(";") if level]
        return [(region, int(size)) for region, size in levels]


def parse(text, pid=None):
    """The events of one process, in order: the process `pid`, or the only one in the log."""
    events = [Event(line) for line in text.splitlines()]
    if pid is None:
        assert len({event.pid for event in events}) <= 1, "events of several processes"
    return sorted((event for event in events if pid in (None, event.pid)), key=lambda event: event.sequence)


class Counts(collections.Counter):
    def __init__(self, events):
        super().__init__(event.name for event in events)

    def matching(self, pattern):
        """The number of events whose name matches a shell pattern, or one of several patterns joined by '|'."""
        patterns = pattern.split("|")
        return sum(n for name, n in self.items() if any(fnmatch.fnmatchcase(name, one) for one in patterns))
