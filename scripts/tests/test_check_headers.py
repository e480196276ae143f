# SPDX-License-Identifier: Apache-2.0

import unittest

import check_headers
from tests.tree import problems


def check(text):
    return problems(check_headers.find_problems, {"runtime/src/base/x.h": text})


class Headers(unittest.TestCase):
    def test_a_complete_header_passes(self):
        self.assertEqual(check("#pragma once\n#include <cstdint>\ninline std::uint8_t one() { return 1; }\n"), [])

    def test_a_header_that_leans_on_others_is_found(self):
        self.assertIn("does not compile alone", check("#pragma once\ninline std::uint8_t one() { return 1; }\n")[0])

    def test_a_header_without_guard_is_found(self):
        self.assertIn("redefinition", check("inline int one() { return 1; }\n")[0])
