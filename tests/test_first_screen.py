# SPDX-License-Identifier: Apache-2.0
"""Tests the first screen of large recordings, which the recorder's sums make: on a terminal, in the
page, and that its figures agree with the report's."""

import json
import os
import pathlib
import shutil
import time
import unittest

import test_terminals
from harness import LIMIT_S, PROGRAMS, ProductTest, environment
from test_view import Server

MIB = 1 << 20
SMALLEST = 32 * MIB  # smaller recordings have no first screen


class LargeRecording(ProductTest):
    def large(self, threads=2, rounds=120, **variables):
        program = self.compile(PROGRAMS / "first_screen.c")
        env = environment(OMP_NUM_THREADS=str(threads), **variables)
        return self.record(program, str(rounds), env=env)

    def stream_bytes(self, recording):
        return sum(file.stat().st_size for file in pathlib.Path(recording).glob("**/stream-*.bin"))

    def reading(self, server):
        status, text = server.get(server.path + "reading.json")
        self.assertEqual(status, 200)
        return json.loads(text)

    def when_over(self, server):
        """The last answer, when the recording has been read or cannot be."""
        end = time.monotonic() + LIMIT_S
        while (reading := self.reading(server))["state"] == "reading":
            self.assertLess(time.monotonic(), end, "the recording is never read")
            time.sleep(0.05)
        return reading

    def served(self, recording):
        server = Server(recording, "--no-open")
        self.addCleanup(server.child.communicate, timeout=LIMIT_S)
        self.addCleanup(server.child.kill)
        return server


class FirstScreen(LargeRecording):
    def assert_agrees(self, sums, report):
        counts, times, grains = sums["counts"], sums["times"], report["grains"]
        self.assertEqual((counts["tasks"], counts["implicit"], counts["chunks"]),
                         (grains["tasks"] + grains["discarded"], grains["implicit"] + grains["initial"], grains["chunks"]))
        self.assertEqual(sums["workers"], report["workers"])
        whole, quality = report["wall_ns"] * report["workers"], report["quality"]
        if times is None:  # on a machine that is busy with other programs
            self.assertIn("took so much of the run", sums["without_times"])
            self.assertGreater(quality["recorder_ns"] + quality["descheduled_ns"], 0.1 * whole)
            return
        figures = {"whole_ns": whole, "work_ns": report["work_ns"], "creation_ns": report["creation_ns"],
                   "rest_ns": report["wait_ns"] + report["no_task_ns"]}
        for name, figure in figures.items():
            self.assertLessEqual(abs(times[name] - figure), times["error_ns"], name)

    def test_the_sums_agree_with_the_report(self):
        for threads in (1, 2, 4):
            with self.subTest(threads=threads):
                recording = self.large(threads)
                self.assertGreater(self.stream_bytes(recording), SMALLEST)
                server = self.served(recording)
                [sums] = self.reading(server)["sums"]
                self.assert_agrees(sums, json.loads(self.teff("report", "--json", recording).out))
                self.assertEqual(self.when_over(server)["state"], "ready")
                self.assertEqual(server.get(server.path + "data.json")[1][:1], b"{")
                shutil.rmtree(recording)

    def test_a_ring_has_counts_of_what_it_keeps(self):
        rounds = 120
        recording = self.large(rounds=rounds, TEFF_TRACE_LAST="20")
        [sums] = self.reading(self.served(recording))["sums"]
        report = json.loads(self.teff("report", "--json", recording, status=None).out)
        self.assertIsNone(sums["times"])
        self.assertIn("Only a part of the records", sums["without_times"])
        kept = sums["counts"]["chunks"]  # the report begins where the records of all threads do
        self.assertTrue(0 < report["grains"]["chunks"] <= kept < 2000 * rounds, (kept, report["grains"]))

    def test_an_incomplete_recording_has_counts(self):
        recording = self.large()
        (pathlib.Path(recording) / "end.json").unlink()
        [sums] = self.reading(self.served(recording))["sums"]
        self.assertIsNone(sums["times"])
        self.assertGreater(sums["counts"]["tasks"], 100_000)
        self.assertIn("did not end in order", sums["without_times"])

    def test_a_damaged_recording_is_told_to_page_and_terminal(self):
        recording = self.large()
        largest = max(pathlib.Path(recording).glob("stream-*.bin"), key=lambda file: file.stat().st_size)
        with largest.open("r+b") as file:
            file.seek(3 * MIB + 5_000)
            file.write(b"\xff" * 64)
        server = self.served(recording)
        reading = self.when_over(server)
        self.assertEqual(reading["state"], "failed")
        self.assertIn(largest.name, reading["problem"])
        _, said = server.child.communicate(timeout=LIMIT_S)
        self.assertEqual(server.child.returncode, 1)
        self.assertIn(reading["problem"].split(":")[0], said.decode())

    def test_control_c_ends_the_server_while_it_reads(self):
        server = self.served(self.large())
        self.assertEqual(server.end()[0], 0)


class OnTerminals(LargeRecording):
    shown, parts = test_terminals.Terminals.shown, test_terminals.Terminals.parts

    def setUp(self):
        super().setUp()
        if not os.path.exists("/dev/ptmx"):
            self.skipTest("no terminal can be made here")

    def test_the_first_screen_comes_before_the_report(self):
        recording = self.large()
        shown = test_terminals.ESCAPE.sub("", self.shown("report", recording, env=environment(TERM="xterm")))
        first = shown.index("that the recorder kept")  # sums, or on a busy machine counts
        self.assertLess(first, shown.index("Work by site"))
        self.assertIn("parallel region", shown[:first + 1000])
        self.assertNotIn("that the recorder kept", self.teff("report", recording).text)


if __name__ == "__main__":
    unittest.main()
