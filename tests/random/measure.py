# SPDX-License-Identifier: Apache-2.0
"""Compares the CPU time of random programs on Teff with the better of its peers, phase by phase.

A phase is a child of the program's root. One run on each runtime decides whether a program is worth
a closer look. Such a program is run several times more, and the medians count.
"""

import dataclasses
import statistics

import execute

LEAST_NS = 1_000_000  # that the better peer takes in a phase which counts
SUSPICIOUS = 1.1  # from here on a phase is measured again
REPEATS = 4


@dataclasses.dataclass(frozen=True)
class Phase:
    seed: int
    setting: str
    number: int
    teff_ns: float
    peer_ns: float
    peer: str

    @property
    def ratio(self):
        return self.teff_ns / self.peer_ns


def median_of_phase(runs, number):
    return statistics.median(run[number] for run in runs)


def phases_of(seed, setting, runs):
    """The phases that count, from {runtime's name: [CPU times of one run, ...]}."""
    peers = [name for name in runs if name != "teff"]
    if not runs.get("teff") or not peers:
        return
    for number in range(len(runs["teff"][0])):
        times = {name: median_of_phase(runs[name], number) for name in runs}
        peer = min(peers, key=times.get)
        if times[peer] >= LEAST_NS:
            yield Phase(seed, setting, number, times["teff"], times[peer], peer)


def measure(root, seed, setting, runtimes, limit_s, repeats=REPEATS):
    """(phases, {runtime's name: bad outcome}) of a tree; a runtime that fails is left out."""
    text, env = execute.lean(root).text(), execute.environment(setting, seed)
    runs, bad = {runtime.name: [] for runtime in runtimes}, {}

    def one_round():
        for runtime in runtimes:
            if runtime.name in bad:
                continue
            outcome = execute.run_text(text, runtime, env, limit_s)
            if outcome.good:
                runs[runtime.name].append(outcome.cpu_ns)
            else:
                bad[runtime.name] = outcome
                runs.pop(runtime.name)

    one_round()
    phases = list(phases_of(seed, setting, runs))
    if any(phase.ratio >= SUSPICIOUS for phase in phases):
        for _ in range(repeats):
            one_round()
        phases = list(phases_of(seed, setting, runs))
    return phases, bad


def percentile(values, percent):
    """A percentile of sorted values, by the nearest rank."""
    return values[min(len(values) - 1, max(0, -(-len(values) * percent // 100) - 1))]


def summary(phases, worst=10):
    """Lines on the ratios of all phases."""
    if not phases:
        return ["no phase of which the better peer's CPU time is 1 ms or more"]
    ratios = sorted(phase.ratio for phase in phases)
    points = [f"median {statistics.median(ratios):.2f}"]
    points += [f"{percent} % {percentile(ratios, percent):.2f}" for percent in (90, 95, 99)]
    lines = [f"CPU time of Teff by that of the better peer, {len(phases)} phases: {', '.join(points)}, "
             f"worst {ratios[-1]:.2f}"]
    lines += [
        f"  {phase.ratio:7.2f}  seed {phase.seed}, phase {phase.number}, {phase.setting}: "
        f"{phase.teff_ns / 1e6:.1f} ms, {phase.peer} {phase.peer_ns / 1e6:.1f} ms"
        for phase in sorted(phases, key=lambda one: -one.ratio)[:worst]
    ]
    return lines
