#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares libgomp, libomp, Teff, and Teff with settings in the service benchmark HashTag-Text.

For each arrival pattern and number of threads, the script prints the total time and the response
times of each priority. Times of libgomp are absolute. Times of the other runtimes are ratios to
those of libgomp; a ratio below 1 means faster. Figures are medians over several runs; the runs of
the runtimes are interleaved. For each load, the script computes the time between arrivals once, on
libgomp, so that all runtimes get the same requests at the same times. The exit status says only
whether Teff ran everything; it does not depend on times.

example: bench/hashtag/hashtag.py --threads 2,4 --interarrival 0,50 --load 0.8 --also preempt:TEFF_PREEMPT=on
"""

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "compare"))

# pylint: disable=wrong-import-position
import compare
import launcher
import measure
import runtimes
import suites
import tables

SCRIPT = "hashtag.py"
BASE = "libgomp"
PRIORITIES = ("3", "2", "1")
RESPONSES = {"mean": "mean_us", "median": "median_us", "90 %": "p90_us", "99 %": "p99_us", "mean to begin": "begin_mean_us",
             "median to begin": "begin_median_us"}


def number_list(least_is_zero):
    def parse(text):
        try:
            values = [float(part) for part in text.split(",")]
        except ValueError:
            raise argparse.ArgumentTypeError(f"'{text}' is not a list of numbers such as 0.5,10") from None
        if not all(value > 0 or (least_is_zero and value == 0) for value in values):
            raise argparse.ArgumentTypeError(f"each number in '{text}' must be " + ("0 or more" if least_is_zero else "above 0"))
        return values

    return parse


def count_list(text):
    """Whole numbers above 0, separated by commas."""
    if not all(part.isdecimal() and int(part) > 0 for part in text.split(",")):
        raise argparse.ArgumentTypeError(f"'{text}' is not a list of whole numbers above 0, such as 2,16")
    return [int(part) for part in text.split(",")]


def settings(text):
    """(name, environment) of NAME:VARIABLE=VALUE,..."""
    name, _, listing = text.partition(":")
    pairs = [pair.partition("=") for pair in listing.split(",")]
    if not name or not all(variable and equals for variable, equals, _ in pairs):
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME:VARIABLE=VALUE,... such as preempt:TEFF_PREEMPT=on")
    if name in ("libgomp", "libomp", "teff", "tbb"):
        raise argparse.ArgumentTypeError(f"'{name}' is the name of a runtime already")
    return name, {variable: value for variable, _, value in pairs}


def build_parser():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     parents=[compare.common_options([2], 5, has_suites=False)])
    parser.add_argument("--interarrival", type=number_list(True), metavar="US,...",
                        help="mean microseconds between requests, 0: all at once; default: 0,10 where no load is given")
    parser.add_argument("--load", type=number_list(False), default=[], metavar="X,...",
                        help="the fraction of time for which the serving processors are busy, such as 0.8")
    parser.add_argument("--clients", type=count_list, default=[], metavar="N,...",
                        help="numbers of clients; each client sends its next request when it has its answer")
    parser.add_argument("--also", type=settings, action="append", default=[], metavar="NAME:VARIABLE=VALUE,...",
                        help="also run Teff with this environment, shown under this name; may be repeated")
    parser.add_argument("--max-priority", type=int, choices=range(7),
                        help="OMP_MAX_TASK_PRIORITY of all runtimes; 0 switches priorities off; default: 3, and 6 with "
                             "--searches above")
    parser.add_argument("--tasks", choices=suites.TIES, default="untied", help="default: untied")
    parser.add_argument("--wait", choices=("taskwait", "taskgroup"), default="taskgroup",
                        help="how a request waits for its searches; libgomp 12 crashes by taskwait unless --searches is "
                             "none; default: taskgroup")
    parser.add_argument("--searches", choices=("request", "none", "above"), default="request",
                        help="the priority of search tasks: their request's, none, or one above it; default: request")
    parser.add_argument("--tables", type=int, choices=range(1, 65), metavar="N", default=4,
                        help="hash tables, 1 to 64: search tasks per request; default: 4")
    parser.add_argument("--inserts", type=int, choices=range(101), metavar="PERCENT", default=0,
                        help="percent of the requests that add a text, under a lock for each bucket; default: 0")
    parser.add_argument("--results", type=int, metavar="N", default=0,
                        help="texts that one search reads at most, 0: all; default: 0")
    parser.add_argument("--cutoff", type=int, metavar="N", default=0,
                        help="a request makes no search tasks while so many requests or more wait, 0: it always does; "
                             "default: 0")
    parser.add_argument("--dispatch", choices=("sleep", "spin", "help"), default="sleep",
                        help="how the dispatcher waits for the next arrival; default: sleep")
    parser.add_argument("--requests", type=compare.positive(int), metavar="N", help="default: that of the size")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="the seed of all random numbers; default: 1")
    return parser


def parse_arguments(arguments=None):
    parser = build_parser()
    options = parser.parse_args(arguments)
    if options.interarrival is None:
        options.interarrival = [] if options.load or options.clients else [0.0, 10.0]
    if options.max_priority is None:
        options.max_priority = 6 if options.searches == "above" else 3
    names = [name for name, _ in options.also]
    if len(names) != len(set(names)):
        parser.error("argument --also: each needs a name of its own")
    options.without += ",tbb"
    return options


def read_figures(text):
    """The JSON that the program prints, as an Outcome; None if the output is not this JSON."""
    try:
        record = json.loads(text)
        figures = {"total, ms": record["time_s"] * 1e3}
        for priority in PRIORITIES:
            response = record["priorities"][priority]
            figures |= {f"priority {priority}, {name}, us": response[key] for name, key in RESPONSES.items()}
        figures |= {"requests late, us": record["late_us"], "interarrival_us": record["interarrival_us"]}
        return launcher.Outcome(time_s=record["time_s"], result=record["result"], tasks=record["task_count"],
                                peak_rss_kib=record["peak_rss_kib"], figures=figures)
    except (KeyError, TypeError, ValueError):
        return None


def make_case(name, arrival, options):
    """`arrival` is the option that says when requests come, with its value."""
    arguments = ["--json", *arrival, "--tasks", options.tasks, "--wait", options.wait, "--searches", options.searches,
                 "--dispatch", options.dispatch, "--tables", str(options.tables), "--inserts", str(options.inserts),
                 "--results", str(options.results), "--cutoff", str(options.cutoff), "--seed", str(options.seed)]
    if options.requests:
        arguments += ["--requests", str(options.requests)]
    return suites.Case(name, "hashtag", ("--size", "medium", *arguments), ("--size", "small", *arguments),
                       settings=(("OMP_MAX_TASK_PRIORITY", str(options.max_priority)),), read=read_figures)


def interarrival_case(interarrival_us, options, name=""):
    return make_case(name or f"{interarrival_us:g} us between requests", ["--interarrival", f"{interarrival_us:.3f}"], options)


def client_case(clients, options):
    return make_case(f"{clients} client{'s' * (clients > 1)}", ["--clients", str(clients)], options)


def calibrate(load, threads, options, programs):
    """The case whose time between arrivals makes this load at this number of threads."""
    name = f"load {load:g}"
    program, *arguments = make_case(name, ["--load", str(load)], options).command(False, options.quick)
    command = [str(programs.find(program)), *arguments, "--no-check"]
    outcome = launcher.launch(command, runtimes.Runtime(BASE).environment(threads), options.limit, read=read_figures)
    if outcome.failure:
        sys.exit(f"{SCRIPT}: cannot find the time between requests for {name}, {threads} threads: {outcome.failure}")
    interarrival_us = outcome.figures["interarrival_us"]
    return interarrival_case(interarrival_us, options, f"{name}: {interarrival_us:g} us between requests")


def cases_for(threads, options, programs):
    return [*(interarrival_case(value, options) for value in options.interarrival),
            *(client_case(value, options) for value in options.clients),
            *(calibrate(load, threads, options, programs) for load in options.load)]


def figure(cell, name):
    return statistics.median(outcome.figures[name] for outcome in cell.outcomes)


def ratio(cell, base, name):
    """A figure's ratio to the base's, as text."""
    if not cell.measured:
        return tables.short_failure(cell)
    if not base or not base.measured or not figure(base, name):
        return "-"
    return tables.number(figure(cell, name) / figure(base, name))


def absolute(cell, name):
    return tables.number(figure(cell, name)) if cell.measured else tables.short_failure(cell)


def figure_names():
    return ["total, ms", *(f"priority {priority}, {name}, us" for priority in PRIORITIES for name in RESPONSES)]


def comparison(group):
    """Header and rows for the cells of one case and number of threads."""
    base = next((cell for cell in group if cell.runtime == BASE), None)
    others = [cell for cell in group if cell is not base]
    header = ["figure", BASE, *(f"{cell.runtime} / {BASE}" for cell in others)]
    rows = [[name, absolute(base, name) if base else "-", *(ratio(cell, base, name) for cell in others)]
            for name in figure_names()]
    return header, rows


def report(cells, options):
    table = tables.markdown if options.markdown else tables.aligned
    parts = []
    for (case, threads), group in tables.groups(cells).items():
        title = f"{case}, {threads} thread{'s' * (threads > 1)}, {options.tasks} tasks, {options.wait}"
        parts += [title, table(*comparison(group))]
    problems = tables.failures(cells)
    if problems:
        parts += ["Failures", "\n".join(f"- {problem}" for problem in problems)]
    return "\n\n".join(parts)


def as_json(cell):
    return cell.as_json() | {"runs": [outcome.figures for outcome in cell.outcomes]}


def choose_runtimes(options, programs, scratch):
    more = []
    for name, environment in options.also:
        runtime = runtimes.teff(options.teff or options.build / "lib")
        runtime.name, runtime.extra = name, environment
        more.append(runtime)
    probe = [suites.Case("hashtag", "hashtag", (), ())]
    if not programs.keep_available(probe):
        sys.exit(f"{SCRIPT}: nothing to run")
    return compare.choose_runtimes(options, programs, probe, scratch, more)


def main():
    options = parse_arguments()
    programs = compare.Programs(options.build.resolve())
    machine = compare.describe_machine(options.runs)
    cells = []
    with tempfile.TemporaryDirectory() as scratch:
        chosen = choose_runtimes(options, programs, scratch)
        for threads in options.threads:
            for case in cases_for(threads, options, programs):
                cells += measure.measure_case(case, chosen, threads, options, programs.find, compare.show_progress)
    compare.show_progress("")
    print(machine + "\n")
    print(report(cells, options))
    if options.json:
        options.json.write_text(json.dumps([as_json(cell) for cell in cells], indent=1) + "\n", encoding="utf-8")
    sys.exit(any(cell.failure for cell in cells if cell.runtime not in measure.PEERS))


if __name__ == "__main__":
    main()
