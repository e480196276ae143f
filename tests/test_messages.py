# SPDX-License-Identifier: Apache-2.0
"""Each error gives one clear message and an exit status other than 0."""

import os
import unittest

from harness import PROGRAMS, ProductTest, environment


class Messages(ProductTest):
    def fails(self, *words, saying, **options):
        done = self.teff(*words, status=None, **options)
        self.assertNotIn(done.status, (0, None))
        self.assertGreater(done.status, 0, "teff died by a signal")
        for word in saying:
            self.assertIn(word, done.text)
        self.assertNotIn("panicked", done.text)

    def test_no_such_program(self):
        for verb in ("run", "record"):
            self.fails(verb, "--", self.place / "absent", saying=["cannot start", "absent"])

    def test_not_an_openmp_program(self):
        for program, status in (("/bin/true", 0), ("/bin/false", 1)):
            done = self.teff("record", "-o", self.place / "a.teff", "--", program, status=status)
            self.assertIn("nothing to record", done.text)
            self.assertIn("teff doctor", done.text)
            self.assertFalse((self.place / "a.teff").exists())

    def test_a_directory_of_the_user_is_left_alone(self):
        precious = self.place / "precious"
        precious.mkdir()
        (precious / "thesis.txt").write_text("years of work")
        self.fails("record", "-o", precious, "--", "/bin/true", saying=["precious", "left alone", "-o DIR"])
        self.assertEqual((precious / "thesis.txt").read_text(), "years of work")

    def test_an_earlier_recording_is_kept_as_old(self):
        binary = self.compile(PROGRAMS / "ending.c")
        for _ in range(2):
            recording = self.record(binary)
        for place in (recording, recording.with_name(recording.name + ".old")):
            self.teff("report", place)

    def test_no_recording(self):
        (self.place / "empty").mkdir()
        for verb in (["report"], ["view", "--html", self.place / "x.html"]):
            self.fails(*verb, self.place / "absent.teff", saying=["absent.teff"])
            self.fails(*verb, self.place / "empty", saying=["empty"])

    def test_broken_recordings(self):
        binary = self.compile(PROGRAMS / "ending.c")
        for what, damage in DAMAGES.items():
            with self.subTest(what):
                recording = self.record(binary, name=f"{what}.teff")
                stream = recording / "stream-0000.bin"
                stream.write_bytes(damage(stream.read_bytes()))
                self.fails("report", recording, saying=["stream-0000.bin"])

    def test_a_pipe_in_place_of_a_stream_holds_nobody_up(self):
        recording = self.record(self.compile(PROGRAMS / "ending.c"))
        stream = recording / "stream-0000.bin"
        stream.unlink()
        os.mkfifo(stream)
        self.fails("report", recording, saying=["stream-0000.bin"], limit_s=20)

    def test_a_folder_that_cannot_be_made_is_said_before_the_program_runs(self):
        trail = self.place / "ran"
        (self.place / "file").touch()
        for name in ("file/deeper/x.teff", "x" * 256 + "/y.teff"):
            with self.subTest(name):
                self.fails("record", "-o", self.place / name, "--", "touch", trail, saying=[name])
                self.assertFalse(trail.exists())

    def test_missing_runtime(self):
        env = environment(TEFF_LIB=str(self.place))
        self.fails("run", "--", "/bin/true", saying=["TEFF_LIB", "libgomp.so.1"], env=env)


DAMAGES = {
    "no magic": lambda data: b"garbage!" + data[8:],
    "other version": lambda data: data[:8] + b"\x63" + data[9:],
    "other sizes": lambda data: data[:64] + b"\xee" + data[65:],
    "unknown record": lambda data: data[:320] + b"\xee" + data[321:],
}

if __name__ == "__main__":
    unittest.main()
