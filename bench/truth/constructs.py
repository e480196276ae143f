# SPDX-License-Identifier: Apache-2.0
"""The constructs, each with its program and its graph; and the figures that are computed from a
run's log: work, span, lost time.
"""

from dataclasses import dataclass, field

import logs
import paths

WAITS, LOCKS, IMBALANCE, CREATION = "waits", "locks", "imbalance", "creation"


@dataclass
class Construct:
    name: str
    program: str
    graph: object
    flags: tuple = ()
    env: dict = field(default_factory=dict)
    classes: tuple = ()  # of lost time, that the program's clock knows by themselves
    workers: int = 2


def loops():
    for name, schedule in [("inlined static loop", "static"), ("dynamic loop", "dynamic, 1"), ("guided loop", "guided")]:
        yield Construct(name, "loop.c", paths.loop, (f"-DSCHEDULE={schedule}",), classes=(IMBALANCE,))
    yield Construct("static loop", "loop.c", paths.loop, env={"OMP_SCHEDULE": "static"}, classes=(IMBALANCE,))
    yield Construct("Fortran loop", "fortran_loop.f90", paths.loop, classes=(IMBALANCE,))
    yield Construct("ordered", "ordered.c", paths.ordered)
    yield Construct("doacross", "doacross.c", paths.ordered)


def threads():
    yield Construct("serial parts", "serial.c", paths.threads)
    yield Construct("sections", "sections.c", paths.sections)
    yield Construct("single", "single.c", paths.steps)
    yield Construct("barriers", "barriers.c", paths.steps, classes=(IMBALANCE,))
    yield Construct("nested regions", "nested.c", paths.nested, workers=4)
    for kind, name in enumerate(("lock", "nest lock", "critical"), 1):
        yield Construct(name, "lock.c", paths.holds, (f"-DKIND={kind}",), classes=(LOCKS,))


def tasks():
    yield Construct("task tree", "tree.c", paths.tree)
    yield Construct("untied", "tree.c", paths.tree, ("-DUNTIED",))
    yield Construct("taskwait", "taskwait.c", paths.taskwait)
    yield Construct("taskwait depend", "taskwait_depend.c", paths.taskwait_depend)
    yield Construct("wavefront", "wavefront.c", paths.wavefront, classes=(CREATION,))
    yield Construct("taskgroup", "taskgroup.c", paths.taskgroup)
    yield Construct("detach", "detach.c", paths.detach)
    yield Construct("undeferred", "undeferred.c", paths.undeferred)
    yield Construct("taskloop", "taskloop.c", paths.independent, classes=(CREATION,))
    yield Construct("flood", "flood.c", paths.flood, env={"TEFF_DEQUE_LIMIT": "64"})
    yield Construct("cancellation", "cancelled.c", paths.cancelled, env={"OMP_CANCELLATION": "true"})


CONSTRUCTS = [*threads(), *loops(), *tasks()]


@dataclass
class Truth:
    """The figures of one run, in nanoseconds."""
    work: float
    span: float
    span_any: float
    wall: float
    serial: float  # wall time outside of regions
    lost: float  # worker time in regions that no grain had: waits, creation, scheduling, recorder
    descheduled: float
    grains: int
    classes: dict


def serial_cpu_ns(log):
    """CPU time of the initial thread outside of regions."""
    points = [log.begin_cpu_ns, *(mark.ran for pair in log.regions() for mark in pair), log.end_cpu_ns]
    return sum(end - begin for begin, end in zip(points[::2], points[1::2]))


def judge(log, construct):
    """The figures that the log gives for a run of this construct."""
    spare = log.spare

    def ran(piece):
        return piece.ran + spare

    work = span = span_any = wall = held = descheduled = 0
    classes = dict.fromkeys(construct.classes, 0)
    grains = 0
    for begins, ends in log.regions():
        pieces = log.between(begins.begin, ends.end)
        grains += len(pieces)
        work += sum(map(ran, pieces))
        held += sum(piece.end - piece.begin + spare for piece in pieces)
        descheduled += sum(piece.end - piece.begin - piece.ran for piece in pieces)
        span += paths.longest(construct.graph, pieces, True, ran)
        free = paths.longest(construct.graph, pieces, False, ran)
        span_any += max(free, paths.one_at_a_time(pieces, ran))
        wall += ends.end - begins.begin
        for name in classes:
            classes[name] += LOST[name](log, pieces, begins, ends)
    serial, outside = serial_cpu_ns(log), log.end - log.begin - wall
    lost = construct.workers * wall - held
    return Truth(log.ns(work) + serial, log.ns(span) + serial, log.ns(span_any) + serial, log.ns(log.end - log.begin),
                 log.ns(outside), log.ns(lost), log.ns(descheduled), grains,
                 {name: log.ns(ticks) for name, ticks in classes.items()})


def lock_waits(_log, pieces, _begins, _ends):
    """From the end of a thread's previous piece to the start of its hold."""
    waits, last = 0, {}
    for piece in pieces:
        if piece.kind == logs.HOLD:
            waits += piece.begin - last[piece.thread]
        last[piece.thread] = piece.end
    return waits


def imbalance(_log, pieces, _begins, ends):
    """The time that threads wait for the last thread at the end of each step, or of the region if
    there are no steps."""
    if len({piece.kind for piece in pieces}) == 1 and len({piece.b for piece in pieces}) == 1:
        last = {}
        for piece in pieces:
            last[piece.thread] = piece.end
        return sum(max(last.values()) - end for end in last.values())
    lasts = {}
    for piece in pieces:
        lasts.setdefault(piece.a, []).append(piece.end)
    return sum(max(step) - end for step in lasts.values() for end in step)


def creation(log, pieces, begins, ends):
    """The part of the creator's time between two marks that belongs to no grain."""
    marks = [mark for mark in log.marks if begins.begin <= mark.begin <= ends.end]
    at = {mark.kind: mark for mark in marks}
    begin, end = at[logs.CREATION_BEGINS], at[logs.CREATION_ENDS]
    inside = [piece for piece in pieces if piece.thread == begin.thread and begin.begin <= piece.begin < end.end]
    return end.begin - begin.begin - sum(piece.end - piece.begin + log.spare for piece in inside)


LOST = {LOCKS: lock_waits, IMBALANCE: imbalance, CREATION: creation}
