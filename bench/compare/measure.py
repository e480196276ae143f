# SPDX-License-Identifier: Apache-2.0
"""Measures cases under several runtimes, whose runs are interleaved, and summarises each cell. A
cell is one case under one runtime at one number of threads.
"""

import statistics
from dataclasses import dataclass, field

import launcher

PEERS = ("libgomp", "libomp")  # what Teff must not be slower than; oneTBB is there to see what is possible


@dataclass
class Cell:
    case: str
    threads: int
    runtime: str
    outcomes: list = field(default_factory=list)
    failure: str = ""

    @property
    def measured(self):
        return bool(self.outcomes) and not self.failure

    def median(self, name):
        return statistics.median(getattr(outcome, name) for outcome in self.outcomes)

    @property
    def time_s(self):
        return self.median("time_s")

    @property
    def least_s(self):
        """What the machine can do when nothing else runs on it; on a busy one it is steadier than the median."""
        return min(outcome.time_s for outcome in self.outcomes)

    @property
    def ns_per_task(self):
        """None if the case has no tasks. Computed for each run, since the number of tasks may differ between runs."""
        if not all(outcome.tasks for outcome in self.outcomes):
            return None
        return statistics.median(outcome.time_s * 1e9 / outcome.tasks for outcome in self.outcomes)

    @property
    def spread(self):
        """How much the runs differ, relative to their median."""
        times = [outcome.time_s for outcome in self.outcomes]
        return (max(times) - min(times)) / self.time_s if self.time_s else 0.0

    def as_json(self):
        record = {"case": self.case, "threads": self.threads, "runtime": self.runtime, "failure": self.failure or None}
        if self.measured:
            record |= {name: self.median(name) for name in ("time_s", "process_s", "cpu_s", "peak_rss_kib")}
            record |= {"ns_per_task": self.ns_per_task, "times_s": [outcome.time_s for outcome in self.outcomes]}
        return record


def best_peer_time(cells):
    """The shortest time of Teff's peers, in cells of one case and number of threads, or None."""
    return min((cell.time_s for cell in cells if cell.runtime in PEERS and cell.measured), default=None)


def ratio_to_best_peer(cell, cells):
    best = best_peer_time(cells)
    return cell.time_s / best if best and cell.measured else None


def add_outcome(cell, outcome):
    if outcome.failure:
        cell.failure = outcome.failure
    else:
        cell.outcomes.append(outcome)


def reject_differing_results(cells):
    """Runs are not checked one by one, so the OpenMP runtimes must at least agree with each other."""
    reference = next((cell for cell in cells if cell.measured and cell.runtime != "tbb"), None)
    for cell in cells:
        if cell.measured and cell.runtime != "tbb" and cell.outcomes[0].result != reference.outcomes[0].result:
            cell.failure = (
                f"result {cell.outcomes[0].result} differs from {reference.runtime}'s {reference.outcomes[0].result}"
            )


def new_cells(case, runtimes, threads):
    """One cell for each runtime that has the case, by the runtime's name."""
    return {
        runtime.name: Cell(case.name, threads, runtime.name) for runtime in runtimes if case.tbb or not runtime.is_tbb
    }


def run_round(cells, case, runtimes, threads, options, find_program, on_run):
    """Runs every runtime once, so that a slow phase of the machine affects all of them."""
    for runtime in runtimes:
        cell = cells.get(runtime.name)
        if not cell or cell.failure:
            continue
        on_run(f"{case.name}, {threads} threads: {runtime.name}")
        program, *arguments = case.command(runtime.is_tbb, options.quick)
        command = [str(find_program(program)), *arguments, "--no-check"]
        environment = runtime.environment(threads) | dict(case.settings)
        add_outcome(cell, launcher.launch(command, environment, options.limit, read=case.read))


def measure_case(case, runtimes, threads, options, find_program, on_run=lambda text: None):
    cells = new_cells(case, runtimes, threads)
    for round_number in range(options.runs):
        progress = f"round {round_number + 1} of {options.runs}: "
        run_round(cells, case, runtimes, threads, options, find_program, lambda text, begin=progress: on_run(begin + text))
    settled = list(cells.values())
    reject_differing_results(settled)
    return settled
