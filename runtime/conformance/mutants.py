#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run the conformance programs on a libgomp that is broken on purpose, and fail if no program notices.

    mutants.py [--out DIRECTORY_OF_BUILT_PROGRAMS] [--filter WORD]

Each mutant replaces one or two entry points by preloading a library. Only the programs that call
these entry points are run, until one fails. Run run.py --build-only first.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import types

import coverage
import run

HEADER = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#define CALL_REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
"""

# A task whose arguments are changed on the way: `{}` holds the change.
CHANGED_TASK = """
void GOMP_task(void (*body)(void *), void *data, void (*copy)(void *, void *), long size, long alignment,
               bool condition, unsigned flags, void **depend, int priority, void *detach)
{{
    {}
    CALL_REAL(GOMP_task)(body, data, copy, size, alignment, condition, flags, depend, priority, detach);
}}
"""

MUTANTS = {
    "barrier does not wait": "void GOMP_barrier(void) {}",
    "barrier is no cancellation point":
        "void GOMP_barrier(void);\nbool GOMP_barrier_cancel(void) { GOMP_barrier(); return false; }",
    "critical does not exclude": "void GOMP_critical_start(void) {}\nvoid GOMP_critical_end(void) {}",
    "named critical does not exclude":
        "void GOMP_critical_name_start(void **p) {}\nvoid GOMP_critical_name_end(void **p) {}",
    "atomic does not exclude": "void GOMP_atomic_start(void) {}\nvoid GOMP_atomic_end(void) {}",
    "lock does not exclude": "void omp_set_lock(void *l) {}\nvoid omp_unset_lock(void *l) {}",
    "nestable lock does not exclude": "void omp_set_nest_lock(void *l) {}\nvoid omp_unset_nest_lock(void *l) {}",
    "ordered does not order": "void GOMP_ordered_start(void) {}\nvoid GOMP_ordered_end(void) {}",
    "doacross does not wait": "void GOMP_doacross_wait(long first, ...) {}",
    "unsigned doacross does not wait": "void GOMP_doacross_ull_wait(unsigned long long first, ...) {}",
    "every thread runs single": "bool GOMP_single_start(void) { return true; }",
    "loop end does not wait":
        "void GOMP_loop_end_nowait(void);\nvoid GOMP_loop_end(void) { GOMP_loop_end_nowait(); }",
    "sections end does not wait":
        "void GOMP_sections_end_nowait(void);\nvoid GOMP_sections_end(void) { GOMP_sections_end_nowait(); }",
    "first chunk loses an iteration": """
        bool GOMP_loop_nonmonotonic_dynamic_start(long start, long end, long step, long chunk, long *first, long *last)
        {
            bool some = CALL_REAL(GOMP_loop_nonmonotonic_dynamic_start)(start, end, step, chunk, first, last);
            if (some)
                *last -= step;
            return some;
        }""",
    "taskwait does not wait": "void GOMP_taskwait(void) {}",
    "taskwait ignores depend": "void GOMP_taskwait_depend(void **depend) {}",
    "taskgroup does not wait": "void GOMP_taskgroup_end(void) {}",
    "tasks ignore dependences": CHANGED_TASK.format("flags &= ~8u;"),
    "tasks ignore final": CHANGED_TASK.format("flags &= ~2u;"),
    "task arguments are not aligned": CHANGED_TASK.format("alignment = alignment > 8 ? 8 : alignment;"),
    "task arguments are copied byte by byte": CHANGED_TASK.format("copy = 0;"),
    "undeferred tasks are deferred": CHANGED_TASK.format("condition = true;"),
    "nothing is final": "int omp_in_final(void) { return 0; }",
    "nesting depth is not told": "int omp_test_nest_lock(void *lock) { return 0; }",
    "cancel does nothing": "bool GOMP_cancel(int which, bool condition) { return false; }",
    "cancellation point does nothing": "bool GOMP_cancellation_point(int which) { return false; }",
}


def replaced_names(code):
    return set(re.findall(r"\b((?:GOMP|omp)_\w+)\([^;{]*\)\s*\{", code))


def build_mutant(code, directory):
    library = pathlib.Path(directory) / "mutant.so"
    subprocess.run(["gcc", "-w", "-O1", "-shared", "-fPIC", "-x", "c", "-", "-o", str(library)],
                   input=HEADER + code, text=True, check=True)
    return library


def first_to_notice(programs, library, out):
    """The first program that fails under the mutant, or None."""
    settings = types.SimpleNamespace(lib=None, timeout=3, preload=str(library))
    for program in programs:
        threads = program.thread_counts(["8"])[0]
        if not run.run_once(program, out, threads, settings).passed:
            return program
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default="build/conformance", help="where run.py built (default %(default)s)")
    parser.add_argument("--filter", default="", help="only mutants whose name matches this expression")
    args = parser.parse_args()
    out = pathlib.Path(args.out).resolve()
    users = coverage.users_by_name(out)
    programs = [p for p in run.find_programs("") if "stock" not in p.directives]
    unnoticed = 0
    for name, code in MUTANTS.items():
        if not re.search(args.filter, name):
            continue
        concerned = set().union(*(users.get(symbol, set()) for symbol in replaced_names(code)))
        with tempfile.TemporaryDirectory() as directory:
            found = first_to_notice([p for p in programs if p.name in concerned], build_mutant(code, directory), out)
        unnoticed += found is None
        print(f"{'noticed by ' + found.name if found else 'NOT NOTICED':<45} {name}", flush=True)
    print(f"{unnoticed} mutants not noticed")
    sys.exit(bool(unnoticed))


if __name__ == "__main__":
    main()
