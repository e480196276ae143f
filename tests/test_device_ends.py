# SPDX-License-Identifier: Apache-2.0
"""Ends of runs with devices, over sockets and in ranks of MPI, that functions of the program take part in: handlers of
signals, exit handlers, destructors, exit in a thread that waits for no device, and programs that the program starts."""

import pathlib
import shlex
import shutil

from harness import TEFF, ProductTest, environment, run

SOURCES = pathlib.Path(__file__).parent / "devices"
LIMIT_S = 40 # the longest run takes 8 s
LAUNCHERS = {
    "sockets": (TEFF, "run", "--devices", 2, "--"),
    "openmpi": ("mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", 3, TEFF, "run", "--"),
    "mpich": ("mpirun.mpich", "-n", 3, TEFF, "run", "--"),
}


class Handlers(ProductTest):
    def setUp(self):
        super().setUp()
        self.program = self.compile(SOURCES / "ends_in_handlers.cpp")

    def each(self, *words):
        """The finished runs over each transport that this machine has."""
        for name, command in LAUNCHERS.items():
            if shutil.which(command[0]):
                done = run([*command, self.program, *words], environment(TEFF_DEVICE_PATIENCE="1"), LIMIT_S, self.place)
                self.assertNotIn("not reached", done.text, (name, words))
                yield name, done

    def test_a_device_that_does_not_end_by_itself_does_not_change_the_status(self):
        for how, status in (("thread", 0), ("handler-in-device", 4)):
            for name, done in self.each(how):
                self.assertEqual(done.status, status, (name, how, done.text))
                self.assertIn("output", done.text, (name, how))
                self.assertNotIn("teff", done.text, (name, how))

    def test_threads_that_use_a_device_leave_no_message_behind(self):
        if not shutil.which("mpirun.mpich"):
            self.skipTest("no mpirun.mpich (Debian: mpich)")
        for _ in range(6): # UCX then complains, if the message came in a short moment
            done = run([*LAUNCHERS["mpich"], self.program, "threads"], None, LIMIT_S, self.place)
            self.assertEqual((done.status, done.text), (4, "output"))

    def test_a_region_ends_its_thread(self):
        source = self.place / "leaves.c"
        source.write_text("#include <pthread.h>\nint main(void) {\n#pragma omp target\npthread_exit(NULL);\nreturn 0;\n}\n")
        self.program = self.compile(source)
        for name, done in self.each():
            self.assertNotEqual(done.status, 0, name)
            self.assertIn("device 0: a target region has ended the thread that runs it", done.text, name)
            self.assertIn("has ended during a target region at leaves+0x", done.text, name)

    def test_a_handler_of_a_signal_exits(self):
        for _ in range(2): # the thread is in a call of MPI most of the time, not always
            for name, done in self.each("signal"):
                self.assertEqual(done.status, 5, (name, done.text))
                self.assertIn("output", done.text, name)

    def test_a_destructor_uses_the_device_that_its_thread_has_in_use(self):
        for how, saying in (("device", "during a target region at ends_in_handlers+0x"), ("overlap", "item 1 of its map clauses"),
                            ("signal-in-region", "has interrupted this thread")):
            for name, done in self.each(how, "destructor"):
                self.assertEqual(done.status, 1, (name, how, done.text))
                self.assertIn("destructor\n", done.text, (name, how))
                self.assertEqual(done.text.count("teff: fatal: "), 1, (name, how, done.text))
                self.assertIn(saying, done.text, (name, how))
                self.assertNotIn("twice", done.text, (name, how))


class Started(ProductTest):
    """What the program of a rank starts has the launcher's variables, but is no rank."""

    def test_teff_in_a_program_of_a_rank(self):
        program = self.compile(SOURCES / "starts.c")
        first = "2 devices, on a device\n"
        for name, command in LAUNCHERS.items():
            if name == "sockets" or not shutil.which(command[0]):
                continue
            for options, said in ((("--",), "0 devices, on the host\nstatus 0\n"),
                                  (("--devices", "1", "--"), "1 devices, on a device\nstatus 0\n")):
                done = run([*command, program, shlex.join(map(str, (TEFF, "run", *options, program)))], None, LIMIT_S, self.place)
                self.assertEqual((done.status, done.text), (0, first + said), name)
            done = run([*command, program, shlex.join(map(str, (TEFF, "run", "--devices", "ranks", "--", program)))], None,
                       LIMIT_S, self.place)
            self.assertIn("has the ranks already", done.text, name)
            self.assertIn("status 1\n", done.text, name)
