#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares OpenMP runtimes with the same programs, which GCC built, in one session.

Each case runs on libgomp (the system's), libomp (LLVM's, under libgomp's name) and Teff. For each
microbenchmark, an equivalent program also runs on oneTBB. Rounds are interleaved and medians
reported. Settings of the runtimes are removed from the environment, so each runs with its own
defaults. A run that takes too long is killed, and the table says so. The exit status says only
whether Teff ran everything; it does not depend on times.

example: bench/compare/compare.py --suite tiny --threads 2,8 --runs 5
"""

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

import measure
import runtimes
import suites
import tables

ROOT = Path(__file__).resolve().parents[2]
BUILD_HINT = "build them with ./run build, or: cmake -S workloads -B build/workloads && cmake --build build/workloads; " \
             "cmake -S bench/compare -B build/bench/compare && cmake --build build/bench/compare"


def thread_list(text):
    try:
        counts = [int(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a list of numbers such as 1,2,8") from None
    if not all(1 <= count <= 1024 for count in counts):
        raise argparse.ArgumentTypeError("numbers of threads must lie in 1..1024")
    return counts


def positive(kind):
    def parse(text):
        try:
            value = kind(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"'{text}' is not a number") from None
        if value <= 0:
            raise argparse.ArgumentTypeError("must be above 0")
        return value

    return parse


def common_options(threads, runs, has_suites=True):
    """A parent for the parsers of all scripts that measure cases under runtimes."""
    parser = argparse.ArgumentParser(add_help=False)
    shown = ",".join(map(str, threads))
    if has_suites:
        parser.add_argument("--only", metavar="NAME,...", help="only these cases of the suite")
    parser.add_argument("--threads", type=thread_list, default=threads, metavar="N,...", help=f"default: {shown}")
    parser.add_argument("--runs", type=positive(int), default=runs, metavar="N", help=f"runs per cell; default: {runs}")
    parser.add_argument("--quick", action="store_true", help="small sizes: test whether programs work, not how fast they are")
    parser.add_argument("--limit", type=positive(float), default=30, metavar="S", help="seconds per run; default: 30")
    parser.add_argument("--without", metavar="NAME,...", default="", help="leave out these runtimes")
    parser.add_argument("--build", type=Path, default=ROOT / "build", metavar="DIR", help="build folder; default: build")
    parser.add_argument("--teff", type=Path, metavar="DIR", help="folder of Teff's libgomp.so.1; default: BUILD/lib")
    parser.add_argument("--markdown", action="store_true", help="print Markdown tables")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write every figure to FILE")
    return parser


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     parents=[common_options([1, 2, 4, 8], 5)])
    parser.add_argument("--suite", choices=suites.SUITES, default="all", help="default: all")
    return parser.parse_args()


def keep_wanted(cases, names, script, suite):
    """The cases that --only names; all cases if it was not given."""
    if not names:
        return cases
    wanted = names.split(",")
    unknown = set(wanted) - {case.name for case in cases}
    if unknown:
        sys.exit(f"{script}: suite {suite} has no case {', '.join(sorted(unknown))}; "
                 f"it has {', '.join(case.name for case in cases)}")
    return [case for case in cases if case.name in wanted]


def choose_cases(options):
    return keep_wanted(suites.SUITES[options.suite], options.only, "compare.py", options.suite)


class Programs:
    """Finds programs in the build folder."""

    def __init__(self, build):
        self._folders = [build / "workloads", build / "bench" / "compare", build / "bench" / "constructs"]

    def find(self, name):
        return next((folder / name for folder in self._folders if (folder / name).exists()), self._folders[0] / name)

    def keep_available(self, cases):
        missing = sorted({case.program for case in cases if not self.find(case.program).exists()})
        if missing:
            print(f"compare.py: left out, not built: {', '.join(missing)}; {BUILD_HINT}", file=sys.stderr)
        return [case for case in cases if case.program not in missing]


def choose_runtimes(options, programs, cases, scratch, more=()):
    """The runtimes that can be used, of those that are compared everywhere and of `more`."""
    candidates = [
        runtimes.Runtime("libgomp"),
        runtimes.libomp(scratch),
        runtimes.tbb(options.build / "bench" / "compare"),
        runtimes.teff(options.teff or options.build / "lib"),
        *more,
    ]
    usable = []
    for runtime in candidates:
        if runtime.name in options.without.split(","):
            continue
        runtimes.confirm(runtime, programs.find(cases[0].program))
        if runtime.missing:
            print(f"compare.py: without {runtime.name}: {runtime.missing}", file=sys.stderr)
        else:
            usable.append(runtime)
    return usable


def show_progress(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def describe_machine(runs):
    """Says how busy the machine is with other programs. Called before the measurement makes it busy."""
    processors, load = len(os.sched_getaffinity(0)), os.getloadavg()[0]
    noisy = "; something else is running here, so expect noise" if load > 0.5 else ""
    return f"{processors} processors, load average {load:.1f} at the start{noisy}; {runs} runs per cell"


def write_json(path, cells):
    record = {"processors": len(os.sched_getaffinity(0)), "cells": [cell.as_json() for cell in cells]}
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def main():
    options = parse_arguments()
    programs = Programs(options.build)
    cases = programs.keep_available(choose_cases(options))
    if not cases:
        sys.exit("compare.py: nothing to run")
    machine = describe_machine(options.runs)
    with tempfile.TemporaryDirectory() as scratch:
        chosen = choose_runtimes(options, programs, cases, scratch)
        cells = []
        for case in cases:
            for threads in options.threads:
                cells += measure.measure_case(case, chosen, threads, options, programs.find, show_progress)
    show_progress("")
    print(machine + "\n")
    print(tables.report(cells, chosen, options.threads, tables.markdown if options.markdown else tables.aligned))
    if options.json:
        write_json(options.json, cells)
    sys.exit(any(cell.failure and cell.runtime == "teff" for cell in cells))


if __name__ == "__main__":
    main()
