# SPDX-License-Identifier: Apache-2.0
"""Runs one random program on one runtime, and reports how the program ended."""

import dataclasses
import os
import pathlib
import random
import re
import signal
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = ROOT / "build" / "random"
# Warnings are errors if WERROR=1 is set, as in CI.
WERROR = ["-Werror"] if os.environ.get("WERROR") == "1" else []
# Clang compares the sizes of taskloops with numbers of another sign, and calls libatomic.
COMPILERS = {"gcc": "gcc", "clang": "clang-19"}
FLAGS_OF = {"gcc": ["-fopenmp"], "clang": ["-fopenmp=libomp", "-Wno-sign-compare"]}
LIBRARIES = ["-Wl,--as-needed", "-latomic"]
FLAGS = ["-std=gnu11", "-D_GNU_SOURCE", "-O2", "-g", "-Wall", "-Wextra", *WERROR]
COMPILE_LIMIT_S = 120

# The environment of each program, independent of the user's own settings.
ENVIRONMENT = {"OMP_NUM_THREADS": "2", "OMP_CANCELLATION": "true", "OMP_MAX_ACTIVE_LEVELS": "8", "OMP_DYNAMIC": "false"}
SETTINGS = {
    "default": {},
    "relaxed": {"TEFF_TSC": "relaxed"},
    "locality": {"TEFF_SCHEDULE": "locality"},
    "preempt": {"TEFF_PREEMPT": "on", "OMP_MAX_TASK_PRIORITY": "10"},
    "full": {"TEFF_DEQUE_LIMIT": "2", "OMP_MAX_TASK_PRIORITY": "10"},
    "migrate": {"TEFF_UNTIED": "migrate"},
    "migrate-preempted": {"TEFF_UNTIED": "migrate", "TEFF_PREEMPT": "stress:200us", "OMP_MAX_TASK_PRIORITY": "10"},
    "oversubscribed": {},
}
FEWEST_OVERSUBSCRIBED, MOST_OVERSUBSCRIBED = 3, 16
MOST_LIMITS = 20  # a program that does not hang may take this multiple of its limit
MOST_TEXT = 100_000  # of an argument; longer trees come from a file


@dataclasses.dataclass(frozen=True)
class Runtime:
    name: str
    folder: str  # that holds its library; empty: the system's
    compiler: str = "gcc"  # of the programs that run on it


@dataclasses.dataclass(frozen=True)
class Outcome:
    kind: str  # ok, wrong, crash, hang
    text: str
    cpu_ns: tuple = ()

    @property
    def good(self):
        return self.kind == "ok"

    @property
    def reason(self):
        """One line that says what was wrong."""
        lines = [line for line in self.text.splitlines() if not line.startswith(("cpu", "count"))]
        return f"{self.kind}: {lines[-1]}" if lines else self.kind


def teff(folder, compiler):
    """Teff in the place of the library that the compiler's programs load: libgomp.so.1 in the folder, or libomp.so.5
    in its folder llvm."""
    path = pathlib.Path(folder).resolve()
    if compiler == "clang":
        path /= "llvm"
    library = path / ("libomp.so.5" if compiler == "clang" else "libgomp.so.1")
    if not library.exists():
        raise FileNotFoundError(f"there is no {library}; build it with ./run build, or name another folder by --lib")
    return Runtime("teff", str(path), compiler)


def peers(compiler):
    """libgomp as the system has it, and libomp, under libgomp's name for GCC's programs, where it is installed."""
    if compiler == "clang":
        return [Runtime("libomp", "", compiler)]
    found = [Runtime("libgomp", "")]
    libraries = sorted(pathlib.Path("/usr/lib").glob("llvm-*/lib/libomp.so.5"))
    if libraries:
        folder = BUILD / "libomp"
        folder.mkdir(parents=True, exist_ok=True)
        link = folder / "libgomp.so.1"
        if not link.exists():
            link.symlink_to(libraries[-1])
        found.append(Runtime("libomp", str(folder)))
    return found


def program_of(compiler):
    return BUILD / f"program-{compiler}"


def build_program(compiler):
    """The interpreter of trees, rebuilt if its sources are newer."""
    BUILD.mkdir(parents=True, exist_ok=True)
    program = program_of(compiler)
    sources = [*(HERE / "program").iterdir()]
    if program.exists() and all(program.stat().st_mtime > source.stat().st_mtime for source in sources):
        return program
    # Other processes may be running the old file, or building a new one.
    with tempfile.TemporaryDirectory(dir=BUILD) as place:
        built = pathlib.Path(place) / "program"
        command = [COMPILERS[compiler], *FLAGS, *FLAGS_OF[compiler], HERE / "program" / "program.c", "-o", built, *LIBRARIES]
        subprocess.run(command, check=True, timeout=COMPILE_LIMIT_S)
        built.rename(program)
    return program


def environment(setting, seed):
    foreign = ("OMP_", "GOMP_", "TEFF_", "KMP_", "LD_")
    env = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    env.update(ENVIRONMENT)
    env.update(SETTINGS[setting])
    if setting == "oversubscribed":
        threads = random.Random(f"threads {seed}").randint(FEWEST_OVERSUBSCRIBED, MOST_OVERSUBSCRIBED)
        env["OMP_NUM_THREADS"] = str(threads)
    return env


def cpu_times(text):
    match = re.search(r"^cpu((?: \d+)*)$", text, re.MULTILINE)
    return tuple(int(word) for word in match.group(1).split()) if match else ()


def threads_of(session):
    """(state, CPU ticks) of each thread of the processes of a session, from /proc/PID/task/TID/stat."""
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(stat.read_text().rpartition(")")[2].split()[3]) != session:
                continue
            for thread in stat.parent.glob("task/[0-9]*/stat"):
                fields = thread.read_text().rpartition(")")[2].split()
                found.append((fields[0], int(fields[11]) + int(fields[12])))
        except (OSError, ValueError, IndexError):  # it has ended
            continue
    return found


def hangs(session, limit_s):
    """True if for two seconds no thread of a session runs or is ready to run, or if the threads have used far too
    much CPU time. A program whose processor others use, or that is halted from outside, does not hang."""
    if sum(ticks for _, ticks in threads_of(session)) > os.sysconf("SC_CLK_TCK") * limit_s * os.cpu_count():
        return True
    for _ in range(20):
        time.sleep(0.1)
        before = threads_of(session)
        if any(state in "RDTt" for state, _ in before):
            return False
    return sum(ticks for _, ticks in threads_of(session)) == sum(ticks for _, ticks in before)


def backtrace(pid):
    """The stacks of a process's threads; empty without gdb."""
    command = ["gdb", "-p", str(pid), "-batch", "-ex", "thread apply all backtrace 30"]
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              timeout=COMPILE_LIMIT_S, check=False).stdout.decode(errors="replace")
    except (OSError, subprocess.TimeoutExpired):
        return ""


def keep_backtrace(pid):
    """The file with the stacks of a process that hangs."""
    path = BUILD / f"hang-{pid}.txt"
    path.write_text(backtrace(pid))
    return path


def run_command(command, env, limit_s):
    """The outcome of a command. If it hangs after limit_s, it is ended with its children; if it does not hang, it
    may take 20 times as long."""
    child = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, start_new_session=True)
    out = None
    for _ in range(MOST_LIMITS):
        try:
            out, _ = child.communicate(timeout=limit_s)
            break
        except subprocess.TimeoutExpired:
            if hangs(child.pid, limit_s):
                break
    kept = None
    if child.poll() is None:
        kept = keep_backtrace(child.pid)
        os.killpg(child.pid, signal.SIGKILL)
    if out is None:  # it was killed, or has ended since the last look
        out, _ = child.communicate()
    text = out.decode(errors="replace")
    if kept:
        return Outcome("hang", f"{text}\nsee {kept}")
    if child.returncode == 0 and re.search(r"^ok ", text, re.MULTILINE):
        return Outcome("ok", text, cpu_times(text))
    if "WRONG" in text:
        return Outcome("wrong", text)
    ended = f"signal {-child.returncode}" if child.returncode < 0 else f"status {child.returncode}"
    return Outcome("crash", f"{text}\nended with {ended}")


def run_text(text, runtime, env, limit_s, counts=False):
    """Runs a tree's text on a runtime."""
    if runtime.folder:
        env = {**env, "LD_LIBRARY_PATH": runtime.folder}
    program, more = str(program_of(runtime.compiler)), ["counts"] if counts else []
    if len(text) < MOST_TEXT:
        return run_command([program, text, *more], env, limit_s)
    with tempfile.NamedTemporaryFile("w", suffix=".tree") as file:
        file.write(text)
        file.flush()
        return run_command([program, f"@{file.name}", *more], env, limit_s)


def lean(root):
    """The same program without its checks, for measurements."""
    copy = root.copy()
    copy.attributes["lean"] = 1
    return copy
