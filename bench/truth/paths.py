# SPDX-License-Identifier: Apache-2.0
"""Finds, for each grain of a construct, which grains must have ended before this grain could begin.
The graph is known from the program's source.

Each graph is a Python function with two arguments: the pieces of one region, sorted by the time at
which they began, and a flag that says whether the schedule counts. The function yields (piece,
pieces before it). If the schedule counts, the grains of a loop that ran on one thread follow each
other, and so do the holds of a lock. If the schedule does not count, the iterations of a loop are
independent.
"""

from collections import defaultdict

from logs import GRAIN, HOLD, OTHER, OWN


def longest(graph, pieces, as_run, length):
    """The length of the longest path through the pieces of a region."""
    depths, deepest = {}, 0
    for piece, before in graph(pieces, as_run):
        start = max((depths[other] for other in before if other is not None), default=0)
        depths[piece] = start + length(piece)
        deepest = max(deepest, depths[piece])
    if len(depths) != len(pieces):
        raise ValueError(f"a graph names {len(depths)} of {len(pieces)} grains")
    return deepest


def one_at_a_time(pieces, length):
    """The total time of all holds of the one lock, which is the same in any order."""
    return sum(length(piece) for piece in pieces if piece.kind == HOLD)


def threads(pieces, _as_run):
    """Each piece of a thread follows the previous piece of the thread."""
    last = {}
    for piece in pieces:
        yield piece, [last.get(piece.thread)]
        last[piece.thread] = piece


def loop(pieces, as_run):
    yield from threads(pieces, True) if as_run else ((piece, []) for piece in pieces)


def sections(pieces, as_run):
    """Worksharing constructs, one per step, each with a barrier."""
    yield from steps(pieces, as_run, chains=as_run)


def steps(pieces, _as_run, chains=True):
    """All pieces of a step (a) follow all pieces of the previous step; within a step, threads are chains."""
    before, now, last, step = [], [], {}, None
    for piece in sorted(pieces, key=lambda piece: (piece.a, piece.begin)):
        if piece.a != step:
            before, now, last, step = now, [], {}, piece.a
        yield piece, before + ([last[piece.thread]] if chains and piece.thread in last else [])
        now.append(piece)
        last[piece.thread] = piece


def ordered(pieces, as_run):
    """The second half of each iteration follows the second half of the iteration before."""
    last, first, chain = {}, {}, {}
    for piece in pieces:
        before = [last.get(piece.thread)] if as_run else []
        if piece.kind == HOLD:
            before += [chain.get(piece.a - 1), first[piece.a]]
            chain[piece.a] = piece
        else:
            first[piece.a] = piece
        yield piece, before
        last[piece.thread] = piece


def holds(pieces, as_run):
    """Threads are chains, and so are the holds of the one lock. If the schedule does not count, the holds have no
    order: see one_at_a_time."""
    last, hold = {}, None
    for piece in pieces:
        yield piece, [last.get(piece.thread), hold if as_run and piece.kind == HOLD else None]
        last[piece.thread] = piece
        hold = piece if piece.kind == HOLD else hold


def tree(pieces, _as_run):
    """Tasks numbered as in a heap; b is the part of the task: before its children, between them, after both."""
    parts = {(piece.a, piece.b): piece for piece in pieces}

    def end_of(task):
        return parts.get((task, 2)) or parts[task, 0]

    def before(piece):
        if piece.b == 0:
            return [parts[piece.a // 2, piece.a % 2]] if piece.a > 1 else []
        if piece.b == 1:
            return [parts[piece.a, 0]]
        return [parts[piece.a, 1], end_of(2 * piece.a), end_of(2 * piece.a + 1)]

    yield from ((piece, before(piece)) for piece in pieces)


def rounds(waited, within=None):
    """Rounds (a) of a creator. In each round the creator's OWN grain comes first, and tasks follow it. The OWN grain
    of the next round follows the tasks for which `waited` is true. `within` gives, for a task, the (kind, b) of the
    tasks of the same round that it follows."""
    def graph(pieces, _as_run):
        by_round = defaultdict(list)
        for piece in pieces:
            by_round[piece.a].append(piece)
        own, joined = None, []
        for number in sorted(by_round):
            found = {(piece.kind, piece.b): piece for piece in by_round[number]}
            mine = found.pop((OWN, 0), None)
            if mine:
                yield mine, [own, *joined]
                own, joined = mine, []
            before, joined = [own, *joined], []
            for (kind, b), piece in sorted(found.items(), key=lambda item: item[1].begin):
                others = within(kind, b) if within else []
                yield piece, before + [found[other] for other in others]
                joined += [piece] if waited(kind, b) else []
    return graph


taskwait = rounds(lambda kind, b: True)
taskwait_depend = rounds(lambda kind, b: kind == GRAIN)
taskgroup = rounds(lambda kind, b: kind == GRAIN, lambda kind, b: [(GRAIN, 0)] if (kind, b) == (GRAIN, 1) else [])
detach = rounds(lambda kind, b: True,
                lambda kind, b: [(GRAIN, 0), (OTHER, 0)] if (kind, b) == (GRAIN, 1) else [])


def cancelled(pieces, _as_run):
    """Groups of tasks, each followed by a grain of the creator, which the next group follows."""
    by_round = defaultdict(list)
    for piece in pieces:
        by_round[piece.a].append(piece)
    own = None
    for number in sorted(by_round):
        tasks = [piece for piece in by_round[number] if piece.kind == GRAIN]
        yield from ((piece, [own]) for piece in tasks)
        mine = next(piece for piece in by_round[number] if piece.kind == OWN)
        yield mine, [own, *tasks]
        own = mine


def wavefront(pieces, _as_run):
    cells = {(piece.a, piece.b): piece for piece in pieces}
    yield from ((piece, [cells.get((piece.a - 1, piece.b)), cells.get((piece.a, piece.b - 1))]) for piece in pieces)


def nested(pieces, _as_run):
    """Each outer thread (a): a grain of its own, then a region, round by round (b)."""
    by_round = defaultdict(list)
    for piece in pieces:
        by_round[piece.b, piece.a].append(piece)
    inner = {}
    for number, outer in sorted(by_round):
        of_round = by_round[number, outer]
        own = next(piece for piece in of_round if piece.kind == OWN)
        yield own, inner.get(outer, [])
        inner[outer] = [piece for piece in of_round if piece.kind == GRAIN]
        yield from ((piece, [own]) for piece in inner[outer])


def undeferred(pieces, _as_run):
    last = None
    for piece in pieces:
        yield piece, [last]
        last = piece


def flood(pieces, _as_run):
    """A creator's grains are a chain; each is followed by a task."""
    own = {piece.a: piece for piece in pieces if piece.kind == OWN}
    yield from ((piece, [own.get(piece.a - (piece.kind == OWN))]) for piece in pieces)


def independent(pieces, _as_run):
    yield from ((piece, []) for piece in pieces)
