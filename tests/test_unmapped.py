# SPDX-License-Identifier: Apache-2.0
"""Tests what a target region on a device meets at an address of the host: nothing, and a line that says so."""

import re

from harness import TEFF, environment, run
from test_devices import SOURCES, Devices, Launched

LINE = re.compile(r"teff: device (\d) has nothing at (0x[0-9a-f]+), which the target region uses at unmapped"
                  r"\+0x[0-9a-f]+ \(addr2line -e unmapped (0x[0-9a-f]+)\)")


class Explained:
    def assert_explained(self, program, text):
        found = LINE.findall(text)
        self.assertEqual(len(found), 1, text)
        place = run(["addr2line", "-e", program, found[0][2]]).text
        lines = (SOURCES / "unmapped.c").read_text().splitlines()
        self.assertIn("// the place", lines[int(re.search(r":(\d+)", place)[1]) - 1])
        return int(found[0][1], 16)


class Unmapped(Explained, Devices):
    # Some have less than a page, others more than the C library keeps in its heap.
    CASES = (("heap", 1), ("heap", 1000), ("heap", 10_000), ("heap", 1_000_000), ("mapping", 1), ("mapping", 1_000_000),
             ("stack", 1), ("stack", 1000), ("thread", 1), ("thread", 1000), ("null", 1))

    def test_the_address_and_its_place_are_named(self):
        program = self.compile(SOURCES / "unmapped.c", "-O1", "-g")
        for where, count in self.CASES:
            done = self.on_devices(program, where, count, devices=1, status=None)
            self.assertEqual(done.status, 1, (where, count, done.text))
            self.assertNotIn("the sum", done.text)
            address = self.assert_explained(program, done.text)
            self.assertEqual(address < 8 * count, where == "null")
            self.assertRegex(done.text, "device 0 .*has ended during a target region at unmapped")
            self.assertIn("was ended by signal 11", done.text)

    def test_a_program_that_mends_its_faults(self):
        program = self.compile(SOURCES / "mends.c")
        for devices in (1, 2):
            self.assertEqual(self.on_devices(program, devices=devices).text, f"{devices} devices, ok\n")

    def test_limits_of_the_process(self):
        """Nothing is left free if that would count, and the rest of the run is as without a limit."""
        program = self.compile(SOURCES / "maps.c")
        for limit in ("-v 2000000", "-v 200000", "-d 100000", "-s 256", "-s unlimited"):
            done = run(["sh", "-c", f'ulimit {limit}; exec "$@"', "sh", TEFF, "run", "--devices", 2, "--", program])
            self.assertEqual(done.text, "2 devices, ok\n", limit)


class UnmappedInRanks(Explained, Launched):
    def test_the_address_and_its_place_are_named(self):
        program = self.compile(SOURCES / "unmapped.c", "-O1", "-g")
        for name, _ in self.launchers():
            done = self.ranks(name, program, "heap", 100, env=environment(TEFF_DEVICE_PATIENCE="1"))
            self.assertNotEqual(done.status, 0, name)
            self.assert_explained(program, done.text)
            self.assertIn("during a target region at unmapped", done.text)
