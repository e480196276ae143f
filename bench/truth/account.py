#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks on every workload whether the budget adds up, and whether the recorder knows its own cost.

Each workload runs without and with a recording, interleaved. `cost` is the additional CPU time of
the recorded runs (the median of the differences of the pairs). `says` is what the report says of it
(quality.recorder_ns), and `ratio` compares the two. `rest` is the part of all workers' time that
the budget does not explain. The rest must be under 1 %, and the sum of all classes and the rest
must be all of the time. The findings must agree with the budget (agreement.py).

example: bench/truth/account.py --only sort,fft --runs 9 --size small
"""

import argparse
import shutil
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "compare"))

# pylint: disable=wrong-import-position
import agreement
import compare
import launcher
import record_cost
import runs
import suites

REST = 0.01
HEADER = ["workload", "grains", "mean us", "bytes/grain", "CPU ms", "cost ms", "cost %", "ns/grain", "says ms", "ratio",
          "rest %", ""]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="NAME,...", help="only these workloads")
    parser.add_argument("--threads", type=int, default=2, metavar="N", help="default: 2")
    parser.add_argument("--runs", type=int, default=7, metavar="N", help="pairs of runs; default: 7")
    parser.add_argument("--size", choices=("small", "medium"), default="small", help="default: small")
    return runs.parse_common(parser)


def outcome_of(command, env):
    outcome = launcher.launch([str(word) for word in command], env, runs.LIMIT_S)
    if outcome.failure:
        raise runs.Failure(f"{command}: {outcome.failure}")
    return outcome


def pair(place, command, threads):
    """(CPU seconds without, with, the recording) of two runs in a row."""
    recording = place.path / "recording.teff"
    shutil.rmtree(recording, ignore_errors=True)
    env = place.environment(threads, LD_LIBRARY_PATH=str(place.build / "lib"))
    plain = outcome_of([*place.prefix, *command], env)
    recorded = outcome_of([*place.prefix, *command], env | {"TEFF_TRACE": str(recording)})
    return plain.cpu_s, recorded.cpu_s, recording


def budget_faults(report):
    """What is wrong with the sum of the budget's classes; empty if there is no budget."""
    budget = report.get("budget")
    if not budget:
        return ["no budget"]
    faults, whole = [], budget["whole_ns"]
    total = sum(entry["ns"] for entry in budget["classes"]) + budget["rest_ns"]
    if abs(total - whole) > 1e-6 * whole:
        faults.append("does not add up")
    if abs(whole - budget["workers"] * budget["wall_ns"]) > 1e-6 * whole:
        faults.append("whole is not workers x wall")
    if abs(budget["rest_ns"]) > REST * whole:
        faults.append("rest")
    if any(entry["ns"] < 0 for entry in budget["classes"]):
        faults.append("negative")
    return faults


def faults(report):
    found = budget_faults(report)
    return found + (agreement.contradictions(report) if "budget" in report else [])


def measure(place, name, command, options):
    pairs = [pair(place, command, options.threads) for _ in range(options.runs)]
    recording = pairs[-1][2]
    report = place.report(recording)
    grains, mean_us = record_cost.count_grains(report)
    cost = statistics.median(recorded - plain for plain, recorded, _ in pairs)
    plain = statistics.median(plain for plain, _, _ in pairs)
    says = report.get("quality", {}).get("recorder_ns")
    budget = report.get("budget")
    return {
        "workload": name, "grains": grains, "mean_us": mean_us,
        "bytes": record_cost.trace_size(recording) / grains if grains else None,
        "cpu_ms": plain * 1e3, "cost_ms": cost * 1e3, "says_ms": None if says is None else says / 1e6,
        "rest": budget["rest_ns"] / budget["whole_ns"] if budget else None, "faults": faults(report),
    }


def number(value, places):
    return "-" if value is None else f"{value:.{places}f}"


def cells(row):
    grains, cost = row["grains"], row["cost_ms"]
    ratio = row["says_ms"] / cost if row["says_ms"] is not None and cost else None
    return [row["workload"], str(grains or "-"), number(row["mean_us"], 2), number(row["bytes"], 0),
            number(row["cpu_ms"], 1), number(cost, 1), number(100 * cost / row["cpu_ms"], 1),
            number(cost * 1e6 / grains if grains else None, 0), number(row["says_ms"], 1), number(ratio, 2),
            number(None if row["rest"] is None else 100 * row["rest"], 2), ", ".join(row["faults"])]


def main():
    options = parse_arguments()
    programs = compare.Programs(options.build.resolve())
    names = options.only.split(",") if options.only else None
    cases = [case for case in suites.WORKLOADS if not names or case.name in names]
    found, failures = [], []
    place = runs.Place(options.build, options.urgent)
    try:
        for case in programs.keep_available(cases):
            program, *arguments = case.command(False, options.size == "small")
            try:
                found.append(measure(place, case.name, [programs.find(program), *arguments, "--no-check"], options))
            except (runs.Failure, KeyError) as failure:
                failures.append(f"{case.name}: {failure!r}")
    finally:
        place.close()
    runs.show(HEADER, found, cells, failures, options)
    faulty = [row for row in found if row["faults"]]
    print(f"{len(found) - len(faulty)} budgets add up, {len(faulty)} do not, {len(failures)} failures")
    sys.exit(bool(failures or faulty))


if __name__ == "__main__":
    main()
