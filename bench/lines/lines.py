#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints how many cache lines move between threads per task, and at which places in the code.
bench/lines/lines.cpp counts them.

    bench/lines/lines.py                              the tiny-task programs at 2 threads
    bench/lines/lines.py --threads 4 depend --shape chain --tasks 50000

Runs programs of bench/compare/micro on a Teff that GCC has instrumented (preset tsan-gcc). The
counts depend on which thread runs each task, and so differ a little from run to run. They do not
depend on how fast the machine is.
"""

import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MICRO = ROOT / "bench/compare/micro"
DEFAULT = [
    ["producer", "--tasks", "50000"],
    ["depend", "--shape", "chain", "--tasks", "50000"],
    ["depend", "--shape", "diamond", "--tasks", "50000"],
    ["depend", "--shape", "wavefront", "--tasks", "50000"],
]


def build(folder, name, library):
    """The program, instrumented and linked with the counting library."""
    program, made = folder / name, folder / f"{name}.o"
    common = ["gcc", "-O2", "-g", "-fopenmp"]
    subprocess.run([*common, "-fsanitize=thread", f"-I{ROOT / 'workloads'}", "-c", MICRO / f"{name}.c", "-o", made], check=True)
    subprocess.run([*common, made, library, f"-Wl,-rpath,{library.parent}", "-o", program], check=True)
    return program


def read_counts(path):
    """Totals by kind; places as (address, kind, count); executable mappings as (first, last, offset, file)."""
    totals, places, maps = {}, [], []
    for line in path.read_text().splitlines():
        word, rest = line.split(" ", 1)
        if word == "total":
            kind, count = rest.split()
            totals[kind] = int(count)
        elif word == "place":
            kind, count, address = rest.split()
            places.append((int(address, 16), kind, int(count)))
        else:
            span, _, offset, _, _, *file = rest.split()
            first, last = (int(end, 16) for end in span.split("-"))
            maps.append((first, last, int(offset, 16), file[0] if file else ""))
    return totals, places, maps


def frames(file, offsets):
    """For each offset in the file, the innermost (function, place) outside the standard library."""
    text = subprocess.run(["addr2line", "-afCie", file], input="\n".join(map(hex, offsets)), capture_output=True, text=True, check=True).stdout
    named = []
    for block in re.split(r"^0x[0-9a-f]+\n", text, flags=re.MULTILINE)[1:]:
        lines = block.splitlines()
        pairs = list(zip(lines[::2], lines[1::2]))
        named.append(next((pair for pair in pairs if "/c++/" not in pair[1]), pairs[-1]))
    return named


def name_places(places, maps):
    """Counts by source line, as `function file:line`."""
    by_file = collections.defaultdict(list)
    for address, kind, count in places:
        for first, last, offset, file in maps:
            if first <= address < last:
                by_file[file].append((address - 1 - first + offset, kind, count))
    named = collections.Counter()
    for file, entries in by_file.items():
        for (_, _, count), (function, place) in zip(entries, frames(file, [offset for offset, _, _ in entries])):
            function = re.sub(r"\(.*", "", function.replace("(anonymous namespace)::", "")).split("::")[-1]
            place = "/".join(place.split(" ")[0].split("/")[-2:])
            named[f"{function:36.36} {place}"] += count
    return named


def show(command, threads, top, folder, library):
    output = folder / "counts"
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "TEFF_"))}
    environment |= {"LD_LIBRARY_PATH": str(ROOT / "build/tsan-gcc/lib"), "OMP_NUM_THREADS": str(threads), "LINES_OUTPUT": str(output)}
    program = build(folder, command[0], library)
    line = subprocess.run([program, *command[1:]], env=environment, capture_output=True, text=True, check=True, timeout=300).stdout
    tasks = int(re.search(r"\btasks=(\d+)", line)[1])
    totals, places, maps = read_counts(output)
    moved = sum(totals.values())
    kinds = ", ".join(f"{kind} {count / tasks:.2f}" for kind, count in totals.items())
    print(f"\n{' '.join(command)}, {threads} threads: {moved / tasks:.2f} lines moved per task ({kinds})")
    for place, count in name_places(places, maps).most_common(top):
        print(f"  {count / tasks:6.2f}  {place}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2, help="OMP_NUM_THREADS, 1 to 64 (default: 2)")
    parser.add_argument("--top", type=int, default=12, help="how many places to list (default: 12)")
    parser.add_argument("program", nargs=argparse.REMAINDER, help="a program of bench/compare/micro, and its arguments")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        library = folder / "liblines.so"
        subprocess.run(["g++", "-std=c++20", "-O2", "-fPIC", "-shared", ROOT / "bench/lines/lines.cpp", "-o", library], check=True)
        for command in [arguments.program] if arguments.program else DEFAULT:
            show(command, arguments.threads, arguments.top, folder, library)


if __name__ == "__main__":
    sys.exit(main())
