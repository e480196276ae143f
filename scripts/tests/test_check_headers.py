# SPDX-License-Identifier: Apache-2.0

import platform
import unittest

import check_headers

from tests.tree import problems

INCOMPLETE = "#pragma once\ninline std::uint8_t one() { return 1; }\n"


def check(text, source=None):
    files = {"runtime/src/base/x.h": text}
    if source is not None:
        files["runtime/src/base/x.cpp"] = source
    return problems(check_headers.find_problems, files)


class Headers(unittest.TestCase):
    def test_a_complete_header_passes(self):
        self.assertEqual(check("#pragma once\n#include <cstdint>\ninline std::uint8_t one() { return 1; }\n"), [])

    def test_a_header_that_leans_on_others_is_found(self):
        self.assertIn("does not compile alone", check(INCOMPLETE)[0])

    def test_a_header_without_guard_is_found(self):
        self.assertIn("redefinition", check("inline int one() { return 1; }\n")[0])

    def test_a_header_that_its_source_includes_first_is_left_to_the_build(self):
        self.assertEqual(check(INCOMPLETE, '// A comment.\n#include "base/x.h"\n#include <cstdint>\n'), [])

    def test_a_header_that_its_source_includes_later_is_compiled(self):
        for first in ("#include <cstdint>", '#include "base/y.h"'):
            self.assertEqual(len(check(INCOMPLETE, f'{first}\n#include "base/x.h"\n')), 1, first)

    def test_a_header_of_another_processor_is_left_out(self):
        for name, found in (("another", 0), ("arch", 1), (platform.machine(), 1)):
            files = {f"runtime/src/base/arch/{name}.h": INCOMPLETE}
            self.assertEqual(len(problems(check_headers.find_problems, files)), found, name)
