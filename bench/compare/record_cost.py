#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what recording every grain costs, and what counting costs, in percent, for each
workload.

Each workload runs under `teff run`, `teff stat` and `teff record`, interleaved. The medians of the
times that the programs print for their parallel parts are compared. The table also shows the mean
grain (work per task or chunk, from `teff report --json`) and the bytes of trace per grain. The goal
is that recording costs under 2.5 % if the mean grain is 2 us or more.

example: bench/compare/record_cost.py --only sort,fft --threads 2 --runs 9
         bench/compare/record_cost.py --also without:TEFF_TRACE_SWITCHES=off --also samples:TEFF_TRACE_SAMPLES=997
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import compare
import launcher
import runtimes
import tables

BEFORE = ["workload", "threads", "run s", "stat s", "stat %", "record s", "record %"]
AFTER = ["noise %", "mean grain us", "grains", "bytes/grain"]


@dataclass(frozen=True)
class Way:
    """A way to run a workload: a verb with its options, and variables of the environment."""

    verb: str
    options: tuple = ()
    variables: tuple = ()


WAYS = {"run": Way("run"), "stat": Way("stat", ("-o", os.devnull)), "record": Way("record")}


@dataclass
class Recording:
    grains: int | None = None
    mean_grain_us: float | None = None
    trace_bytes: int = 0


@dataclass
class Runs:
    """The times of one workload at one number of threads, by way."""

    times: dict
    recording: Recording
    failure: str = ""

    def median(self, way):
        return statistics.median(self.times[way])

    def cost_percent(self, way):
        return (self.median(way) / self.median("run") - 1) * 100

    @property
    def noise_percent(self):
        """Half the distance between the quartiles of the plain runs. A smaller cost is not significant."""
        if len(self.times["run"]) < 2:
            return None
        low, _, high = statistics.quantiles(self.times["run"], n=4, method="inclusive")
        return (high - low) / 2 / self.median("run") * 100


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="NAME,...", help="only these workloads")
    parser.add_argument("--threads", type=compare.thread_list, default=[2], metavar="N,...", help="default: 2")
    parser.add_argument("--runs", type=compare.positive(int), default=7, metavar="N", help="runs of each kind; default: 7")
    parser.add_argument("--quick", action="store_true", help="small sizes: test whether recording works, not what it costs")
    parser.add_argument("--limit", type=compare.positive(float), default=60, metavar="S", help="seconds per run")
    parser.add_argument("--build", type=Path, default=compare.ROOT / "build", metavar="DIR", help="default: build")
    parser.add_argument("--markdown", action="store_true", help="print a Markdown table")
    parser.add_argument("--also", type=named_variables, action="append", default=[], metavar="NAME:VARIABLE=VALUE,...",
                        help="also record with this environment, shown under this name; may be repeated")
    parser.set_defaults(suite="workloads")
    return parser.parse_args()


def named_variables(text):
    """(name, Way) of NAME:VARIABLE=VALUE,..."""
    name, _, listing = text.partition(":")
    pairs = tuple(tuple(pair.split("=", 1)) for pair in listing.split(","))
    if not name or name in WAYS or any(len(pair) != 2 for pair in pairs):
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME:VARIABLE=VALUE,... such as samples:TEFF_TRACE_SAMPLES=997")
    return name, Way("record", variables=pairs)


def trace_size(trace):
    return sum(path.stat().st_size for path in trace.rglob("*") if path.is_file())


def read_report(teff, trace, limit_s):
    """The report as parsed JSON. If there is none, None, and a message on standard error."""
    command = [str(teff), "report", "--json", str(trace)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit_s, check=True)
        return json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, json.JSONDecodeError) as error:
        print(f"record_cost.py: no figures from `{' '.join(command)}`: {error}", file=sys.stderr)
        return None


def count_grains(report):
    """(number, mean work in us) of the tasks and chunks in a report; None if the report does not say.

    Implicit and initial tasks are left out: there are few, and serial parts of the program make them long."""
    try:
        sites = [site for site in report["sites"] if site["kind"] in ("task", "chunk")]
        grains = sum(site["count"] for site in sites)
        work_ns = sum(site["work_ns"] for site in sites)
    except (KeyError, TypeError):
        return None, None
    return grains, work_ns / grains / 1000 if grains else None


def describe_trace(teff, folder, limit_s):
    traces = sorted(Path(folder).glob("*.teff"))
    if not traces:
        return Recording()
    grains, mean_us = count_grains(read_report(teff, traces[0], limit_s))
    return Recording(grains, mean_us, trace_size(traces[0]))


def run_once(teff, way, command, environment, limit_s, describe):
    """Runs in a folder of its own, since `record` writes its trace into the current one."""
    with tempfile.TemporaryDirectory() as folder:
        outcome = launcher.launch([str(teff), way.verb, *way.options, "--", *command], environment | dict(way.variables),
                                  limit_s, cwd=folder)
        recording = describe_trace(teff, folder, limit_s) if describe and not outcome.failure else None
    return outcome, recording


def measure(teff, command, threads, options):
    environment = runtimes.Runtime("teff").environment(threads)
    ways = WAYS | dict(options.also)
    runs = Runs({name: [] for name in ways}, Recording())
    for remaining in reversed(range(options.runs)):
        for name, times in runs.times.items():
            describe = name == "record" and remaining == 0  # all recordings of a workload are alike
            outcome, recording = run_once(teff, ways[name], command, environment, options.limit, describe)
            if outcome.failure:
                runs.failure = f"{name}: {outcome.failure}"
                return runs
            times.append(outcome.time_s)
            runs.recording = recording or runs.recording
    return runs


def header(also):
    return BEFORE + [f"{name} %" for name, _ in also] + AFTER


def row(name, threads, runs, also):
    if runs.failure:
        return [name, str(threads), "failed"] + [""] * (len(header(also)) - 3)
    recording = runs.recording
    bytes_per_grain = recording.trace_bytes / recording.grains if recording.grains else None
    return [
        name,
        str(threads),
        f"{runs.median('run'):.4f}",
        f"{runs.median('stat'):.4f}",
        f"{runs.cost_percent('stat'):+.1f}",
        f"{runs.median('record'):.4f}",
        f"{runs.cost_percent('record'):+.1f}",
        *(f"{runs.cost_percent(name):+.1f}" for name, _ in also),
        "-" if runs.noise_percent is None else f"{runs.noise_percent:.1f}",
        tables.number(recording.mean_grain_us),
        "-" if recording.grains is None else str(recording.grains),
        tables.number(bytes_per_grain),
    ]


def main():
    options = parse_arguments()
    teff = (options.build / "bin" / "teff").resolve()
    if not os.access(teff, os.X_OK):
        sys.exit(f"record_cost.py: {teff} does not exist or cannot be run: build it with ./run build")
    programs = compare.Programs(options.build.resolve())
    rows, failures = [], []
    for case in programs.keep_available(compare.choose_cases(options)):
        for threads in options.threads:
            compare.show_progress(f"{case.name}, {threads} threads")
            program, *arguments = case.command(False, options.quick)
            command = [str(programs.find(program)), *arguments, "--no-check"]
            runs = measure(teff, command, threads, options)
            rows.append(row(case.name, threads, runs, options.also))
            failures += [f"{case.name}, {threads} threads: {runs.failure}"] if runs.failure else []
    compare.show_progress("")
    print((tables.markdown if options.markdown else tables.aligned)(header(options.also), rows))
    print("".join(f"\n- {failure}" for failure in failures))
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
