# SPDX-License-Identifier: Apache-2.0
"""The cases to measure: the constructs, whose list comes from the measuring program, and the other
costs of a team.
"""

import subprocess
from dataclasses import dataclass

import suites

SAMPLING = ("--size", "medium")
# Many short samples: it is enough if a tenth of them are undisturbed.
BUSY_SAMPLING = ("--samples", "200", "--sample-us", "100", "--percentile", "10")
QUICK_SAMPLING = ("--samples", "2", "--sample-us", "20")
PAUSES_US = {10: 300, 100: 300, 1000: 100, 20000: 10}  # pauses of a run, by their length
IDLE_US, IDLE_QUICK_US = 200_000, 5_000


@dataclass(frozen=True)
class Measured(suites.Case):
    meaning: str = ""


def listed(line, sampling=SAMPLING):
    """A case from a line of `constructs --list`."""
    name, settings, meaning = line.split("\t")
    pairs = tuple(tuple(setting.split("=", 1)) for setting in settings.split())
    arguments = ("--construct", name)
    return Measured(name, "constructs", arguments + sampling, arguments + QUICK_SAMPLING, settings=pairs, meaning=meaning)


def constructs(program, busy=False):
    listing = subprocess.run([str(program), "--list"], capture_output=True, text=True, timeout=30, check=True)
    return [listed(line, BUSY_SAMPLING if busy else SAMPLING) for line in listing.stdout.splitlines()]


def start_case(figure, meaning):
    arguments = ("--figure", figure, "--samples")
    return Measured(f"start_{figure}", "start", (*arguments, "40"), (*arguments, "2"), meaning=meaning)


def idle_case(name, meaning, figure, pause_us, quick_us, samples):
    arguments = ("--figure", figure, "--pause-us")
    return Measured(name, "idle", (*arguments, str(pause_us), "--samples", str(samples)),
                    (*arguments, str(quick_us), "--samples", "2"), meaning=meaning)


def latency_case(leader, pause_us, samples):
    meaning = f"a region after {pause_us} us with a {leader} leader"
    return idle_case(f"{leader}_{pause_us}_us", meaning, f"latency_{leader}", pause_us, min(pause_us, 1000), samples)


def latency():
    return [
        start_case("wall", "process start, one region, exit: time on the wall"),
        start_case("cpu", "process start, one region, exit: processor time"),
        idle_case("idle_cpu", "processor time of a team that idles for 0.2 s", "idle_cpu", IDLE_US, IDLE_QUICK_US, 2),
        *(latency_case(leader, *pause) for leader in ("sleeping", "busy") for pause in PAUSES_US.items()),
    ]


def floor_case(shape, meaning):
    arguments = ("--shape", shape)
    return Measured(f"floor_{shape}", "floor", arguments + ("--size", "medium"),
                    arguments + ("--samples", "2", "--rounds", "20"), meaning=meaning)


def floors():
    return [
        floor_case("pair", "a futex wakes a thread on another processor, and the waker sleeps"),
        floor_case("ring", "every thread of a team is switched to once"),
    ]
