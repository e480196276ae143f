#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what figures 7.3 to 7.5 of Rasa's thesis show (Instrumentation of OpenMP task
scheduling, 2015), with the thesis's program, workloads/aes.c.

The script prints four tables, each with one row per variant of the program and number of threads:

  speed-up       the serial program's time / the variant's time, on each runtime (figure 7.3)
  congestion     on Teff: the share of lock operations on queues that met a held lock, the share of
                 steals that another thief won, and the time spent waiting for locks, as an
                 overhead: worker time / (worker time - time waiting) (figure 7.4)
  runtime        on Teff: worker time / time in the program's own code (figure 7.5)
  cost           the time under `teff stat`, with sampled and with exact times / the time without
                 (the last images of figures 7.4 and 7.5)

The columns `central` are Teff with TEFF_SCHEDULE=central. This policy has one queue with one lock,
which corresponds to libgomp's task lock. Figures are medians; the runs are interleaved. The exit
status is 1 if a run failed; it does not depend on times.

example: bench/monitor/monitor.py --threads 1,2,4 --kib 4096 --grouping rounds
"""

import argparse
import json
import os
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

SCRIPT = "monitor.py"
VARIANTS = {"aes": "AES only", "full": "fully parallel", "fragments": "fragments only"}
CENTRAL = {"TEFF_SCHEDULE": "central"}
LOCKS = ("queue_contended", "priority_contended", "contended_locks")
STATES = ("user", "dependences", "queues", "regions", "waiting", "idle")


def build_parser():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     parents=[compare.common_options([1, 2, 4], 5)])
    parser.add_argument("--kib", type=compare.positive(int), default=4096, metavar="N",
                        help="length of the message in KiB; the thesis has 51200; default: 4096, and 64 with --quick")
    parser.add_argument("--grouping", choices=("groups", "rounds"), default="groups",
                        help="5 or 21 tasks for each block of the cipher; default: groups")
    return parser


def case_for(variant, options):
    kib = 64 if options.quick else options.kib
    arguments = ("--variant", variant, "--grouping", options.grouping, "--kib", str(kib))
    return suites.Case(VARIANTS.get(variant, variant), "aes", arguments, arguments)


def counted(teff, command, environment, times, limit_s):
    """Runs the command under `teff stat`. Returns its Outcome and the counters of its process; None
    in the place of the counters if the run failed."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "counters.json"
        outcome = launcher.launch([str(teff), "stat", "--json", "--times", times, "-o", str(place), "--", *command],
                                  environment, limit_s)
        if outcome.failure:
            return outcome, None
        last = json.loads(place.read_text(encoding="utf-8").splitlines()[-1])
    return outcome, last["processes"][0]["total"]


def share(part, whole):
    return part / whole if whole else 0.0


def congestion(total):
    """(share of lock operations on queues that waited, share of lost steals, overhead of waiting)."""
    worker_ns = sum(total[f"{state}_ns"] for state in STATES)
    waited_ns = sum(total[f"{lock}_ns"] for lock in LOCKS)
    operations = 2 * total["queue_takes"]  # a shared queue is locked for each put and each take
    lost = total["lost_steals"]
    return (share(total["queue_contended"], operations), share(lost, total["queue_takes"] + lost),
            1 + share(waited_ns, worker_ns - waited_ns))


def time_in_runtime(total):
    """Worker time as a multiple of the time in the program's own code."""
    return share(sum(total[f"{state}_ns"] for state in STATES), total["user_ns"])


class Measurement:
    """All runs of one variant at one number of threads."""

    def __init__(self, variant, threads, options, programs, chosen):
        self.variant, self.threads, self._options = variant, threads, options
        case = case_for(variant, options)
        self._command = [str(programs.find("aes")), *case.command(False, options.quick)[1:], "--no-check"]
        self._chosen = [runtime for runtime in chosen if not runtime.is_tbb]
        self._teff = (options.build / "bin" / "teff").resolve()
        self.plain = {runtime.name: [] for runtime in self._chosen}
        self.under = {"sampled": [], "exact": []}
        self.totals = {"teff": [], "central": []}
        self.failures = []

    def _keep(self, name, outcome, times):
        if outcome.failure:
            self.failures.append(f"{VARIANTS[self.variant]}, {self.threads} threads, {name}: {outcome.failure}")
        else:
            times.append(outcome.time_s)

    def _count(self, name, times, extra):
        environment = runtimes.Runtime("teff").environment(self.threads) | extra
        outcome, total = counted(self._teff, self._command, environment, times, self._options.limit)
        self._keep(f"teff stat, {name}, {times}", outcome, self.under[times] if name == "teff" else [])
        if total is not None and times == "exact":
            self.totals[name].append(total)

    def run_round(self):
        for runtime in self._chosen:
            compare.show_progress(f"{VARIANTS[self.variant]}, {self.threads} threads: {runtime.name}")
            outcome = launcher.launch(self._command, runtime.environment(self.threads), self._options.limit)
            self._keep(runtime.name, outcome, self.plain[runtime.name])
        self._count("teff", "sampled", {})
        self._count("teff", "exact", {})
        self._count("central", "exact", CENTRAL)

    def time(self, name):
        return statistics.median(self.plain[name]) if self.plain.get(name) else None

    def cost(self, times):
        """The time under `teff stat` / the time without."""
        return ratio(statistics.median(self.under[times]) if self.under[times] else None, self.time("teff"))

    def of_totals(self, name, function):
        """The medians of the values that the function computes from each run's counters."""
        values = [function(total) for total in self.totals[name]]
        if not values:
            return None
        return tuple(map(statistics.median, zip(*values))) if isinstance(values[0], tuple) else statistics.median(values)


def ratio(over, under):
    return over / under if over is not None and under else None


def percent(value):
    return f"{value * 100:.2f} %"


def congestion_cells(measurement, name):
    found = measurement.of_totals(name, congestion)
    return ["-"] * 3 if found is None else [percent(found[0]), percent(found[1]), f"{found[2]:.3f}"]


def report(serial_s, measurements, options):
    table = tables.markdown if options.markdown else tables.aligned
    names = list(measurements[0].plain)

    def rows(cells):
        return [[f"{VARIANTS[one.variant]}, {one.threads}", *cells(one)] for one in measurements]

    first = "variant, threads"
    waits = ["held locks", "lost steals", "waiting"]
    parts = [
        f"Speed-up over the serial program, which takes {serial_s:.4f} s (figure 7.3)",
        table([first, *names], rows(lambda one: [tables.number(ratio(serial_s, one.time(name))) for name in names])),
        "Congestion (figure 7.4)",
        table([first, *waits, *(f"central: {wait}" for wait in waits)],
              rows(lambda one: congestion_cells(one, "teff") + congestion_cells(one, "central"))),
        "Worker time / time in the program's code (figure 7.5)",
        table([first, "teff", "central"],
              rows(lambda one: [tables.number(one.of_totals(name, time_in_runtime)) for name in ("teff", "central")])),
        "Time under teff stat / time without (figures 7.4 and 7.5)",
        table([first, "sampled", "exact"],
              rows(lambda one: [tables.number(one.cost(times)) for times in ("sampled", "exact")])),
    ]
    failures = [failure for one in measurements for failure in one.failures]
    if failures:
        parts += ["Failures", "\n".join(f"- {failure}" for failure in failures)]
    return "\n\n".join(parts)


def time_serial(options, programs):
    command = [str(programs.find("aes")), *case_for("serial", options).command(False, options.quick)[1:], "--no-check"]
    outcomes = [launcher.launch(command, runtimes.Runtime("libgomp").environment(1), options.limit)
                for _ in range(options.runs)]
    for outcome in outcomes:
        if outcome.failure:
            sys.exit(f"{SCRIPT}: the serial program: {outcome.failure}")
    return statistics.median(outcome.time_s for outcome in outcomes)


def main():
    options = build_parser().parse_args()
    wanted = options.only.split(",") if options.only else list(VARIANTS)
    if unknown := set(wanted) - set(VARIANTS):
        sys.exit(f"{SCRIPT}: there is no variant {', '.join(sorted(unknown))}; there are {', '.join(VARIANTS)}")
    teff = options.build / "bin" / "teff"
    if not os.access(teff, os.X_OK):
        sys.exit(f"{SCRIPT}: {teff} does not exist or cannot be run: build it with ./run build")
    programs = compare.Programs(options.build.resolve())
    if not programs.keep_available([case_for("full", options)]):
        sys.exit(f"{SCRIPT}: nothing to run")
    serial_s = time_serial(options, programs)
    with tempfile.TemporaryDirectory() as scratch:
        chosen = compare.choose_runtimes(options, programs, [case_for("full", options)], scratch)
        measurements = [Measurement(variant, threads, options, programs, chosen)
                        for variant in wanted for threads in options.threads]
        for _ in range(options.runs):
            for measurement in measurements:
                measurement.run_round()
    compare.show_progress("")
    print(compare.describe_machine(options.runs) + "\n")
    print(report(serial_s, measurements, options))
    if options.json:
        found = [{"variant": one.variant, "threads": one.threads, "times_s": one.plain, "stat_s": one.under,
                  "totals": one.totals} for one in measurements]
        options.json.write_text(json.dumps({"serial_s": serial_s, "measurements": found}, indent=1) + "\n", encoding="utf-8")
    sys.exit(any(failure for one in measurements for failure in one.failures
                 if not any(f", {peer}:" in failure for peer in measure.PEERS)))


if __name__ == "__main__":
    main()
