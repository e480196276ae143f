# SPDX-License-Identifier: Apache-2.0
"""Tests of the reducer: it finds the one node that matters, and always follows OpenMP's rules."""

import unittest

import generate
import tree
from reduce import Reducer, candidates


def has(kind, **attributes):
    return lambda root: any(node.kind == kind and all(node.get(name) >= value for name, value in attributes.items())
                            for node in root.walk())


class Reduced(unittest.TestCase):
    def test_a_planted_failure_is_reduced_to_its_node(self):
        found = 0
        for seed in range(200):
            root = generate.generate(seed)
            if not has("taskyield")(root):
                continue
            found += 1
            smallest = Reducer(has("taskyield")).reduce(root)
            self.assertEqual([node.kind for node in smallest.walk()], ["program", "taskyield"])
        self.assertGreater(found, 10)

    def test_numbers_shrink_to_the_least_that_fails(self):
        root = tree.parse("program { parallel { single { repeat n=9 { task untied=1 { work n=1000 } } } } }")
        smallest = Reducer(has("work", n=130)).reduce(root)
        self.assertEqual(smallest.text(), "program { work n=130 }")

    def test_attributes_that_matter_stay(self):
        root = tree.parse("program { parallel size=4 { task untied=1 priority=3 mergeable=1 { work n=10 } barrier } }")
        smallest = Reducer(has("task", untied=1)).reduce(root)
        self.assertEqual(smallest.text(), "program { task untied=1 }")

    def test_what_openmp_forbids_is_never_tried(self):
        tried = []
        root = tree.parse("program { parallel { single { task { work n=3 } } barrier } }")
        Reducer(lambda one: tried.append(one) or has("barrier")(one)).reduce(root)
        self.assertTrue(tried)
        self.assertEqual([list(tree.problems(one)) for one in tried if not tree.is_valid(one)], [])
        self.assertIn("program { parallel { barrier } }", [one.text() for one in tried])

    def test_a_budget_ends_the_search(self):
        clock = iter(range(100))
        reducer = Reducer(lambda root: True, budget_s=3, clock=lambda: next(clock))
        root = tree.parse("program { " + "work n=1 " * 20 + "}")
        self.assertGreater(reducer.reduce(root).size(), 1)

    def test_each_candidate_is_another_tree(self):
        root = generate.generate(5)
        for candidate in candidates(root):
            self.assertNotEqual(candidate.text(), root.text())


if __name__ == "__main__":
    unittest.main()
