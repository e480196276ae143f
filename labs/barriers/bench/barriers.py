#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a barrier costs the master and the others: the family of labs/barriers, and those of the runtimes.

The measure is that of Al-Khalissi et al., "An approach for supporting OpenMP on the Intel SCC": MO
is the master's mean time in a barrier, and ASO the mean of the other members' times. Both are
measured with nothing between the barriers (pure), and with members that arrive at different times,
up to 20 us apart. EPCC is the overhead as the EPCC microbenchmarks define it.

For a barrier of labs/, the members are threads without a runtime that only execute barriers: they
poll, and yield if there are more threads than processors. Teff, libgomp and libomp are measured by
a program with `#pragma omp barrier`; their threads run tasks or sleep while they wait. All figures
are in nanoseconds, and are medians over processes whose runs are interleaved.

example: labs/barriers/bench/barriers.py --threads 2,48 --only central,combining,teff
"""

import argparse
import dataclasses
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "bench/compare"))

# pylint: disable=wrong-import-position
import compare
import launcher
import runtimes
import tables

SCRIPT = "barriers.py"
THREADS = [1, 2, 4, 8, 16, 48]
FIGURES = {"mo_pure": "MO", "aso_pure": "ASO", "mo_unequal": "MO unequal", "aso_unequal": "ASO unequal", "epcc": "EPCC"}
LIBOMP_PATTERNS = ("hyper", "linear", "tree", "hierarchical", "dist")
LIBOMP_PHASES = ("PLAIN", "FORKJOIN", "REDUCTION")  # `dist` counts only if all three have it
# Samples and rounds of each. Where every thread has a processor, many short samples: most are over
# before the system takes a processor away for something else, and their median is one of those.
SAMPLING, CROWDED_SAMPLING, QUICK_SAMPLING = (51, 100), (5, 50), (1, 10)
FAN_IN = 8


@dataclasses.dataclass
class Barrier:
    name: str
    duties: str  # who has some while it waits; empty where it is not known
    command: tuple
    runtime: runtimes.Runtime
    figures: dict = dataclasses.field(default_factory=dict)  # (threads, figure): a value of each run
    failures: dict = dataclasses.field(default_factory=dict)  # threads: why

    def median(self, threads, figure):
        values = self.figures.get((threads, figure))
        return statistics.median(values) if values else None


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     parents=[compare.common_options(THREADS, 5)])
    return parser.parse_args()


def family(folder):
    listing = subprocess.run([str(folder / "family"), "--list"], capture_output=True, text=True, timeout=30, check=True)
    pairs = (line.split("\t") for line in listing.stdout.splitlines())
    return [Barrier(name, duties, (str(folder / "family"), "--barrier", name, "--fan-in", str(FAN_IN)),
                    runtimes.Runtime(name)) for name, duties in pairs]


def from_outside(folder, options, scratch):
    program = folder / "omp_barrier"
    library = options.teff or options.build.resolve() / "lib"
    found = []

    def add(name, runtime, extra=None):
        runtimes.confirm(runtime, program)
        if runtime.missing:
            print(f"{SCRIPT}: left out: {name}: {runtime.missing}", file=sys.stderr)
        else:
            found.append(Barrier(name, "", (str(program),), dataclasses.replace(runtime, extra=extra or {})))

    for kind in ("central", "combining"):
        add(f"teff {kind}", runtimes.teff(library), {"TEFF_BARRIER": kind})
    add("libgomp", runtimes.Runtime("libgomp"))
    libomp = runtimes.libomp(scratch)
    for kind in LIBOMP_PATTERNS:
        add(f"libomp {kind}", libomp, {f"KMP_{phase}_BARRIER_PATTERN": f"{kind},{kind}" for phase in LIBOMP_PHASES})
    return found


def is_wanted(barrier, options):
    words = (barrier.name, barrier.name.split()[0])
    left_out = options.without.split(",")
    return not any(word in left_out for word in words) and (
        not options.only or any(word in options.only.split(",") for word in words))


def choose(options, folder, scratch):
    for program in ("family", "omp_barrier"):
        if not (folder / program).exists():
            sys.exit(f"{SCRIPT}: {folder / program} does not exist; build it with ./run build")
    every = family(folder) + from_outside(folder, options, scratch)
    chosen = [barrier for barrier in every if is_wanted(barrier, options)]
    if not chosen:
        sys.exit(f"{SCRIPT}: none of that name; there are {', '.join(barrier.name for barrier in every)}")
    return chosen


def read_figures(text):
    pairs = [line.split() for line in text.splitlines()]
    figures = {name: float(value) for name, value in pairs if name in FIGURES}
    return launcher.Outcome(figures=figures) if "mo_pure" in figures else None


def processors():
    return len(os.sched_getaffinity(0))


def sampling(threads, options):
    samples, rounds = QUICK_SAMPLING if options.quick else SAMPLING if threads <= processors() else CROWDED_SAMPLING
    return "--samples", str(samples), "--rounds", str(rounds)


def run_once(barrier, threads, options):
    if threads in barrier.failures:
        return
    command = [*barrier.command, "--threads", str(threads), *sampling(threads, options)]
    outcome = launcher.launch(command, barrier.runtime.environment(threads), options.limit, read=read_figures)
    if outcome.failure:
        barrier.failures[threads] = outcome.failure
    for name, value in outcome.figures.items():
        barrier.figures.setdefault((threads, name), []).append(value)


def measure_all(chosen, options):
    for number in range(1, options.runs + 1):
        for threads in options.threads:
            for barrier in chosen:
                compare.show_progress(f"round {number} of {options.runs}: {barrier.name}, {threads} threads")
                run_once(barrier, threads, options)
    compare.show_progress("")


def crowding(threads):
    if threads <= processors():
        return ""
    return (f": crowded, {processors()} processors. A barrier takes as long as the system needs to run every thread; it says "
            "nothing of cache lines")


def table_of(chosen, threads):
    rows = []
    for barrier in chosen:
        failed = threads in barrier.failures
        values = [tables.number(barrier.median(threads, figure)) for figure in FIGURES]
        rows.append([barrier.name, barrier.duties, *(["failed"] * len(values) if failed else values)])
    return ["barrier", "duties", *(f"{name} ns" for name in FIGURES.values())], rows


def report(chosen, options):
    table = tables.markdown if options.markdown else tables.aligned
    parts = []
    for threads in options.threads:
        parts += [f"{threads} thread{'s' * (threads > 1)}{crowding(threads)}", table(*table_of(chosen, threads))]
    problems = [f"- {barrier.name}, {threads} threads: {why}" for barrier in chosen for threads, why in barrier.failures.items()]
    return "\n\n".join(parts + (["Failures", "\n".join(problems)] if problems else []))


def as_json(chosen):
    return [{"barrier": barrier.name, "threads": threads, "figure": figure, "ns": values}
            for barrier in chosen for (threads, figure), values in barrier.figures.items()]


def main():
    options = parse_arguments()
    folder = options.build.resolve() / "bench" / "barriers"
    with tempfile.TemporaryDirectory() as scratch:
        chosen = choose(options, folder, scratch)
        machine = compare.describe_machine(options.runs)
        measure_all(chosen, options)
    print(machine + "\n")
    print(report(chosen, options))
    if options.json:
        options.json.write_text(json.dumps(as_json(chosen), indent=1) + "\n")
    sys.exit(any(barrier.failures for barrier in chosen if not barrier.name.startswith("lib")))


if __name__ == "__main__":
    main()
