#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what each OpenMP construct costs on libgomp, libomp and Teff, by the method of the EPCC
OpenMP microbenchmarks.

The suite `constructs` prints the overhead of a construct: the time of many repetitions around a
short body, minus the time of the bodies alone, per repetition. The suite `latency` prints the cost
of a process with one region, the processor time of an idle team, and how soon the next region has
ended after a pause. All figures are in nanoseconds, and are medians over several processes; the
runs of the runtimes are interleaved. For barriers and regions the table also shows the floor: the
cost of the context switches alone, measured with futexes and without a runtime. The last column
marks where Teff is slower than the better of the two other runtimes, or misses a goal.

example: bench/constructs/constructs.py --threads 2,8 --only barrier,parallel --runs 7
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "compare"))

# pylint: disable=wrong-import-position
import cases
import compare
import judge
import measure
import runtimes
import tables

SCRIPT = "constructs.py"
THREADS = {"constructs": [1, 2, 4, 8, 16], "latency": [2, 8]}
WITH_FLOOR = ("parallel", "barrier")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     parents=[compare.common_options(THREADS["constructs"], 5)])
    parser.add_argument("--suite", choices=THREADS, default="constructs", help="default: constructs")
    parser.add_argument("--busy", action="store_true",
                        help="for a busy machine: the best tenth of short samples instead of the median. Favours constructs "
                             "whose threads seldom meet, and says nothing where threads outnumber processors")
    parser.set_defaults(threads=None)
    options = parser.parse_args()
    options.threads = options.threads or THREADS[options.suite]
    options.without += ",tbb"
    return options


def choose_cases(options, programs):
    program = programs.find("constructs")
    if not program.exists():
        sys.exit(f"{SCRIPT}: {program} does not exist; build it with ./run build")
    found = cases.constructs(program, options.busy) if options.suite == "constructs" else cases.latency()
    return compare.keep_wanted(found, options.only, SCRIPT, options.suite)


class Matrix:
    """Cells for every case at every number of threads; a round fills each with one more run."""

    def __init__(self, chosen_cases, chosen_runtimes, thread_counts):
        self._runtimes = chosen_runtimes
        self._rows = [(case, threads, measure.new_cells(case, chosen_runtimes, threads))
                      for threads in thread_counts for case in chosen_cases]

    def run_round(self, options, find_program, on_run):
        for case, threads, cells in self._rows:
            measure.run_round(cells, case, self._runtimes, threads, options, find_program, on_run)

    def settle(self):
        """All cells by (case, threads)."""
        settled = {}
        for case, threads, cells in self._rows:
            settled[case.name, threads] = list(cells.values())
            measure.reject_differing_results(settled[case.name, threads])
        return settled


def measure_all(chosen_cases, chosen_runtimes, options, programs):
    """Returns the cells of the constructs, and those of the floors."""
    matrix = Matrix(chosen_cases, chosen_runtimes, options.threads)
    floors = Matrix(cases.floors(), [runtimes.Runtime("floor")], [n for n in options.threads if n > 1])
    for number in range(1, options.runs + 1):
        def on_run(text, number=number):
            compare.show_progress(f"round {number} of {options.runs}: {text}")
        matrix.run_round(options, programs.find, on_run)
        if options.suite == "constructs":
            floors.run_round(options, programs.find, on_run)
    compare.show_progress("")
    return matrix.settle(), floors.settle() if options.suite == "constructs" else {}


def nanoseconds(cell):
    if not cell.measured:
        return tables.short_failure(cell)
    value = judge.figure_ns(cell)
    return f"-{tables.number(-value)}" if value < 0 else tables.number(value)


def floor_of(floors, case, threads):
    cell = floors.get(("floor_ring", threads), [None])[0]
    return nanoseconds(cell) if cell and case in WITH_FLOOR and threads > processors() else ""


def processors():
    return len(os.sched_getaffinity(0))


def table_of(threads, chosen_cases, names, cells, floors):
    rows = []
    for case in chosen_cases:
        group = cells[case.name, threads]
        rows.append([
            case.name, *map(nanoseconds, group), tables.number(judge.ratio(group)),
            floor_of(floors, case.name, threads), ", ".join(judge.marks(group, processors())),
        ])
    return ["construct", *(f"{name} ns" for name in names), "teff / best", "floor ns", "teff is"], rows


def describe_floors(floors):
    pairs = [group[0] for (case, _), group in floors.items() if case == "floor_pair" and group[0].measured]
    if not pairs:
        return ""
    least = min(cell.time_s for cell in pairs) * 1e9
    return f"Floor: a thread that sleeps on another processor is woken in {tables.number(least)} ns at best."


def report(options, chosen_cases, names, cells, floors):
    table = tables.markdown if options.markdown else tables.aligned
    parts = [describe_floors(floors)]
    for threads in options.threads:
        parts += [f"{threads} thread{'s' * (threads > 1)}", table(*table_of(threads, chosen_cases, names, cells, floors))]
    parts += ["What the names stand for", "\n".join(f"- {case.name}: {case.meaning}" for case in chosen_cases)]
    problems = tables.failures([cell for group in cells.values() for cell in group])
    if problems:
        parts += ["Failures", "\n".join(f"- {problem}" for problem in problems)]
    return "\n\n".join(part for part in parts if part)


def main():
    options = parse_arguments()
    programs = compare.Programs(options.build.resolve())
    chosen_cases = choose_cases(options, programs)
    machine = compare.describe_machine(options.runs)
    with tempfile.TemporaryDirectory() as scratch:
        chosen = compare.choose_runtimes(options, programs, chosen_cases, scratch)
        cells, floors = measure_all(chosen_cases, chosen, options, programs)
    print(machine + "\n")
    print(report(options, chosen_cases, [runtime.name for runtime in chosen], cells, floors))
    flat = [cell for group in [*cells.values(), *floors.values()] for cell in group]
    if options.json:
        compare.write_json(options.json, flat)
    sys.exit(any(cell.failure and cell.runtime in ("teff", "floor") for cell in flat))


if __name__ == "__main__":
    main()
