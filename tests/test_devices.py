# SPDX-License-Identifier: Apache-2.0
"""Tests teff run --devices: target regions of unmodified programs in further processes or ranks of
MPI, and every way in which such a run can end."""

import json
import os
import pathlib
import random
import re
import shutil
import socket
import time

from harness import LIMIT_S, TEFF, WORKLOADS, ProductTest, environment, run
from hostile_host import HostileHost
from records import numbers, records

SOURCES = pathlib.Path(__file__).parent / "devices"


def lives(process):
    """Whether the process exists and has not ended."""
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


class Devices(ProductTest):
    def on_devices(self, program, *words, devices=2, **options):
        return self.teff("run", "--devices", devices, "--", program, *words, **options)

    def assert_gone(self, process):
        deadline = time.monotonic() + LIMIT_S
        while lives(process) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertFalse(lives(process), f"process {process} is left")


class Programs(Devices):
    def works(self, source, *flags):
        program = self.compile(SOURCES / source, *flags)
        self.assertIn("0 devices, ok", self.teff("run", "--", program).text)
        for devices in (1, 2):
            self.assertIn(f"{devices} devices, ok", self.on_devices(program, devices=devices).text)

    def test_c(self):
        self.works("maps.c")
        self.works("kinds.c")

    def test_cxx(self):
        self.works("objects.cpp")
        self.works("kinds.cpp")

    def test_fortran(self):
        self.works("descriptors.f90")
        self.works("kinds.f90")

    def test_copies_between_devices(self):
        self.works("between.c")
        self.assertIn("4 devices, ok", self.on_devices(self.place / "between", devices=4).text)

    def test_kinds_that_only_lists_written_by_hand_have(self):
        self.works("lists.c")
        done = self.on_devices(self.compile(SOURCES / "lists.c"), "absent", status=None)
        self.assertEqual(done.status, 1, done.text)
        self.assertIn("item 1 of its map clauses, 4 bytes", done.text)
        self.assertIn("the map clause demands that it is", done.text)


class Workloads(Devices):
    """The workloads with target regions give the same result wherever they run."""

    RUNS = (("heat",), ("heat", "--rows", "21", "--iterations", "3"), ("gemm",), ("gemm", "--place", "runtime"),
            ("cholesky",), ("nbody",), ("nbody", "--bodies", "3"),
            *((name, "--sleep", "50") for name in ("gemm", "cholesky", "taskbench")),
            *(("taskbench", "--pattern", pattern) for pattern in (
                "trivial", "no_comm", "stencil_1d", "stencil_1d_periodic", "fft", "tree", "nearest", "spread", "random")))

    def workload(self, name):
        program = self.place / name
        return program if program.exists() else self.compile(WORKLOADS / f"{name}.c", "-Wl,--no-as-needed,-lm")

    def result(self, text):
        self.assertIn("check=ok", text)
        return re.search(r" result=(\S+) ", text)[1]

    def test_any_number_of_devices(self):
        for name, *words in self.RUNS:
            program = self.workload(name)
            expected = self.result(self.teff("run", "--", program, *words).text)
            for devices in (1, 2, 3, 4):
                done = self.on_devices(program, *words, devices=devices)
                self.assertEqual(self.result(done.text), expected, (name, words, devices))


class Recordings(Devices):
    def test_devices_are_processes_of_the_recording(self):
        program = self.compile(WORKLOADS / "heat.c", "-Wl,--no-as-needed,-lm")
        recording = self.record(TEFF, "run", "--devices", 2, "--", program)
        processes = json.loads(self.teff("report", "--json", recording).out)["processes"]
        self.assertEqual(len(processes), 3)
        iterations = []
        for process in processes:
            facts = json.loads(self.teff("report", "--json", "--process", process["process"], recording).out)
            self.assertTrue(facts["complete"])
            iterations.append(sum(site["count"] for site in facts["sites"] if site["kind"] == "implicit"))
        self.assertEqual(sorted(iterations), [0, 20, 20], "two threads and ten iterations on each device")


class DeviceRecords(Devices):
    """What the host records of constructs on devices."""

    DOUBLE, SLEEP_NS = 8, 50e6

    def constructs(self, recording):
        """(device, kind, deferred, bytes to, bytes from) of each, in their order on each device; and the records."""
        kind = {number: name for name, number in numbers("TEFF_DEVICE_").items() if name != "NOWAIT"}
        found = [record for path in sorted(recording.glob("stream-*.bin")) for record in records(path)
                 if record.name == "DEVICE"]
        found.sort(key=lambda record: record.at + record.words[4])
        return [(record.halves(1)[1], kind[record.flags & 15], bool(record.flags & 16), *record.words[2:4])
                for record in found], found

    def test_each_construct_has_its_bytes_and_times(self):
        program = self.compile(SOURCES / "recorded.c")
        recording = self.place / "test.teff"
        env = environment(TEFF_DEVICE_FIGURES="TRUE")
        done = self.teff("record", "-o", recording, "--", TEFF, "run", "--devices", 2, "--", program, env=env)
        meta = json.loads((recording / "meta.json").read_text())
        self.assertEqual((meta["devices"], meta.get("device"), meta["device_transport"]), (2, None, "sockets"))
        of_devices = [json.loads(path.read_text()) for path in recording.glob("process-*/meta.json")]
        self.assertEqual(sorted((of["device"], of["devices"]) for of in of_devices), [(0, 2), (1, 2)])

        constructs, found = self.constructs(recording)
        double = self.DOUBLE
        on = {device: [one[1:] for one in constructs if one[0] == device] for device in (0, 1)}
        self.assertEqual(on[0], [("ENTER_DATA", False, 1000 * double, 0), *[("TARGET", False, 0, 0)] * 3,
                                 ("UPDATE", False, 0, 10 * double), ("EXIT_DATA", False, 0, 1000 * double),
                                 ("TARGET", False, 0, 0), ("ROUTINE", False, 1000 * double, 0),
                                 ("ROUTINE", False, 0, 8)])
        self.assertEqual(on[1], [("DATA", False, 0, 0), ("TARGET", False, 0, 0), ("END_DATA", False, 0, 100 * double),
                                 ("TARGET", True, 500 * double, 500 * double)])
        self.assert_figures(done.text, constructs)

        took = float(re.search(rb"ok (\d+)", done.out)[1])
        ran = max(record.words[8] for record in found)
        self.assertTrue(self.SLEEP_NS <= ran <= took, (ran, took))
        for record in found:
            self.assertTrue(all(ticks < 1 << 47 for ticks in record.words[4:8]), record)
            self.assertEqual(record.words[8] > 0, record.flags & 15 == 1, "regions run, and nothing else does")

    def assert_figures(self, text, constructs):
        counts = [[int(number) for number in re.findall(r"\d+", line)][:5]
                  for line in text.splitlines() if line.startswith("teff: device ")]
        of = {device: [one for one in constructs if one[0] == device] for device in (0, 1)}
        self.assertEqual(counts, [
            [device, sum(one[1] == "TARGET" for one in ones), sum(one[1] != "TARGET" for one in ones),
             sum(one[3] for one in ones), sum(one[4] for one in ones)] for device, ones in of.items()])

    def test_the_report_is_of_the_host_and_names_its_devices(self):
        program = self.compile(SOURCES / "recorded.c")
        recording = self.record(TEFF, "run", "--devices", 2, "--", program)
        facts = json.loads(self.teff("report", "--json", recording).out)
        roles = {(process["devices"], process.get("device")): process for process in facts["processes"]}
        self.assertEqual(set(roles), {(2, None), (2, 0), (2, 1)})
        self.assertTrue(roles[2, None]["shown"])
        self.assertEqual(facts["workers"], 1, "the thread that carries out the construct with nowait is none")
        of = [[device[key] for key in ("device", "constructs", "bytes_to", "bytes_from")]
              for device in facts["devices"]["devices"]]
        double = self.DOUBLE
        self.assertEqual(of, [[0, 9, 2000 * double, 1011 * double], [1, 4, 500 * double, 600 * double]])
        lines = {site["line"]: (site["construct"], site["constructs"]) for site in facts["devices"]["sites"]
                 if site["file"].endswith("recorded.c")}
        self.assertEqual(sorted(lines.values()), [
            ("end of target data", 1), ("enter data", 1), ("exit data", 1), ("memory routine", 1), ("memory routine", 1),
            ("target", 1), ("target", 1), ("target", 1), ("target", 3), ("target data", 1), ("update", 1)])
        routines = [site for site in facts["devices"]["sites"] if site["construct"] == "memory routine"]
        self.assertEqual(sorted((site["bytes_to"], site["bytes_from"]) for site in routines),
                         [(0, double), (1000 * double, 0)])
        for device in facts["devices"]["devices"]:
            self.assertAlmostEqual(device["idle_ns"] + device["moving_ns"] + device["running_ns"], facts["wall_ns"],
                                   delta=1)
            self.assertLessEqual(device["exposed_ns"], device["moving_ns"])
        of_device = json.loads(self.teff("report", "--json", "--process", roles[2, 0]["process"], recording).out)
        self.assertIsNone(of_device["devices"])
        text = self.teff("report", recording).text
        for words in ("device 0: ", "device 1: ", "host: ", "\nDevices, over sockets: ", "\nConstructs on devices\n"):
            self.assertIn(words, text)

    def test_nothing_is_recorded_without_devices(self):
        recording = self.record(self.compile(SOURCES / "settings.c"))
        self.assertEqual(self.constructs(recording)[0], [])
        self.assertNotIn("devices", json.loads((recording / "meta.json").read_text()))


class Figures(Devices):
    """The bytes that TEFF_DEVICE_FIGURES counts are those that the program's constructs ask for."""

    BODIES, STEPS, VECTOR = 60, 4, 24

    def assert_nbody(self, text, devices):
        counts = [[int(number) for number in re.findall(r"\d+", line)]
                  for line in text.splitlines() if line.startswith("teff: device ")]
        self.assertEqual(len(counts), devices, text)
        part = self.BODIES // devices
        to_one = self.VECTOR * (self.BODIES + part + (self.STEPS - 1) * (self.BODIES - part))
        for number, (device, regions, others, to, sent_back, all_to, all_from) in enumerate(counts):
            self.assertEqual((device, regions, to, sent_back),
                             (number, self.STEPS, to_one, self.VECTOR * part * self.STEPS), text)
            self.assertEqual(others, 2 + self.STEPS + self.STEPS - 1, "enter, exit, and updates")
            self.assertTrue(to < all_to < to + 4096 and sent_back < all_from < sent_back + 100000, text)

    def test_nbody(self):
        program = self.compile(WORKLOADS / "nbody.c", "-Wl,--no-as-needed,-lm")
        words = ("--bodies", self.BODIES, "--steps", self.STEPS)
        for devices in (1, 2, 3):
            done = self.on_devices(program, *words, devices=devices, env=environment(TEFF_DEVICE_FIGURES="TRUE"))
            self.assert_nbody(done.text, devices)


class PassedBy(Devices):
    """What TEFF_DEVICE_FIGURES says of between_counts.c."""

    BYTES, COPIES, MESSAGES = 1 << 20, 3, 100000

    def figures(self, text):
        """The numbers in the line of each device."""
        return [[int(number) for number in re.findall(r"\d+", line)]
                for line in text.splitlines() if line.startswith("teff: device ")]

    def assert_passed_by(self, text):
        """The bytes of all copies have come to device 1 from device 0, and none of them has been at the host."""
        first, second = self.figures(text)
        moved = self.BYTES * self.COPIES
        self.assertEqual(first[:5], [0, 0, self.COPIES + 2, self.BYTES, 0], "one copy from the host, one within the device")
        self.assertEqual(second[:5], [1, 0, self.COPIES + 1, 0, 8], "and eight bytes to the host")
        self.assertEqual(len(first), 7, "nothing has come to it from other devices")
        self.assertEqual(second[7], moved)
        self.assertLess(first[6] + second[5] + second[6], self.MESSAGES, "tables of modules, and answers")
        return moved


class Between(PassedBy):
    """Copies from device to device do not pass through the host, and either device may end."""

    ROUTINE = "a device memory routine at between_ends+0x"

    def test_bytes_are_counted_once(self):
        program = self.compile(SOURCES / "between_counts.c")
        recording = self.place / "test.teff"
        env = environment(TEFF_DEVICE_FIGURES="TRUE")
        done = self.teff("record", "-o", recording, "--", TEFF, "run", "--devices", 2, "--", program, self.BYTES,
                         self.COPIES, env=env)
        moved = self.assert_passed_by(done.text)
        devices = json.loads(self.teff("report", "--json", recording).out)["devices"]["devices"]
        self.assertEqual([[device[key] for key in ("device", "constructs", "bytes_to", "bytes_from")] for device in devices],
                         [[0, self.COPIES + 2, self.BYTES, 0], [1, self.COPIES + 1, moved, 8]])

    def ends(self, victim, how):
        done = self.on_devices(self.place / "between_ends", victim, how, status=None,
                               env=environment(TEFF_DEVICE_PATIENCE="2"))
        self.assertEqual(done.status, 1, done.text)
        processes = [int(word) for word in done.out.split()]
        self.assertEqual(len(processes), 2, done.text)
        for process in processes:
            self.assert_gone(process)
        return done.text, processes[victim]

    def test_many_rows_are_several_constructs(self):
        program = self.compile(SOURCES / "rows.c")
        for rows, constructs in ((5, 1), (1 << 20, 1), ((1 << 20) + 1, 2)):
            text = self.on_devices(program, rows, env=environment(TEFF_DEVICE_FIGURES="TRUE")).text
            self.assertIn(f"{rows} rows, ok", text)
            self.assertEqual([of_device[2] for of_device in self.figures(text)], [2 * constructs] * 2)

    def test_a_device_ends_during_a_copy(self):
        self.compile(SOURCES / "between_ends.c")
        for victim in (0, 1):
            text, process = self.ends(victim, "stop")
            self.assertIn(f"device {victim} (process {process}) has not answered for 2 s during {self.ROUTINE}", text)
            for how in ("kill", "flow"):
                text, process = self.ends(victim, how)
                self.assertIn(f"device {victim} (process {process}) has ended during {self.ROUTINE}", text)
                self.assertIn(f"device {victim} (process {process}) was ended by signal 9", text)

    def test_a_device_without_a_descriptor_says_so(self):
        done = self.on_devices(self.compile(SOURCES / "no_descriptor.c"), status=None)
        self.assertEqual(done.status, 1, done.text)
        self.assertIn("device 1 has no free descriptor for a copy from or to device 0", done.text)


class Placement(Devices):
    """TEFF_DEVICES says where regions without a device clause run."""

    LINES = {"default": ("free: 0 0 0 0", "data on device 1: region on 0, 7"),
             "locality": ("free: 0 0 0 0", "data on device 1: region on 1, 6"),
             "round_robin": ("free: 0 1 0 1", "data on device 1: region on 0, 7")}

    def test_rules(self):
        program = self.compile(SOURCES / "placement.c")
        for policy, lines in self.LINES.items():
            for devices in (1, 2, 3):
                text = self.on_devices(program, devices=devices, env=environment(TEFF_DEVICES=policy)).text
                self.assertIn(f"{devices} devices, ok", text, policy)
                if devices == 2:
                    self.assertEqual(text.splitlines()[:2], list(lines), policy)

    def test_data_on_a_device_count_more_than_unfinished_writes(self):
        program = self.compile(SOURCES / "shared_structure.c")
        for policy in self.LINES:
            text = self.on_devices(program, "placed", devices=2, env=environment(TEFF_DEVICES=policy)).text
            self.assertEqual(text, "5\n", policy)

    def test_workloads(self):
        for name, *words in (("gemm", "--place", "runtime"), ("taskbench", "--pattern", "fft", "--place", "runtime"),
                             ("taskbench", "--pattern", "random", "--place", "runtime"), ("cholesky",)):
            program = self.compile(WORKLOADS / f"{name}.c", "-Wl,--no-as-needed,-lm")
            for policy in ("locality", "round_robin"):
                text = self.on_devices(program, *words, devices=3, env=environment(TEFF_DEVICES=policy)).text
                self.assertIn("check=ok", text, (name, policy))


class Deferred(Devices):
    def test_constructs_with_nowait_hold_no_thread(self):
        program, file = self.compile(SOURCES / "deferred.c"), self.place / "file"
        for devices in (1, 2):
            self.assertIn(f"{devices} devices, ok", self.on_devices(program, file, devices=devices).text)
            self.assertTrue(file.exists(), "the run ends before a region that main has not waited for")
            file.unlink()

    def test_a_device_that_a_deferred_construct_uses_is_killed(self):
        done = self.on_devices(self.compile(SOURCES / "ends.c"), "deferred", status=None)
        self.assertEqual(done.status, 1, done.text)
        self.assertRegex(done.text, r"device 0 \(process \d+\) has ended during a target region at ends\+0x[0-9a-f]+ ")


class Discarded(Devices):
    def test_data_beside_released_memory_stay(self):
        self.assertEqual(self.on_devices(self.compile(SOURCES / "discard.c")).text, "ok\n")


class SharedStructure(Devices):
    def test_its_pointer_never_has_the_value_of_a_device(self):
        self.assertEqual(self.on_devices(self.compile(SOURCES / "shared_structure.c"), devices=2).text, "400\n")


class Settings(Devices):
    def test_default_device_and_offload(self):
        program = self.compile(SOURCES / "settings.c")
        for variables, expected in (
                ({}, "2 devices, on 0"),
                ({"OMP_DEFAULT_DEVICE": "1"}, "2 devices, on 1"),
                ({"OMP_DEFAULT_DEVICE": "2"}, "2 devices, on the host"),
                ({"OMP_TARGET_OFFLOAD": "mandatory"}, "2 devices, on 0"),
                ({"OMP_TARGET_OFFLOAD": "disabled"}, "0 devices, on the host")):
            self.assertIn(expected, self.on_devices(program, env=environment(**variables)).text, variables)
        done = self.on_devices(program, env=environment(OMP_TARGET_OFFLOAD="mandatory", OMP_DEFAULT_DEVICE="5"),
                               status=None)
        self.assertEqual(done.status, 1, done.text)
        self.assertIn("names a device that does not exist", done.text)

    def test_variables_of_devices(self):
        program = self.compile(SOURCES / "threads.c")
        for variables, threads in (({}, "2 2 2"), ({"OMP_NUM_THREADS_DEV": "3"}, "2 3 3"),
                                   ({"OMP_NUM_THREADS_DEV": "3", "OMP_NUM_THREADS_DEV_1": "4"}, "2 3 4")):
            self.assertEqual(self.on_devices(program, env=environment(**variables)).text, f"{threads}\n", variables)

    def test_programs_that_the_program_starts_have_no_devices(self):
        program = self.compile(SOURCES / "settings.c")
        done = self.on_devices(program, "child")
        self.assertIn("0 devices, on the host\n2 devices, on 0", done.text)


class Ends(Devices):
    def setUp(self):
        super().setUp()
        self.program = self.compile(SOURCES / "ends.c")

    def ends(self, how, status):
        done = self.on_devices(self.program, how, status=None, env=environment(TEFF_DEVICE_PATIENCE="2"))
        self.assertEqual(done.status, status, done.text)
        self.assert_gone(int(done.out.split()[0]))
        return done.text

    def test_the_program_ends(self):
        self.ends("", 0)
        self.ends("exit", 7)

    def test_a_device_is_killed(self):
        text = self.ends("device", 1)
        self.assertRegex(text, r"device 0 \(process \d+\) has ended during a target region at ends\+0x[0-9a-f]+ ")
        self.assertRegex(text, r"device 0 \(process \d+\) was ended by signal 9")

    def test_the_host_is_killed(self):
        self.ends("host", 128 + 9)

    def test_the_host_is_killed_while_a_device_is_busy(self):
        self.ends("busy", 128 + 9)

    def test_a_device_hangs(self):
        text = self.ends("stop", 1)
        self.assertRegex(text, r"device 0 \(process \d+\) has not answered for 2 s during a target region at ends\+0x[0-9a-f]+ ")

    def test_the_host_fails_while_a_deferred_construct_hangs(self):
        self.assertIn("item 1 of its map clauses", self.ends("wait", 1))

    def test_a_device_that_works_for_long_does_not_hang(self):
        done = self.on_devices(self.program, "long", env=environment(TEFF_DEVICE_PATIENCE="2"))
        self.assertIn("long, ok", done.text)

    def test_a_construct_that_cannot_run_is_named(self):
        self.assertRegex(self.ends("overlap", 1),
                         r"a target region at ends\+0x[0-9a-f]+ .* cannot run on device 0: item 1 of its map clauses, 80 bytes")

    def test_output_comes_in_order(self):
        lines = self.on_devices(self.program, "output").out.decode().splitlines()
        self.assertEqual(lines[1:], ["host, before", "device", "host, after"])


class Refusals(Devices):
    def refused(self, *words, saying):
        done = self.teff("run", "--devices", *words, status=None)
        self.assertGreater(done.status, 0, done.text)
        self.assertIn(saying, done.text)

    def test_words(self):
        self.refused("65", "--", "true", saying="65")
        self.refused("some", "--", "true", saying="some")
        self.refused("ranks", "--", "true", saying="mpirun")
        self.refused("2", "--processes", "2", "--", "true", saying="--processes")

    def test_a_program_without_openmp(self):
        done = self.teff("run", "--devices", "1", "--", "sh", "-c", "echo ran", status=None)
        self.assertEqual(done.out.decode().count("ran"), 1, "only the host runs the script")
        self.assertIn("give teff run --devices the program itself", done.text)

    def test_a_script(self):
        script = self.place / "script"
        script.write_text("#!/bin/sh\necho ran\n")
        script.chmod(0o755)
        self.refused("1", "--", os.fspath(script), saying="is no program itself but a script")
        self.refused("1", "--preload", "--", os.fspath(script), saying="is no program itself but a script")

    def test_a_static_program(self):
        source = self.place / "static.c"
        source.write_text("int main(void) { return 0; }\n")
        program = self.compile(source, "-static")
        self.refused("1", "--", os.fspath(program), saying="linked statically")


class Hostile(HostileHost):
    def test_lines_to_other_devices(self):
        program = self.compile(SOURCES / "settings.c")

        def given(ours, sent=b"", closed=False):
            """Gives a line, on which the other device has sent this."""
            its, other = socket.socketpair()
            with its:
                other.sendall(sent)
                if closed: # before the device can have sent anything
                    other.close()
                socket.send_fds(ours, [b"\1"], [its.fileno()])
            self.addCleanup(other.close)

        def a_pass(number=self.A_NUMBER, length=8, kind=self.A_PASS, data=bytes(8)):
            return self.HEADER.pack(self.MAGIC, kind, number, length) + data

        def receives(heap):
            return self.passing(heap, self.RECEIVES)

        def sends(heap):
            return self.passing(heap, self.SENDS, copies=0, reads=1)

        for message, behind, answer in (
                (receives, lambda ours: given(ours, a_pass()), self.A_REPLY),
                (receives, lambda ours: given(ours, a_pass(data=bytes(5)), closed=True), self.A_CUT),
                (receives, lambda ours: given(ours, closed=True), self.A_CUT),
                (sends, given, self.A_REPLY),
                (sends, lambda ours: given(ours, closed=True), self.A_CUT),
                (lambda heap: self.passing(heap, self.MOVES, reads=1), None, self.A_REPLY),
                (receives, None, None)): # the host's end
            status, text = self.device(program, message, 2, behind)
            self.assertEqual((status, text, self.answers), (0, "", [answer] if answer else []))
        of_host, of_device = "of the host: ", "of device 1: "
        no_other = of_host + "it passes data to or from a device that is no other one"
        for message, behind, saying in (
                (lambda heap: self.passing(heap, self.RECEIVES, other=0), None, no_other),
                (lambda heap: self.passing(heap, self.RECEIVES, other=2), None, no_other),
                (lambda heap: self.passing(heap, self.SENDS, other=0xffffffff, copies=0), None, no_other),
                (lambda heap: self.passing(heap, 9, data=bytes(8)), None, of_host + "its data are not as long as its copies"),
                (lambda heap: self.passing(heap, 9, copies=0), None, of_host + "it passes data in a way that is not known"),
                (lambda heap: self.passing(heap, self.RECEIVES, data=bytes(8)), None,
                 of_host + "its data are not as long as its copies"),
                (lambda heap: self.passing(heap - 4096, self.RECEIVES), None,
                 of_host + "it writes to memory that it may not touch"),
                (lambda heap: self.passing(heap, self.SENDS, copies=0, reads=1, length=1 << 60), None,
                 of_host + "it reads memory that it may not touch"),
                (lambda heap: self.passing(heap, self.MOVES), None, of_host + "it does not move as many ranges as it reads"),
                (lambda heap: self.passing(heap, self.MOVES, reads=1, length=9), None,
                 of_host + "it moves ranges of different lengths"),
                (receives, lambda ours: ours.sendall(b"\1"), of_host + "it has no line to device 1"),
                (receives, lambda ours: given(ours, bytes(24)), of_device + "it does not begin as a message of Teff"),
                (receives, lambda ours: given(ours, a_pass(kind=self.A_CONSTRUCT)), of_device + "it is of another kind"),
                (receives, lambda ours: given(ours, a_pass(number=1)), of_device + "it is not the next message"),
                (receives, lambda ours: given(ours, a_pass(length=9, data=bytes(9))),
                 of_device + "its data are not as long as what is to be copied")):
            status, text = self.device(program, message, 2, behind)
            self.assertEqual((status, self.answers), (1, []), text)
            self.assertIn(f"device 0 refuses a message {saying}", text)

    def test_messages(self):
        program = self.compile(SOURCES / "settings.c")
        status, text = self.device(program, self.construct)
        self.assertEqual((status, text), (0, ""), "a valid construct, and the host's end")
        for path, answer in ((b"libc.so.6", self.A_REPLY), (b"/absent.so", self.A_CUT), (b"\0", self.A_REPLY)):
            status, text = self.device(program, lambda heap, path=path: self.passing(heap, self.LOADS, copies=0, data=path))
            self.assertEqual((status, text, self.answers), (0, "", [answer]), "a library to load")
        chance = random.Random(5)
        for message, saying in (
                (lambda heap: bytes(24), "it does not begin as a message of Teff"),
                (lambda heap: self.construct(heap, sequence=2), "it is not the next message"),
                (lambda heap: self.construct(heap, length=8), "it is too short"),
                (lambda heap: self.construct(heap, length=1 << 60), "its data are not as long as its copies"),
                (lambda heap: self.construct(heap, function=heap), "its function is no code"),
                (lambda heap: self.construct(heap - 4096), "it writes to memory that it may not touch"),
                (lambda heap: self.passing(heap, self.LOADS, data=b"library.so"), "it loads a library, and has data"),
                (lambda heap: self.passing(heap, self.LOADS, copies=0), "the path of a library is empty or too long"),
                (lambda heap: self.passing(heap, self.LOADS, copies=0, data=b"x" * 4096), "the path of a library is empty"),
                (lambda heap: chance.randbytes(4096), "it does not begin as a message of Teff")):
            status, text = self.device(program, message)
            self.assertEqual(status, 1, text)
            self.assertIn(f"device 0 refuses a message of the host: {saying}", text)

        def damaged(heap):
            whole = bytearray(self.construct(heap, copies=chance.randrange(4)))
            for _ in range(chance.randrange(1, 4)):
                whole[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
            return whole[:chance.randrange(len(whole) + 1)]
        for _ in range(40):
            status, text = self.device(program, damaged)
            self.assertIn(status, (0, 1), text)


class Launched(PassedBy):
    """The other ranks of a job of MPI are the devices of rank 0."""

    LAUNCHERS = {"openmpi": ("--allow-run-as-root", "--oversubscribe", "--bind-to", "none"), "mpich": ()}

    def launchers(self):
        for name, options in self.LAUNCHERS.items():
            if shutil.which(f"mpirun.{name}"):
                yield name, options
        if not any(shutil.which(f"mpirun.{name}") for name in self.LAUNCHERS):
            self.skipTest("no mpirun.openmpi and no mpirun.mpich (Debian: openmpi-bin, mpich)")

    def ranks(self, name, program, *words, options=(), ranks=3, env=None):
        return run([f"mpirun.{name}", *self.LAUNCHERS[name], "-n", ranks, TEFF, "run", *options, "--", program, *words],
                   env, cwd=self.place)


class Ranks(Launched):
    def test_programs(self):
        for source in ("maps.c", "kinds.c", "objects.cpp", "kinds.cpp", "descriptors.f90", "kinds.f90", "lists.c",
                       "between.c"):
            program = self.compile(SOURCES / source)
            for name, _ in self.launchers():
                done = self.ranks(name, program)
                self.assertEqual((done.status, done.text), (0, "2 devices, ok\n"), name)

    def test_variables_of_devices(self):
        env = environment(OMP_NUM_THREADS_DEV="3", OMP_NUM_THREADS_DEV_1="4")
        program = self.compile(SOURCES / "threads.c")
        for name, _ in self.launchers():
            self.assertEqual(self.ranks(name, program, env=env).text, "2 3 4\n", name)
            options = ("--devices", "0")
            self.assertEqual(self.ranks(name, program, options=options, env=env).text, "2\n" * 3, name)

    def test_main_returns_while_a_thread_uses_devices(self):
        program = self.compile(SOURCES / "ends_beside.c")
        for name, _ in self.launchers():
            for what in ("copies", "regions"):
                done = self.ranks(name, program, what)
                self.assertEqual(done.status, 7, done.text)
                self.assertNotIn("teff", done.text)

    def test_constructs_with_nowait_hold_no_thread(self):
        program, file = self.compile(SOURCES / "deferred.c"), self.place / "file"
        for name, _ in self.launchers():
            done = self.ranks(name, program, file)
            self.assertEqual((done.status, done.text), (0, "2 devices, ok\n"), name)
            file.unlink()

    def test_data_come_ahead_of_their_construct(self):
        program = self.compile(SOURCES / "ahead.c")
        for name, _ in self.launchers():
            done = self.ranks(name, program, env=environment(TEFF_DEVICE_FIGURES="TRUE"))
            self.assertEqual(done.status, 0, done.text)
            self.assertIn("2 devices, ok\n", done.text, name)
            for of_device in self.figures(done.text):
                self.assertGreaterEqual(of_device[7], 32 << 20, name)

    def test_the_recordings_of_the_ranks_are_those_of_one_program(self):
        program = self.compile(SOURCES / "recorded.c")
        for name, _ in self.launchers():
            recording = self.place / f"{name}.teff"
            done = run([f"mpirun.{name}", *self.LAUNCHERS[name], "-n", 3, TEFF, "record", "-o", recording, "--",
                        TEFF, "run", "--", program], cwd=self.place)
            self.assertEqual(done.status, 0, done.text)
            facts = json.loads(self.teff("report", "--json", recording).out)
            found = {process["process"]: process for process in facts["processes"]}
            self.assertEqual({rank: found[rank].get("device") for rank in found}, {"rank-0": None, "rank-1": 0, "rank-2": 1})
            self.assertTrue(found["rank-0"]["shown"])
            self.assertEqual(facts["devices"]["transport"], name)
            alone = json.loads(self.teff("report", "--json", recording / "rank-0").out)
            for of in (facts, alone): # alone, the times of devices are known less well
                self.assertEqual([(device["constructs"], device["bytes_to"], device["bytes_from"])
                                  for device in of["devices"]["devices"]], [(9, 16000, 8088), (4, 4000, 4800)])
            of_device = json.loads(self.teff("report", "--json", "--process", "rank-2", recording).out)
            self.assertIsNone(of_device["devices"])

    def test_without_devices_each_rank_runs_the_program(self):
        program = self.compile(SOURCES / "settings.c")
        plain = self.place / "plain.c"
        plain.write_text("#include <stdio.h>\nint main(void) {\n#pragma omp parallel\n#pragma omp single\nputs(\"ran\");\n}\n")
        plain = self.compile(plain)
        for name, _ in self.launchers():
            self.assertEqual(self.ranks(name, program, options=("--devices", "0")).text.count("on the host"), 3, name)
            self.assertEqual(self.ranks(name, plain).text.count("ran"), 3, name)

    def test_a_program_that_uses_mpi_itself(self):
        for name, _ in self.launchers():
            if not shutil.which(f"mpicc.{name}"):
                continue
            done = run([f"mpicc.{name}", "-fopenmp", SOURCES / "uses_mpi.c", "-o", self.place / "uses_mpi"])
            self.assertEqual(done.status, 0, done.text)
            done = self.ranks(name, self.place / "uses_mpi")
            self.assertEqual(done.status, 0, done.text)
            self.assertEqual(done.text.count("of 3: 0 devices, on the host"), 3, done.text)
            self.assertEqual(done.text.count("the program uses MPI itself"), 1, done.text)

    def test_ends(self):
        program = self.compile(SOURCES / "ends.c")
        ended = r"has not answered for 2 s during a target region at ends\+0x[0-9a-f]+ "
        for name, _ in self.launchers():
            for how, status, saying in (("", 0, ""), ("exit", 7, ""), ("host", None, ""), ("busy", None, ""),
                                        ("device", None, r"device 0 was ended by signal 9[^$]*device 0 \(process \d+\) " + ended),
                                        ("stop", None, r"device 0 \(process \d+\) " + ended), ("overlap", 1, "item 1 of its map")):
                done = self.ranks(name, program, how, env=environment(TEFF_DEVICE_PATIENCE="2"))
                if status is None:
                    self.assertNotEqual(done.status, 0, (name, how))
                else:
                    self.assertEqual(done.status, status, (name, how, done.text))
                if saying:
                    self.assertRegex(done.text, saying, (name, how))
                self.assert_gone(int(done.out.split()[0]))

    def test_copies_between_devices_pass_by_the_host(self):
        program = self.compile(SOURCES / "between_counts.c")
        for name, _ in self.launchers():
            done = self.ranks(name, program, self.BYTES, self.COPIES, options=("--devices", "ranks"),
                              env=environment(TEFF_DEVICE_FIGURES="TRUE"))
            self.assertEqual(done.status, 0, done.text)
            self.assert_passed_by(done.text)

    def test_a_device_ends_during_a_copy(self):
        program = self.compile(SOURCES / "between_ends.c")
        for name, _ in self.launchers():
            for victim in (0, 1):
                for how in ("stop", "kill", "flow"):
                    done = self.ranks(name, program, victim, how, env=environment(TEFF_DEVICE_PATIENCE="2"))
                    self.assertNotEqual(done.status, 0, (name, how))
                    silent = (rf"device {victim} \(process \d+\) has not answered for 2 s during a device memory routine at "
                              r"between_ends\+0x")
                    if how == "flow": # UCX may then abort the other device
                        silent = silent.replace(f"device {victim}", r"device \d")
                    self.assertRegex(done.text, silent, (name, victim, how))
                    if how != "stop":
                        self.assertIn(f"device {victim} was ended by signal 9", done.text, (name, how))
                    processes = [int(word) for word in done.out.split()[:2]]
                    for process in processes:
                        self.assert_gone(process)

    def test_wrong_libraries(self):
        program = self.compile(SOURCES / "settings.c")
        foreign = {"openmpi": "libmpich.so.12", "mpich": "libmpi.so.40"}
        for name, _ in self.launchers():
            for library, saying in (("libabsent.so", "cannot load the MPI library: libabsent.so"),
                                    ("libm.so.6", "neither that of Open MPI nor that of MPICH")):
                done = self.ranks(name, program, env=environment(TEFF_MPI=library))
                self.assertNotEqual(done.status, 0, done.text)
                self.assertIn(f"rank 0 {saying}" if "absent" in library else saying, done.text)
            if len(list(self.launchers())) == 2:
                done = self.ranks(name, program, env=environment(TEFF_MPI=foreign[name], OMPI_ALLOW_RUN_AS_ROOT="1",
                                                                 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1"))
                self.assertNotEqual(done.status, 0, done.text)
                self.assertEqual(done.text.count("sees 1 of the 3 ranks"), 1, done.text)

    def test_a_library_that_is_missing_on_one_rank(self):
        program = self.compile(SOURCES / "settings.c")
        for name, options in self.launchers():
            for without in (0, 1):
                ranks = [["-n", 1, TEFF, "run", "--", program] for _ in range(3)]
                ranks[without][2:2] = ["env", "TEFF_MPI=libabsent.so"]
                done = run([f"mpirun.{name}", *options, *ranks[0], ":", *ranks[1], ":", *ranks[2]])
                self.assertEqual(done.status, 1, (name, without, done.text))
                self.assertIn(f"teff: fatal: rank {without} cannot load the MPI library: libabsent.so", done.text)

    def test_another_build_on_a_rank(self):
        (self.place / "other").mkdir()
        program, other = self.compile(SOURCES / "settings.c"), self.place / "other" / "settings"
        done = run(["gcc", "-fopenmp", "-DOTHER", SOURCES / "settings.c", "-o", other])
        self.assertEqual(done.status, 0, done.text)
        for name, options in self.launchers():
            part = [TEFF, "run", "--"]
            done = run([f"mpirun.{name}", *options, "-n", 1, *part, program, ":", "-n", 1, *part, other])
            self.assertNotEqual(done.status, 0, done.text)
            self.assertIn("device 0 has another version of the program", done.text)

    def test_waiting_leaves_a_threads_timers_as_they_are(self):
        source = self.place / "slack.c"
        source.write_text("""
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(void) {
    int before = prctl(PR_GET_TIMERSLACK), first = 0, second = 0;
#pragma omp target map(from : first)
    first = prctl(PR_GET_TIMERSLACK), usleep(20000);
    usleep(20000);
#pragma omp target map(from : second)
    second = prctl(PR_GET_TIMERSLACK);
    printf("%d %d %d\\n", first == before, second == before, prctl(PR_GET_TIMERSLACK) == before);
}
""")
        program = self.compile(source)
        for name, _ in self.launchers():
            self.assertEqual(self.ranks(name, program).text, "1 1 1\n", name)

    def test_an_idle_device_sleeps(self):
        program = self.compile(SOURCES / "ends.c")
        for name, _ in self.launchers():
            used, limit = re.search(r"idle (\d+) of (\d+)", self.ranks(name, program, "idle").text).groups()
            self.assertLess(int(used), int(limit) / 4, "clock ticks of the processor that a device takes in a second")
