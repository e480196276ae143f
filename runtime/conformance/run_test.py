#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the runner itself: it must report correctly which programs pass, fail, hang and do not
build.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PASSING = '// env: OMP_MAX_TASK_PRIORITY=7\n#include "check.h"\nint main(void) { CHECK_EQ(omp_get_max_task_priority(), 7); }\n'
FAILING = '#include "check.h"\nint main(void) { CHECK_EQ(omp_get_max_threads(), -1); }\n'
HANGING = '#include "check.h"\nint main(void) { for (;;) pause(); }\n'
MUTE = "#include <unistd.h>\nint main(void) { for (;;) pause(); }\n"
CRASHING = "int main(void) { __builtin_trap(); }\n"
STOCK_FAULT = "// stock: fails, by decree\nint main(void) { return 1; }\n"
OVERRUN = "#include <stdlib.h>\nint main(int n, char **a) { volatile char *p = malloc(4); (void)a; p[3 + n] = 0; free((char *)p); }\n"
EMULATED = "// emulated: by decree\nint main(void) { return 1; }\n"
BROKEN = "int main(void) { return missing; }\n"


class RunnerTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.home = pathlib.Path(self.folder.name)
        for name in ["run.py", "check.h"]:
            (self.home / name).write_text((HERE / name).read_text())
        (self.home / "sample").mkdir()

    def run_on(self, source, *arguments):
        (self.home / "sample/program.c").write_text(source)
        return subprocess.run([sys.executable, self.home / "run.py", "--out", self.home / "out", "--threads", "2",
                               "--timeout", "1", *arguments], capture_output=True, text=True, timeout=60, check=False)

    def check(self, done, status, *texts):
        for text in texts:
            self.assertIn(text, done.stdout + done.stderr)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)

    def test_passing_program_gets_its_environment(self):
        os.environ["OMP_MAX_TASK_PRIORITY"] = "3"  # the caller's settings do not leak in
        self.addCleanup(os.environ.pop, "OMP_MAX_TASK_PRIORITY")
        self.check(self.run_on(PASSING), 0, "1 passed, 0 failed")

    def test_failing_check_names_its_place_and_values(self):
        self.check(self.run_on(FAILING), 1, "FAIL sample/program.c threads=2", "program.c:2: failed in thread 0 of 1",
                   "found 2, expected -1", "0 passed, 1 failed")

    def test_watchdog_ends_a_hang(self):
        self.check(self.run_on(HANGING), 1, "watchdog: the program hangs", "0 passed, 1 failed")

    def test_time_out_ends_a_program_without_watchdog(self):
        self.check(self.run_on(MUTE), 1, "no end after 3 s", "0 passed, 1 failed")

    def test_crash_names_its_signal(self):
        self.check(self.run_on(CRASHING), 1, "killed by SIGILL", "0 passed, 1 failed")

    def test_fault_of_the_stock_library_is_skipped_there_only(self):
        self.check(self.run_on(STOCK_FAULT), 0, "skip sample/program.c: libgomp 12 fails, by decree", "0 passed, 0 failed")
        (self.home / "libgomp.so.1").symlink_to("/usr/lib/x86_64-linux-gnu/libgomp.so.1")
        self.check(self.run_on(STOCK_FAULT, "--lib", str(self.home)), 1, "0 passed, 1 failed")

    def test_sanitizer_sees_what_the_program_alone_survives(self):
        self.check(self.run_on(OVERRUN), 0, "1 passed, 0 failed")
        library = subprocess.check_output(["gcc", "-print-file-name=libgomp.so.1"], text=True)
        where = str(pathlib.Path(library.strip()).resolve().parent)
        (self.home / "out/sample-program-c").unlink()
        self.check(self.run_on(OVERRUN, "--sanitize", "address", "--lib", where), 1, "heap-buffer-overflow",
                   "0 passed, 1 failed")

    def test_program_that_does_not_build_counts_as_failed(self):
        self.check(self.run_on(BROKEN), 1, "does not build", "missing", "0 passed, 1 failed")

    def test_repeat_runs_rounds(self):
        self.check(self.run_on(PASSING, "--repeat", "3"), 0, "3 passed, 0 failed")

    def test_program_for_another_processor_runs_under_its_emulator(self):
        tools = self.home / "tools"
        tools.mkdir()
        for name, text in [("odd-linux-gcc", 'exec gcc "$@"'), ("qemu-odd-static", 'echo "$1 $2"; shift 2; exec "$@"')]:
            (tools / name).write_text(f"#!/bin/sh\n{text}\n")
            (tools / name).chmod(0o755)
        path = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", path)
        os.environ["PATH"] = f"{tools}:{path}"
        self.check(self.run_on(FAILING, "--cross", "odd-linux"), 1, "    -L /usr/odd-linux", "found 2, expected -1")
        self.check(self.run_on(EMULATED, "--cross", "odd-linux", "--table"), 0, "sample               1         0         0         1",
                   "skipped: sample/program.c: not under emulation: by decree", "0 passed, 0 failed")
        self.check(self.run_on(PASSING, "--cross", "odder-linux"), 1, "does not build")

    def test_table_has_a_row_for_each_folder(self):
        self.check(self.run_on(PASSING, "--table"), 0, "sample               1         1         0         0",
                   "all                  1         1         0         0")

    def test_wrong_arguments_say_what_to_do(self):
        self.check(self.run_on(PASSING, "--lib", "/nowhere"), 1, "no libgomp.so.1 in /nowhere")
        self.check(self.run_on(PASSING, "--filter", "nothing"), 1, "no program matches 'nothing'")


if __name__ == "__main__":
    unittest.main()
