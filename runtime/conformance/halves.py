#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the conformance programs half by GCC and half by Clang, and runs both halves in one process
on one runtime.

    halves.py --lib build/lib               on libgomp.so.1 in that directory, and on llvm/libomp.so.5 below it
    halves.py --lib build/lib --filter task/

A program of the folder halves is compiled in two parts, the second one into a library; once the
first part is GCC's, and once Clang's. Every other program in C or C++ is compiled whole by both,
into libraries: GCC's runs first, then Clang's, in another thread of the same process.

A program's first lines may hold the directives of run.py, and
    halves: REASON          why it needs a process of its own; skipped
"""

import argparse
import concurrent.futures
import pathlib
import shlex
import shutil
import subprocess
import sys

import run

HERE = run.HERE
DRIVER = HERE / "halves_driver.c"


class Half:
    """What both kinds have in common, for run.run_all."""

    def __init__(self, program, word):
        self.program, self.source, self.directives = program, program.source, program.directives
        self.name = f"{program.name} ({word})"
        self.word = word

    def binary(self, out):
        return out / f"{self.program.binary(out).name}-{self.word}"

    def environment(self):
        return self.program.environment()

    def thread_counts(self, asked):
        return self.program.thread_counts(asked)

    def compile(self, clang, *words):
        compiler, *options = (run.CLANG if clang else run.COMPILERS)[self.source.suffix]
        flags = run.CLANG_FLAGS if clang else run.COMMON_FLAGS
        libraries = ["-lm", "-latomic"] if clang else ["-lm"]
        own = shlex.split(self.directives.get("flags", ""))
        return [compiler, *options, *flags, *own, "-I", str(HERE), *words, *libraries]


class Calls(Half):
    def commands(self, out):
        library, clang_is_first = out / f"lib{self.binary(out).name}.so", self.word == "clang-first"
        yield self.compile(not clang_is_first, "-DONLY_SECOND", "-shared", "-fPIC", str(self.source), "-o", str(library))
        # The library's own runtime need not be found until the program runs.
        yield self.compile(clang_is_first, "-DONLY_FIRST", str(self.source), str(library), "-Wl,--allow-shlib-undefined",
                           "-o", str(self.binary(out)))


class Pair(Half):
    def commands(self, out):
        libraries = {}
        for name, clang in ("FIRST", False), ("SECOND", True):
            libraries[name] = out / f"lib{self.binary(out).name}-{name.lower()}.so"
            yield self.compile(clang, "-shared", "-fPIC", str(self.source), "-o", str(libraries[name]))
        paths = [f'-D{name}="{path}"' for name, path in libraries.items()]
        yield ["gcc", "-Wall", "-pthread", *paths, str(DRIVER), "-o", str(self.binary(out))]


def build(half, out):
    for command in half.commands(out):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return done.stdout + done.stderr
    return None


def halves_of(program):
    if program.name.startswith("halves/"):
        return [Calls(program, "gcc-first"), Calls(program, "clang-first")]
    return [Pair(program, "pair")]


def reason_to_skip(program):
    if program.source.suffix == ".f90":
        return "Fortran has one main program"
    if "clang" in program.directives:
        return "Clang: " + program.directives["clang"]
    if program.name.startswith("preempt/"):
        return "tasks of a library are not preempted"
    return program.directives.get("halves")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lib", required=True, help="directory with libgomp.so.1 and llvm/libomp.so.5")
    parser.add_argument("--threads", default="2", help="values of OMP_NUM_THREADS (default %(default)s)")
    parser.add_argument("--filter", default="", help="only programs whose folder/name matches this expression")
    parser.add_argument("--timeout", type=int, default=20, help="seconds for one run of one program")
    parser.add_argument("--out", default="build/conformance-halves", help="where to build (default %(default)s)")
    parser.add_argument("--jobs", type=int, default=2, help="compilers at once")
    args = parser.parse_args()
    library = pathlib.Path(args.lib).resolve()
    for path in library / "libgomp.so.1", library / "llvm/libomp.so.5":
        if not path.exists():
            sys.exit(f"halves.py: there is no {path}")
    args.lib = f"{library / 'llvm'}:{library}"
    args.repeat, args.preload, args.sanitize = 1, None, None
    return args


def main():
    args = parse_arguments()
    if not shutil.which("clang-19"):
        print("halves.py: no clang-19\n0 passed, 0 failed")
        return
    out = pathlib.Path(args.out).resolve()
    out.mkdir(parents=True, exist_ok=True)
    programs = run.find_programs(args.filter)
    skipped = {program: reason for program in programs if (reason := reason_to_skip(program))}
    for program, reason in skipped.items():
        if program.source.suffix != ".f90":
            print(f"skip {program.name}: {reason}")
    halves = [half for program in programs if program not in skipped for half in halves_of(program)]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        complaints = list(pool.map(lambda half: build(half, out), halves))
    for half, complaint in zip(halves, complaints, strict=True):
        if complaint:
            print(f"FAIL {half.name} does not build\n{complaint}")
    runnable = [half for half, complaint in zip(halves, complaints, strict=True) if not complaint]
    passed, failed, _ = run.run_all(runnable, out, args)
    failed += len(halves) - len(runnable)
    print(f"{passed} passed, {failed} failed")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
