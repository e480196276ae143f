#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every conformance program with the tool, and checks its events. This takes minutes, so it is
not part of a suite.

    sweep.py                          all programs, with 3 threads, on build/lib
    sweep.py '^task/' --threads 8     the programs whose name matches
    sweep.py --lib DIR                on the libgomp.so.1 in that folder

Ends with the line "N passed, N failed".
"""

import argparse
import importlib.util
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

# pylint: disable=wrong-import-position
from checker import Checker  # noqa: E402
from events import parse  # noqa: E402
from harness import LIBRARY, ROOT, environment, run  # noqa: E402
from ompt_harness import tool  # noqa: E402

# What the sweep leaves out.
SKIPPED = {
    "task/million.c": "a million tasks are 600 million bytes of events",
    "sync/old_locks.c": "locks of OpenMP 2.5 belong to threads, the checker takes a lock for a task's",
}


def conformance():
    """The runner of the conformance programs, which builds them and knows their environment."""
    spec = importlib.util.spec_from_file_location("conformance", ROOT / "runtime" / "conformance" / "run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pattern", nargs="?", default="")
    parser.add_argument("--threads", default="3")
    parser.add_argument("--lib", type=pathlib.Path, default=LIBRARY)
    return parser.parse_args()


def complaints_about(binary, program, args, place):
    """What is wrong with a run and its events, in every process that has events."""
    log = place / "events.log"
    log.unlink(missing_ok=True)
    settings = {**program.environment(), "OMPT_LOG": str(log),
                "OMP_TOOL_LIBRARIES": str(tool()), "LD_LIBRARY_PATH": str(args.lib)}
    try:
        done = run([binary], environment(args.threads) | settings, limit_s=60, cwd=place)
    except AssertionError as hang:
        return [str(hang)]
    if done.status:
        return [f"status {done.status}: {done.text[-500:]}"]
    if not log.exists():
        return []
    text = log.read_text(errors="replace")
    processes = {int(line.split()[0]) for line in text.splitlines()}
    return [complaint for process in processes for complaint in Checker(parse(text, process)).complaints]


def main():
    args = arguments()
    runner, passed, failed = conformance(), 0, 0
    binaries = ROOT / "build" / "conformance"
    binaries.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="teff-sweep-") as place:
        for program in runner.find_programs(args.pattern):
            if program.name in SKIPPED:
                print(f"skipped {program.name}: {SKIPPED[program.name]}")
                continue
            failure = runner.build(program, binaries)
            complaints = [failure] if failure else complaints_about(program.binary(binaries), program, args, pathlib.Path(place))
            passed, failed = passed + (not complaints), failed + bool(complaints)
            if complaints:
                print(f"FAIL {program.name}: {len(complaints)} complaints")
                print("".join(f"    {complaint[:300]}\n" for complaint in complaints[:4]), end="", flush=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
