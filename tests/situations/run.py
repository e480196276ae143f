#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the situations' programs on Teff: each must succeed within its time limit.

    run.py                        all situations, on build/lib
    run.py fork/ exit             the situations whose name contains one of the words
    run.py --lib DIR --repeat 50  on the libgomp.so.1 in that folder, many times

Ends with the line "N passed, N failed".
"""

import argparse
import sys

import runtimes
from situation import find_situations


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--lib", help="folder of the libgomp.so.1 to test")
    parser.add_argument("--repeat", type=int, default=1, metavar="N")
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE")
    return parser.parse_args()


def chosen(words):
    return [s for s in find_situations() if not words or any(word in s.name for word in words)]


def report(name, outcome):
    print(f"{'FAIL' if outcome.kind not in ('ok', 'skipped') else outcome.kind:8}{name:42}{outcome.cell if outcome.kind != 'ok' else outcome.detail}",
          flush=True)
    if outcome.kind not in ("ok", "skipped"):
        print("".join(f"    {line}\n" for line in outcome.output.splitlines()[-30:]), end="", flush=True)


def main():
    args = arguments()
    runtime = runtimes.teff(args.lib) if args.lib else runtimes.teff()
    if runtime.missing:
        sys.exit(f"tests/situations/run.py: {runtime.missing}")
    counts = {"ok": 0, "skipped": 0, "failed": 0}
    for situation in chosen(args.words):
        complaint = situation.build()
        if complaint:
            print(f"FAIL    {situation.name}: does not compile\n{complaint}")
            counts["failed"] += 1
            continue
        for _ in range(args.repeat):
            outcome = situation.run(runtime, dict(word.split("=", 1) for word in args.env))
            counts[outcome.kind if outcome.kind in counts else "failed"] += 1
            report(situation.name, outcome)
    if counts["skipped"]:
        print(f"{counts['skipped']} skipped")
    print(f"{counts['ok']} passed, {counts['failed']} failed")
    sys.exit(bool(counts["failed"] or not counts["ok"]))


if __name__ == "__main__":
    main()
