# SPDX-License-Identifier: Apache-2.0
"""Tests teff run --devices: target regions of unmodified programs in further processes, and every
way in which such a run can end."""

import os
import pathlib
import time

from harness import LIMIT_S, ProductTest, environment

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

    def test_map_clauses(self):
        self.works("maps.c")

    def test_objects(self):
        self.works("objects.cpp")

    def test_descriptors(self):
        self.works("descriptors.f90")


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

    def test_programs_that_the_program_starts_have_no_devices(self):
        program = self.compile(SOURCES / "settings.c")
        done = self.on_devices(program, "child")
        self.assertIn("0 devices, on the host\n2 devices, on 0", done.text)


class Ends(Devices):
    def setUp(self):
        super().setUp()
        self.program = self.compile(SOURCES / "ends.c")

    def ends(self, how, status):
        done = self.on_devices(self.program, how, status=None)
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
        self.refused("0", "--", "true", saying="0")
        self.refused("2", "--processes", "2", "--", "true", saying="--processes")

    def test_a_program_without_openmp(self):
        done = self.teff("run", "--devices", "1", "--", "sh", "-c", "echo ran", status=None)
        self.assertEqual(done.out.decode().count("ran"), 1, "only the host runs the script")
        self.assertIn("give teff run --devices the program itself", done.text)

    def test_a_static_program(self):
        source = self.place / "static.c"
        source.write_text("int main(void) { return 0; }\n")
        program = self.compile(source, "-static")
        self.refused("1", "--", os.fspath(program), saying="linked statically")
