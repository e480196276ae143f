# SPDX-License-Identifier: Apache-2.0

import unittest

from tally import tally


class Tally(unittest.TestCase):
    def test_a_suite_that_counts_itself_is_believed(self):
        self.assertEqual(tally("noise\n100% tests passed, 0 tests failed out of 9\n5 passed, 0 failed\n", 0), (5, 0, 0))
        self.assertEqual(tally("1 passed, 0 failed\n5 passed, 2 failed\n", 1), (5, 2, 0))
        self.assertEqual(tally("3 skipped\n5 passed, 2 failed\n", 1), (5, 2, 3))

    def test_known_runners(self):
        for log, status, expected in [
            ("14 checks passed, 1 failed\n", 1, (14, 1, 0)),
            ("13 checks passed, 0 failed, 2 skipped\n", 0, (13, 0, 2)),
            ("80% tests passed, 2 tests failed out of 10\n", 8, (8, 2, 0)),
            (" 1/10 Test  #7: a/B.C ....   Passed    0.01 sec\n 2/10 Test  #8: a/B.D ....***Skipped   0.01 sec\n"
             "100% tests passed, 0 tests failed out of 10\n", 0, (9, 0, 1)),
            ("test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured\n"
             "test result: FAILED. 1 passed; 2 failed; 5 ignored\n", 101, (4, 2, 5)),
            ("Ran 4 tests in 0.001s\n\nOK\n", 0, (4, 0, 0)),
            ("Ran 4 tests in 0.001s\n\nOK (skipped=3)\n", 0, (1, 0, 3)),
            ("Ran 4 tests in 0.001s\n\nFAILED (failures=1, errors=2)\n", 1, (1, 3, 0)),
            ("Ran 4 tests in 0.001s\n\nFAILED (errors=1)\n", 1, (3, 1, 0)),
            ("Ran 4 tests in 0.001s\n\nFAILED (errors=1, skipped=2)\n", 1, (1, 1, 2)),
            ("\x1b[2m      Tests \x1b[22m 12 passed (12)\n", 0, (12, 0, 0)),
            ("      Tests  12 passed | 2 skipped (14)\n", 0, (12, 0, 2)),
            ("      Tests  1 failed | 11 passed (12)\n  2 failed\n    a.spec.ts\n  3 passed (3.4s)\n", 1, (14, 3, 0)),
        ]:
            with self.subTest(log=log):
                self.assertEqual(tally(log, status), expected)

    def test_a_bad_end_is_a_failure(self):
        self.assertEqual(tally("5 passed, 0 failed\n", 124), (5, 1, 0))
        self.assertEqual(tally("error: could not compile\n", 101), (0, 1, 0))

    def test_silence_is_a_failure(self):
        self.assertEqual(tally("", 0), (0, 1, 0))

    def test_so_is_a_suite_that_only_skips(self):
        self.assertEqual(tally("Ran 2 tests in 0.001s\n\nOK (skipped=2)\n", 0), (0, 1, 2))
