#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Build the conformance programs with the stock compilers and run them on an OpenMP runtime.

    run.py                                  on the system's libgomp
    run.py --lib build/lib                  on the libgomp.so.1 in that directory
    run.py --threads 8 --repeat 200         soak
    run.py --sanitize thread --lib build/tsan-gcc/lib   programs and library both built for the sanitizer, by GCC
    run.py --cross aarch64-linux-gnu --table            for another processor, under an emulator
    run.py --clang --lib build/lib/llvm                 built by Clang and Flang, on the libomp.so.5 in that directory

A program's first lines may hold directives, in a comment:
    env: NAME=VALUE ...     environment it needs; OMP_NUM_THREADS here replaces --threads
    flags: ...              more compiler flags
    stock: fails, REASON    what libgomp 12 itself gets wrong; skipped without --lib
    emulated: REASON        why it cannot run under an emulator of user programs; skipped with --cross
    clang: REASON           why it is not for Clang 19 or Flang 19, or what the runtime lacks for it; skipped with --clang
    halves: REASON          for halves.py, which skips it
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
from typing import NamedTuple

HERE = pathlib.Path(__file__).resolve().parent
DIRECTIVE = re.compile(r"^(?://|!)\s*(env|flags|stock|emulated|clang|halves):\s*(.+)$")
COMPILERS = {".c": ["gcc", "-std=gnu11"], ".cpp": ["g++", "-std=gnu++17"], ".f90": ["gfortran"]}
SANITIZERS = {
    # A forked child may start threads again, which ThreadSanitizer permits only with this option.
    "thread": {"TSAN_OPTIONS": "second_deadlock_stack=1:die_after_fork=0"},
    "address": {},
}
COMMON_FLAGS = ["-fopenmp", "-O2", "-g", "-Wall"]
CLANG = {".c": ["clang-19", "-std=gnu11", "-w"], ".cpp": ["clang++-19", "-std=gnu++17", "-w"], ".f90": ["flang-new-19"]}
# Atomic operations on long double and the like are in a library of their own.
CLANG_FLAGS = ["-fopenmp=libomp", "-O2", "-g"]
CLANG_LIBRARIES = ["-latomic"]


class Result(NamedTuple):
    program: "Program"
    threads: int
    passed: bool
    output: str


class Program:
    def __init__(self, source):
        self.source = source
        self.name = str(source.relative_to(HERE))
        self.directives = {}
        for line in source.read_text().splitlines()[:8]:
            match = DIRECTIVE.match(line)
            if match:
                self.directives[match[1]] = match[2].strip()

    def binary(self, out):
        return out / self.name.replace("/", "-").replace(".", "-")

    def environment(self):
        return dict(word.split("=", 1) for word in shlex.split(self.directives.get("env", "")))

    def thread_counts(self, asked):
        return [""] if "OMP_NUM_THREADS" in self.environment() else asked

    def compile_command(self, out, sanitizer=None, cross=None, clang=False):
        suffix = self.source.suffix
        compiler, *options = (CLANG if clang else COMPILERS)[suffix]
        command = [f"{cross}-{compiler}" if cross else compiler, *options, *(CLANG_FLAGS if clang else COMMON_FLAGS)]
        if sanitizer:
            command += ["-O1", f"-fsanitize={sanitizer}", "-fno-omit-frame-pointer"]
        command += shlex.split(self.directives.get("flags", ""))
        if suffix == ".f90":
            # Each program gets its own folder for the compiled module, so that builds may run side
            # by side.
            modules = out / (self.binary(out).name + ".mod")
            modules.mkdir(exist_ok=True)
            command += ["-J", str(modules), str(HERE / "fortran/lib/check.f90")]
        else:
            command += ["-I", str(HERE)]
        return command + [str(self.source), "-o", str(self.binary(out)), "-lm", *(CLANG_LIBRARIES if clang else [])]


def find_programs(pattern):
    sources = sorted(p for suffix in COMPILERS for p in HERE.glob("*/*" + suffix))
    return [p for p in map(Program, sources) if re.search(pattern, p.name)]


def shared_sources():
    return [*HERE.glob("*.h"), *HERE.glob("*/*.h"), *HERE.glob("fortran/lib/*.f90"), pathlib.Path(__file__)]


def build(program, out, sanitizer=None, cross=None, clang=False):
    """Compile if anything that the program depends on is newer; return the compiler's complaint or None."""
    binary = program.binary(out)
    newest = max(p.stat().st_mtime for p in [program.source, *shared_sources()])
    if binary.exists() and binary.stat().st_mtime >= newest:
        return None
    command = program.compile_command(out, sanitizer, cross, clang)
    if not shutil.which(command[0]):
        return f"there is no {command[0]}\n"
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        binary.unlink(missing_ok=True)
        return done.stdout + done.stderr
    if done.stderr:
        print(f"{program.name}: compiler warnings\n{done.stderr}", end="")
    return None


def run_environment(program, threads, args):
    # OpenMP settings of the calling shell must not change what a program sees.
    env = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "GOMP_"))}
    if "TEFF_PREEMPT" in env:
        env["OMP_MAX_TASK_PRIORITY"] = "9"  # without which nothing is preempted
    env["CHECK_WATCHDOG_S"] = str(args.timeout)
    if threads:
        env["OMP_NUM_THREADS"] = threads
    if args.lib:
        env["LD_LIBRARY_PATH"] = args.lib
    if args.preload:
        env["LD_PRELOAD"] = args.preload
    if args.sanitize:
        env.update(SANITIZERS[args.sanitize])
    env.update(program.environment())
    return env


def describe_status(status):
    if status >= 0:
        return f"exit status {status}"
    return f"killed by {signal.Signals(-status).name}"


def emulator_for(triple):
    """The command that runs programs for another processor, and lets them find that processor's system libraries."""
    name = "qemu-" + triple.partition("-")[0]
    found = shutil.which(name + "-static") or shutil.which(name)
    if not found:
        sys.exit(f"run.py: there is no {name}-static and no {name}; Debian: qemu-user-static")
    return [found, "-L", f"/usr/{triple}"]


def run_once(program, out, threads, args):
    env = run_environment(program, threads, args)
    emulator = emulator_for(args.cross) if getattr(args, "cross", None) else []
    # Its own session, so that a time-out also ends the processes that a program forked.
    child = subprocess.Popen([*emulator, str(program.binary(out))], env=env, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             start_new_session=True, text=True, errors="replace")
    try:
        # The program's own watchdog ends a hang first, because it can say more.
        output, _ = child.communicate(timeout=args.timeout + 2)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        output, _ = child.communicate()
        return Result(program, threads, False, output + f"no end after {args.timeout + 2} s\n")
    if child.returncode == 0:
        return Result(program, threads, True, output)
    return Result(program, threads, False, output + describe_status(child.returncode) + "\n")


def run_all(programs, out, args):
    """Run everything one after the other: the programs use all processors themselves."""
    counts = [str(int(n)) for n in args.threads.split(",")]
    passed = failed = 0
    failing = collections.Counter()
    for round_number in range(args.repeat):
        for program in programs:
            for threads in program.thread_counts(counts):
                result = run_once(program, out, threads, args)
                if result.passed:
                    passed += 1
                    continue
                failed += 1
                failing[(program.name, threads)] += 1
                print(f"FAIL {program.name} threads={threads or 'own'} round={round_number + 1}")
                print("".join(f"    {line}\n" for line in result.output.splitlines()[:20]), end="", flush=True)
        if args.repeat > 1 and sys.stdout.isatty():
            print(f"\rround {round_number + 1}/{args.repeat}", end="", flush=True)
    return passed, failed, failing


def skipped_programs(programs, args):
    """The programs that are not run, each with the reason."""
    skipped = {}
    for program in programs:
        if args.clang and "clang" in program.directives:
            skipped[program] = "Clang: " + program.directives["clang"]
        elif args.clang and not shutil.which(CLANG[program.source.suffix][0]):
            skipped[program] = f"no {CLANG[program.source.suffix][0]}"
        elif args.cross and "emulated" in program.directives:
            skipped[program] = "not under emulation: " + program.directives["emulated"]
        elif not args.lib and "stock" in program.directives:
            skipped[program] = "libgomp 12 " + program.directives["stock"]
    return skipped


def table(programs, failing, skipped):
    """How many programs of each folder pass with every number of threads; then the skipped programs."""
    folders = collections.defaultdict(collections.Counter)
    for program in programs:
        outcome = "skipped" if program in skipped else "failed" if program.name in failing else "passed"
        for row in (program.name.partition("/")[0], "all"):
            folders[row].update([outcome, "programs"])
    columns = ("programs", "passed", "failed", "skipped")
    last = [("all", folders.pop("all"))]
    lines = [f"{'folder':12}" + "".join(f"{column:>10}" for column in columns)]
    lines += [f"{name:12}" + "".join(f"{counts[column]:10}" for column in columns) for name, counts in [*sorted(folders.items()), *last]]
    lines += [f"skipped: {program.name}: {reason}" for program, reason in skipped.items()]
    return "\n".join(lines)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lib", help="directory with the libgomp.so.1 to test (default: the system's)")
    parser.add_argument("--preload", help="a library to load before, as LD_PRELOAD does")
    parser.add_argument("--threads", default="1,2,3,8,33", help="values of OMP_NUM_THREADS (default %(default)s)")
    parser.add_argument("--repeat", type=int, default=1, help="rounds over all programs")
    parser.add_argument("--filter", default="", help="only programs whose folder/name matches this expression")
    parser.add_argument("--timeout", type=int, default=20, help="seconds for one run of one program")
    parser.add_argument("--out", help="where to build (default build/conformance, or build/conformance-SANITIZER)")
    parser.add_argument("--jobs", type=int, default=2, help="compilers at once")
    parser.add_argument("--sanitize", choices=SANITIZERS, help="build the programs with this sanitizer of GCC's; give --lib")
    parser.add_argument("--build-only", action="store_true")
    parser.add_argument("--cross", metavar="TRIPLE", help="build with TRIPLE-gcc and its like, run under qemu")
    parser.add_argument("--clang", action="store_true", help="build with clang-19, run on libomp.so.5 (default: the system's)")
    parser.add_argument("--table", action="store_true", help="print a table by folders, and what was skipped and why")
    args = parser.parse_args()
    kind = args.sanitize or args.cross or ("clang" if args.clang else None)
    library = "libomp.so.5" if args.clang else "libgomp.so.1"
    args.out = args.out or "build/conformance" + (f"-{kind}" if kind else "")
    if args.sanitize and not args.lib:
        sys.exit("run.py: --sanitize needs --lib: a library that was built for the same sanitizer")
    if args.lib:
        args.lib = str(pathlib.Path(args.lib).resolve())
        if not (pathlib.Path(args.lib) / library).exists():
            sys.exit(f"run.py: no {library} in {args.lib}; give the directory that holds it")
    return args


def main():
    args = parse_arguments()
    out = pathlib.Path(args.out).resolve()
    out.mkdir(parents=True, exist_ok=True)
    programs = find_programs(args.filter)
    if not programs:
        sys.exit(f"run.py: no program matches {args.filter!r}")
    skipped = {} if args.build_only else skipped_programs(programs, args)
    chosen = [p for p in programs if p not in skipped]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        complaints = list(pool.map(lambda p: build(p, out, args.sanitize, args.cross, args.clang), chosen))
    broken = [(p, c) for p, c in zip(chosen, complaints) if c]
    for program, complaint in broken:
        print(f"FAIL {program.name} does not build\n{complaint}")
    if args.build_only:
        sys.exit(bool(broken))

    if not args.table:
        for program, reason in skipped.items():
            print(f"skip {program.name}: {reason}")
    runnable = [p for p, c in zip(chosen, complaints) if not c]
    passed, failed, failing = run_all(runnable, out, args)
    if failing and args.repeat > 1:
        for (name, threads), times in sorted(failing.items()):
            print(f"{name} threads={threads or 'own'}: {times} of {args.repeat} rounds failed")
    if args.table:
        print(table(programs, {p.name for p, _ in broken} | {name for name, _ in failing}, skipped))
    print(f"{passed} passed, {failed + len(broken)} failed")
    sys.exit(bool(failed or broken))


if __name__ == "__main__":
    main()
