# SPDX-License-Identifier: Apache-2.0
"""The state that the events describe: threads, regions, tasks, and the chains of tasks and regions
that the entry points must show.
"""

INITIAL, IMPLICIT, EXPLICIT = 0x1, 0x2, 0x4


class Region:
    def __init__(self, name, encountering, levels, thread, league=False):
        self.name, self.encountering, self.thread, self.league = name, encountering, thread, league
        self.levels = levels  # of the thread that encountered it, when it began
        self.size = None
        self.indices = {}  # of implicit tasks that began
        self.ended = 0
        self.open = True
        self.cancelled = False


class Task:
    def __init__(self, name, kind, region, parent=None, index=None):
        self.name, self.kind, self.region, self.parent, self.index = name, kind, region, parent, index
        self.state = "created"  # running, waiting (below another task of its thread), detached, done
        self.thread = None  # whose stack it is on
        self.scopes = []  # open scopes: (event name without its end point, parts)
        self.wants_dependences = False
        self.acquiring = None  # (kind, wait id)
        self.loops = 0  # work-sharing loops begun


class Thread:
    def __init__(self, name, tid):
        self.name, self.tid = name, tid
        self.stack = []  # tasks, the current one last
        self.targets = []  # target constructs in flight, the innermost last
        self.submits = None  # the target region of which a kernel is being started
        self.ended = False

    @property
    def current(self):
        return self.stack[-1] if self.stack else None

    def levels(self):
        """What ompt_get_task_info shows on this thread: (task, thread number), the current task first."""
        levels = [(task, self.number_in(task.region)) for task in reversed(self.stack)]
        base = self.stack[0] if self.stack else None
        if base and base.kind == IMPLICIT and base.region.thread is not self:
            levels += base.region.levels
        return levels

    def regions(self):
        """Regions that ompt_get_parallel_info shows, the innermost first: each once."""
        found = []
        for task, _ in self.levels():
            if task.region and task.region not in found:
                found.append(task.region)
        return found

    def number_in(self, region):
        """This thread's number in the team of a region whose implicit or initial task is on its stack."""
        for task in self.stack:
            if task.region is region and task.kind in (INITIAL, IMPLICIT):
                return task.index if task.kind == IMPLICIT else 0
        return None
