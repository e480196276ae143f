#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the figures of README.md and writes them there, with date, processor and compilers.

The tables are between the marks <!-- figures --> and <!-- end of figures -->. The machine should be
idle otherwise. With --tasks and --constructs the script does not measure, but reads the files that
compare.py and constructs.py wrote with --json.

example: ./run bench readme --runs 5
"""

import argparse
import datetime
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import tables

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
BEGIN, END = "<!-- figures -->\n", "<!-- end of figures -->\n"

# (what README.md says, case, threads)
TASKS = [
    ("fib(32), two tasks per call, no cutoff", "fib_tasks", (2, 8)),
    ("a million empty tasks from one producer", "producer", (2, 8)),
    ("dependences: chain", "chain", (2,)),
    ("dependences: diamonds", "diamond", (2,)),
    ("dependences: wavefront", "wavefront", (2,)),
    ("branch and bound, no pruning", "bnb_tasks", (8,)),
    ("undeferred task (`if(0)`)", "undeferred", (2,)),
]
CONSTRUCTS = [
    ("parallel", "parallel", (2, 8)),
    ("reduction", "reduction", (2,)),
    ("barrier", "barrier", (8,)),
    ("single", "single", (8,)),
    ("task and taskwait", "taskwait", (2,)),
    ("inner region of 2 threads, from each thread", "nested", (8,)),
    ("critical, contended", "critical", (2,)),
]
NAMES = {"libgomp": "libgomp", "libomp": "libomp", "tbb": "oneTBB", "teff": "Teff"}


def figures(cells, of_cell):
    """{(case, threads, runtime): nanoseconds} of what was measured."""
    return {(cell["case"], cell["threads"], cell["runtime"]): of_cell(cell) for cell in cells if not cell["failure"]}


def per_task(cell):
    return cell["ns_per_task"]


def per_construct(cell):
    return cell["time_s"] * 1e9


def shown(value, best):
    text = "-" if value is None else f"{value:,.0f}" if value >= 100 else tables.number(value)
    return f"**{text}**" if value is not None and value == best else text


def table(rows, found, runtimes):
    lines = ["| | threads | " + " | ".join(NAMES[name] for name in runtimes) + " |", "|---|---" + "|---" * len(runtimes) + "|"]
    for title, case, counts in rows:
        for threads in counts:
            values = [found.get((case, threads, name)) for name in runtimes]
            best = min((value for value in values if value is not None), default=None)
            cells = " | ".join(shown(value, best) for value in values)
            lines.append(f"| {title if threads == counts[0] else ''} | {threads} | {cells} |".replace("|  |", "| |"))
    return "\n".join(lines)


def version(command):
    """The first dotted number that the command prints."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=20)
        return re.search(r"\d+(\.\d+)+", done.stdout)[0]
    except (OSError, subprocess.SubprocessError, TypeError):
        return "of unknown version"


def processor():
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    match = re.search(r"^model name\s*: (.*)$", text, re.M)
    return match[1].strip() if match else platform.machine()


def conditions(runs):
    """The date, the processor and the compilers of the measurement."""
    date = datetime.date.today()
    kernel = ".".join(platform.release().split(".")[:2])
    gcc, clang = (version([compiler, "--version"]) for compiler in ("gcc", "clang-19"))
    return textwrap.fill(f"Measured on {date.day} {date:%B %Y}: {processor()}, {len(os.sched_getaffinity(0))} processors, "
                         f"Linux {kernel}; libgomp of GCC {gcc}, libomp of LLVM {clang}; medians of {runs} interleaved "
                         "runs.", 100)


def block(tasks, constructs, runs):
    return "\n\n".join([
        conditions(runs),
        "Nanoseconds per task:",
        table(TASKS, figures(tasks, per_task), ("libgomp", "libomp", "tbb", "teff")),
        "Nanoseconds per construct:",
        table(CONSTRUCTS, figures(constructs, per_construct), ("libgomp", "libomp", "teff")),
    ])


def replace(text, new):
    """The document with another text between the marks."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"readme.py: {README} has not the marks {BEGIN.strip()} and {END.strip()}")
    return f"{before}{begin}\n{new}\n\n{end}{after}"


def measured(script, options, given):
    """What the script writes to the file of --json."""
    if given:
        return json.loads(given.read_text(encoding="utf-8"))["cells"]
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "figures.json"
        command = [sys.executable, str(ROOT / script), "--runs", str(options.runs), "--json", str(path), "--threads", "2,8"]
        if script.endswith("compare.py"):
            command += ["--suite", "tiny"]
        if subprocess.run([*command, *(["--quick"] if options.quick else [])], cwd=ROOT, check=False).returncode:
            sys.exit(f"readme.py: {script} failed, README.md stays as it is")
        return json.loads(path.read_text(encoding="utf-8"))["cells"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, metavar="N", help="runs per figure; default: 5")
    parser.add_argument("--quick", action="store_true", help="small sizes, and print instead of writing")
    parser.add_argument("--tasks", type=Path, metavar="FILE", help="figures of compare.py --suite tiny")
    parser.add_argument("--constructs", type=Path, metavar="FILE", help="figures of constructs.py")
    options = parser.parse_args()
    tasks = measured("bench/compare/compare.py", options, options.tasks)
    constructs = measured("bench/constructs/constructs.py", options, options.constructs)
    new = block(tasks, constructs, options.runs)
    if options.quick:
        print(new)
    else:
        README.write_text(replace(README.read_text(encoding="utf-8"), new), encoding="utf-8")


if __name__ == "__main__":
    main()
