# SPDX-License-Identifier: Apache-2.0
"""Runs libgomp's own run-tests (C, C++, Fortran) on libgomp and on Teff. Each test is built once
with GCC 12 and run on both.

The tests come from Debian's package gcc-12-source and are unpacked under build/. Those of OpenACC
run on the host. Tests that need an accelerator are left out. With --devices, only tests of target
constructs run, and their regions run in two further processes or ranks of MPI. The script prints
the tests whose results differ. The status is 1 if a test passes on libgomp, fails on Teff, and is
not named in scripts/libgomp_suite/exceptions.txt, or with --devices in device_exceptions.txt.
"""

import argparse
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys
import time

from . import compare, execute, selectors, tests

ARCHIVES = "/usr/src/gcc-12/gcc-12*.tar.xz"
NEEDED = ["*/libgomp/testsuite", "*/libgomp/libgomp_g.h", "*/include/gomp-constants.h",
          # Some tests of OpenACC include tests of the compiler.
          "*/gcc/testsuite/*/goacc"]
UNPACK_LIMIT_S = 300
EXCEPTIONS = pathlib.Path(__file__).with_name("exceptions.txt")
DEVICE_EXCEPTIONS = EXCEPTIONS.with_name("device_exceptions.txt")
LIBOMP = "/usr/lib/llvm-19/lib/libomp.so.5"
STOCK, OURS = "libgomp", "teff"
TEFF = pathlib.Path("build/bin/teff")
SHOWN_CHARACTERS = 10_000


def unpack(work):
    """Unpacks what is needed of GCC's source, once; returns its folder."""
    archives = sorted(pathlib.Path("/").glob(ARCHIVES.lstrip("/")))
    if not archives:
        sys.exit(f"conformance: there is no {ARCHIVES}; install the package gcc-12-source, as ./run setup conformance does")
    archive = archives[-1]
    target = work / "source"
    stamp, content = target / archive.name, "\n".join(NEEDED)
    if not stamp.exists() or stamp.read_text() != content:
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        print(f"unpack {archive}", flush=True)
        subprocess.run(["tar", "-xJf", str(archive), "-C", str(target), "--strip-components=1", "--wildcards", *NEEDED],
                       check=True, timeout=UNPACK_LIMIT_S)
        # Made by the suite's configure script; this is all that a test reads of it.
        (target / "libgomp/config.h").write_text("#define HAVE_PTHREAD_AFFINITY_NP 1\n")
        stamp.write_text(content)
    return target


def choose(found, pattern, only_target):
    """(tests to run, {reason: how many are left out})"""
    chosen, left_out = [], {}
    for test in found:
        if not re.search(pattern, test.name) or (only_target and not test.uses_target()):
            continue
        reason = test.asked.unsupported
        if not reason and test.asked.action not in ("run", "link"):
            reason = f"only to {test.asked.action}"
        if reason:
            left_out[reason] = left_out.get(reason, 0) + 1
        else:
            chosen.append(test)
    return chosen, left_out


class Progress:
    """One line on a terminal, rewritten; silent elsewhere."""

    def __init__(self, total):
        self.total, self.done, self.began = total, 0, time.monotonic()

    def step(self, result, failed):
        self.done += 1
        if not sys.stdout.isatty():
            return
        if failed:
            print(f"\r\033[K{result.name}: fails", flush=True)
        elapsed = time.monotonic() - self.began
        print(f"\r\033[K{self.done}/{self.total} tests, {elapsed:.0f} s, {result.name[:60]}", end="", flush=True)

    def end(self):
        if sys.stdout.isatty():
            print("\r\033[K", end="", flush=True)


def run_one(test, executor, runtimes, args):
    folder = args.work / "tests" / test.file_name
    complaint = executor.build(test, folder) if test.asked.action == "run" else folder.mkdir(parents=True, exist_ok=True)
    result = compare.Result(test.name, complaint)
    if not complaint:
        for runtime in runtimes:
            outcome = result.outcomes[runtime.name] = executor.run(test, runtime, folder)
            if not outcome.passed:
                log = args.work / "logs" / f"{test.file_name}.{runtime.name}.txt"
                log.write_text(f"{outcome.output[-SHOWN_CHARACTERS:]}\n{outcome.verdict}\n")
    if not args.keep:
        shutil.rmtree(folder, ignore_errors=True)
    return result


def run_all(chosen, executor, runtimes, args):
    progress, results = Progress(len(chosen)), {}
    pool = concurrent.futures.ThreadPoolExecutor(args.jobs)
    futures = [pool.submit(run_one, test, executor, runtimes, args) for test in chosen]
    try:
        for future in concurrent.futures.as_completed(futures):
            result = future.result()
            results[result.name] = result
            progress.step(result, failed=result.is_worse(STOCK, args.devices or [OURS]))
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        executor.processes.stop()
        raise
    finally:
        pool.shutdown()
        progress.end()
    return [results[test.name] for test in chosen]


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./run conformance", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filter", default="", metavar="REGEX", help="only tests whose name matches, for example 'fortran/task'")
    parser.add_argument("--threads", type=int, metavar="N", help="OMP_NUM_THREADS of the tests that do not set it themselves")
    parser.add_argument("--runtime", type=pathlib.Path, default="build/lib/libteff.so", metavar="PATH",
                        help="the library to test (default %(default)s)")
    parser.add_argument("--libomp", nargs="?", type=pathlib.Path, const=LIBOMP, metavar="PATH",
                        help=f"run everything on LLVM's runtime, too (default {LIBOMP})")
    parser.add_argument("--devices", nargs="?", const="sockets", metavar="TRANSPORT,...",
                        help="only the tests of target constructs, on 2 devices over sockets, openmpi or mpich "
                             "(default sockets)")
    parser.add_argument("--levels", default="-O2", metavar="FLAGS,...",
                        help="optimisation levels for Fortran, each a run of its own (default %(default)s)")
    parser.add_argument("--timeout", type=float, default=60, metavar="S", help="seconds for one run (default %(default)s)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="tests at a time (default %(default)s)")
    parser.add_argument("--keep", action="store_true",
                        help="keep the built tests in build/libgomp-suite/tests; another --keep uses them again")
    parser.add_argument("--work", type=pathlib.Path, default="build/libgomp-suite", help=argparse.SUPPRESS)
    args = parser.parse_args()
    for library in filter(None, [args.runtime, args.libomp]):
        if not library.is_file():
            parser.error(f"there is no {library}")
    args.work = args.work.resolve()
    args.levels = args.levels.split(",")
    args.devices = args.devices.split(",") if args.devices else []
    unknown = set(args.devices) - set(execute.TRANSPORTS)
    if unknown:
        parser.error(f"there is no transport {', '.join(sorted(unknown))}")
    for transport in args.devices:
        launcher = execute.TRANSPORTS[transport][0]
        if launcher and not shutil.which(launcher[0]):
            parser.error(f"there is no {launcher[0]} (Debian: openmpi-bin, mpich)")
    return args


def main():
    args = parse_arguments()
    exceptions = compare.read_exceptions((DEVICE_EXCEPTIONS if args.devices else EXCEPTIONS).read_text())
    if args.devices:
        selectors.assume_devices()
    source = unpack(args.work)
    found = tests.find(source / "libgomp/testsuite", args.levels)
    chosen, left_out = choose(found, args.filter, bool(args.devices))
    unknown = set(exceptions) - {test.name for test in found}
    if unknown:
        sys.exit(f"conformance: {EXCEPTIONS.name} names tests that do not exist: {', '.join(sorted(unknown))}")
    shutil.rmtree(args.work / "logs", ignore_errors=True)
    (args.work / "logs").mkdir()
    runtimes = [execute.Runtime(STOCK, None)]
    if args.devices:
        runtimes += [execute.on_devices(transport, TEFF.resolve()) for transport in args.devices]
    else:
        runtimes.append(execute.prepare(OURS, args.runtime, args.work))
    if args.libomp:
        runtimes.append(execute.prepare("libomp", args.libomp, args.work))
    executor = execute.Executor([source / "include", source / "libgomp"], args.timeout, args.threads)
    comparison = compare.Comparison(run_all(chosen, executor, runtimes, args), STOCK, args.devices or [OURS], exceptions)
    for line in comparison.lines():
        print(line)
    print("left out: " + "; ".join(f"{count} ({reason})" for reason, count in sorted(left_out.items())))
    if comparison.worse():
        print(f"outputs are in {args.work / 'logs'}")
    return 1 if comparison.failures() else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
