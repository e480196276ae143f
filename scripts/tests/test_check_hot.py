# SPDX-License-Identifier: Apache-2.0

import unittest

import check_hot

from tests.tree import problems


def check(files):
    return problems(check_hot.find_problems, files)


class Hot(unittest.TestCase):
    def test_each_kind_of_benchmark_is_known(self):
        self.assertEqual(
            check({
                "runtime/src/a/x.h": "// HOT push: one store\n// HOT chain.\n// HOT barrier\n",
                "runtime/src/a/x_bench.cpp": "BENCHMARK(push)->Arg(1);\n",
                "bench/compare/suites.py": 'micro("chain", "depend", "")\n',
                "bench/constructs/programs/sync.c": '{.name = "barrier", .what = "barrier"},\n',
            }), [])

    def test_a_name_without_a_benchmark_is_found(self):
        [problem] = check({"runtime/src/a/x.h": "\n// HOT spawn: some stores\n", "bench/compare/suites.py": ""})
        self.assertIn("runtime/src/a/x.h:2: HOT spawn", problem)


if __name__ == "__main__":
    unittest.main()
