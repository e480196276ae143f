# SPDX-License-Identifier: Apache-2.0
"""Builds a test once and runs it on each runtime. No process outlives its time limit, and none
survives Ctrl-C."""

import contextlib
import dataclasses
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import threading

BUILD_LIMIT_S = 300
SETTINGS = ("OMP_", "GOMP_", "KMP_", "TEFF_", "LD_", "GFORTRAN_")  # of the calling shell: a test must not see them


@dataclasses.dataclass(frozen=True)
class Runtime:
    name: str
    folder: pathlib.Path | None  # holds libgomp.so.1 and libgomp.so; None: where the system finds it
    launcher: tuple = ()  # the words before the program


@dataclasses.dataclass(frozen=True)
class Outcome:
    verdict: str  # "pass", or what went wrong in a few words
    output: str = ""

    @property
    def passed(self):
        return self.verdict == "pass"


class Interrupted(Exception):
    """The user has stopped the script; raised instead of starting a process."""


class Processes:
    """The running processes, so that all can be ended at once."""

    def __init__(self):
        self._lock = threading.Lock()
        self._running = set()
        self._stopped = False

    def run(self, command, environment, folder, limit_s):
        """Returns (status, output); the status is None if the time was up."""
        # A session of its own, so that what the test forked ends with it.
        with self._lock:
            if self._stopped:
                raise Interrupted
            child = subprocess.Popen(command, env=environment, cwd=folder, stdin=subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
                                     preexec_fn=_no_core_file)  # noqa: PLW1509  (it only sets a limit)
            self._running.add(child)
        try:
            output, _ = child.communicate(timeout=limit_s)
            status = child.returncode
        except subprocess.TimeoutExpired:
            _end(child)
            output, status = child.communicate()[0], None
        finally:
            with self._lock:
                self._running.discard(child)
            _end(child)
        return status, output.decode(errors="replace")

    def stop(self):
        with self._lock:
            self._stopped = True
            for child in self._running:
                _end(child)


def _no_core_file():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _end(child):
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)


def prepare(runtime_name, library, work):
    """A folder in which `library` has the names for which programs and the linker look."""
    folder = work / "runtimes" / runtime_name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in ("libgomp.so.1", "libgomp.so"):
        (folder / name).symlink_to(library.resolve())
    return Runtime(runtime_name, folder)


OPEN_MPI = ("mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "3")
MPICH = ("mpirun.mpich", "-n", "3")
# Two devices each.
TRANSPORTS = {"sockets": ((), "2"), "openmpi": (OPEN_MPI, "ranks"), "mpich": (MPICH, "ranks")}


def on_devices(transport, teff):
    """The program on the runtime that belongs to the command `teff`, with devices."""
    launcher, devices = TRANSPORTS[transport]
    return Runtime(transport, None, (*launcher, str(teff), "run", "--devices", devices, "--"))


def clean_environment():
    environment = {name: value for name, value in os.environ.items() if not name.startswith(SETTINGS)}
    return environment | {"LC_ALL": "C", "LANG": "C"}


class Executor:
    def __init__(self, include_folders, time_limit_s, threads):
        self.include_folders = include_folders
        self.time_limit_s = time_limit_s
        self.threads = threads
        self.processes = Processes()

    def build(self, test, folder):
        """Makes `folder`/program, unless the same command already did; returns the compiler's complaint or None."""
        folder.mkdir(parents=True, exist_ok=True)
        command = test.command(self.include_folders, folder / "program")
        return self._compile(command, folder, "command")

    def _compile(self, command, folder, record_name):
        record = folder / record_name
        text = "\n".join(command)
        if record.exists() and record.read_text() == text:
            return None
        status, output = self.processes.run(command, clean_environment(), folder, BUILD_LIMIT_S)
        if status != 0:
            return output or f"no end after {BUILD_LIMIT_S} s"
        record.write_text(text)
        return None

    def run(self, test, runtime, folder):
        if test.asked.action == "link":
            return self._link(test, runtime, folder)
        environment = self._environment(test, runtime)
        limit_s = (test.asked.time_limit_s or self.time_limit_s) * test.asked.time_factor
        command = [*runtime.launcher, str(folder / "program")]
        status, output = self.processes.run(command, environment, folder, limit_s)
        return judge(test.asked, status, output, limit_s)

    def _link(self, test, runtime, folder):
        command = test.command(self.include_folders, folder / "program")
        if runtime.folder:
            command += ["-L", str(runtime.folder)]
        complaint = self._compile(command, folder, f"command-{runtime.name}")
        return Outcome("does not link", complaint) if complaint else Outcome("pass")

    def _environment(self, test, runtime):
        environment = clean_environment()
        if self.threads:
            environment["OMP_NUM_THREADS"] = str(self.threads)
        if runtime.folder:
            environment["LD_LIBRARY_PATH"] = str(runtime.folder)
        return environment | test.asked.environment


def judge(asked, status, output, limit_s):
    if status is None:
        return Outcome(f"no end after {limit_s:g} s", output)
    if asked.should_fail:
        if status == 0:
            return Outcome("exit status 0, should fail", output)
    elif status != 0:
        return Outcome(describe_status(status), output)
    if asked.output and not re.search(asked.output, output, re.DOTALL):  # as in Tcl, where a dot matches the end of a line
        return Outcome("other output", f"{output}\n-- does not match --\n{asked.output}\n")
    return Outcome("pass", output)


def describe_status(status):
    return f"exit status {status}" if status >= 0 else signal.Signals(-status).name
