# SPDX-License-Identifier: Apache-2.0
"""Tests exports of unusual recordings: names that must be escaped in every format, killed programs,
empty recordings, and several processes; and exports to a full disk. Each export is read again."""

import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import time
import unittest

import networkx
import polars
from exports_harness import OWN, PROGRAMS, TRACES, ExportTest, environment
from harness import LIBRARY, TEFF, run
from perfetto_reader import Trace
from test_firefox import Profiler
from test_graphs import read_dot
from test_speedscope import LINE, self_times

START_LIMIT_S = 20
# Header of a stream of records, which tests/records.py knows, too.
HEADER = 64


class Hostile(ExportTest):
    def read_all(self, recording):
        """Reads every export. The total work in the exports that contain it must be that of the report."""
        facts = self.facts(recording)
        rows, read = facts["grains"]["total"], {}
        place = self.place / "out"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        for kind in ("perfetto", "speedscope", "firefox", "folded", "parquet", "dot", "dependences", "graphml", "csv", "mir"):
            self.read("export", recording, "--format", kind, "-o", place / kind)
        trace = Trace((place / "perfetto").read_bytes())
        work = sum(found.values.get("work_ns", 0) for found in trace.slices)
        self.assert_ns(work, facts["work_ns"], len(trace.slices))
        read["perfetto"] = {found.name for found in trace.slices}
        profile = json.loads((place / "speedscope").read_text())
        for worker in profile["profiles"]:
            self_times(worker)
        read["speedscope"] = {frame["name"] for frame in profile["shared"]["frames"]}
        profile = json.loads((place / "firefox").read_text())
        read["firefox"] = set(profile["shared"]["stringArray"])
        if profile["threads"]:  # the profiler opens none without
            self.assertEqual(Profiler(self, place / "firefox").ask("profile", "meta")["product"], profile["meta"]["product"])
        lines = [LINE.match(line) for line in (place / "folded").read_text().splitlines()]
        self.assert_ns(sum(int(line[2]) for line in lines), facts["work_ns"], len(lines) + 2 * rows)
        read["folded"] = {name for line in lines for name in line[1].split(";")}
        grains, sites = (polars.read_parquet(place / "parquet" / f"{name}.parquet") for name in ("grains", "sites"))
        self.assertEqual(len(grains), rows)
        self.assert_ns(grains["work_ns"].sum(), facts["work_ns"], rows)
        read["parquet"] = set(sites["function"]) | set(sites["file"])
        if rows < 1000:
            graph = read_dot(place / "dot")
            self.assertEqual(len(graph), len(networkx.read_graphml(place / "graphml")))
            self.assertLessEqual(len(read_dot(place / "dependences")), rows)
            read["dot"] = {values.get("label", "") for _, values in graph.nodes(data=True)}
        return facts, read

    def test_names_that_no_format_takes_as_they_are(self):
        _, read = self.read_all(self.recording(OWN / "hostile.c"))
        for kind, names in read.items():
            self.assertTrue(any("we" in name and "me" in name for name in names), (kind, names))
            if kind != "parquet":  # which can hold any text
                self.assertFalse(any("\n" in name for name in names), (kind, names))

    def test_a_program_whose_path_is_no_text(self):
        folder = os.fsencode(self.place) + b"/fo;ld\"er\n\xff\xfe"
        os.mkdir(folder)
        program = pathlib.Path(os.fsdecode(folder + b"/pro'g;ram"))
        built = self.compile(TRACES / "tasks.c")
        subprocess.run(["strip", built], check=True)
        shutil.copy2(built, program)
        _, read = self.read_all(self.record(program))
        self.assertTrue(any("pro'g" in name for name in read["parquet"]), read["parquet"])

    def killed(self):
        recording, counter = self.place / "killed.teff", self.place / "count"
        env = environment(2, TEFF_TRACE=str(recording), LD_LIBRARY_PATH=str(LIBRARY))
        binary = self.compile(PROGRAMS / "many_tasks.c")
        child = subprocess.Popen([binary, counter, "60000"], env=env, stdout=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + START_LIMIT_S
            done = 0
            while done < 100 and time.monotonic() < deadline:
                content = counter.read_bytes() if counter.exists() else b""
                done, = struct.unpack("<q", content) if len(content) == 8 else (0,)
        finally:
            child.send_signal(signal.SIGKILL)
            child.wait()
        self.assertGreaterEqual(done, 100, "no task finished")
        return recording

    def test_a_killed_program(self):
        facts, _ = self.read_all(self.killed())
        self.assertFalse(facts["complete"])
        self.assertGreater(facts["grains"]["unfinished"], 0)

    def test_no_grains(self):
        recording = self.place / "empty.teff"
        shutil.copytree(self.recording(OWN / "chain.c"), recording)
        for stream in recording.glob("stream-*.bin"):
            os.truncate(stream, HEADER)
        facts, _ = self.read_all(recording)
        self.assertEqual(facts["grains"]["total"], 0)
        done = self.read("export", recording, "--format", "firefox", "-o", self.place / "none.json")
        self.assertIn("does not open a profile without threads", done.text)

    def test_one_of_several_processes(self):
        binary = self.compile(PROGRAMS / "fork.c")
        recording = self.record(binary, status=None)
        processes = self.facts(recording).get("processes", [])
        self.assertGreater(len(processes), 1)
        for process in processes:
            words = ["export", recording, "--process", process["process"], "--format", "parquet", "-o"]
            folder = self.place / process["process"]
            self.read(*words, folder)
            grains = polars.read_parquet(folder / "grains.parquet")
            self.assertEqual(len(grains), process["grains"])
            self.assert_ns(grains["work_ns"].sum(), process["work_ns"], len(grains))

    def test_a_full_device_is_told(self):
        recording = self.recording(OWN / "wavefront.c")
        for kind in ("perfetto", "speedscope", "firefox", "folded", "dot", "dependences"):
            done = self.teff("export", recording, "--format", kind, "-o", "/dev/full", status=1)
            self.assertIn("cannot write /dev/full: No space left on device", done.text)

    def test_a_full_disk_leaves_no_half_folder(self):
        if os.geteuid() != 0:
            self.skipTest("only root can mount a small file system")
        disk = self.place / "disk"
        disk.mkdir()
        done = run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", disk])
        if done.status:
            self.skipTest(f"a small file system cannot be mounted here: {done.text}")
        self.addCleanup(subprocess.run, ["umount", "--lazy", disk], check=True)
        done = self.teff("export", self.recording(OWN / "wavefront.c"), "--format", "parquet", "-o", disk / "tables", status=1)
        self.assertIn("No space left on device", done.text)
        self.assertEqual(os.listdir(disk), [])

    def test_a_signal_leaves_no_half_folder(self):
        recording = self.killed()
        for moment_s in (0.01, 0.05, 0.1):
            child = subprocess.Popen([TEFF, "export", recording, "--format", "parquet", "-o",
                                      self.place / "tables"], stderr=subprocess.DEVNULL)
            time.sleep(moment_s)
            child.terminate()
            child.wait(timeout=60)
            left = [path.name for path in self.place.iterdir() if path.name.startswith(".teff-")]
            self.assertEqual(left, [])
            shutil.rmtree(self.place / "tables", ignore_errors=True)


if __name__ == "__main__":
    unittest.main()
