# SPDX-License-Identifier: Apache-2.0
"""Tests what counts as a hang: a program that waits for ever does, but one that gets no processor
time does not."""

import os
import subprocess
import sys
import time
import unittest
import unittest.mock

import execute

LIMIT_S = 0.3


def outcome_of(text):
    return execute.run_command([sys.executable, "-c", text], dict(os.environ), LIMIT_S)


class Hangs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        execute.BUILD.mkdir(parents=True, exist_ok=True)

    def tearDown(self):
        for path in execute.BUILD.glob("hang-*.txt"):
            path.unlink()

    def test_a_program_that_waits_for_ever(self):
        outcome = outcome_of("import threading; print('begun', flush=True); threading.Event().wait()")
        self.assertEqual(outcome.kind, "hang")
        self.assertIn("begun", outcome.text)
        self.assertTrue(list(execute.BUILD.glob("hang-*.txt")))

    def test_a_program_that_spins_for_ever(self):
        self.assertEqual(outcome_of("while True: pass").kind, "hang")

    def test_a_program_that_is_halted_for_longer_than_the_limit(self):
        halted = "import os, signal, time; {}; print('ok 1')"
        helper = "sleep 2.5; kill -CONT $0"
        halts = f"import subprocess; subprocess.Popen(['sh', '-c', '{helper}', str(os.getpid())], " \
                "start_new_session=True); os.kill(os.getpid(), signal.SIGSTOP)"
        self.assertEqual(outcome_of(halted.format(halts)).kind, "ok")

    def test_a_program_that_ends_while_it_is_judged(self):
        """It seems to hang, and has ended when its stacks are to be written."""

        def ends(pid, _):
            while any(state != "Z" for state, _ in execute.threads_of(pid)):
                time.sleep(0.01)
            return True

        with unittest.mock.patch.object(execute, "hangs", ends):
            self.assertEqual(outcome_of("import time; time.sleep(1.5); print('ok 1')").kind, "ok")

    def test_a_program_that_ends_with_another_status(self):
        self.assertEqual(outcome_of("raise SystemExit(3)").kind, "crash")

    def test_threads_are_those_of_the_session(self):
        with subprocess.Popen(["sleep", "60"], start_new_session=True) as child:
            self.assertEqual(len(execute.threads_of(child.pid)), 1)
            child.kill()
        self.assertEqual(execute.threads_of(child.pid), [])


if __name__ == "__main__":
    unittest.main()
