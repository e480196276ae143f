#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what `teff run --distribute` costs a program: malloc and free of small and big blocks,
with and without it.

Runs are interleaved and medians compared. `threshold` is the C library alone, with the threshold
that the preloaded library sets. The difference from `threshold` is the cost of placing memory. On a
machine with one node, the preloaded library spreads memory over this node, for this measurement
only. `idle` is its cost on one node if it does not spread memory.

example: bench/distribute/cost.py --runs 9
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LIBRARY = ROOT / "build" / "lib" / "libteff-distribute.so"
AT_LEAST = 1 << 20

WAYS = {
    "without": {},
    "threshold": {"MALLOC_MMAP_THRESHOLD_": str(AT_LEAST), "MALLOC_TRIM_THRESHOLD_": str(2 * AT_LEAST)},
    "idle": {"LD_PRELOAD": str(LIBRARY)},
    "fine": {"LD_PRELOAD": str(LIBRARY), "TEFF_DISTRIBUTE": f"fine:{AT_LEAST}:filters=1000:one_node_too"},
    "coarse": {"LD_PRELOAD": str(LIBRARY), "TEFF_DISTRIBUTE": f"coarse:{AT_LEAST}:filters=1000:one_node_too"},
}


def measure(program, way):
    """{(bytes, touched): ns}"""
    done = subprocess.run([program], env={**os.environ, **WAYS[way]}, capture_output=True, text=True, check=True,
                          timeout=120)
    return {(int(bytes_), int(touched)): float(ns) for bytes_, touched, ns in map(str.split, done.stdout.splitlines())}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7, metavar="N", help="runs of each way; default: 7")
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as place:
        program = pathlib.Path(place) / "cost"
        source = pathlib.Path(__file__).with_name("cost.c")
        subprocess.run(["gcc", "-O2", "-fno-builtin", source, "-o", program], check=True)
        results = [{way: measure(program, way) for way in WAYS} for _ in range(runs)]
    print("ns of malloc and free".ljust(26), *(way.rjust(10) for way in WAYS))
    for key in results[0]["without"]:
        medians = [statistics.median(result[way][key] for result in results) for way in WAYS]
        name = f"{key[0]} bytes{', touched' if key[1] else ''}"
        print(name.ljust(26), *(f"{median:10.1f}" for median in medians))


if __name__ == "__main__":
    main()
