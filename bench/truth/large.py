#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how much time and memory a report of very many grains takes.

tools/crates/grains/examples/synth.rs makes the recording, a tree of tasks on two workers. With
--fib, the workload fib is recorded instead.

example: bench/truth/large.py --grains 16000000
         bench/truth/large.py --fib 34
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "compare"))

import launcher

ROOT = Path(__file__).resolve().parents[2]
MOST_S, MOST_BYTES = 60, 4 << 30


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--grains", type=int, default=16_000_000, metavar="N", help="default: 16000000")
    parser.add_argument("--fib", type=int, metavar="N", help="record build/workloads/fib --n N; 34 has 18 million grains")
    parser.add_argument("--build", type=Path, default=ROOT / "build", metavar="DIR", help="default: build")
    parser.add_argument("--folder", type=Path, help="where the recording is made; it takes some 100 bytes for each grain")
    parser.add_argument("--limit", type=float, default=600, metavar="S", help="seconds for the report; default: 600")
    return parser.parse_args()


def make(recording, grains):
    command = ["cargo", "run", "--quiet", "--locked", "--release", "--manifest-path", ROOT / "tools/Cargo.toml",
               "-p", "teff-grains", "--example", "synth", "--", recording, grains]
    subprocess.run([str(word) for word in command], check=True, timeout=600)


def record(build, recording, number):
    program = build / "workloads" / "fib"
    if not program.exists():
        sys.exit(f"large.py: there is no {program}; ./run truth account builds it")
    command = [build / "bin" / "teff", "record", "-o", recording, "--", program, "--n", number, "--no-check"]
    subprocess.run([str(word) for word in command], check=True, timeout=600, stdout=subprocess.DEVNULL)


def report(teff, recording, limit_s):
    """(seconds, CPU seconds, peak bytes) of a report."""
    began = time.monotonic()
    process = subprocess.Popen([str(teff), "report", "--json", str(recording)], stdout=subprocess.DEVNULL,
                               start_new_session=True)
    status, usage, expired = launcher.wait_for(process, limit_s)
    if expired or status:
        sys.exit("large.py: " + (f"no report after {limit_s:g} s" if expired else launcher.describe_status(status, "")))
    return time.monotonic() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def main():
    options = parse_arguments()
    teff = options.build.resolve() / "bin" / "teff"
    if not os.access(teff, os.X_OK):
        sys.exit(f"large.py: {teff} does not exist or cannot be run: build it with ./run build")
    folder = Path(tempfile.mkdtemp(prefix="teff-large-", dir=options.folder))
    try:
        recording = folder / "large.teff"
        if options.fib:
            record(options.build.resolve(), recording, options.fib)
        else:
            make(recording, options.grains)
        size = sum(path.stat().st_size for path in recording.iterdir())
        seconds, cpu, peak = report(teff, recording, options.limit)
    finally:
        shutil.rmtree(folder)
    what = f"fib {options.fib}" if options.fib else f"{options.grains} grains"
    print(f"{what}, {size / 1e9:.2f} GB: report {seconds:.1f} s, CPU {cpu:.1f} s, "
          f"peak {peak / 1e9:.2f} GB")
    sys.exit(seconds > MOST_S or peak > MOST_BYTES)


if __name__ == "__main__":
    main()
