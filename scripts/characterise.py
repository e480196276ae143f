#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The study of docs/characterising.md: runs the workloads with three input sizes each, without and
with counting, records them and compares them.

GCC builds each program twice, the second time with share/teff/instructions.flags. Both programs are
recorded with each input; `teff characterise` then reads all recordings. With --slowdown the script
also prints the cost of counting on the largest input: the wall time with the flags, recorded,
against the wall time without them, not recorded. Both are medians of interleaved runs.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEFF = ROOT / "build/bin/teff"
FLAGS = ROOT / "build/share/teff/instructions.flags"
RUN_SECONDS = 600

# The argument that grows, its values, and the arguments that stay the same. As in the thesis, the
# size of the data grows and the cut-off stays the same.
STUDY = {
    "alignment": ("--sequences", (16, 24, 36), ()),
    "bnb": ("--n", (12, 14, 16), ("--prune", "none")),
    "fft": ("--n", (1 << 17, 1 << 18, 1 << 19), ("--cutoff", 1024, "--combine", 1024)),
    "fib": ("--n", (28, 30, 32), ("--cutoff", 10, "--variant", "manual")),
    "floorplan": ("--cells", (7, 8, 9), ("--cutoff", 4, "--prune", "known")),
    "jacobi": ("--n", (512, 1024, 2048), ("--block", 128, "--iterations", 8)),
    "map": ("--vectors", (64, 128, 256), ("--kib", 64, "--rounds", 4)),
    "nqueens": ("--n", (10, 11, 12), ("--cutoff", 3, "--variant", "manual")),
    "sort": ("--n", (1 << 19, 1 << 20, 1 << 21), ("--quick", 4096, "--insertion", 128, "--merge", 4096)),
    "sparselu": ("--blocks", (10, 15, 20), ("--block", 32)),
    "strassen": ("--n", (256, 512, 1024), ("--cutoff", 64, "--depth", 10)),
    "uts": ("--root", (500, 1000, 2000), ()),
}


def source_of(name):
    return next(path for path in (ROOT / "workloads" / f"{name}{suffix}" for suffix in (".c", ".cpp")) if path.exists())


def build(name, folder, flags):
    source = source_of(name)
    compiler = ["gcc", "-std=gnu11"] if source.suffix == ".c" else ["g++", "-std=gnu++17"]
    folder.mkdir(parents=True, exist_ok=True)
    command = [*compiler, "-O2", "-g", "-fopenmp", f"-I{ROOT}/runtime/include", str(source), "-o", str(folder / name), *flags, "-lm"]
    subprocess.run(command, check=True, timeout=RUN_SECONDS)


def record(program, words, folder):
    command = [TEFF, "record", "-o", folder, "--", program, *words]
    subprocess.run(command, check=True, timeout=RUN_SECONDS, stdout=subprocess.DEVNULL)


def seconds_of(command):
    began = time.monotonic()
    subprocess.run(command, check=True, timeout=RUN_SECONDS, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.monotonic() - began


def words_of(name, size):
    option, sizes, fixed = STUDY[name]
    return [option, str(sizes[size]), *map(str, fixed), "--no-check"]


def study(names, out):
    (out / "recordings").mkdir(parents=True, exist_ok=True)
    for name in names:
        build(name, out / "plain", [])
        build(name, out / "counted", [f"@{FLAGS}"])
        for size in range(len(STUDY[name][1])):
            words = words_of(name, size)
            print(name, *words, file=sys.stderr)
            for variant in ("plain", "counted"):
                record(out / variant / name, words, out / "recordings" / f"{name}-{size + 1}-{variant}.teff")
    subprocess.run([TEFF, "characterise", "-o", out / "study", out / "recordings"], check=True, timeout=RUN_SECONDS)


def slowdown(names, out, rounds):
    print(f"{'program':12}{'plain':>10}{'counted':>10}{'times':>8}")
    for name in names:
        words, scratch = words_of(name, 2), out / "scratch.teff"
        seconds = {"plain": [], "counted": []}
        for _ in range(rounds):
            seconds["plain"].append(seconds_of([TEFF, "run", "--", out / "plain" / name, *words]))
            seconds["counted"].append(seconds_of([TEFF, "record", "-o", scratch, "--", out / "counted" / name, *words]))
        plain, counted = (statistics.median(seconds[variant]) for variant in ("plain", "counted"))
        print(f"{name:12}{plain:9.3f}s{counted:9.3f}s{counted / plain:7.1f}x", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=list(STUDY), metavar="PROGRAM", help=f"the programs to study, of {', '.join(STUDY)}")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/characterise", help="folder for all output")
    parser.add_argument("--threads", type=int, default=2, help="OMP_NUM_THREADS (2)")
    parser.add_argument("--slowdown", type=int, metavar="ROUNDS", help="measure what counting costs, in ROUNDS rounds")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(STUDY)
    if unknown:
        parser.error(f"not in the study: {', '.join(sorted(unknown))}")
    os.environ["OMP_NUM_THREADS"] = str(arguments.threads)
    study(arguments.names, arguments.out.resolve())
    if arguments.slowdown:
        slowdown(arguments.names, arguments.out.resolve(), arguments.slowdown)


if __name__ == "__main__":
    main()
