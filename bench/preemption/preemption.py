#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how soon a task of high priority starts on Teff while the only other thread runs a task
of low priority, and what a preemption costs.

The program beside this file runs once for each kind of low task: in its own code, or mostly in a
function of a library. The first row is a bare signal between two threads, without OpenMP: no
preemption can be faster. The columns are the time from ready to running (median, 90th and 99th
percentile, maximum), and the processor time that each interruption costs the busy thread, all in
microseconds. Figures are medians over several runs; the runs of the kinds are interleaved. The exit
status is 1 if a run failed or a task did not start within a second; it does not depend on times.

example: bench/preemption/preemption.py --count 10000 --runs 3 --only signal,own,malloc
"""

import argparse
import json
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "compare"))

# pylint: disable=wrong-import-position
import compare
import launcher
import runtimes
import tables

SCRIPT = "preemption.py"
KINDS = {"signal": "a bare signal", "own": "its own code", "strcmp": "strcmp", "malloc": "malloc and free", "sin": "sin",
         "snprintf": "snprintf", "memcpy": "memcpy of 1 MiB", "wtime": "omp_get_wtime",
         "dgemm": "cblas_dgemm of 48 x 48"}
COLUMNS = {"median": "median_us", "90 %": "p90_us", "99 %": "p99_us", "max": "max_us", "cost": "cost_us"}


def build_parser():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="KIND,...", help=f"only these kinds, of {', '.join(KINDS)}")
    parser.add_argument("--count", type=compare.positive(int), default=2000, metavar="N",
                        help="preemptions in each run; default: 2000")
    parser.add_argument("--runs", type=compare.positive(int), default=3, metavar="N", help="runs of each kind; default: 3")
    parser.add_argument("--limit", type=compare.positive(float), default=120, metavar="S", help="seconds per run; default: 120")
    parser.add_argument("--build", type=Path, default=compare.ROOT / "build", metavar="DIR", help="build folder; default: build")
    parser.add_argument("--markdown", action="store_true", help="print a Markdown table")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write every run's figures to FILE")
    return parser


def read_figures(text):
    """The JSON that the program prints, as an Outcome; None if the output is not this JSON."""
    try:
        figures = json.loads(text)
        return launcher.Outcome(tasks=figures["starts"], figures=figures)
    except (KeyError, TypeError, ValueError):
        return None


def measure(program, kind, runtime, options):
    environment = runtime.environment(2) | {"OPENBLAS_NUM_THREADS": "1"}
    return launcher.launch([str(program), kind, str(options.count)], environment, options.limit, read=read_figures)


def problem(kind, outcome, count):
    if outcome.failure:
        return f"{kind}: {outcome.failure}"
    if outcome.figures["late"]:
        return f"{kind}: after {outcome.tasks} of {count} starts, a task did not start within a second"
    return ""


def row(kind, outcomes):
    def median(name):
        return statistics.median(outcome.figures[name] for outcome in outcomes)

    return [KINDS[kind], *(tables.number(median(name)) for name in COLUMNS.values())]


def main():
    options = build_parser().parse_args()
    program = options.build / "bench" / "preemption" / "latency"
    if not program.exists():
        sys.exit(f"{SCRIPT}: {program} does not exist; build it with ./run build")
    runtime = runtimes.teff(options.build / "lib")
    runtime.extra = {"TEFF_PREEMPT": "on", "OMP_MAX_TASK_PRIORITY": "9"}
    runtimes.confirm(runtime, program)
    if runtime.missing:
        sys.exit(f"{SCRIPT}: {runtime.missing}")
    wanted = options.only.split(",") if options.only else list(KINDS)
    if unknown := set(wanted) - set(KINDS):
        sys.exit(f"{SCRIPT}: there is no kind {', '.join(sorted(unknown))}; there are {', '.join(KINDS)}")
    machine = compare.describe_machine(options.runs)
    found, problems = {kind: [] for kind in wanted}, []
    for _ in range(options.runs):
        for kind in wanted:
            compare.show_progress(KINDS[kind])
            outcome = measure(program, kind, runtime, options)
            if text := problem(kind, outcome, options.count):
                problems.append(text)
            if not outcome.failure and outcome.tasks:
                found[kind].append(outcome)
    compare.show_progress("")
    print(machine + "\n")
    rows = [row(kind, outcomes) for kind, outcomes in found.items() if outcomes]
    print((tables.markdown if options.markdown else tables.aligned)(["the low task is in", *(f"{name}, us" for name in COLUMNS)],
                                                                    rows))
    print("".join(f"\n- {text}" for text in problems))
    if options.json:
        record = {kind: [outcome.figures for outcome in outcomes] for kind, outcomes in found.items()}
        options.json.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
