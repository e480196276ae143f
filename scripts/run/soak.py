#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every conformance program many times in a row, because rare interleavings show only in many
runs.

    soak.py --lib build/lib                                      200 rounds of each program with 8 threads
    soak.py --lib build/lib --rounds 20 --set TEFF_SPIN=0        with a knob set
    taskset -c 0 soak.py --lib build/lib --filter task/          all threads on one processor

Prints one line per program. The output of a run that fails is kept in --out; for a run that hangs,
also a backtrace of all its threads (gdb).
"""

import argparse
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "runtime" / "conformance"))
import run as conformance

BACKTRACE = ["gdb", "-q", "-batch", "-nx", "-ex", "set pagination off", "-ex", "thread apply all backtrace 30"]
GDB_LIMIT_S = 60
GIVE_UP_AFTER = 3  # failures of one program; more of the same say nothing new and each hang takes the whole time limit


class Outcome(NamedTuple):
    passed: bool
    output: str


def backtrace(pid):
    try:
        done = subprocess.run([*BACKTRACE, "-p", str(pid)], capture_output=True, text=True, errors="replace",
                              timeout=GDB_LIMIT_S, stdin=subprocess.DEVNULL, check=False)
        return done.stdout or done.stderr
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"no backtrace: {error}\n"


def run_once(binary, env, timeout):
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        # Its own session, so that a time-out also ends the processes that a program forked.
        child = subprocess.Popen([str(binary)], env=env, stdin=subprocess.DEVNULL, stdout=output,
                                 stderr=subprocess.STDOUT, start_new_session=True)
        try:
            status = child.wait(timeout)
            ending = conformance.describe_status(status)
        except subprocess.TimeoutExpired:
            status = None
            ending = f"no end after {timeout} s\n{backtrace(child.pid)}"
        finally:
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
        output.seek(0)
        return Outcome(status == 0, f"{output.read()}{ending}\n")


def keep(args, program, threads, round_number, outcome):
    report = args.out / f"{program.binary(args.out).name}-{threads or 'own'}-{round_number}.txt"
    report.write_text(outcome.output)
    shown = outcome.output.splitlines()[:12]
    print(f"FAIL {program.name} threads={threads or 'own'} round={round_number}: {report}", flush=True)
    print("".join(f"    {line}\n" for line in shown), end="", flush=True)


def soak(args, program, threads):
    """Returns how many rounds passed and failed."""
    env = conformance.run_environment(program, threads, args)
    env["CHECK_WATCHDOG_S"] = "0"  # a hang stays as it is until its backtrace is taken
    env.update(args.set)
    began, passed, failed = time.monotonic(), 0, 0
    for round_number in range(1, args.rounds + 1):
        outcome = run_once(program.binary(args.binaries), env, args.timeout)
        passed += outcome.passed
        if not outcome.passed:
            failed += 1
            keep(args, program, threads, round_number, outcome)
            if failed == GIVE_UP_AFTER:
                break
    print(f"{program.name:42} {passed:5} passed, {failed} failed {time.monotonic() - began:8.1f} s", flush=True)
    return passed, failed


def setting(text):
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lib", required=True, help="directory with the libgomp.so.1 to test")
    parser.add_argument("--rounds", type=int, default=200, help="runs of each program (default %(default)s)")
    parser.add_argument("--threads", default="8", help="value of OMP_NUM_THREADS (default %(default)s)")
    parser.add_argument("--set", type=setting, action="append", default=[], metavar="NAME=VALUE",
                        help="an environment variable for the programs; may be repeated")
    parser.add_argument("--filter", default="", help="only programs whose folder/name matches this expression")
    parser.add_argument("--timeout", type=int, default=60, help="seconds for one run of one program")
    parser.add_argument("--binaries", type=pathlib.Path, default="build/conformance", help="where to build")
    parser.add_argument("--out", type=pathlib.Path, default="build/soak", help="the folder for reports of failures")
    args = parser.parse_args()
    args.lib = str(pathlib.Path(args.lib).resolve())
    args.binaries, args.out = args.binaries.resolve(), args.out.resolve()
    args.preload = None
    return args


def main():
    args = parse_arguments()
    if not (pathlib.Path(args.lib) / "libgomp.so.1").exists():
        sys.exit(f"soak.py: no libgomp.so.1 in {args.lib}; give the directory that holds it")
    for directory in (args.binaries, args.out):
        directory.mkdir(parents=True, exist_ok=True)
    total_passed = total_failed = 0
    began = time.monotonic()
    for program in conformance.find_programs(args.filter):
        complaint = conformance.build(program, args.binaries)
        if complaint:
            total_failed += 1
            print(f"FAIL {program.name} does not build\n{complaint}", flush=True)
            continue
        for threads in program.thread_counts([args.threads]):
            passed, failed = soak(args, program, threads)
            total_passed += passed
            total_failed += failed
    print(f"in {time.monotonic() - began:.0f} s")
    print(f"{total_passed} passed, {total_failed} failed")
    sys.exit(bool(total_failed or not total_passed))


if __name__ == "__main__":
    main()
