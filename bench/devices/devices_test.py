#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the benchmark of devices, without running it: tests/test_devices.py compares counted bytes."""

import unittest

import devices


class CrossingTest(unittest.TestCase):
    def test_between_two_points(self):
        self.assertAlmostEqual(devices.crossing([(100, 0.9), (50, 0.6), (25, 0.4)]), (50 * 25) ** 0.5)

    def test_a_point_itself(self):
        self.assertAlmostEqual(devices.crossing([(100, 0.9), (50, 0.5), (25, 0.4)]), 50)

    def test_never_below(self):
        self.assertIsNone(devices.crossing([(100, 0.9), (50, 0.6)]))

    def test_noise_lowers_an_efficiency(self):
        self.assertAlmostEqual(devices.crossing([(100, 0.4), (50, 0.5), (25, 0.4)]), 50)
        self.assertIsNone(devices.crossing([(100, 0.4), (50, 0.3)]))


class LeastTest(unittest.TestCase):
    def test_one_device_gets_and_returns_everything_once(self):
        self.assertEqual(devices.least_gemm(1, n=10), (1600, 800))
        self.assertEqual(devices.least_cholesky(1, n=4, block=2), (3 * 32, 3 * 32))
        self.assertEqual(devices.least_heat(1, rows=10, columns=5, iterations=3), (8 * 50, 8 * 40))
        self.assertEqual(devices.least_nbody(1, bodies=3, steps=1), (24 * 6, 24 * 3))

    def test_two_devices_exchange_borders(self):
        self.assertEqual(devices.least_heat(2, rows=10, columns=1, iterations=2), (8 * (12 + 2), 8 * (8 + 2)))
        # Block (0, 0) is read by row 1, which the other device has.
        self.assertEqual(devices.least_cholesky(2, n=4, block=2), (4 * 32, 3 * 32))


class MediansTest(unittest.TestCase):
    def test_columns(self):
        runs = [{"region_us": us, "nowait_us": 2 * us, "to_MB_s": 3, "from_MB_s": 4, "between_MB_s": 5, "devices": 2}
                for us in (1, 10, 2)]
        self.assertEqual(devices.medians(runs), [2, 4, 250000, 3, 4, 5])

    def test_one_device_has_no_other(self):
        one = {"region_us": 1, "nowait_us": 2, "to_MB_s": 3, "from_MB_s": 4, "between_MB_s": None, "devices": 1}
        self.assertEqual(devices.medians([one, one])[-2:], [4, None])


class FiguresTest(unittest.TestCase):
    def test_sums_over_devices(self):
        line = "teff: device {}: 1 regions, 0 other constructs; data: {} bytes to the device, 5 from it; all messages: 9"
        self.assertEqual(devices.read_figures(line.format(0, 10) + "\n" + line.format(1, 20)), (30, 10))
        self.assertIsNone(devices.read_figures("nothing"))


if __name__ == "__main__":
    unittest.main()
