#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how good predictions are: workloads are recorded on one thread, predicted for two
threads, and measured on two.

`measured` is the median time of runs without a recorder, and `predicted` is the median of the
predictions from as many recordings; both are times in parallel regions. Runs on one thread, runs on
two threads and recordings are interleaved. `error` is predicted / measured - 1 for two threads, and
`error 1` for one thread. The inputs are so large that a run takes 40 ms or more: the start of a
team's threads, which a recording of one thread does not contain, must have little weight. OpenBLAS
is limited to one thread, because it would use OMP_NUM_THREADS for its own threads.
docs/predicting.md says what a prediction leaves out.

example: bench/truth/predicted.py --only sort,uts --runs 5 --urgent
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
import runs
import suites

MEDIAN, WORST = 0.05, 0.15
WORKLOADS = [
    suites.workload("fib", more="--n 41 --variant manual --cutoff 16"),
    suites.workload("nqueens"),
    suites.workload("sort"),
    suites.workload("strassen"),
    suites.workload("sparselu"),
    suites.workload("sparselu_depend", "sparselu", "--variant depend"),
    suites.workload("sparselu_for", "sparselu", "--variant for"),
    suites.workload("alignment"),
    suites.workload("floorplan", more="--prune known"),
    suites.workload("fft"),
    suites.workload("uts"),
    suites.workload("map", more="--rounds 200"),
    suites.workload("reduction"),
    suites.workload("vecmul", more="--rounds 30"),
    suites.workload("jacobi", more="--n 4096 --block 512"),
    suites.workload("matmul", more="--n 2048"),
]
HEADER = ["workload", "1 thread ms", "error 1 %", "2 threads ms", "predicted ms", "error %", ""]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="NAME,...", help="only these workloads")
    parser.add_argument("--runs", type=int, default=5, metavar="N", help="runs of each kind; default: 5")
    return runs.parse_common(parser)


def environment(place, threads):
    return place.environment(threads, OPENBLAS_NUM_THREADS="1")


def measured(place, command, threads):
    """The time of one run in parallel regions, in seconds."""
    outcome = launcher.parse_final_line(place.run(command, environment(place, threads)))
    if outcome is None:
        raise runs.Failure(f"{command} says no time")
    return outcome.time_s


def predicted(place, command):
    """The predicted seconds in parallel regions on one thread and on two, from one recording on one thread."""
    recording = place.record(command, environment(place, 1))
    said = json.loads(runs.call([place.teff, "predict", "--json", "--threads", "1,2", recording]))
    return [point["in_parallel_ns"] / 1e9 for point in said["points"]]


def judge(name, samples):
    """For each round of a sample: the seconds measured on one and on two threads, and those predicted."""
    one, two, for_one, for_two = map(statistics.median, zip(*samples, strict=True))
    return {"workload": name, "measured_s": [one, two], "predicted_s": [for_one, for_two], "errors": [for_one / one - 1, for_two / two - 1]}


def measure(place, name, command, rounds):
    return judge(name, [(measured(place, command, 1), measured(place, command, 2), *predicted(place, command))
                        for _ in range(rounds)])


def cells(row):
    (one, two), error = row["measured_s"], row["errors"]
    return [row["workload"], f"{one * 1e3:.1f}", f"{100 * error[0]:+.1f}", f"{two * 1e3:.1f}", f"{row['predicted_s'][1] * 1e3:.1f}",
            f"{100 * error[1]:+.1f}", "off" if abs(error[1]) > WORST else ""]


def sums(rows):
    """The median and the largest size of the errors, and whether they meet the goals."""
    sizes = [abs(row["errors"][1]) for row in rows]
    median, worst = statistics.median(sizes), max(sizes)
    return median, worst, median <= MEDIAN and worst <= WORST


def main():
    options = parse_arguments()
    programs = compare.Programs(options.build.resolve())
    names = options.only.split(",") if options.only else None
    cases = [case for case in WORKLOADS if not names or case.name in names]
    found, failures = [], []
    place = runs.Place(options.build, options.urgent)
    try:
        for case in programs.keep_available(cases):
            program, *arguments = case.command(False, False)
            try:
                found.append(measure(place, case.name, [programs.find(program), *arguments, "--no-check"], options.runs))
            except runs.Failure as failure:
                failures.append(f"{case.name}: {failure!r}")
    finally:
        place.close()
    runs.show(HEADER, found, cells, failures, options)
    if not found:
        sys.exit("predicted.py: nothing was measured")
    median, worst, good = sums(found)
    print(f"errors: median {100 * median:.1f} % (at most {100 * MEDIAN:.0f} %), worst {100 * worst:.1f} % (at most {100 * WORST:.0f} %)")
    sys.exit(bool(failures) or not good)


if __name__ == "__main__":
    main()
