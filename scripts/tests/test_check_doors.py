# SPDX-License-Identifier: Apache-2.0

import unittest

import check_doors

from tests.tree import problems


def found(files):
    return problems(check_doors.find_problems, {f"runtime/src/{path}": text for path, text in files.items()})


class Doors(unittest.TestCase):
    def test_a_compilers_interface_is_for_abi_only(self):
        code = 'void f() {\n    if (from_clang) __kmpc_barrier(nullptr, 0);\n}\n#include "abi/kmpc_types.h"\n'
        self.assertEqual(len(found({"task/a.cpp": code})), 3)
        self.assertEqual(found({"abi/a.cpp": code}), [])

    def test_comments_and_variables_may_name_it(self):
        code = '// GOMP_task calls this\nint a; // of __kmpc_fork_call\nconst char* b = "GOMP_CPU_AFFINITY (";\n#if defined(__clang__)\n'
        self.assertEqual(found({"task/a.cpp": code, "icv/b.h": "int gomp_stacksize_bytes;\n"}), [])
