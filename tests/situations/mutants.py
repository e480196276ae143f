#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Removes parts of Teff, one at a time, and fails if the situations that test this part do not
notice.

mutants.py [WORD...]        all mutants, or those whose name contains one of the words

A mutant is Teff with one replacement in its sources, built in build/mutant. A mutant takes half a
minute to build, and then as long as its situations run. So this is no part of the routine tests:
run it when a situation, or the code that the situation tests, has changed.
"""

import os
import pathlib
import shutil
import subprocess
import sys
from dataclasses import dataclass

import runtimes
from situation import ROOT, find_situations

PLACE = ROOT / "build" / "mutant"
BUILD_LIMIT_S = 900


@dataclass
class Mutant:
    name: str
    file: str
    text: str
    replacement: str
    situations: tuple  # each of which must fail


MUTANTS = [
    Mutant("a forked child is not prepared at all", "abi/forked_child.cpp",
           "pthread_atfork(nullptr, nullptr, in_child);", "(void)in_child;",
           ("fork/between_regions", "fork/in_region_by_each_member", "fork/in_tasks", "fork/generations", "python/multiprocessing_fork")),
    Mutant("a forked child keeps the lock of critical regions", "sync/critical.cpp",
           "::new (&critical_lock) Mutex;", "", ("fork/critical_held",)),
    Mutant("a forked child waits for lost tasks", "region/after_fork.cpp",
           "team.orphaned = true;", "", ("fork/tasks_left_behind",)),
    Mutant("a forked child keeps its number in the team", "region/after_fork.cpp",
           "place.number = place.lane.number = 0;", "", ("fork/member_child_ends_region",)),
    Mutant("a forked child's member waits for its next region", "region/after_fork.cpp",
           "retire_after_this(worker);", "", ("fork/member_child_ends_region",)),
    Mutant("a forked child counts its parent's tasks", "region/after_fork.cpp",
           "        reset_counts(*team);\n", "", ("fork/between_regions",)),
    Mutant("a forked child's nested teams keep their threads", "region/after_fork.cpp",
           "for (; team != nullptr; team = team->members[0]->inner) {", "if (team != nullptr) {", ("fork/nested_teams",)),
    Mutant("a forked child is alone in its innermost construct only", "loop/work_share.cpp",
           "place = team::place_around(*place)", "place = nullptr", ("fork/nested_in_construct",)),
    Mutant("a forked child forgets what is around its target region", "region/team_setup.cpp",
           "root.place_left = place_left;", "(void)place_left;", ("fork/nested_in_construct",)),
    Mutant("fork handlers wait for the pool", "abi/forked_child.cpp",
           "pthread_atfork(nullptr, nullptr, in_child);",
           "pthread_atfork([] { while (team::current_worker().member->team->level > 0) {} }, nullptr, in_child);",
           ("fork/other_programs", "fork/in_tasks")),
    Mutant("threads of the pool are kept for ever", "region/adopt.cpp",
           "release_idle_threads(idle_", "(void)(idle_", ("threads/end_while_pool_sleeps", "threads/initial_thread_leaves")),
    Mutant("the end of a thread is not noticed", "region/adopt.cpp",
           "pthread_setspecific(thread_end, &worker);", "",
           ("threads/cancelled", "threads/end_while_pool_sleeps", "threads/key_destructor", "threads/many_at_once")),
    Mutant("a thread that is cancelled in a region waits for it", "region/adopt.cpp",
           "if (worker.member->team->level > 0) return team::set_current_worker(nullptr);", "",
           ("threads/cancelled_in_region",)),
    Mutant("a worker that a signal wakes believes that it was called", "sync/parker.h",
           "        while (state_.load(std::memory_order_relaxed) == kParked)\n            Atomics::wait(state_, kParked);\n        state_.exchange",
           "        Atomics::wait(state_, kParked);\n        if (state_.load() == kParked) __builtin_trap();\n        state_.exchange",
           ("signals/at_every_member", "signals/profiling_timer")),
    Mutant("the runtime may be unloaded", "../library.cmake", "-Wl,-z,nodelete ", "", ("loading/open_and_close",)),
    Mutant("the library's file bears its own name", "../library.cmake",
           'create_symlink libgomp.so.1.0.0 "${TEFF_OUTPUT_DIR}/lib/${link}"',
           'rename "$<TARGET_FILE:teff>" "${TEFF_OUTPUT_DIR}/lib/teff.so"\n        COMMAND "${CMAKE_COMMAND}" -E create_symlink teff.so '
           '"${TEFF_OUTPUT_DIR}/lib/libgomp.so.1"\n        COMMAND "${CMAKE_COMMAND}" -E copy "${TEFF_OUTPUT_DIR}/lib/teff.so" "$<TARGET_FILE:teff>"',
           ("python/thread_limits",)),
    Mutant("much static thread-local storage", "team/pool.cpp",
           "constinit Team no_team;", "constinit Team no_team;\n[[gnu::used]] thread_local char much[512];",
           ("loading/static_tls_used_up",)),
    Mutant("messages and tables on the caller's stack", "region/fork_join.cpp",
           "unsigned begin(team::Worker& worker, const Construct& construct) {",
           "unsigned begin(team::Worker& worker, const Construct& construct) {\n    volatile char table[16384];\n    for (volatile char& c : table) c = 0;",
           ("threads/tiny_stack",)),
    Mutant("the end of the process waits for its threads", "abi/library.cpp",
           "[[gnu::destructor(101)]] void at_unload() {",
           "[[gnu::destructor(101)]] void at_unload() {\n    while (team::current_worker().member->team->level > 0) {}",
           ("ending/inside_region", "ending/regions_at_exit_in_region")),
]


def copy_if_other(source, target):
    """An unchanged file keeps its time stamp, so that the next mutant compiles few files."""
    if not os.path.exists(target) or pathlib.Path(source).read_bytes() != pathlib.Path(target).read_bytes():
        shutil.copy(source, target)


def prepare_sources():
    for name in ("runtime", "cmake"):
        shutil.copytree(ROOT / name, PLACE / "source" / name, dirs_exist_ok=True, copy_function=copy_if_other)
    for name in ("CMakeLists.txt", "CMakePresets.json"):
        copy_if_other(ROOT / name, PLACE / "source" / name)


def build():
    commands = (["cmake", "--preset", "release", "-DTEFF_TESTS=OFF", "-DTEFF_WORKLOADS=OFF"],
                ["cmake", "--build", "--preset", "release", "--target", "teff"])
    for command in commands:
        done = subprocess.run(command, cwd=PLACE / "source", capture_output=True, text=True, timeout=BUILD_LIMIT_S, check=False)
        if done.returncode != 0:
            return done.stdout[-2000:] + done.stderr[-2000:]
    return ""


def survivors(mutant):
    """The situations that did not notice the mutant, or the reason why this is not known."""
    prepare_sources()
    path = PLACE / "source" / "runtime" / "src" / mutant.file
    before = path.read_text()
    if before.count(mutant.text) != 1:
        return [f"{mutant.file} does not contain this once: {mutant.text!r}"]
    path.write_text(before.replace(mutant.text, mutant.replacement))
    try:
        complaint = build()
        if complaint:
            return [f"does not compile: {complaint}"]
        runtime = runtimes.teff(PLACE / "source" / "build" / "lib")
        return [s.name for s in find_situations() if s.name in mutant.situations and not noticed(s, runtime)]
    finally:
        path.write_text(before)
        os.utime(path)


def noticed(situation, runtime):
    complaint = situation.build()
    if complaint:
        sys.exit(complaint)
    outcome = situation.run(runtime)
    print(f"    {situation.name}: {outcome.cell}", flush=True)
    return outcome.kind in ("wrong", "hang", "crash")


def main():
    words = sys.argv[1:]
    passed = failed = 0
    known = {s.name for s in find_situations()}
    for mutant in MUTANTS:
        if words and not any(word in mutant.name for word in words):
            continue
        unknown = set(mutant.situations) - known
        left = sorted(f"no situation {name}" for name in unknown) or survivors(mutant)
        print(f"{'ok' if not left else 'FAIL':5}{mutant.name}" + "".join(f"\n     not noticed: {what}" for what in left), flush=True)
        passed, failed = passed + (not left), failed + bool(left)
    print(f"{passed} passed, {failed} failed")
    sys.exit(bool(failed or not passed))


if __name__ == "__main__":
    main()
