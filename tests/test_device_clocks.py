# SPDX-License-Identifier: Apache-2.0
"""Tests that the times of devices are shown by the clock of their host."""

import csv
import json
import re
import socket
import subprocess

import test_devices
from harness import LIBRARY, LIMIT_S, TEFF, WORKLOADS, environment, run
from records import TASK, records
from test_devices import SOURCES


class Clocks(test_devices.Devices):
    """The times of devices are by the host's clock. On one machine all processes have one counter, so the true offset
    of each instant is known."""

    AHEAD_S = 1000  # of a device in a time namespace of its own

    def host_records(self, recording, name):
        return [record for path in sorted(recording.glob("stream-*.bin")) for record in records(path)
                if record.name == name]

    def test_the_host_compares_its_counter_with_each_device(self):
        recording = self.record(TEFF, "run", "--devices", 2, "--", self.compile(SOURCES / "recorded.c"))
        bounds = {0: [], 1: []}
        for record in self.host_records(recording, "EXCHANGE"):
            device, ticks = record.halves(0)
            bounds[device].append((record.at, *record.words[1:3], record.at + ticks))
        self.assertGreaterEqual(min(map(len, bounds.values())), 16)
        for record in self.host_records(recording, "DEVICE"):
            sent = record.at + sum(record.words[4:6])
            if record.words[9]:
                bounds[record.halves(1)[1]].append((sent, *record.words[9:11], sent + record.words[6]))
        self.assertGreater(min(map(len, bounds.values())), 16, "constructs compare them, too")
        for one in bounds[0] + bounds[1]:
            self.assertEqual(list(one), sorted(one))

    def test_only_a_recorded_host_sends_more_than_its_constructs(self):
        source = self.place / "one.c"
        source.write_text("int main(void) {\n#pragma omp target\n    {\n    }\n    return 0;\n}\n")
        program, env = self.compile(source), environment(TEFF_DEVICE_FIGURES="TRUE")

        def sent(text):
            return int(re.search(r"all messages: (\d+) bytes to the device", text)[1])

        empty = test_devices.Hostile.HEADER.size + test_devices.Hostile.CONSTRUCT.size
        alone = sent(self.on_devices(program, devices=1, env=env).text)
        self.assertLess(alone, 2 * empty)
        words = ("record", "-o", self.place / "one.teff", "--", TEFF, "run", "--devices", 1, "--", program)
        self.assertEqual(sent(self.teff(*words, env=env).text), alone + 16 * empty)

    def recorded_in_a_time_namespace(self, program):
        """A recording of a host and one device whose CLOCK_MONOTONIC is ahead."""
        unshare = ["unshare", "--time", "--fork", "--monotonic", str(self.AHEAD_S)]
        if run([*unshare, "true"]).status != 0:
            self.skipTest("no time namespace can be made here")
        ours, its = socket.socketpair()
        recording, of_device = self.place / "ahead.teff", self.place / "device.teff"
        as_device = ["env", f"LD_PRELOAD={LIBRARY / 'libteff-start.so'}", f"_TEFF_DEVICE=sockets:{its.fileno()},0,1"]
        device = subprocess.Popen([*unshare, *as_device, program], pass_fds=[its.fileno()], stdin=subprocess.DEVNULL,
                                  env=environment(LD_LIBRARY_PATH=str(LIBRARY), TEFF_TRACE=str(of_device)))
        its.close()
        try:
            with ours:
                done = subprocess.run([program], pass_fds=[ours.fileno()], timeout=LIMIT_S, check=False,
                                      env=environment(LD_LIBRARY_PATH=str(LIBRARY), TEFF_TRACE=str(recording),
                                                      _TEFF_DEVICES=f"sockets:{ours.fileno()}"))
            self.assertEqual(done.returncode, 0)
            device.wait(LIMIT_S)
        finally:
            device.kill()
        of_device.rename(recording / "process-2")  # as `teff record` places it
        return recording

    def assert_true(self, recording, ahead_ns=0):
        """Each device's times are those that the counter shows, but for the error that the report states."""
        facts = json.loads(self.teff("report", "--json", recording).out)
        devices = [process for process in facts["processes"] if "device" in process]
        self.assertEqual([device["clock"] for device in facts["devices"]["devices"]],
                         [process["clock"] for process in sorted(devices, key=lambda process: process["device"])])
        directories = [recording, *recording.glob("process-*"), *recording.glob("rank-?")]
        metas = [(path, json.loads((path / "meta.json").read_text())) for path in directories
                 if (path / "meta.json").exists()]
        host, = (path for path, meta in metas if meta.get("device") is None)
        begin, end = (json.loads((host / name).read_text()) for name in ("meta.json", "end.json"))
        ns_per_tick = ((end["end_monotonic_ns"] - begin["start_monotonic_ns"])
                       / (end["end_ticks"] - begin["start_ticks"]))
        for process in devices:
            clock = process["clock"]
            self.assertGreater(clock["exchanges"], 16)
            self.assertAlmostEqual(clock["offset_ns"], ahead_ns, delta=clock["error_ns"] + 1e6)
            path, = (path for path, meta in metas if meta.get("device") == process["device"])
            began = [record.at for stream in path.glob("stream-*.bin") for record in records(stream)
                     if record.name == "CREATE" and record.flags & TASK["IMPLICIT"] and record.words[1]]
            true = [(at - begin["start_ticks"]) * ns_per_tick for at in sorted(began)]
            shown = self.implicit_tasks(recording, process["process"])
            self.assertEqual(len(shown), len(true))
            for said, is_so in zip(shown, true):
                # Ticks and nanoseconds are rounded.
                self.assertAlmostEqual(said, is_so, delta=clock["error_ns"] + 1000)

    def implicit_tasks(self, recording, process):
        """When they were created, by the exported times."""
        table = self.place / "grains.csv"
        self.teff("export", "--format", "csv", "--process", process, "-o", table, recording)
        rows = list(csv.DictReader(table.read_text().splitlines()))
        return sorted(float(row["create_ns"]) for row in rows if row["kind"] == "implicit")

    def test_the_error_is_no_smaller_than_it_is_said_to_be(self):
        program = self.compile(WORKLOADS / "heat.c", "-Wl,--no-as-needed,-lm")
        self.assert_true(self.record(TEFF, "run", "--devices", 2, "--", program))

    def test_a_device_in_a_time_namespace(self):
        program = self.compile(WORKLOADS / "heat.c", "-Wl,--no-as-needed,-lm")
        self.assert_true(self.recorded_in_a_time_namespace(program), self.AHEAD_S * 10**9)
