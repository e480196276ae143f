# SPDX-License-Identifier: Apache-2.0
"""Reduces a random program that fails to a small program that also fails.

Changes are tried from coarse to fine: parts are left out, nodes are replaced by their children,
numbers become smaller, attributes are removed. A change is kept if the program still fails and
still follows OpenMP's rules. The reduction ends when no single change can be kept.
"""

import dataclasses
import time

import emit
import execute
import measure
import tree

# Attributes that count something; all others are on or off, or choose a form.
COUNTS = {"n": 1, "us": 1, "size": 1, "depth": 0, "fan": 1}


class Reducer:
    """`fails` tells whether a tree fails; the search ends after `budget_s`."""

    def __init__(self, fails, budget_s=float("inf"), clock=time.monotonic, report=lambda root: None):
        self.fails, self.clock, self.report = fails, clock, report
        self.ends = clock() + budget_s
        self.seen = set()

    def accepts(self, candidate):
        text = candidate.text()
        if text in self.seen or self.clock() > self.ends or not tree.is_valid(candidate):
            return False
        self.seen.add(text)
        return self.fails(candidate)

    def reduce(self, root):
        """The smallest tree found."""
        found = True
        while found:
            found = None
            for candidate in candidates(root):
                if self.accepts(candidate):
                    found = root = candidate
                    self.report(root)
                    break
        return root


def nodes_by_size(root):
    """Indices, in the order of walk(), of all but the root; the largest parts first."""
    sizes = [(node.size(), index) for index, node in enumerate(root.walk())]
    return [index for _, index in sorted(sizes[1:], key=lambda pair: (-pair[0], pair[1]))]


def parent_of(root, index):
    """(parent, place among its children) of the node of an index, in a copy of the tree."""
    copy = root.copy()
    wanted = list(copy.walk())[index]
    for node in copy.walk():
        for place, child in enumerate(node.children):
            if child is wanted:
                return copy, node, place
    raise IndexError(index)


def inner_nodes(node):
    """The content of a node without the node itself; for `sections`, the content of each section."""
    if node.kind == "sections":
        return [child for section in node.children for child in section.children]
    return node.children


def candidates(root):
    """Trees that are smaller by one change, the boldest first."""
    order = nodes_by_size(root)
    for index in order:
        copy, parent, place = parent_of(root, index)
        del parent.children[place]
        yield copy
    for index in order:
        copy, parent, place = parent_of(root, index)
        parent.children[place:place + 1] = inner_nodes(parent.children[place])
        yield copy
    for index, node in enumerate(root.walk()):
        for name, value in node.attributes.items():
            for smaller in smaller_values(name, value):
                copy = root.copy()
                list(copy.walk())[index].attributes[name] = smaller
                yield copy


def smaller_values(name, value):
    if name in COUNTS:
        least = COUNTS[name]
        # A size of 0 is the environment's, which will also do.
        return sorted({number for number in (least, value // 4, value // 2, value - 1) if least <= number < value})
    if name == "lean":
        return []
    return sorted({number for number in (0, 1) if number < value})


# ---- a program that fails on Teff ----

@dataclasses.dataclass
class FailsAs:
    """Whether a tree fails on a runtime in the way `kind`, in one of `tries` runs."""
    kind: str
    runtime: execute.Runtime
    env: dict
    limit_s: float
    tries: int

    def __call__(self, root):
        text = root.text()
        return any(execute.run_text(text, self.runtime, self.env, self.limit_s).kind == self.kind
                   for _ in range(self.tries))


@dataclasses.dataclass
class IsSlow:
    """Whether a phase of a tree takes `ratio` times the better peer's CPU time."""
    ratio: float
    runtime: execute.Runtime
    setting: str
    seed: object
    limit_s: float

    def __call__(self, root):
        runtimes = [self.runtime, *execute.peers(self.runtime.compiler)]
        phases, _ = measure.measure(root, self.seed, self.setting, runtimes, self.limit_s, repeats=2)
        return any(phase.ratio >= self.ratio for phase in phases)


def failure_of(chosen, root, seed, runtime, setting):
    """The check by which a tree fails, or None."""
    if chosen.ratio:
        slow = IsSlow(chosen.ratio, runtime, setting, seed, chosen.limit)
        return slow if slow(root) else None
    env = execute.environment(setting, seed)
    for _ in range(chosen.tries):
        outcome = execute.run_text(root.text(), runtime, env, chosen.limit)
        if not outcome.good:
            print(f"fails: {outcome.reason}", flush=True)
            return FailsAs(outcome.kind, runtime, env, chosen.limit, chosen.tries)
    return None


def main(chosen, root, runtime):
    """Reduces a seed's tree; prints it and the C program that is equal to it."""
    setting = "default" if chosen.settings in ("all", "each") else chosen.settings
    fails = failure_of(chosen, root, chosen.seeds[0], runtime, setting)
    if fails is None:
        print(f"does not fail under the setting {setting}: see --settings, --tries and --ratio")
        return 1
    reducer = Reducer(fails, chosen.budget, report=lambda one: print(f"{one.size()} nodes", flush=True))
    smallest = reducer.reduce(root)
    print(smallest.pretty())
    print(emit.emit(smallest))
    return 0
