# SPDX-License-Identifier: Apache-2.0
"""Makes a random program from a seed. The same seed always gives the same program.

Programs follow OpenMP's rules and end on every runtime that follows the rules: no task holds a lock
where it may be suspended, no task waits for an action of another task that might never run, and the
expected result does not depend on which thread runs which task.

Seeds differ in emphasis: first a flavour is drawn, which says how much the program may do, then
habits (how many tasks are untied, yield, depend on each other), then constructs.
"""

import dataclasses
import random

from tree import ALONE, DEPENDENCES, HELD, LOCKS_FROM, SERIAL, TEAM, Node, rank


@dataclasses.dataclass(frozen=True)
class Flavour:
    name: str
    weight: int
    executions: int  # of one node, at most
    nodes: int  # of the tree, about
    work: int  # rounds of a loop that one node may do altogether
    kinds: dict  # weights that differ from the usual ones


TASKS = dict(tree=12, task=20, taskgroup=6, taskloop=4, loop=1, doacross=0.3, sections=0.5, parfor=0.3)
LOOPS = dict(loop=25, doacross=6, sections=5, parfor=10, tree=0.3, task=2, taskloop=1, single=2)
FLAVOURS = (
    Flavour("tiny", 35, 60, 12, 20_000, {}),
    Flavour("mixed", 27, 400, 22, 100_000, {}),
    Flavour("tasks", 23, 20_000, 12, 2_000_000, TASKS),
    Flavour("loops", 15, 1_000, 14, 200_000, LOOPS),
)

TASK_HEAVY = FLAVOURS[2]

USUAL = dict(
    parallel=3, parfor=2, threads=1, fork=0.8, release=0.4, pause=1.2, repeat=3, work=6, task=14, tree=4, taskwait=5,
    taskgroup=4, taskyield=3, taskloop=3, critical=2, lock=1.5, atomic=2, loop=4, doacross=1, sections=2, single=6,
    master=1.5, masked=0.7, barrier=2)

# What may stand outside of regions and within others is drawn from these.
KINDS = {
    SERIAL: ("parallel", "parfor", "threads", "fork", "release", "pause", "repeat", "taskgroup"),
    TEAM: ("parallel", "pause", "repeat", "work", "task", "tree", "taskwait", "taskgroup", "taskyield", "taskloop",
           "critical", "lock", "atomic", "loop", "doacross", "sections", "single", "master", "masked", "barrier"),
    ALONE: ("parallel", "parfor", "pause", "repeat", "work", "task", "tree", "taskwait", "taskgroup", "taskyield",
            "taskloop", "critical", "lock", "atomic"),
    HELD: ("work", "atomic", "critical", "lock"),
}
SERIAL_WEIGHTS = dict(parallel=20, parfor=3, threads=1, fork=0.7, release=0.4, pause=1.5, repeat=1.5, taskgroup=1)

DEFAULT_TEAM = 4  # how many threads a region is thought to have whose size the environment says
MOST_THREADS = 16
MOST_PAUSE_US = 4_000
DEEPEST = 7
CONSTANT_ITERATIONS, CONSTANT_CHUNK = 48, 3  # of combined loops that are compiled to one call


@dataclasses.dataclass(frozen=True)
class Place:
    """Where the next node comes."""
    context: str = SERIAL
    executions: int = 1  # how often all threads together come here
    threads: int = 1  # that run at once, of all teams around
    region: bool = False
    reducing: bool = False
    loose: bool = False  # within what may be cancelled
    apart: bool = False  # within a thread that is not OpenMP's, or the child of a fork
    ordered: bool = False
    held: int = -1
    depth: int = 0

    def inside(self, context, times=1, **changes):
        return dataclasses.replace(self, context=context, executions=self.executions * times, depth=self.depth + 1,
                                   **changes)


class Generator:
    def __init__(self, seed):
        self.random = random.Random(f"openmp {seed}")
        self.flavour = self.random.choices(FLAVOURS, [flavour.weight for flavour in FLAVOURS])[0]
        self.left = self.flavour.nodes * self.random.uniform(0.6, 1.4)
        pick = self.random.choice
        self.untied, self.yields = pick((0, 0.3, 0.5, 1)), pick((0, 0, 0.5, 2))
        self.depending, self.flagged = pick((0, 0.2, 0.6)), pick((0, 0.1, 0.3))
        self.detaching = pick((0, 0, 0, 0.1, 0.3))
        self.cancelling = pick((0, 0, 0.3))
        self.weights = {**USUAL, **self.flavour.kinds}
        self.weights["taskyield"] *= self.yields

    def chance(self, probability):
        return self.random.random() < probability

    def between(self, low, high):
        """A whole number; each order of magnitude is equally likely."""
        if high <= low:
            return low
        return min(high, int(low * (high / low + 0.5) ** self.random.random()))

    def room(self, place):
        return max(1, self.flavour.executions // place.executions)

    # ---- the tree ----

    def program(self):
        root = Node("program")
        place = Place()
        for _ in range(self.random.choice((1, 1, 1, 2, 3))):
            root.children.append(self.node(place))
        if self.flavour is TASK_HEAVY:
            root.children.append(self.crowd(place))
        if not any(node.kind in ("parallel", "parfor") for node in root.walk()):
            root.children.append(self.parallel(place))
        return root

    def body(self, place, most=4):
        children = []
        for _ in range(self.random.randint(min(2, most), most)):
            if self.left > 0 or not children:
                children.append(self.node(place))
        return children

    def node(self, place):
        self.left -= 1
        return getattr(self, self.kind(place))(place)

    def kind(self, place):
        deep = place.depth >= DEEPEST or self.left <= 0
        if place.context != SERIAL and deep:
            return "work" if self.chance(0.5) else "atomic"
        if place.context == SERIAL and (deep or place.depth > 2):
            return "parallel"
        weights = SERIAL_WEIGHTS if place.context == SERIAL else self.weights
        kinds = [kind for kind in KINDS[place.context] if self.fits(kind, place)]
        return self.random.choices(kinds, [weights[kind] for kind in kinds])[0]

    def fits(self, kind, place):
        if kind in ("fork", "release", "threads"):
            return not place.apart
        if kind in ("parallel", "parfor") and place.region:
            return place.threads * 2 <= MOST_THREADS and place.executions <= 60
        if kind in ("critical", "lock"):
            return place.held < 2 * LOCKS_FROM + 2
        return True

    # ---- regions ----

    def team_size(self, place):
        most = MOST_THREADS // place.threads
        if place.region:
            return self.random.choice([size for size in (1, 2, 2, 2, 3, 4) if size <= most])
        size = self.random.choices((0, 2, 1, 3, 4, 7, 16), (45, 25, 8, 8, 6, 4, 4))[0]
        return size if size <= most else 2

    def parallel(self, place):
        size = self.team_size(place)
        node = Node("parallel", {"size": size})
        real = size or DEFAULT_TEAM
        changes = dict(threads=place.threads * real, region=True, loose=False, reducing=False, ordered=False)
        draw = self.random.random()
        if draw < 0.07:
            node.attributes["serial"] = 1
            real = 1
        elif draw < 0.14 and size:
            node.attributes["icv"] = 1
        elif draw < 0.2:
            node.attributes["reduce"] = 1
            changes["reducing"] = True
            node.attributes["size"] = real
        elif draw < 0.2 + 0.3 * self.cancelling:
            node.attributes["cancel"] = self.random.randint(1, real)
            node.attributes["size"] = real
            changes["loose"] = True
        context = ALONE if node.get("cancel") else TEAM
        node.children = self.body(place.inside(context, real, **changes))
        if context == TEAM and not node.get("reduce") and self.chance(0.35):
            node.children = [self.sole(place.inside(TEAM, 1, **changes))]
        return node

    def sole(self, place):
        """One thread that creates all tasks, as in most programs."""
        return Node("single", {}, self.body(place.inside(ALONE), most=6))

    def crowd(self, place):
        """A region with many tasks, whatever else is drawn."""
        size = self.team_size(place)
        changes = dict(threads=size or DEFAULT_TEAM, region=True)
        alone = place.inside(ALONE, **changes)
        make = self.random.choice((self.tree, self.tree, self.task, self.taskloop))
        children = [make(alone) for _ in range(self.random.randint(1, 3))]
        if self.chance(0.5):
            children.append(self.taskwait(alone))
        if self.chance(0.2):
            return Node("parallel", {"size": size}, children)
        return Node("parallel", {"size": size}, [Node("single", {}, children)])

    def parfor(self, place):
        size = self.team_size(place)
        n = self.between(1, min(300, self.room(place)))
        node = Node("parfor", {"n": n, "size": size, **self.schedule()})
        if self.chance(0.4):
            node.attributes.update(n=CONSTANT_ITERATIONS, chunk=CONSTANT_CHUNK, type=1)
        inner = place.inside(ALONE, node.get("n"), threads=place.threads * (size or DEFAULT_TEAM), region=True,
                             loose=False, reducing=False, ordered=False)
        node.children = self.body(inner, most=2)
        return node

    def threads(self, place):
        n = self.random.randint(1, 3)
        return Node("threads", {"n": n}, self.body(place.inside(SERIAL, n, threads=place.threads * n, apart=True), 2))

    def fork(self, place):
        node = Node("fork")
        if self.chance(0.6):
            node.children = self.body(place.inside(SERIAL, apart=True), 2)
        return node

    def release(self, _place):
        return Node("release")

    def pause(self, place):
        most = MOST_PAUSE_US // place.executions
        if most < 20:
            return self.work(place)
        return Node("pause", {"us": self.between(20, most)})

    def repeat(self, place):
        most = self.room(place) if place.context == ALONE else min(self.room(place), 40)
        if place.context == SERIAL:
            most = 20
        if most < 2:
            return self.node(place)
        n = self.between(2, most)
        return Node("repeat", {"n": n}, self.body(place.inside(place.context, n), 3))

    # ---- leaves ----

    def work(self, place):
        return Node("work", {"n": self.between(1, max(2, self.flavour.work // place.executions))})

    def taskyield(self, _place):
        return Node("taskyield")

    def barrier(self, _place):
        return Node("barrier")

    def atomic(self, _place):
        return Node("atomic", {"how": self.random.randrange(4)})

    def taskwait(self, place):
        node = Node("taskwait")
        if not place.loose and self.chance(self.depending * 0.4):
            node.attributes.update(self.dependences(("in", "out", "inout")))
        return node

    # ---- what is held ----

    def exclusive(self, node, place):
        if rank(node) <= place.held:
            return self.work(place)
        node.children = self.body(place.inside(HELD, held=rank(node)), 2)
        return node

    def critical(self, place):
        return self.exclusive(Node("critical", {"name": self.random.randrange(4)}), place)

    def lock(self, place):
        return self.exclusive(Node("lock", {"name": self.random.randrange(4), "how": self.random.randrange(3)}), place)

    # ---- tasks ----

    def flags(self, scale=1):
        chance, scale = self.chance, scale * self.flagged
        drawn = dict(untied=chance(self.untied), final=chance(scale * 0.4), undeferred=chance(scale * 0.5),
                     mergeable=chance(scale * 0.5))
        flags = {name: 1 for name, is_set in drawn.items() if is_set}
        if chance(scale):
            flags["priority"] = self.random.randint(1, 10)
        return flags

    def dependences(self, kinds):
        masks = {}
        for cell in self.random.sample(range(4 if self.chance(0.8) else 8), self.random.choice((1, 1, 2, 3))):
            kind = self.random.choices(DEPENDENCES, (10, 6, 6, 4, 0.4))[0]
            if kind not in kinds:
                kind = "in"
            masks[kind] = masks.get(kind, 0) | 1 << cell
        return masks

    def task(self, place):
        attributes = self.flags()
        many = self.chance(0.4) and self.room(place) > 2
        times = self.between(2, self.room(place)) if many else 1
        if place.loose and self.chance(0.3):
            attributes["cancel"] = 1
        elif place.reducing and not place.loose and self.chance(0.6):
            attributes["reduce"] = 1
        elif place.region and not place.loose and self.chance(self.detaching):
            attributes["detach"] = self.random.choices((1, 2, 3, 4), (30, 15, 15, 40))[0]
            attributes.pop("mergeable", None)
            attributes.pop("final", None)
        elif self.chance(0.05):
            attributes["bytes"] = 1
        if not place.loose and not attributes.keys() & {"reduce", "cancel", "bytes"} and self.chance(self.depending):
            attributes.update(self.dependences(DEPENDENCES))
            attributes["depobj"] = self.chance(0.2) * 1
        inner = place.inside(ALONE, times)
        node = Node("task", attributes, self.body(inner, 3) if self.chance(0.8) else [])
        return node if times == 1 else Node("repeat", {"n": times}, [node])

    def tree(self, place):
        room = self.room(place)
        fan = self.random.choice((1, 2, 2, 2, 3, 4, 8))
        depth, size = 0, 1
        while depth < 14 and size * fan + 1 <= room:
            depth, size = depth + 1, size * fan + 1
        depth = self.random.randint(min(2, depth), depth)
        attributes = {**self.flags(0.5), "depth": depth, "fan": fan, "wait": self.random.choice((0, 1, 1, 2)),
                      "yield": self.chance(0.3 * self.yields) * 1}
        for name in ("final", "undeferred"):
            if name in attributes:
                attributes[name] = self.random.randint(1, max(1, depth))
        if self.chance(min(self.untied, 1 - self.untied)):
            attributes["untied"] = 2
        size = sum(fan ** level for level in range(depth + 1))
        inner = place.inside(ALONE, size)
        if self.chance(0.5):
            children = [self.work(inner)]
            if self.chance(0.4 * self.yields):
                children.insert(self.random.randrange(2), self.taskyield(inner))
            return Node("tree", attributes, children)
        return Node("tree", attributes, self.body(inner, 2))

    def taskgroup(self, place):
        node = Node("taskgroup")
        inner = place.inside(ALONE)
        if self.chance(0.25) and not place.loose:
            node.attributes["reduce"] = 1
            inner = place.inside(ALONE, reducing=True)
        elif place.region and self.chance(self.cancelling):
            node.attributes["cancel"] = 1
            inner = place.inside(ALONE, loose=True, reducing=False)
        node.children = self.body(inner)
        return node

    def taskloop(self, place):
        n = self.between(1, min(2_000, self.room(place)))
        node = Node("taskloop", {"n": n, **self.flags()})
        draw = self.random.random()
        if draw < 0.35:
            node.attributes["grain"] = self.between(1, n)
        elif draw < 0.65:
            node.attributes["tasks"] = self.between(1, n)
        if self.chance(0.2) and not place.loose:
            for name in ("untied", "final", "undeferred", "mergeable", "priority"):
                node.attributes.pop(name, None)
            node.attributes["reduce"] = 1
        elif self.chance(0.3) and place.region:
            node.attributes["nogroup"] = 1
            node.attributes.pop("mergeable", None)
        node.children = self.body(place.inside(ALONE, n), 2) if self.chance(0.7) else []
        return node

    # ---- worksharing ----

    def schedule(self):
        schedule = self.random.randrange(8)
        attributes = {"schedule": schedule, "chunk": self.random.choice((0, 1, 1, 2, 3, 7, 16))}
        if schedule == 4:
            attributes["how"] = self.random.randrange(5)
        return attributes

    def loop(self, place):
        n = self.between(1, min(1_000, max(4, self.room(place))))
        node = Node("loop", {"n": n, **self.schedule()})
        inner = place.inside(ALONE, n)
        draw = self.random.random()
        if draw < 0.15:
            node.attributes["ordered"] = self.random.choice((1, 2))
        elif draw < 0.25:
            node.attributes["reduce"] = 1
        elif draw < 0.32:
            node.attributes["reduce"] = 2
            inner = place.inside(ALONE, n, reducing=True)
        elif draw < 0.32 + 0.3 * self.cancelling:
            node.attributes["cancel"] = self.random.randint(1, n)
        elif draw < 0.6 and n >= 8:
            node.attributes.update(type=2, n=n // 4 * 4)
        if node.get("type") != 2:
            if not node.get("cancel") and node.get("reduce") != 2 and self.chance(0.35):
                node.attributes["nowait"] = 1
            if node.get("reduce") != 2 and self.chance(0.3):
                node.attributes["type"] = 1
        node.children = self.body(inner, 2) if self.chance(0.75) else []
        return node

    def doacross(self, place):
        n = self.between(1, min(200, max(4, self.room(place))))
        attributes = {"n": n, **self.schedule(), "ordered": self.random.choice((1, 2)),
                      "depth": self.random.choice((0, 3))}
        return Node("doacross", attributes, self.body(place.inside(ALONE, n), 2) if self.chance(0.6) else [])

    def sections(self, place):
        sections = [Node("section", {}, self.body(place.inside(ALONE), 2)) for _ in range(self.random.randint(1, 4))]
        return Node("sections", {"nowait": self.chance(0.4) * 1}, sections)

    def single(self, place):
        return Node("single", {"nowait": self.chance(0.4) * 1}, self.body(place.inside(ALONE)))

    def master(self, place):
        return Node("master", {}, self.body(place.inside(ALONE)))

    def masked(self, place):
        return Node("masked", {"n": self.random.randrange(3)}, self.body(place.inside(ALONE)))


def generate(seed):
    """The tree of a seed."""
    return Generator(seed).program()


def flavour(seed):
    return Generator(seed).flavour.name
