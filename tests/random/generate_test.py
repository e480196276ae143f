# SPDX-License-Identifier: Apache-2.0
"""Tests of generated programs: the same from a seed, within OpenMP's rules, and of every kind."""

import unittest

import generate
import measure
import run
import tree

SEEDS = range(1, 1001)


class Generated(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.roots = [generate.generate(seed) for seed in SEEDS]

    def test_a_seed_gives_one_program(self):
        for seed, root in zip(range(1, 51), self.roots):
            self.assertEqual(generate.generate(seed), root)

    def test_all_keep_to_the_rules(self):
        self.assertEqual([(seed, list(tree.problems(root))) for seed, root in zip(SEEDS, self.roots)
                          if not tree.is_valid(root)], [])

    def test_text_and_tree_agree(self):
        for root in self.roots[:200]:
            self.assertEqual(tree.parse(root.text()).text(), root.text())
            self.assertEqual(tree.parse(root.pretty()).text(), root.text())

    def test_every_construct_and_attribute_occurs(self):
        nodes = [node for root in self.roots for node in root.walk()]
        kinds = set().union(*tree.ALLOWED.values())
        self.assertEqual(kinds - {node.kind for node in nodes}, set())
        used = {name for node in nodes for name, value in node.attributes.items() if value}
        wanted = {"untied", "final", "undeferred", "mergeable", "priority", "detach", "bytes", "in", "out", "inout",
                  "mutex", "set", "depobj", "cancel", "reduce", "nogroup", "grain", "tasks", "nowait", "ordered"}
        self.assertEqual(wanted - used, set())

    def test_most_executions_are_bounded(self):
        for flavour in generate.FLAVOURS:
            self.assertLessEqual(flavour.executions, 20_000)


class Rules(unittest.TestCase):
    def problems(self, text):
        return list(tree.problems(tree.parse(text)))

    def test_what_is_forbidden_is_named(self):
        for text in ("program { barrier }", "program { parallel { task { barrier } } }",
                     "program { parallel { critical name=2 { critical name=1 } } }",
                     "program { parallel { lock { taskyield } } }", "program { threads n=2 { fork } }",
                     "program { parallel { sections { work } } }", "program { parallel { task in=1 out=1 } }",
                     "parallel { work }"):
            self.assertEqual(len(self.problems(text)), 1, text)

    def test_what_is_allowed_is_not(self):
        self.assertEqual(self.problems("program { parallel { critical { lock { work } } barrier } }"), [])

    def test_unreadable_texts(self):
        for text in ("program {", "program } ", "program program", "program { ! }"):
            with self.assertRaises((tree.Unreadable, IndexError)):
                tree.parse(text)


class Figures(unittest.TestCase):
    def test_seeds(self):
        self.assertEqual(list(run.seeds_of(["3", "5-7,9"])), [3, 5, 6, 7, 9])

    def test_percentiles_are_nearest_ranks(self):
        values = list(range(1, 101))
        self.assertEqual([measure.percentile(values, p) for p in (50, 90, 99, 100)], [50, 90, 99, 100])

    def test_only_long_phases_count_and_the_better_peer_is_taken(self):
        runs = {"teff": [(4e6, 4e6)], "libgomp": [(2e6, 5e5)], "libomp": [(8e6, 9e6)]}
        phases = list(measure.phases_of(1, "default", runs))
        self.assertEqual([(phase.number, phase.peer, phase.ratio) for phase in phases], [(0, "libgomp", 2.0)])

    def test_medians_of_repeats(self):
        runs = {"teff": [(2e6,), (9e6,), (4e6,)], "libgomp": [(2e6,), (2e6,), (2e6,)]}
        self.assertEqual([phase.ratio for phase in measure.phases_of(1, "default", runs)], [2.0])


if __name__ == "__main__":
    unittest.main()
