# SPDX-License-Identifier: Apache-2.0
"""Tests what teff prints on terminals: on simple ones, on narrow ones, and without colours."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import unittest

from harness import LIMIT_S, PROGRAMS, TEFF, ProductTest, environment

PROGRESS = f"{'reading':16}"
ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class Terminals(ProductTest):
    def setUp(self):
        super().setUp()
        try:
            for end in pty.openpty():
                os.close(end)
        except OSError as error:
            self.skipTest(f"no terminal can be made here (/dev/ptmx, /dev/pts): {error}")
        self.recording = self.record(self.compile(PROGRAMS / "ending.c"))

    def shown(self, *words, columns=80, env=None):
        """What the command sends to a terminal of this width."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        child = subprocess.Popen([TEFF, *words], env=env, stdin=theirs, stdout=theirs, stderr=theirs)
        self.addCleanup(child.kill)
        os.close(theirs)
        shown = b"".join(self.parts(ours))
        os.close(ours)
        self.assertEqual(child.wait(timeout=LIMIT_S), 0)
        return shown.decode()

    def parts(self, terminal):
        """The output until the other end is closed, which Linux reports as an error."""
        while select.select([terminal], [], [], LIMIT_S)[0]:
            try:
                yield os.read(terminal, 1 << 16)
            except OSError:
                return
        self.fail(f"nothing for {LIMIT_S} s")

    def test_colours_and_progress_go_to_terminals_that_show_them(self):
        shown = self.shown("report", self.recording, env=environment(TERM="xterm"))
        self.assertIn("\x1b[1m", shown)
        self.assertIn(PROGRESS, shown)

    def test_a_model_shows_how_many_runs_it_has_done(self):
        words = ["predict", "--machine", "two-cores", "--threads", "2", self.recording]
        self.assertIn(" of 2 runs, ", ESCAPE.sub("", self.shown(*words, env=environment(TERM="xterm"))))
        self.assertNotIn(" of 2 runs", self.shown(*words, env=environment(TERM="dumb")))

    def test_a_simple_terminal_gets_plain_text(self):
        without = environment()
        without.pop("TERM", None)
        for env in (environment(TERM="dumb"), environment(TERM=""), without):
            for words in (["report"], ["view", "--html", self.place / "page.html"]):
                shown = self.shown(*words, self.recording, env=env)
                self.assertNotIn("\x1b", shown)
                self.assertNotIn(PROGRESS, shown)

    def test_colours_can_be_declined(self):
        shown = self.shown("report", self.recording, env=environment(TERM="xterm", NO_COLOR="1"))
        self.assertIn("\x1b[2K", shown)  # the line of progress is cleared
        self.assertNotIn("m", {sequence[-1] for sequence in ESCAPE.findall(shown)})

    def test_progress_keeps_to_one_line(self):
        for columns in (40, 60, 200):
            env = environment(TERM="xterm")
            shown = self.shown("view", "--html", "/dev/null", self.recording, columns=columns, env=env)
            for line in re.split(r"[\r\n]+", ESCAPE.sub("", shown)):
                self.assertLessEqual(len(line), columns)

    def test_escape_sequences_of_arguments_stay_out(self):
        binary = self.compile(PROGRAMS / "ending.c")
        command = ["record", "-o", self.place / "a.teff", "--", binary, "0", "\x1b[31mred"]
        for words in (command, ["report", self.place / "a.teff"]):
            self.assertNotIn("\x1b[31m", self.shown(*words, env=environment(TERM="xterm")))

    def test_no_home_and_a_plain_locale(self):
        env = environment(TERM="xterm", LC_ALL="C")
        env.pop("HOME", None)
        self.assertIn("parallelism", self.shown("report", self.recording, env=env))

    def test_the_interrupt_key_reaches_a_program_in_a_group_of_its_own(self):
        words = [TEFF, "record", "-o", self.place / "key.teff", "--", "timeout", "60", "sh", "-c", "echo ready; exec sleep 50"]
        child, terminal = pty.fork()
        if child == 0:
            os.execve(TEFF, [str(word) for word in words], environment())
        for part in self.parts(terminal):
            if b"ready" in part:
                break
        os.write(terminal, b"\x03")
        rest = b"".join(self.parts(terminal))
        os.close(terminal)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 128 + signal.SIGINT, rest)


if __name__ == "__main__":
    unittest.main()
