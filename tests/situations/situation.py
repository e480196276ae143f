# SPDX-License-Identifier: Apache-2.0
"""A situation: one program, what its head says about it, and how it ends on a runtime.

The head is the first comment of the source, and consists of these lines:

    Situation: one sentence, as the table of runtimes shows it
    Catches: the naive behaviour of a runtime that makes the program fail
    env: NAME=VALUE ...         settings; OMP_NUM_THREADS is 4 unless this line sets it
    flags: ...                  for the compiler; {dir} is the folder of everything that was built
    library: NAME SOURCE ...    {dir}/NAME is made of SOURCE (in library/), with more flags
    preload: yes                the runtime is preloaded, instead of being found by the library path
    limit: 60                   seconds after which the program counts as hanging; 20 without this line
    command: prlimit --nproc=20 the command that starts the program
"""

import contextlib
import os
import pathlib
import re
import resource
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = ROOT / "build" / "situations"

COMPILERS = {".c": ["gcc", "-std=gnu11"], ".cpp": ["g++", "-std=gnu++17"], ".f90": ["gfortran"]}
# Warnings are errors if WERROR=1 is set, as in CI.
WERROR = ["-Werror"] if os.environ.get("WERROR") == "1" else []
FLAGS = ["-fopenmp", "-O2", "-g", "-Wall", *WERROR, "-I", str(HERE)]
HEAD_LINE = re.compile(r"^(?://|#(?= |$)|!(?= |$)) ?(.*)$")
WORD = re.compile(r"^(Situation|Catches|env|flags|library|preload|limit|command): *(.*)$")
DEFAULT_LIMIT_S = 20
SKIPPED = 77


@dataclass
class Outcome:
    kind: str  # ok, skipped, wrong, hang, crash
    detail: str = ""
    output: str = field(default="", repr=False)

    @property
    def cell(self):
        """The result as the table shows it."""
        if self.kind in ("ok", "hang"):
            return self.kind + (f" ({self.detail})" if self.detail else "")
        if self.detail.startswith("spins "):
            return self.detail
        return f"{self.kind}{' ' if self.kind == 'crash' else ': '}{self.detail}"


def read_head(source):
    """The words of the first comment; `library` may come more than once, so every value is a list."""
    words, last = {}, None
    for line in source.read_text().splitlines():
        if line.startswith("#!"):
            continue
        comment = HEAD_LINE.match(line)
        if not comment:
            break
        found = WORD.match(comment[1])
        if found:
            last = words.setdefault(found[1], [])
            last.append(found[2].strip())
        elif last and comment[1].strip():
            last[-1] += " " + comment[1].strip()
        else:
            last = None
    return words


class Situation:
    def __init__(self, source):
        self.source = source
        self.name = str(source.relative_to(HERE).with_suffix(""))
        self.head = read_head(source)
        for needed in ("Situation", "Catches"):
            if needed not in self.head:
                raise SystemExit(f"{source}: its head has no line '{needed}: ...'; tests/situations/README.md says what it is for")

    def word(self, name, default=""):
        return self.head.get(name, [default])[0]

    @property
    def sentence(self):
        return self.word("Situation").rstrip(".")

    @property
    def limit_s(self):
        return float(self.word("limit", str(DEFAULT_LIMIT_S)))

    @property
    def binary(self):
        return BUILD / self.name.replace("/", "-")

    def build(self):
        """Compiles what is out of date; returns the compiler's complaint, or nothing."""
        BUILD.mkdir(parents=True, exist_ok=True)
        for line in self.head.get("library", []):
            name, source, *flags = shlex.split(line.replace("{dir}", str(BUILD)))
            complaint = compile_source(HERE / "library" / source, BUILD / name, ["-shared", "-fPIC", *flags])
            if complaint:
                return complaint
        if self.source.suffix == ".py":
            return ""
        flags = shlex.split(self.word("flags").replace("{dir}", str(BUILD)))
        return compile_source(self.source, self.binary, flags)

    def command(self):
        program = [sys.executable, str(self.source)] if self.source.suffix == ".py" else [str(self.binary)]
        return shlex.split(self.word("command")) + program

    def environment(self, runtime):
        """The caller's own settings must not change what a program sees."""
        foreign = ("OMP_", "GOMP_", "KMP_", "LIBOMP_", "TEFF_", "LD_", "SITUATIONS_")
        env = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
        env["OMP_NUM_THREADS"] = "4"
        env["PYTHONPATH"] = str(HERE)
        env["SITUATIONS_DIR"] = str(BUILD)
        env["SITUATIONS_RUNTIME"] = str(runtime.library)
        if self.word("preload") == "yes":
            env["LD_PRELOAD"] = str(runtime.library)
        elif runtime.directory:
            env["LD_LIBRARY_PATH"] = str(runtime.directory)
        env.update(word.split("=", 1) for word in shlex.split(self.word("env")))
        return env

    def run(self, runtime, extra_env=None):
        with tempfile.TemporaryDirectory(prefix="situation-") as place:
            env = self.environment(runtime) | (extra_env or {})
            return run_to_its_end(self.command(), env, place, self.limit_s)


def compile_source(source, target, flags):
    newest = max(p.stat().st_mtime for p in (source, HERE / "situation.py", *HERE.rglob("*.h")))
    if target.exists() and target.stat().st_mtime >= newest:
        return ""
    command = [*COMPILERS[source.suffix], *FLAGS, str(source), "-o", str(target), *flags, "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, cwd=BUILD)
    if done.returncode != 0:
        target.unlink(missing_ok=True)
        return f"{shlex.join(command)}\n{done.stdout}{done.stderr}"
    return ""


def without_core_files():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run_to_its_end(command, env, place, limit_s):
    """Runs the program in its own session. If it hangs, it is ended with all its children."""
    with tempfile.TemporaryFile() as output:
        began = time.monotonic()
        child = subprocess.Popen(command, env=env, cwd=place, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                 start_new_session=True, preexec_fn=without_core_files)  # noqa: PLW1509  (it only sets a limit)
        hung = False
        try:
            child.wait(limit_s)
        except subprocess.TimeoutExpired:
            hung = True
        cpu_s = processor_time_of_session(child.pid) if hung else 0
        kill_session(child.pid)
        child.wait()
        output.seek(0)
        text = output.read().decode(errors="replace")
        return judge(child.returncode, hung, text, cpu_s / (time.monotonic() - began))


def kill_session(leader):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


def processor_time_of_session(leader):
    """The processor time, in seconds, of all living processes of the session."""
    total, ticks_per_s = 0, os.sysconf("SC_CLK_TCK")
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has just ended
        if int(fields[3]) == leader:
            total += (int(fields[11]) + int(fields[12])) / ticks_per_s
    return total


def judge(status, hung, text, load):
    if hung:
        return Outcome("hang", f"burns {load:.1f} processors" if load > 0.3 else "", text)
    if status == 0:
        said = re.findall(r"^note: (.*)$", text, re.MULTILINE)
        return Outcome("ok", said[0] if said else "", text)
    if status < 0:
        return Outcome("crash", signal.Signals(-status).name, text)
    said = re.findall(r"^(wrong: .*|spins .*|skipped: .*)$", text, re.MULTILINE)
    detail = said[0].removeprefix("wrong: ").removeprefix("skipped: ") if said else f"exit status {status}"
    return Outcome("skipped" if status == SKIPPED else "wrong", detail, text)


def find_situations(pattern=""):
    sources = sorted(p for p in HERE.glob("*/*") if p.suffix in (*COMPILERS, ".py") and p.parent.name != "library")
    return [s for s in map(Situation, sources) if re.search(pattern, s.name)]
