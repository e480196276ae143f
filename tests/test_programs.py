# SPDX-License-Identifier: Apache-2.0
"""Tests programs in several languages on Teff, and that teff passes on how they end."""

import json
import os
import signal
import subprocess
import sys
import unittest

from harness import PROGRAMS, TEFF, ProductTest, environment


class Languages(ProductTest):
    def test_fortran(self):
        done = self.teff("run", "--", self.compile(PROGRAMS / "sums.f90"), env=environment(3))
        self.assertEqual(done.out.split(), [b"5000050000", b"100", b"3"])

    def test_cxx(self):
        done = self.teff("run", "--", self.compile(PROGRAMS / "words.cpp"), env=environment(4))
        self.assertEqual(done.out, b"10 caught\n")

    def test_library_loaded_by_python(self):
        library = self.compile(PROGRAMS / "library.c", "-shared", "-fPIC")
        script = f"import ctypes; print(ctypes.CDLL({str(library)!r}).sum_of_squares(ctypes.c_long(1000)))"
        self.assertEqual(self.teff("run", "--", sys.executable, "-c", script).out, b"333833500\n")

    def test_recording_of_a_loaded_library_names_its_lines(self):
        library = self.compile(PROGRAMS / "library.c", "-shared", "-fPIC")
        script = f"import ctypes; ctypes.CDLL({str(library)!r}).sum_of_squares(ctypes.c_long(1000))"
        recording = self.record(sys.executable, "-c", script)
        facts = json.loads(self.teff("report", "--json", recording).out)
        self.assertEqual(facts["grains"]["chunks"], 10)
        self.assertTrue(any(site["file"].endswith("library.c") for site in facts["sites"]))


class Endings(ProductTest):
    def setUp(self):
        super().setUp()
        self.binary = self.compile(PROGRAMS / "ending.c")

    def test_exit_status(self):
        for verb in (["run"], ["record", "-o", self.place / "a.teff"]):
            for how, status in (("0", 0), ("3", 3), ("255", 255), ("exit-inside", 7)):
                with self.subTest(verb=verb[0], how=how):
                    self.teff(*verb, "--", self.binary, how, status=status)

    def test_death_by_signal(self):
        for how, number in (("abort", signal.SIGABRT), ("segv", signal.SIGSEGV)):
            with self.subTest(how=how):
                self.teff("run", "--", self.binary, how, status=-number)  # teff run becomes the program
                recording = self.place / f"{how}.teff"
                done = self.teff("record", "-o", recording, "--", self.binary, how, status=128 + number)
                self.assertIn("incomplete", done.text)
                self.assertIn("Incomplete", self.teff("report", recording, status=3).text)

    def test_signals_are_passed_on(self):
        command = [TEFF, "record", "-o", self.place / "s.teff", "--", self.binary, "wait"]
        child = subprocess.Popen([str(word) for word in command], env=environment(), stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, start_new_session=True)
        self.addCleanup(lambda: child.poll() is None and os.killpg(child.pid, signal.SIGKILL))
        self.assertEqual(child.stdout.readline(), b"ready\n")
        child.send_signal(signal.SIGTERM)
        _, err = child.communicate(timeout=30)
        self.assertEqual(child.returncode, 128 + signal.SIGTERM, err)

    def test_the_program_does_not_see_what_is_meant_for_teff(self):
        env = environment(TEFF_LIB=str(TEFF.parent.parent / "lib"))
        done = self.teff("run", "--", self.binary, "0", env=env)
        self.assertEqual(done.err, b"")


class Fork(ProductTest):
    def first_process(self, recording):
        """The report on the process that forked, whichever process worked longest."""
        pid = json.loads((recording / "meta.json").read_text())["pid"]
        return json.loads(self.teff("report", "--json", "--process", pid, recording).out)

    def test_child_uses_openmp_and_the_parents_recording_stays_whole(self):
        recording = self.record(self.compile(PROGRAMS / "fork.c"), env=environment(3))
        facts = self.first_process(recording)
        self.assertTrue(facts["complete"])
        self.assertEqual(facts["grains"]["tasks"], 30)
        self.assertEqual(facts["grains"]["implicit"], 6)
        self.assertEqual(facts["grains"]["unfinished"], 0)

    def test_children_of_a_region_leave_the_recording_whole(self):
        recording = self.record(self.compile(PROGRAMS / "fork_in_region.c"), env=environment(3))
        facts = self.first_process(recording)
        self.assertTrue(facts["complete"])
        self.assertEqual(facts["grains"]["tasks"], 20)
        self.assertEqual(facts["grains"]["implicit"], 3)
        self.assertEqual(facts["grains"]["unfinished"], 0)


if __name__ == "__main__":
    unittest.main()
