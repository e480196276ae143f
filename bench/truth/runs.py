# SPDX-License-Identifier: Apache-2.0
"""Builds programs, runs them with and without a recording, and asks for reports."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "compare"))

import tables  # noqa: E402

ROOT = HERE.parents[1]
COMPILERS = {".c": ["gcc", "-std=gnu11"], ".cpp": ["g++", "-std=gnu++17"], ".f90": ["gfortran"]}
FLAGS = ["-fopenmp", "-O2", "-g", "-Wall", "-Wextra"]
LIMIT_S = 120
URGENT = ["chrt", "--rr", "1"]


class Failure(Exception):
    """A step that failed; the text says which step, and how."""


def parse_common(parser):
    """Parses the command line, with the parser's options and those that all judges have."""
    parser.add_argument("--build", type=Path, default=ROOT / "build", metavar="DIR", help="default: build")
    parser.add_argument("--urgent", action="store_true", help="run the programs with real-time priority (chrt; as root)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures to FILE")
    parser.add_argument("--markdown", action="store_true", help="print a Markdown table")
    return parser.parse_args()


def call(command, env=None, limit_s=LIMIT_S, cwd=None):
    try:
        done = subprocess.run([str(word) for word in command], env=env, capture_output=True, text=True, errors="replace",
                              timeout=limit_s, cwd=cwd, stdin=subprocess.DEVNULL, check=False)
    except subprocess.TimeoutExpired:
        raise Failure(f"no end after {limit_s} s: {command}") from None
    if done.returncode:
        raise Failure(f"status {done.returncode}: {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def may_be_urgent():
    """Whether programs may run with real-time priority: other programs then disturb them less."""
    done = subprocess.run([*URGENT, "true"], capture_output=True, check=False) if shutil.which("chrt") else None
    return bool(done and done.returncode == 0)


class Place:
    """A folder for what is built and recorded, in memory if possible, and Teff's build. Urgent programs run with
    real-time priority, for which the user needs the right."""

    def __init__(self, build, urgent=False):
        self.prefix = URGENT if urgent else []
        self.build = Path(build).resolve()
        self.teff = self.build / "bin" / "teff"
        if not os.access(self.teff, os.X_OK):
            raise Failure(f"{self.teff} does not exist or cannot be run: build it with ./run build")
        self._folder = tempfile.TemporaryDirectory(prefix="teff-truth-", dir=roomy_folder())
        self.path = Path(self._folder.name)
        self._built = {}
        self.clock = {}

    def close(self):
        self._folder.cleanup()

    def compile(self, source, flags=()):
        """The program built from this source. Fortran programs are also linked with glue for the log."""
        key = (source, *flags)
        if key not in self._built:
            binary = self.path / f"{Path(source).stem}-{len(self._built)}"
            extra = [self.glue()] if source.suffix == ".f90" else []
            call([*COMPILERS[source.suffix], *FLAGS, *flags, "-I", source.parent, source, *extra, "-o", binary, "-lm"],
                 cwd=self.path)
            self._built[key] = binary
        return self._built[key]

    def glue(self):
        glue = self.path / "glue.o"
        call(["gcc", "-std=gnu11", *FLAGS, "-c", HERE / "programs" / "glue.c", "-o", glue])
        return glue

    def environment(self, threads, **extra):
        env = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "GOMP_", "TEFF_", "LD_", "TRUTH_"))}
        return env | {"OMP_NUM_THREADS": str(threads)} | self.clock | extra

    def calibrate(self):
        """Tells all later programs the clock's rate, and the cost of a grain outside its own time stamps."""
        program = self.compile(HERE / "programs" / "loop.c")
        found = [call([*self.prefix, program], self.environment(1, TRUTH_CALIBRATE="1")).split() for _ in range(5)]
        rate, spare = sorted(int(words[0]) for words in found)[2], min(int(words[1]) for words in found)
        self.clock = {"TRUTH_TICKS_PER_US": str(rate), "TRUTH_SPARE_TICKS": str(spare)}

    def run(self, command, env):
        return call([*self.prefix, self.teff, "run", "--", *command], env)

    def record(self, command, env, name="recording.teff"):
        recording = self.path / name
        shutil.rmtree(recording, ignore_errors=True)
        call([*self.prefix, self.teff, "record", "-o", recording, "--", *command], env)
        return recording

    def report(self, recording):
        return json.loads(call([self.teff, "report", "--json", recording]))


def roomy_folder():
    """In memory if possible: the log and the recording then cost no disk time."""
    shared = Path("/dev/shm")
    return shared if shared.is_dir() and shutil.disk_usage(shared).free > 2 << 30 else None


@contextlib.contextmanager
def load(wanted):
    """One busy process for each processor, for as long as the context lasts."""
    busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range((wanted and os.cpu_count()) or 0)]
    try:
        yield
    finally:
        for child in busy:
            child.kill()
            child.wait()


def classes_of(report):
    """Lost and used time by class, in ns; empty if the report has no budget."""
    return {entry["name"]: entry["ns"] for entry in report.get("budget", {}).get("classes", [])}


def show(header, found, cells, failures, options):
    """Prints the results as a table, and what failed; also writes them to the file of --json, if given."""
    print((tables.markdown if options.markdown else tables.aligned)(header, [cells(row) for row in found]))
    if options.json:
        options.json.write_text(json.dumps(found, indent=1))
    print("".join(f"\n- {failure}" for failure in failures))
