# SPDX-License-Identifier: Apache-2.0
"""Random programs as trees of constructs: reads and writes them, and checks them against OpenMP's
rules.

The text is the input of program/program.c: a kind, the attributes that are not 0, and the children
in braces.
"""

import dataclasses
import re

# The places at which a node may stand: outside all regions; in the body of a region, which all its
# threads run; in code that one thread runs (a task, an iteration, a single region); in code that
# holds something.
SERIAL, TEAM, ALONE, HELD = "serial", "team", "alone", "held"

EXCLUSIVE = {"critical", "lock"}
WORKSHARING = {"loop", "doacross", "sections", "single"}
TASKING = {"task", "tree", "taskwait", "taskgroup", "taskyield", "taskloop"}
ANYWHERE = {"work", "atomic"}
ALLOWED = {
    SERIAL: {"parallel", "parfor", "threads", "fork", "release", "pause", "repeat", "critical", "lock"}
            | TASKING | ANYWHERE,
    TEAM: {"parallel", "parfor", "pause", "repeat", "critical", "lock", "master", "masked", "barrier"}
          | WORKSHARING | TASKING | ANYWHERE,
    ALONE: {"parallel", "parfor", "pause", "repeat", "critical", "lock"} | TASKING | ANYWHERE,
    HELD: {"critical", "lock"} | ANYWHERE,
}
LEAVES = {"work", "pause", "taskwait", "taskyield", "barrier", "release", "atomic"}
DEPENDENCES = ("in", "out", "inout", "mutex", "set")
MOST_SECTIONS = 4


@dataclasses.dataclass
class Node:
    kind: str
    attributes: dict = dataclasses.field(default_factory=dict)
    children: list = dataclasses.field(default_factory=list)

    def get(self, name):
        return self.attributes.get(name, 0)

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()

    def copy(self):
        return Node(self.kind, dict(self.attributes), [child.copy() for child in self.children])

    def size(self):
        return sum(1 for _ in self.walk())

    def text(self):
        words = [self.kind] + [f"{name}={value}" for name, value in self.attributes.items() if value]
        if self.children:
            words += ["{", *(child.text() for child in self.children), "}"]
        return " ".join(words)

    def pretty(self, indent=0):
        """The same text, a node to a line."""
        attributes = [f"{name}={value}" for name, value in self.attributes.items() if value]
        line = " " * indent + " ".join([self.kind, *attributes])
        if not self.children:
            return line + "\n"
        inner = "".join(child.pretty(indent + 2) for child in self.children)
        return f"{line} {{\n{inner}{' ' * indent}}}\n"


class Unreadable(Exception):
    pass


TOKEN = re.compile(r"\s*(?:(?P<brace>[{}])|(?P<name>[a-z]+)(?:=(?P<value>-?\d+))?)")


def parse(text):
    """The tree of a text; raises Unreadable."""
    stack, roots, at = [], [], 0
    text = text.strip()
    while at < len(text):
        token = TOKEN.match(text, at)
        if not token:
            raise Unreadable(f"not a tree: {text[at:at + 30]!r}")
        at = token.end()
        siblings = stack[-1].children if stack else roots
        if token["brace"] == "{":
            stack.append(siblings[-1])
        elif token["brace"] == "}":
            stack.pop()
        elif token["value"] is not None:
            siblings[-1].attributes[token["name"]] = int(token["value"])
        else:
            siblings.append(Node(token["name"]))
    if stack or len(roots) != 1:
        raise Unreadable("a tree has one root, and each of its braces is closed")
    return roots[0]


# ---- what OpenMP allows ----

@dataclasses.dataclass(frozen=True)
class Surroundings:
    context: str = SERIAL
    held: int = -1  # the greatest number that is held: critical regions come before locks
    threads: bool = False  # within a thread that is not OpenMP's

    def inside(self, **changes):
        return dataclasses.replace(self, **changes)


LOCKS_FROM = 4


def rank(node):
    """A task that holds a lock takes only locks with greater numbers, so there is no circular
    wait."""
    if node.kind == "critical":
        return node.get("name")
    return LOCKS_FROM + node.get("name") + (LOCKS_FROM if node.get("how") == 2 else 0)


def within(node, around):
    """What surrounds the children of a node."""
    if node.kind in EXCLUSIVE:
        return around.inside(context=HELD, held=rank(node))
    if node.kind == "parallel":
        return around.inside(context=ALONE if node.get("cancel") else TEAM)
    if node.kind == "threads":
        return around.inside(context=SERIAL, threads=True)
    if node.kind in ("program", "fork", "repeat", "sections"):
        return around
    return around.inside(context=ALONE)


def problems(node, around=None):
    """What is wrong with a tree, a line for each."""
    if around is None:
        if node.kind != "program":
            yield "the root is not a program"
        around = Surroundings()
    elif node.kind == "section":
        pass
    elif node.kind not in ALLOWED[around.context]:
        yield f"{node.kind} in a place that is {around.context}"
    yield from problems_of(node, around)
    for child in node.children:
        if (node.kind == "sections") != (child.kind == "section"):
            yield f"{child.kind} in {node.kind}"
        yield from problems(child, within(node, around))


def problems_of(node, around):
    if node.kind in LEAVES and node.children:
        yield f"{node.kind} with children"
    if node.kind in EXCLUSIVE and rank(node) <= around.held:
        yield f"{node.kind} {node.get('name')} while a later one is held"
    if node.kind == "sections" and not 0 < len(node.children) <= MOST_SECTIONS:
        yield f"{len(node.children)} sections"
    if node.kind in ("fork", "release", "threads") and around.threads:
        yield f"{node.kind} beside other threads"
    if node.kind in ("task", "taskwait"):
        used = 0
        for name in DEPENDENCES:
            if used & node.get(name):
                yield "two dependences on one cell"
            used |= node.get(name)
    if node.kind == "taskwait" and (node.get("mutex") or node.get("set")):
        yield "taskwait with a dependence that it cannot have"
    if node.kind in ("loop", "doacross", "parfor", "taskloop", "threads") and node.get("n") < 1:
        yield f"{node.kind} without an iteration"


def is_valid(root):
    return not any(True for _ in problems(root))
