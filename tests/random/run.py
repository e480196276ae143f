#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs random OpenMP programs on Teff, and on libgomp and libomp for comparison.

    run.py 1-500                    results of these seeds on all runtimes
    run.py --no-peers 1-500         on Teff alone: fast
    run.py --clang 1-500            compiled by Clang, on Teff and libomp
    run.py --cpu 1-500              CPU times, as ratios to the better peer's
    run.py --settings all 1-500     each seed under one of the settings, cyclically
    run.py --settings each 1-500    each seed under each setting
    run.py --show 17                the tree of a seed; --emit 17: as a C program
    run.py --reduce 17              the smallest program found that fails as the seed does

Each program checks itself. The status is 1 if a program gave a wrong result, crashed, or did not
end on Teff. If a peer fails, it is left out for that seed. Seeds are numbers and ranges: 7
10-20,31.
"""

import argparse
import collections
import concurrent.futures
import os
import sys
import time

import emit
import execute
import generate
import measure
import reduce
import tree


def parse_arguments(words=None):
    parser = argparse.ArgumentParser(prog="./run random", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seeds", nargs="+", metavar="SEEDS", help="numbers and ranges of seeds; or @FILE, a file with a tree")
    parser.add_argument("--jobs", type=int, default=0,
                        help="how many run at once (one for each processor; with --cpu one)")
    parser.add_argument("--limit", type=float, default=10, help="seconds that a program may take (10)")
    parser.add_argument("--settings", default="default", metavar="NAME",
                        help=f"{', '.join(execute.SETTINGS)}, all or each; several with commas")
    parser.add_argument("--lib", default=execute.ROOT / "build" / "lib",
                        help="folder of Teff's libgomp.so.1 (build/lib)")
    parser.add_argument("--clang", action="store_true",
                        help="the programs as Clang compiles them, on libomp.so.5 in the folder llvm of --lib; peer: libomp")
    parser.add_argument("--no-peers", action="store_true", help="Teff alone")
    parser.add_argument("--cpu", action="store_true", help="measure CPU times")
    parser.add_argument("--times", type=int, default=1, help="runs of each seed (1)")
    parser.add_argument("--show", action="store_true", help="print the trees")
    parser.add_argument("--emit", action="store_true", help="print the seed as a C program")
    parser.add_argument("--reduce", action="store_true", help="reduce the seed that fails")
    parser.add_argument("--ratio", type=float, default=0, metavar="R",
                        help="--reduce: a program fails if Teff takes R times the better peer's CPU time")
    parser.add_argument("--tries", type=int, default=10, help="--reduce: how often to run a program to see it fail (10)")
    parser.add_argument("--budget", type=float, default=300, help="--reduce: seconds in all (300)")
    return parser.parse_args(words)


def seeds_of(words):
    for word in ",".join(words).split(","):
        if word.startswith("@"):
            yield word
        elif "-" in word:
            first, last = word.split("-")
            yield from range(int(first), int(last) + 1)
        else:
            yield int(word)


def root_of(seed):
    """The tree of a seed, or of a file whose name follows an @."""
    if isinstance(seed, str):
        with open(seed[1:], encoding="utf-8") as file:
            return tree.parse(file.read())
    return generate.generate(seed)


def runs_of(chosen):
    """(seed, setting) of all that is to be run."""
    names = list(execute.SETTINGS) if chosen.settings in ("all", "each") else chosen.settings.split(",")
    for name in names:
        if name not in execute.SETTINGS:
            sys.exit(f"./run random: there is no setting '{name}': {', '.join(execute.SETTINGS)}, all, each")
    for index, seed in enumerate(seeds_of(chosen.seeds)):
        for setting in names if chosen.settings == "each" else [names[index % len(names)]]:
            for _ in range(chosen.times):
                yield seed, setting


class Tally:
    def __init__(self, runtimes):
        self.runs = collections.Counter()
        self.failures = []  # (seed, setting, outcome, peers that fail, too) of Teff
        self.peer_failures = {runtime.name: 0 for runtime in runtimes if runtime.name != "teff"}
        self.phases = []

    def add(self, seed, setting, bad, phases=()):
        """The result of one seed: the outcomes that were not good, by runtime."""
        self.runs[bad["teff"].kind if "teff" in bad else "ok"] += 1
        peers = [name for name in bad if name != "teff"]
        for name in peers:
            self.peer_failures[name] += 1
        self.phases += phases
        if "teff" in bad:
            self.failures.append((seed, setting, bad["teff"], peers))
            others = "".join(f"; {name}: {bad[name].kind}" for name in peers)
            print(f"seed {seed}, {setting}: {bad['teff'].reason[:160]}{others}", flush=True)

    def print(self, seconds, with_cpu):
        total = sum(self.runs.values())
        print(f"{total} runs in {seconds:.1f} s: {self.runs['wrong']} wrong, {self.runs['hang']} hangs, "
              f"{self.runs['crash']} crashes")
        for name, count in self.peer_failures.items():
            print(f"{name} failed in {count}")
        if with_cpu:
            print("\n".join(measure.summary(self.phases)))
        print(f"{self.runs['ok']} passed, {total - self.runs['ok']} failed")


def check(seed, setting, runtimes, limit_s):
    """The outcomes of a seed that are not good, by runtime."""
    text, env = root_of(seed).text(), execute.environment(setting, seed)
    outcomes = {runtime.name: execute.run_text(text, runtime, env, limit_s) for runtime in runtimes}
    return {name: outcome for name, outcome in outcomes.items() if not outcome.good}


def run_all(chosen, runtimes):
    tally, began = Tally(runtimes), time.monotonic()
    jobs = chosen.jobs or (1 if chosen.cpu else os.cpu_count())

    def one(run):
        seed, setting = run
        if chosen.cpu:
            phases, bad = measure.measure(root_of(seed), seed, setting, runtimes, chosen.limit)
            return seed, setting, bad, phases
        return seed, setting, check(seed, setting, runtimes, chosen.limit)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for result in pool.map(one, runs_of(chosen)):
            tally.add(*result)
    tally.print(time.monotonic() - began, chosen.cpu)
    return bool(tally.failures) or not tally.runs


def main():
    chosen = parse_arguments()
    if chosen.show or chosen.emit:
        for seed in seeds_of(chosen.seeds):
            print(emit.emit(root_of(seed)) if chosen.emit else root_of(seed).pretty(), end="")
        return 0
    compiler = "clang" if chosen.clang else "gcc"
    execute.build_program(compiler)
    try:
        runtimes = [execute.teff(chosen.lib, compiler)]
    except FileNotFoundError as error:
        sys.exit(f"./run random: {error}")
    if chosen.reduce:
        return reduce.main(chosen, root_of(next(iter(seeds_of(chosen.seeds)))), runtimes[0])
    if not chosen.no_peers:
        runtimes += execute.peers(compiler)
    return run_all(chosen, runtimes)


if __name__ == "__main__":
    sys.exit(main())
