# SPDX-License-Identifier: Apache-2.0
"""Tests that the program does not notice when a system call of the recorder fails, whichever call
and whichever error.

A program that watches itself is recorded once, to see which calls the recorder makes. Then each of
these calls is made to fail with each error that the call can give, and with the signal that
accompanies the error, if any: in one recording per call and error. A call that was not in the list
is tested separately.

All of this takes minutes, and happens only if TEFF_TEST_ALL is set, as ./run soak does. By default
the test is shorter: the first call of each kind is made to fail with every possible error, in one
recording per error, and each of the next calls of its kind with one error only, a different one
from call to call.
"""

import collections
import concurrent.futures
import difflib
import errno
import itertools
import os
import re
import signal
import unittest

from recorder_harness import HERE, RECORDING, GuestTest, build, report, try_in

TASKS = 80_000  # more than one chunk
WATCH = [str(TASKS), "brief"]
LIBRARY = "libgomp.so.1.0.0"  # the file that the links lead to
ALWAYS = "ENOSYS EPERM"  # what filters of system calls answer
OTHERS = "EACCES EAGAIN EBADF EINTR EINVAL EIO ENOMEM"
ERRORS = {
    "clock_gettime": "EINVAL",  # ENOSYS and EPERM beside
    "clone": "EAGAIN EINVAL ENOMEM",
    "close": "EBADF EINTR EIO ENOSPC EDQUOT",
    "close_range": "EINVAL EMFILE ENOMEM",
    "exit": "",  # does not return
    "faccessat": "EACCES ELOOP ENAMETOOLONG ENOENT EIO ENOMEM EROFS",
    "fallocate": "EBADF EFBIG/SIGXFSZ EDQUOT EINTR EINVAL EIO ENODEV ENOSPC EOPNOTSUPP ETXTBSY",
    "fchmod": "EIO EROFS",
    "fchmodat": "EACCES EIO ENOENT EROFS",
    "fstat": "EBADF ENOMEM EOVERFLOW",
    "fstatfs": "EBADF EINTR EIO ENOMEM EOVERFLOW",
    "futex": "EAGAIN EINTR ETIMEDOUT",
    "getcwd": "EACCES ENOENT ENAMETOOLONG ENOMEM ERANGE",
    "getdents64": "EBADF EINVAL EIO ENOENT",
    "getpid": None,  # cannot fail
    "gettid": None,
    "madvise": "EACCES EAGAIN EBADF EFAULT EHWPOISON EINVAL EIO ENOMEM",
    "mkdirat": "EACCES EDQUOT EEXIST ELOOP EMLINK ENAMETOOLONG ENOENT ENOMEM ENOSPC ENOTDIR EROFS",
    "mmap": "EACCES EAGAIN EBADF EINVAL ENFILE ENODEV ENOMEM ETXTBSY",
    "munmap": "EINVAL ENOMEM",
    "newfstatat": "EACCES ELOOP ENAMETOOLONG ENOENT ENOMEM ENOTDIR EOVERFLOW",
    "openat": "EACCES EDQUOT EEXIST EINTR EIO EISDIR ELOOP EMFILE ENAMETOOLONG ENFILE ENODEV "
    "ENOENT ENOMEM ENOSPC ENOTDIR EOVERFLOW EROFS ESTALE ETXTBSY",
    "perf_event_open": "E2BIG EACCES EBUSY EINVAL EMFILE ENODEV ENOENT ENOMEM EOPNOTSUPP ESRCH",
    "ppoll": "EFAULT EINTR EINVAL ENOMEM",
    "prctl": "EINVAL EACCES",
    "pwrite64": "EBADF EDQUOT EFBIG/SIGXFSZ EINTR EIO ENOSPC EPIPE/SIGPIPE",
    "read": "EAGAIN EBADF EINTR EINVAL EIO EISDIR",
    "readlinkat": "EACCES EINVAL EIO ELOOP ENOENT ENOMEM ENOTDIR",
    "renameat": "EACCES EBUSY EDQUOT EEXIST EIO ENOENT ENOMEM ENOSPC EROFS EXDEV",
    "rt_sigprocmask": "EFAULT EINVAL",
    "sched_yield": None,
    "tgkill": "ESRCH EAGAIN",
    "uname": "EFAULT",
    "unlinkat": "EACCES EBUSY EIO ENOENT ENOTEMPTY EROFS",
    "write": "EAGAIN EBADF EDQUOT EFBIG/SIGXFSZ EINTR EIO ENOSPC EPIPE/SIGPIPE",
}
EHWPOISON = 133  # Python has no name for it
ALL = "TEFF_TEST_ALL" in os.environ
# If a call is made more often, only its first ones are tested.
MOST_OF_ONE = 60 if ALL else 12
WORKERS = os.cpu_count() or 2


def call_names():
    header = "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"
    with open(header, encoding="ascii") as file:
        return {
            int(number): name
            for name, number in re.findall(r"#define __NR_(\w+) (\d+)", file.read())
        }


NAMES = call_names()
NUMBERS = {name: number for number, name in NAMES.items()}


def errors_of(name):
    """(errno, signal) pairs."""
    words = ERRORS.get(name, OTHERS)
    for word in () if words is None or not words else f"{words} {ALWAYS}".split():
        error, _, raised = word.partition("/")
        yield getattr(errno, error, EHWPOISON), int(getattr(signal, raised)) if raised else 0


def fault(name, which, error, raised=0):
    return f"{NUMBERS[name]}:{which}:{error}:{raised}"


# When the library is loaded, the module for control groups looks for groups that limit the memory.
# It reads two files, in a number of pieces that depends on their sizes.
AT_LOAD = {"openat": 2, "close": 2}
# The program counts its threads again while one of the recorder's has not ended (watch_state.c).
COUNTS_THREADS = {"openat": 1, "newfstatat": 1, "getdents64": 2, "close": 1}


def calls_with_files(calls):
    """The number of calls of each kind. The numbers of calls for memory and of waiting threads vary
    from run to run."""
    known = (
        "openat",
        "open",
        "close",
        "read",
        "write",
        "fstat",
        "newfstatat",
        "mkdir",
        "unlink",
        "rename",
        "access",
        "fallocate",
        "ftruncate",
        "getcwd",
        "lseek",
        "fcntl",
        "dup",
        "getdents64",
        "readlink",
        "chmod",
    )
    return collections.Counter(name for name, _ in calls if name in known)


def difference(alone, trial):
    lines = difflib.unified_diff(alone.out.splitlines(), trial.out.splitlines(), n=0, lineterm="")
    return [alone.status, trial.status, trial.err, trial.files, *list(lines)[3:]]


class Host:
    """The way in which the program is run in one sweep."""

    def __init__(self, test, name, faults=(), prepare=lambda folder: None, prefix=(), env=None):
        self.test, self.faults, self.prepare, self.prefix, self.name = (
            test,
            list(faults),
            prepare,
            list(prefix),
            name,
        )
        self.env = env
        self.numbers = itertools.count()
        self.inject, self.watch = test.injector, test.watch
        self.alone, _, calls = self.run(recorded=False)
        self.calls_alone = calls["o"]
        test.assertEqual(calls["r"], [], "without a recording there is no recorder")

    def run(self, *faults, recorded=True):
        """A run, its folder, and the calls of the recorder (r) and of others (o)."""
        folder = self.test.folder(f"{self.name}-{next(self.numbers)}")
        self.prepare(folder)
        log = folder.with_suffix(".calls")
        command = [self.inject, LIBRARY, log, *self.faults, *faults, "--", self.watch, *WATCH]
        trial = try_in(folder, command, recorded, prefix=self.prefix, env=self.env)
        calls = {"r": [], "o": []}
        for line in log.read_text().splitlines():
            whose, number, which = line.split()
            calls[whose].append((NAMES[int(number)], int(which)))
        return trial, folder, calls

    def plan(self, only=None, most=MOST_OF_ONE):
        """Each fault of the sweep."""
        _, _, calls = self.run()
        more = calls_with_files(calls["o"])
        more.subtract(calls_with_files(self.calls_alone))
        self.test.assertGreaterEqual(more.pop("read"), 2)
        for _ in range(more["newfstatat"]):
            more.subtract(COUNTS_THREADS)
        self.test.assertEqual(
            {name: count for name, count in more.items() if count != 0},
            AT_LOAD,
            "the recorder makes all its calls itself",
        )
        for name, which in calls["r"]:
            if (only is None or name in only) and which <= most:
                errors = list(errors_of(name))
                if which > 1 and errors and not ALL:
                    errors = [errors[which % len(errors)]]
                for error, raised in errors:
                    yield fault(name, which, error, raised)

    def check(self, injected):
        """A description of what is wrong with a run with this fault; empty if nothing is."""
        trial, folder, _ = self.run(injected)
        if trial.seen != self.alone.seen:
            return f"{injected}: {difference(self.alone, trial)}"
        recording = folder / RECORDING
        if not (recording / "meta.json").exists():
            return None
        facts = report(recording)
        if facts is None:
            return f"{injected}: the recording cannot be read"
        whole = facts["grains"]["tasks"] == TASKS + 2  # and two in the region
        if (
            not whole
            and facts["complete"]
            and not any("could not store" in note for note in facts["notes"])
        ):
            return f"{injected}: {facts['grains']['tasks']} tasks and not a word"
        return None


class Faults(GuestTest):
    def setUp(self):
        super().setUp()
        self.watch = build("watch", "watch.c", "watch_state.c")
        self.injector = build("inject", HERE / "inject.c", flags=())

    def sweep(self, host, **which):
        plan = sorted(set(host.plan(**which)))
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            wrong = [problem for problem in pool.map(host.check, plan) if problem]
        print(f"{host.name}: {len(plan)} faults", end=" ", flush=True)
        self.assertFalse(wrong, "\n".join(wrong))
        return plan

    def test_each_call(self):
        plan = self.sweep(Host(self, "plain"))
        swept = {NAMES[int(fault.split(":")[0])] for fault in plan}
        for name in (
            "openat",
            "mmap",
            "fallocate",
            "clone",
            "rt_sigprocmask",
            "write",
            "close_range",
            "mkdirat",
            "perf_event_open",
        ):
            self.assertIn(name, swept)

    def test_each_call_that_samples_take(self):
        self.sweep(
            Host(self, "samples", env={"TEFF_TRACE_SAMPLES": "997"}),
            only={"perf_event_open", "mmap", "munmap", "clone"},
        )

    def test_each_call_that_a_relative_path_takes(self):
        self.sweep(Host(self, "relative", env={"TEFF_TRACE": RECORDING}), only={"getcwd"})

    def test_each_call_that_a_folder_which_is_there_takes(self):
        host = Host(
            self, "folder", prepare=lambda folder: (folder / RECORDING).mkdir(exist_ok=True)
        )
        self.sweep(host, only={"getdents64", "close", "newfstatat", "mkdirat"})

    def test_each_call_that_a_strict_umask_takes(self):
        host = Host(self, "umask", prefix=["sh", "-c", 'umask 777; exec "$@"', "sh"])
        self.sweep(host, only={"fchmod", "fchmodat"})

    def test_each_call_where_the_disk_cannot_reserve(self):
        host = Host(self, "zeros", faults=[fault("fallocate", 0, errno.EOPNOTSUPP)])
        self.sweep(host, only={"pwrite64"}, most=2)

    def test_each_call_of_a_kernel_without_close_range(self):
        host = Host(self, "copy", faults=[fault("close_range", 0, errno.ENOSYS)])
        self.sweep(host, only={"clone", "close_range"})

    def test_each_call_that_telling_of_a_full_disk_takes(self):
        host = Host(self, "full", faults=[fault("fallocate", 0, errno.ENOSPC)])
        self.sweep(host, only={"ppoll", "write", "fstat"})


if __name__ == "__main__":
    unittest.main()
