# SPDX-License-Identifier: Apache-2.0
"""Runs one program once. Returns the last line that the program printed, the processor time that
the program used, and an error if there was one.
"""

import contextlib
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass, field

FINAL_LINE = re.compile(r"^(\S+) size=(\S+) time_s=(\S+) result=(\S+)((?: \S+=\S+)*)$")
MESSAGE_BYTES = 300


@dataclass
class Outcome:
    failure: str = ""  # empty: it ran and its line was read
    time_s: float = 0.0  # what the program says about its parallel part
    process_s: float = 0.0  # from start to end of the process
    cpu_s: float = 0.0  # user + system
    peak_rss_kib: int = 0
    tasks: int = 0
    result: str = ""
    figures: dict = field(default_factory=dict)  # what else the program measured, by name


def parse_final_line(text):
    """The last line that a workload prints, as an Outcome; None if there is no such line."""
    lines = text.strip().splitlines()
    match = FINAL_LINE.match(lines[-1]) if lines else None
    if not match:
        return None
    more = dict(pair.split("=", 1) for pair in match.group(5).split())
    return Outcome(
        time_s=float(match.group(3)),
        result=match.group(4),
        tasks=int(more.get("tasks", 0)),
        peak_rss_kib=int(more.get("peak_rss_kib", 0)),
    )


class Deadline:
    """Kills a process group when its time is up."""

    def __init__(self, pid, limit_s):
        self.expired = False
        self._pid = pid
        self._timer = threading.Timer(limit_s, self._expire)

    def _expire(self):
        self.expired = True
        with contextlib.suppress(ProcessLookupError):  # it may end by itself just now
            os.killpg(self._pid, signal.SIGKILL)

    def __enter__(self):
        self._timer.start()
        return self

    def __exit__(self, *_):
        self._timer.cancel()


def describe_status(status, errors):
    code = os.waitstatus_to_exitcode(status)
    if code == 0:
        return ""
    what = f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"
    message = errors.strip().splitlines()
    return f"{what}: {message[-1][:MESSAGE_BYTES]}" if message else what


def wait_for(process, limit_s):
    """Returns (exit status, resource usage, whether it was killed for taking too long)."""
    with Deadline(process.pid, limit_s) as deadline:
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)  # we have reaped it, so Popen must not try
    return status, usage, deadline.expired


def read_back(file):
    file.seek(0)
    return file.read().decode(errors="replace")


def launch(command, environment, limit_s, cwd=None, read=parse_final_line):
    """Runs the command. `read` makes an Outcome from its output, or returns None if the output is wrong."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        start = time.monotonic()
        try:
            process = subprocess.Popen(
                command, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, cwd=cwd,
                start_new_session=True,
            )
        except OSError as error:
            return Outcome(failure=f"cannot run {command[0]}: {error.strerror}")
        status, usage, expired = wait_for(process, limit_s)
        process_s = time.monotonic() - start
        if expired:
            return Outcome(failure=f"took longer than {limit_s:g} s")
        failure = describe_status(status, read_back(errors))
        outcome = read(read_back(output))
    if failure:
        return Outcome(failure=failure)
    if not outcome:
        return Outcome(failure="printed no final line" if read is parse_final_line else "printed no figures")
    outcome.process_s = process_s
    outcome.cpu_s = usage.ru_utime + usage.ru_stime
    return outcome
