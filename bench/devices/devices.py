#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures target regions on devices that are other processes (docs/devices.md): over sockets, and
over the MPI libraries that are installed.

regions: an empty region that the host waits for, one of a thousand with nowait, how many of those
the devices together carry out in a second, and the bandwidth of target update, and of
omp_target_memcpy between two devices.

metg: the minimum effective task granularity of the patterns of Task Bench, in microseconds: the
shortest task with which the devices are busy with the tasks' own work for half of the time. The
figure is the whole time, times the number of devices or, if that is smaller, of processors, divided
by the number of tasks, where this efficiency is 50 %. One thread per device; the host's thread
needs a processor of its own, or takes time from a device.

bytes: what each workload moves, and what its algorithm would have to move at least. These figures
are counts, and do not depend on the machine.

example: bench/devices/devices.py --only metg --devices 1,2 --patterns trivial,fft
"""

import argparse
import json
import math
import os
import re
import shutil
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "compare"))

# pylint: disable=wrong-import-position
import compare
import launcher
import runtimes
import tables

SCRIPT = "devices.py"
PARTS = ("regions", "metg", "bytes")
PATTERNS = ("trivial", "no_comm", "stencil_1d", "stencil_1d_periodic", "fft", "tree", "nearest", "spread", "random")
MPIRUN = {"openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"],
          "mpich": ["mpirun.mpich"]}
WIDTH, STEPS = 16, 25  # of a graph of tasks
FIRST_GRAIN, LAST_GRAIN = 1 << 16, 1  # rounds of work in a task

FIGURES = re.compile(r"data: (\d+) bytes to the device, (\d+) from it")


def numbers(text):
    return [compare.positive(int)(word) for word in text.split(",")]


def build_parser():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="PART,...", help=f"only these parts, of {', '.join(PARTS)}")
    parser.add_argument("--devices", type=numbers, default=[1, 2, 4], metavar="N,...", help="default: 1,2,4")
    parser.add_argument("--transports", metavar="NAME,...", help="of sockets, openmpi, mpich; default: those that are installed")
    parser.add_argument("--patterns", default=",".join(PATTERNS), metavar="NAME,...", help="of metg; default: all")
    parser.add_argument("--place", choices=("program", "locality", "round_robin"), default="program",
                        help="who chooses the devices of metg's regions: the program, or TEFF_DEVICES")
    parser.add_argument("--runs", type=compare.positive(int), default=3, metavar="N", help="runs of each case; default: 3")
    parser.add_argument("--limit", type=compare.positive(float), default=60, metavar="S", help="seconds per run; default: 60")
    parser.add_argument("--build", type=Path, default=compare.ROOT / "build", metavar="DIR", help="build folder; default: build")
    parser.add_argument("--markdown", action="store_true", help="print Markdown tables")
    return parser


def installed():
    return ["sockets", *(name for name, words in MPIRUN.items() if shutil.which(words[0]))]


def chosen(text, known, what):
    words = text.split(",")
    if unknown := set(words) - set(known):
        sys.exit(f"{SCRIPT}: there is no {what} {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    return words


class Bench:
    """Runs programs on devices."""

    def __init__(self, options):
        self.build, self.limit_s, self.runs = options.build.resolve(), options.limit, options.runs
        self.problems = []

    def command(self, transport, devices, words):
        teff = [str(self.build / "bin" / "teff"), "run"]
        if transport == "sockets":
            return [*teff, "--devices", str(devices), "--", *words]
        return [*MPIRUN[transport], "-n", str(devices + 1), *teff, "--", *words]

    def outcome(self, transport, devices, words, read=launcher.parse_final_line, **extra):
        """None if the run failed; then there is a problem more."""
        environment = runtimes.Runtime("teff", extra=extra).environment(1)
        done = launcher.launch(self.command(transport, devices, [str(word) for word in words]), environment, self.limit_s,
                               read=read)
        if done.failure:
            self.problems.append(f"{transport}, {devices} devices, {Path(words[0]).name}: {done.failure}")
            return None
        return done


def read_json(text):
    try:
        return launcher.Outcome(figures=json.loads(text))
    except ValueError:
        return None


def medians(runs):
    """The medians of the figures of several runs, and the tasks per second, in the order of the table's columns."""
    middle = {name: statistics.median(run[name] for run in runs) for name in runs[0] if runs[0][name] is not None}
    middle["tasks_s"] = 1e6 / middle["nowait_us"]
    return [middle.get(name) for name in ("region_us", "nowait_us", "tasks_s", "to_MB_s", "from_MB_s", "between_MB_s")]


def regions(bench, transports, devices):
    program = bench.build / "bench" / "devices" / "regions"
    for transport in transports:
        for number in devices:
            compare.show_progress(f"regions over {transport}, {number} devices")
            found = [bench.outcome(transport, number, [program, 1000], read_json) for _ in range(bench.runs)]
            found = [outcome.figures for outcome in found if outcome]
            if found:
                yield [transport, str(number), *map(tables.number, medians(found))]


def crossing(points, efficiency=0.5):
    """The smallest granularity with this efficiency, from points (granularity, efficiency) in order of falling granularity,
    between two points on a logarithmic scale. Noise only lowers an efficiency, so the last point that reaches it counts.
    None if no point reaches it, or none is below it."""
    reached = [i for i, (_, value) in enumerate(points) if value >= efficiency]
    if not reached or reached[-1] + 1 == len(points):
        return None
    (larger, above), (smaller, below) = points[reached[-1]:reached[-1] + 2]
    share = (above - efficiency) / (above - below)
    return math.exp(math.log(larger) + share * (math.log(smaller) - math.log(larger)))


class Metg:
    """The search for the granularity of one pattern."""

    def __init__(self, bench, place):
        self.bench, self.program = bench, bench.build / "workloads" / "taskbench"
        self.words = ["--width", WIDTH, "--steps", STEPS]
        self.extra = {}
        if place != "program":
            self.words += ["--place", "runtime"]
            self.extra = {"TEFF_DEVICES": place}
        self.round_us = None

    def time_us(self, transport, devices, pattern, grain):
        words = [self.program, "--pattern", pattern, "--grain", grain, *self.words, "--no-check"]
        found = [self.bench.outcome(transport, devices, words, **self.extra) for _ in range(self.bench.runs)]
        return min((outcome.time_s for outcome in found if outcome), default=None)

    def calibrate(self):
        """What a round of work takes: from tasks so long that nothing else counts."""
        time = self.time_us("sockets", 1, "trivial", FIRST_GRAIN)
        if time is not None:
            self.round_us = time * 1e6 / (WIDTH * STEPS * FIRST_GRAIN)
        return self.round_us

    def find(self, transport, devices, pattern):
        units, tasks, points, grain = min(devices, os.cpu_count() or 1), WIDTH * STEPS, [], FIRST_GRAIN
        while grain >= LAST_GRAIN:
            compare.show_progress(f"{pattern} over {transport}, {devices} devices, grain {grain}")
            time_s = self.time_us(transport, devices, pattern, grain)
            if time_s is None:
                return None
            granularity = time_s * 1e6 * units / tasks
            points.append((granularity, grain * self.round_us / granularity))
            if points[-1][1] < 0.2:
                break
            grain //= 2
        return crossing(points)


def metg(bench, transports, devices, patterns, place):
    search = Metg(bench, place)
    if search.calibrate() is None:
        return
    for pattern in patterns:
        for transport in transports:
            found = [search.find(transport, number, pattern) for number in devices]
            yield [pattern, transport, *("-" if value is None else tables.number(value) for value in found)]


def parts_of(count, parts):
    """The sizes of the parts into which the workloads divide their elements (common/devices.h)."""
    return [count * (part + 1) // parts - count * part // parts for part in range(parts)]


def least_heat(devices, rows=256, columns=256, iterations=10):
    """Each strip comes once with its outer rows, and goes back once; each exchange moves two rows at each border."""
    exchanged = 2 * (devices - 1) * (iterations - 1)
    return (8 * columns * (rows - 2 + 2 * devices + exchanged), 8 * columns * (rows - 2 + exchanged))


def least_gemm(devices, n=128):
    """Each device needs its rows of the first factor, and all of the second; the result goes back once."""
    return (8 * n * n * (1 + devices), 8 * n * n)


def least_cholesky(devices, n=128, block=32):
    """Each block comes to its owner, goes back once, and comes once to each other device that reads it."""
    side, area = n // block, 8 * block * block
    readers = 0
    for k in range(side):
        for i in range(k, side):
            rows = range(k + 1, side) if i == k else range(i, side)  # of the blocks that read block (i, k)
            readers += len({row % devices for row in rows} - {i % devices})
    blocks = side * (side + 1) // 2
    return (area * (blocks + readers), area * blocks)


def least_nbody(devices, bodies=500, steps=5):
    """All positions come to each device, and each velocity to one; after each step but the last, a device gets what it
    has not computed. A single device returns only the last positions."""
    vector = 24
    return (vector * (devices * bodies + bodies + (steps - 1) * (devices - 1) * bodies),
            vector * bodies * (steps if devices > 1 else 1))


LEAST = {"heat": least_heat, "gemm": least_gemm, "cholesky": least_cholesky, "nbody": least_nbody}


def read_figures(text):
    """The bytes to all devices and from them, from the lines of TEFF_DEVICE_FIGURES."""
    lines = FIGURES.findall(text)
    return tuple(sum(int(line[way]) for line in lines) for way in (0, 1)) if lines else None


def moved(bench, name, devices):
    program = bench.build / "workloads" / name
    words = ["sh", "-c", 'exec "$@" 2>&1', "sh", *bench.command("sockets", devices, [str(program)])]
    environment = runtimes.Runtime("teff", extra={"TEFF_DEVICE_FIGURES": "TRUE"}).environment(1)
    done = launcher.launch(words, environment, bench.limit_s,
                           read=lambda text: launcher.Outcome(figures={"bytes": read_figures(text)}))
    if done.failure or not done.figures["bytes"]:
        bench.problems.append(f"{name}, {devices} devices: {done.failure or 'it printed no figures'}")
        return None
    return done.figures["bytes"]


def moved_bytes(bench, devices):
    for name, least in LEAST.items():
        for number in devices:
            compare.show_progress(f"bytes of {name}, {number} devices")
            if found := moved(bench, name, number):
                at_least = least(number)
                yield [name, str(number), *map(str, found), *map(str, at_least), f"{sum(found) / sum(at_least):.2f}"]


def main():
    options = build_parser().parse_args()
    if not (options.build / "bench" / "devices" / "regions").exists():
        sys.exit(f"{SCRIPT}: the programs do not exist; build them with ./run bench devices")
    parts = chosen(options.only, PARTS, "part") if options.only else PARTS
    transports = chosen(options.transports, ("sockets", *MPIRUN), "transport") if options.transports else installed()
    patterns = chosen(options.patterns, PATTERNS, "pattern")
    bench, show = Bench(options), tables.markdown if options.markdown else tables.aligned
    machine = compare.describe_machine(options.runs)
    wanted = {
        "regions": lambda: (["over", "devices", "region, us", "nowait, us", "tasks/s", "to, MB/s", "from, MB/s",
                             "between, MB/s"],
                            regions(bench, transports, options.devices)),
        "metg": lambda: (["METG, us", "over", *(f"{number} devices" for number in options.devices)],
                         metg(bench, transports, options.devices, patterns, options.place)),
        "bytes": lambda: (["moved, bytes", "devices", "to", "from", "least to", "least from", "moved / least"],
                          moved_bytes(bench, options.devices)),
    }
    print(machine)
    for part in parts:
        head, rows = wanted[part]()
        rows = list(rows)
        compare.show_progress("")
        print("\n" + show(head, rows), flush=True)
    print("".join(f"\n- {text}" for text in bench.problems))
    sys.exit(bool(bench.problems))


if __name__ == "__main__":
    main()
