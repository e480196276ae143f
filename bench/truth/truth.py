#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints a table for each construct and size of grain that compares work, span and lost time of the
report with the truth.

Each program of programs/ has one construct and grains of a known length, logs each grain by its own clock, and is
recorded. From the log and from the graph that follows from its source, this script computes work,
span and lost time, and compares them with `teff report --json`. The script shares no code with the
tools. For each figure the columns are: the true value in ms, the report's value in ms, and the
ratio of the two. The lost time is computed as a difference; the times lost to locks, imbalance and
creation are shown if the program's clock can measure them.

example: bench/truth/truth.py --only wavefront,lock --grains 1,20 --runs 3
"""

import argparse
import statistics
import sys

import constructs
import logs
import runs

WORK_MS = 120  # of each run; with short grains less, so that a log stays small
MOST_GRAINS = 40000
# What the report must reach on a quiet machine.
WORK_ERROR, SPAN_ERROR = 0.02, 0.05
HEADER = ["construct", "us", "grains", "figure", "truth ms", "report ms", "ratio", ""]
# The classes of the report's budget in which a worker is in a region but runs no grain.
NO_GRAIN = ("creation", "scheduling", "nothing_ready", "ready_waiting", "locks", "imbalance", "outside_team", "recorder")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="WORD,...", help="constructs whose names contain one of the words")
    parser.add_argument("--grains", default="1,5,20,100", metavar="US,...", help="default: 1,5,20,100")
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="runs per figure; the median counts; default: 3")
    parser.add_argument("--load", action="store_true", help="with one busy process for each processor")
    parser.add_argument("--check", action="store_true", help="exit with status 1 if work or span is wrong")
    return runs.parse_common(parser)


def measure(place, construct, us):
    """Figures of one recorded run: name -> (truth, report) in ns."""
    count = int(min(MOST_GRAINS, WORK_MS * 1000 / us))
    program = place.compile(runs.HERE / "programs" / construct.program, construct.flags)
    file = place.path / "pieces.log"
    file.unlink(missing_ok=True)
    env = place.environment(2, TRUTH_LOG=str(file), **construct.env)
    recording = place.record([program, str(us), str(count)], env)
    report = place.report(recording)
    truth = constructs.judge(logs.Log(file), construct)
    return truth.grains, compare(truth, report, construct)


def compare(truth, report, construct):
    found = runs.classes_of(report)
    figures = {
        "work": (truth.work, report["work_ns"]),
        "span": (truth.span, report["span_ns"]),
        "any schedule": (truth.span_any, report.get("span_any_schedule_ns")),
        "wall": (truth.wall, report["wall_ns"]),
    }
    if found:
        # Before the first region there is only one thread, but the budget counts the time of all
        # workers.
        figures["serial"] = (truth.serial * (construct.workers - 1), found.get("serial", 0.0))
        # The program does not know which thread waits for a processor between two grains.
        descheduled = found.get("descheduled", 0.0)
        figures["lost"] = (truth.lost + truth.descheduled, sum(found.get(name, 0.0) for name in NO_GRAIN) + descheduled)
        if construct.workers <= report["budget"]["processors"]:
            figures["descheduled"] = (truth.descheduled, descheduled)
        figures |= {name: (ns, found.get(name, 0.0)) for name, ns in truth.classes.items()}
        budget = report["budget"]
        figures["rest"] = (0.01 * budget["whole_ns"], abs(budget["rest_ns"]))
    return figures


def ratio(pair):
    truth, report = pair
    return None if report is None or not truth else report / truth


def verdict(name, value):
    """A mark if the figure is wrong."""
    if value is None:
        return "missing"
    room = {"work": WORK_ERROR, "span": SPAN_ERROR, "any schedule": SPAN_ERROR}.get(name)
    if name == "rest":
        return "too much" if value > 1 else ""
    return "off" if room and abs(value - 1) > room else ""


def middle(samples):
    """The pair, of those of several runs, that has the median ratio."""
    known = sorted((pair for pair in samples if ratio(pair) is not None), key=ratio)
    return known[(len(known) - 1) // 2] if known else samples[0]


def rows_of(place, construct, us, options):
    samples = [measure(place, construct, us) for _ in range(options.runs)]
    grains = statistics.median_low([count for count, _ in samples])
    for name in samples[0][1]:
        pair = middle([figures[name] for _, figures in samples])
        yield {"construct": construct.name, "grain_us": us, "grains": grains, "figure": name, "truth_ns": pair[0],
               "report_ns": pair[1], "ratio": ratio(pair), "verdict": verdict(name, ratio(pair))}


def cells(row):
    report = row["report_ns"]
    return [row["construct"], f"{row['grain_us']:g}", str(row["grains"]), row["figure"], f"{row['truth_ns'] / 1e6:.3f}",
            "-" if report is None else f"{report / 1e6:.3f}", "-" if row["ratio"] is None else f"{row['ratio']:.3f}",
            row["verdict"]]


def main():
    options = parse_arguments()
    words = options.only.split(",") if options.only else [""]
    chosen = [c for c in constructs.CONSTRUCTS if any(word in c.name for word in words)]
    if not chosen:
        sys.exit(f"truth.py: no construct is called {options.only}: {', '.join(c.name for c in constructs.CONSTRUCTS)}")
    found, failures = [], []
    place = runs.Place(options.build, options.urgent)
    try:
        place.calibrate()
        with runs.load(options.load):
            for construct in chosen:
                for us in map(float, options.grains.split(",")):
                    try:
                        found += rows_of(place, construct, us, options)
                    except (runs.Failure, ValueError, KeyError) as failure:
                        failures.append(f"{construct.name}, {us:g} us: {failure!r}")
    finally:
        place.close()
    runs.show(HEADER, found, cells, failures, options)
    off = [row for row in found if row["verdict"]]
    print(f"{len(found) - len(off)} figures right or not judged, {len(off)} off, {len(failures)} failures")
    sys.exit(bool(failures or (options.check and off)))


if __name__ == "__main__":
    main()
