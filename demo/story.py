#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The story of ./run demo: a program with a fault, what Teff says of it, a change of three lines, and what that gains.

Shows each command as a user would type it, what it prints, and what to look at. All figures are measured while it runs.

example: demo/story.py build/demo
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import textwrap
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
LIMIT_S = 60
FLAGS = ["-O2", "-g", "-fopenmp"]
FAULT = "dependence-chain"
PAGE = "pack.html"
MOST_THREADS = 4  # of some hundred tasks each then gets many

# What the program compresses: the sources and documents of this repository.
FOLDERS = ("docs", "runtime", "tools/crates", "viewer/src")
SUFFIXES = {".md", ".h", ".cpp", ".rs", ".ts"}

# The gain counts as predicted if it differs from the prediction by no more than this.
CLOSE = 0.15
# A share of workers x wall time: if the threads were without a processor for longer, the machine
# was busy with other programs.
DISTURBED = 0.05


class Failure(Exception):
    """A step that failed; the text says which step, and how."""


def seconds(ns):
    return f"{ns / 1e9:.2f} s"


class Demo:
    """A folder with the programs before and after the change, what they compress, and their recordings."""

    def __init__(self, folder, build, threads):
        self.folder = Path(folder).resolve()
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "GOMP_", "TEFF_", "LD_"))}
        path = f"{Path(build).resolve() / 'bin'}{os.pathsep}{kept.get('PATH', '')}"
        self.environment = {**kept, "PATH": path, "OMP_NUM_THREADS": str(threads)}

    def call(self, *words, env=None, **options):
        done = subprocess.run(words, cwd=self.folder, env=env or self.environment, timeout=LIMIT_S, check=False,
                              stdin=subprocess.DEVNULL, **options)
        if done.returncode:
            raise Failure(f"status {done.returncode}: {' '.join(words)}")
        return done.stdout

    def output_of(self, *words):
        return self.call(*words, stdout=subprocess.PIPE)

    def prepare(self, most_bytes=None):
        """Leaves `text`, and both programs with their sources in `before` and `after`."""
        (self.folder / PAGE).unlink(missing_ok=True)
        for side in ("before", "after"):
            shutil.rmtree(self.folder / side, ignore_errors=True)
            (self.folder / side).mkdir(parents=True)
            shutil.copy(HERE / "pack.c", self.folder / side)
        self.output_of("patch", "-p1", "-d", "after", "-i", str(HERE / "pack.patch"))
        for side in ("before", "after"):
            self.call("gcc", *FLAGS, f"{side}/pack.c", "-o", f"{side}/pack")
        (self.folder / "text").write_bytes(text_of_repository()[:most_bytes])

    @staticmethod
    def program(side):
        return [f"{side}/pack", "text", "text.packed"]

    def record(self, side):
        """The command that records. Removes an earlier recording, which would be in its way."""
        shutil.rmtree(self.folder / f"{side}.teff", ignore_errors=True)
        return ["teff", "record", "-o", f"{side}.teff", "--", *self.program(side)]

    def report(self, side):
        return json.loads(self.output_of("teff", "report", "--json", f"{side}.teff"))

    def diff(self):
        return json.loads(self.output_of("teff", "diff", "--json", "before.teff", "after.teff"))

    def line_of_task(self):
        """The line, in the program before the change, that the first finding should name."""
        lines = (self.folder / "before" / "pack.c").read_text().splitlines()
        return next(number for number, line in enumerate(lines, 1) if "omp task" in line)


def text_of_repository():
    files = (file for folder in FOLDERS for file in (ROOT / folder).rglob("*") if file.suffix in SUFFIXES)
    return b"".join(file.read_bytes() for file in sorted(files) if file.is_file())


def first_of(report):
    """The first finding of a report that is about the program and not about the machine; None if it has none."""
    return next((finding for finding in report["findings"] if finding["rule"] != "descheduled"), None)


def disturbance(diff):
    """The share of the workers' time for which the machine kept them from running: the larger one of the two
    recordings."""
    lost = next(total for total in diff["totals"] if total["name"] == "descheduled")
    return max(lost[f"{side}_ns"] / (diff[side]["workers"] * diff["wall"][f"{side}_ns"]) for side in ("before", "after"))


def verdict(report, diff, processors):
    """What the change gained, beside the gain that the report had predicted."""
    before, after = diff["wall"]["before_ns"], diff["wall"]["after_ns"]
    first = first_of(report)
    measured = f"The change gained {seconds(before - after)}: from {seconds(before)} to {seconds(after)}."
    if processors < 2:
        return f"{measured} There is one processor here, so there was nothing to gain: the threads took turns on it. " \
               "Run the demo where it has two."
    if not first or first["rule"] != FAULT:
        said = f'said "{first["title"]}" first' if first else "found nothing"
        return f"{measured} But the report {said}, and that is not the fault of this program. " + excuse(diff)
    said = f"The report said that the cure of finding 1 would gain {seconds(first['gain_ns'])}. {measured}"
    if abs(before - after - first["gain_ns"]) <= CLOSE * first["gain_ns"]:
        return said
    return f"{said} So the report was wrong by more than {CLOSE:.0%} here. " + excuse(diff)


def excuse(diff):
    share = disturbance(diff)
    if share < DISTURBED:
        return "The machine had processors for all threads; it may have slowed them down otherwise: by its clock, or by " \
               "threads of others on the same cores. Try again."
    return f"The machine had other things to do: for {share:.0%} of their time the threads had no processor. Try again " \
           "when it has not."


class Telling:
    """Prints text and commands as a reader sees them."""

    def __init__(self, demo):
        self.demo = demo

    @staticmethod
    def heading(text):
        print(f"\n== {text}", flush=True)

    @staticmethod
    def say(text):
        print("\n" + textwrap.fill(" ".join(text.split()), 80), flush=True)

    def run(self, *words, threads=None):
        """Shows and runs a command; returns how long it took."""
        setting = f"OMP_NUM_THREADS={threads} " if threads else ""
        print(f"\n    $ {setting}{' '.join(words)}\n", flush=True)
        env = {**self.demo.environment, **({"OMP_NUM_THREADS": str(threads)} if threads else {})}
        began = time.perf_counter()
        self.demo.call(*words, env=env)
        return time.perf_counter() - began

    def diff_of_sources(self):
        """GNU diff ends with 1 where files differ."""
        words = ["diff", "-U1", "before/pack.c", "after/pack.c"]
        print(f"\n    $ {' '.join(words)}\n", flush=True)
        subprocess.run(words, cwd=self.demo.folder, timeout=LIMIT_S, check=False)


def tell(demo, threads, processors):
    telling = Telling(demo)
    compiler = demo.output_of("gcc", "--version").decode().splitlines()[0]
    size = (demo.folder / "text").stat().st_size

    telling.heading("A program that is too slow")
    telling.say(f"""pack compresses a file in blocks, each by a task of OpenMP. {compiler} built it with -fopenmp -g; Teff
        is not in it. The file is the text of this repository, {size / 1e6:.1f} MB.""")
    alone = telling.run(*demo.program("before"), threads=1)
    together = telling.run(*demo.program("before"), threads=threads)
    telling.say(f"On 1 thread it took {alone:.2f} s, on {threads} threads {together:.2f} s. " + (
        "The threads are no help. Why?" if together > 0.9 * alone else "Could it be faster?"))

    telling.heading("Record it")
    telling.say("The same program, on Teff in the place of GCC's runtime. Each task leaves a record.")
    telling.run(*demo.record("before"))

    telling.heading("What is wrong")
    telling.run("teff", "report", "before.teff")
    telling.say("Look at finding 1: the time that its cure would gain, the line, the cause, and what to do.")

    telling.heading("Change it")
    telling.say("""Every task declares that it changes `memory`, so each waits for the one before it. But no task reads what
        another one leaves there. So each thread gets memory of its own, and the tasks get rid of the dependence:""")
    telling.diff_of_sources()

    telling.heading("Record it again, and compare")
    telling.run(*demo.record("after"))
    telling.run("teff", "diff", "before.teff", "after.teff")
    telling.say(verdict(demo.report("before"), demo.diff(), processors))

    telling.heading("Look at it")
    telling.run("teff", "view", "--html", PAGE, "before.teff", "after.teff")
    telling.say("Open the page in a browser: both runs on one time scale.")
    print(f"\n    {demo.folder / PAGE}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where to leave programs, recordings and the page")
    parser.add_argument("--build", type=Path, default=ROOT / "build", metavar="DIR", help="default: build")
    parser.add_argument("--bytes", type=int, metavar="N", help="compress only the first N bytes of the text")
    options = parser.parse_args()
    processors = len(os.sched_getaffinity(0))
    threads = min(max(processors, 2), MOST_THREADS)
    demo = Demo(options.folder, options.build, threads)
    try:
        demo.prepare(options.bytes)
        tell(demo, threads, processors)
    except (Failure, subprocess.TimeoutExpired) as failure:
        sys.exit(f"{failure}")


if __name__ == "__main__":
    main()
