#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""List every GOMP_* and omp_* symbol of the system's libgomp with the conformance programs that use it.

    coverage.py [--out DIRECTORY_OF_BUILT_PROGRAMS] > coverage.txt
    coverage.py --check         compare with coverage.txt, for the test run

Run run.py --build-only first: the list is read from the programs' own symbol tables.
"""

import argparse
import collections
import pathlib
import re
import subprocess
import sys

import run

LIBRARY = "/usr/lib/x86_64-linux-gnu/libgomp.so.1"
SYMBOL = re.compile(r"(?:GOMP|omp)_\w+")
# Not called by programs: the interface to device plug-ins, and what device images register.
NOT_FOR_PROGRAMS = re.compile(r"GOMP_PLUGIN_|GOMP_offload_")


def dynamic_symbols(path, kinds):
    """Names with version, as name@VERSION, of the dynamic symbols of the given nm kinds."""
    text = subprocess.run(["nm", "-D", "--with-symbol-versions", str(path)],
                          check=True, capture_output=True, text=True).stdout
    for line in text.splitlines():
        *_, kind, name = line.split()
        if kind in kinds and SYMBOL.match(name):
            yield name.replace("@@", "@")


def coverage(out):
    users = collections.defaultdict(list)
    for program in run.find_programs(""):
        binary = program.binary(out)
        if not binary.exists():
            sys.exit(f"coverage.py: {program.name} is not built in {out}; run run.py --build-only first")
        for symbol in dynamic_symbols(binary, "U"):
            users[symbol].append(program.name)
    return users


def users_by_name(out):
    """Symbol without version -> set of the names of the programs that use it."""
    users = collections.defaultdict(set)
    for symbol, programs in coverage(out).items():
        users[symbol.split("@")[0]].update(programs)
    return users


def report(out):
    users = coverage(out)
    symbols = [s for s in sorted(dynamic_symbols(LIBRARY, "TWi")) if not NOT_FOR_PROGRAMS.match(s)]
    used = [s for s in symbols if users[s]]
    lines = [f"{len(used)} of {len(symbols)} symbols of libgomp.so.1 are used by a conformance program.",
             "Written by coverage.py. Symbols for device plug-ins are left out.", "", "Not used:"]
    lines += [f"    {s}" for s in symbols if not users[s]]
    lines += ["", "Used, with the number of programs and up to three of them:"]
    lines += [f"    {s:<55} {len(users[s]):>3}  {' '.join(users[s][:3])}" for s in used]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default="build/conformance", help="where run.py built (default %(default)s)")
    parser.add_argument("--check", action="store_true", help="fail if coverage.txt is out of date")
    args = parser.parse_args()
    text = report(pathlib.Path(args.out).resolve())
    if not args.check:
        print(text, end="")
    elif text != (run.HERE / "coverage.txt").read_text():
        sys.exit("coverage.txt is out of date: run coverage.py > coverage.txt")


if __name__ == "__main__":
    main()
