#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures programs on processes that share no memory: whether results are right, the times, and
the bytes sent.

    measure.py                          the workloads, on 2, 4 and 8 processes, beside as many threads
    measure.py --size medium            on larger data
    measure.py --conformance            the conformance programs, by how they ended
    measure.py --crossover              the work per region from which two processes beat one

Each run of a workload checks its result. Times are medians of what the workloads print.
"""

import argparse
import collections
import os
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
TEFF = ROOT / "build" / "bin" / "teff"
CONFORMANCE = ROOT / "runtime" / "conformance" / "run.py"
LIBRARY = ROOT / "build" / "lib" / "processes"
LIMIT_S = 120

FIGURES = re.compile(r"bytes to the hub: (\d+), from it: (\d+), .*bytes per barrier: (\d+)")
STUCK = re.compile(r"no process can go on|whose event nobody can fulfil|the stack of process \d+ is used up")
UNSUPPORTED = re.compile(r"is not supported with --processes")

# What a program that fails needs, by what it tests, although it is not stopped with a message: more
# threads than there are processes, nested teams, another process's OpenMP, contexts of their own.
NOT_THERE = {
    "nested teams": ["parallel/nested", "parallel/icv_scope", "parallel/max_active_levels", "parallel/thread_limit_nested",
                     "task/nested_parallel", "api/queries", "fortran/queries", "sync/lock_owner_task"],
    "places and binding": ["api/places", "api/display_affinity", "parallel/binding"],
    "display and allocators of the other library": ["api/display_env", "api/allocator", "api/error_directive", "api/pause"],
    "teams of a forked child": ["parallel/fork", "parallel/exit_inside"],
    "devices": ["fortran/devices", "target/"],
    "contexts of their own for tasks": ["task/creator_goes_on", "task/lock_holder_waits", "task/suspended",
                                         "task/many_suspended", "task/constraint_strict", "cxx/suspended"],
}


def environment(**extra):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "GOMP_", "TEFF_", "LD_"))}
    return {**env, **extra}


def run(command, env):
    try:
        done = subprocess.run([str(word) for word in command], env=env, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=LIMIT_S, start_new_session=True, check=False)
    except subprocess.TimeoutExpired:
        return None
    return done


def workload_time(command, env, rounds):
    """The median time in seconds, and the last run's standard error; None if a run was not right."""
    times, last = [], ""
    for _ in range(rounds):
        done = run(command, env)
        if done is None or done.returncode != 0 or "check=ok" not in done.stdout:
            return None, "" if done is None else done.stderr
        times.append(float(re.search(r"time_s=([\d.]+)", done.stdout)[1]))
        last = done.stderr
    return statistics.median(times), last


def workloads(args):
    programs = sorted(p for p in (ROOT / "build" / "workloads").iterdir() if p.is_file() and os.access(p, os.X_OK))
    print(f"{'workload':<12}{'processes':>10}{'result':>8}{'time':>11}{'threads':>11}{'ratio':>8}{'KB/barrier':>12}")
    wrong = 0
    for program in programs:
        for number in args.processes:
            words = [program, "--size", args.size]
            env = environment(OMP_NUM_THREADS=str(number), OPENBLAS_NUM_THREADS="1")
            there, figures = workload_time([TEFF, "run", "--processes", number, "--transport", args.transport, "--verbose",
                                            "--", *words], env, args.rounds)
            threads, _ = workload_time([TEFF, "run", "--", *words], env, args.rounds)
            wrong += there is None
            moved = FIGURES.search(figures)
            print(f"{program.name:<12}{number:>10}{'wrong' if there is None else 'right':>8}"
                  f"{there * 1e3 if there else 0:>8.1f} ms{threads * 1e3 if threads else 0:>8.1f} ms"
                  f"{there / threads if there and threads else 0:>8.1f}{int(moved[3]) / 1e3 if moved else 0:>12.1f}", flush=True)
    print(f"{len(programs)} workloads, {wrong} wrong results")
    return wrong


def reason(program, output):
    if UNSUPPORTED.search(output):
        return "refused: " + re.search(r"teff: (.*) is not supported", output)[1]
    if STUCK.search(output):
        return "needs a waiting task set aside (named)"
    for what, names in NOT_THERE.items():
        if any(program.startswith(name) for name in names):
            return "needs " + what
    if re.search(r"omp_get_num_threads|count_team|of \d+: .*(asked|expected_size|threads)", output):
        return "needs more threads than processes"
    return "failed"


def conformance(args):
    wrong = 0
    for number in args.processes:
        command = [sys.executable, CONFORMANCE, "--lib", LIBRARY, "--threads", number, "--timeout", args.timeout,
                   *(["--out", args.out] if args.out else [])]
        text = subprocess.run([str(word) for word in command], env=environment(TEFF_PROCESSES=str(number),
                                                                               TEFF_TRANSPORT=args.transport),
                              capture_output=True, text=True, check=False).stdout
        passed = int(re.search(r"^(\d+) passed", text, re.M)[1])
        failures = re.findall(r"^FAIL (\S+).*\n((?:    .*\n)*)", text, re.M)
        reasons = collections.defaultdict(list)
        for program, output in failures:
            reasons[reason(program, output)].append(program)
        failed = reasons.pop("failed", [])
        print(f"{number} processes: {passed} right, {sum(map(len, reasons.values()))} use what is not there, "
              f"{len(failed)} failed: {100 * passed / (passed + len(failed)):.1f} % of those that could work")
        for what, programs in sorted(reasons.items()):
            print(f"    {len(programs):>3} {what}")
        for program in failed:
            print(f"        failed {program}")
        wrong += len(failed)
    return wrong


def region_us(program, number, work_us, kib, transport, rounds):
    env = environment(OMP_NUM_THREADS=str(number))
    regions = max(20, min(2000, 200_000 // max(work_us, 1)))
    prefix = [TEFF, "run", *(["--processes", number, "--transport", transport] if number > 1 else []), "--"]
    times = [float(run([*prefix, program, work_us, regions, kib], env).stdout) for _ in range(rounds)]
    return statistics.median(times)


def crossover(args):
    program = ROOT / "build" / "bench" / "crossover"
    program.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["gcc", "-O2", "-fopenmp", HERE / "crossover.c", "-o", program], check=True)
    print(f"{'changed':>10}{'work of a region':>18}{'one':>12}{'two':>12}")
    for kib in (0, 64, 1024):
        for work_us in (10, 30, 100, 200, 400, 800, 1600, 3200, 6400, 12800, 25600):
            one = region_us(program, 1, work_us, kib, args.transport, args.rounds)
            two = region_us(program, 2, work_us, kib, args.transport, args.rounds)
            print(f"{kib:>6} KiB{work_us:>15} us{one:>9.0f} us{two:>9.0f} us{'  two are faster' if two < one else ''}", flush=True)
            if two < one:
                break
    return 0


HERE = pathlib.Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--conformance", action="store_true", help="run the conformance programs instead of the workloads")
    parser.add_argument("--crossover", action="store_true", help="find the work per region from which more processes are faster, instead")
    parser.add_argument("--processes", default="2,4,8", help="numbers of processes (default %(default)s)")
    parser.add_argument("--transport", default="sockets", choices=("sockets", "ring"))
    parser.add_argument("--size", default="small", choices=("small", "medium", "large"))
    parser.add_argument("--rounds", type=int, default=3, help="runs of each program; the median counts (default %(default)s)")
    parser.add_argument("--timeout", type=int, default=20, help="seconds for a conformance program")
    parser.add_argument("--out", help="where the conformance programs are built")
    args = parser.parse_args()
    args.processes = [int(number) for number in args.processes.split(",")]
    if not (LIBRARY / "libgomp.so.1").exists():
        sys.exit("measure.py: build/lib/processes is missing; build it with ./run labs, where Zydis is installed")
    verb = conformance if args.conformance else crossover if args.crossover else workloads
    sys.exit(bool(verb(args)))


if __name__ == "__main__":
    main()
