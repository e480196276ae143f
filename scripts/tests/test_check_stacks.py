# SPDX-License-Identifier: Apache-2.0

import unittest

import check_stacks


def node(title, size):
    return f'node: {{ title: "{title}" label: "void teff::{title}(int)\\nsource.cpp:1:1\\n{size} bytes (static)" }}'


def elsewhere(title):
    return f'node: {{ title: "{title}" label: "void {title}()\\nheader.h:1:1" shape : ellipse }}'


def edge(caller, called):
    return f'edge: {{ sourcename: "{caller}" targetname: "{called}" label: "source.cpp:2:2" }}'


def functions(*lines):
    read = check_stacks.Functions()
    read.read("\n".join(lines))
    return read


class Stacks(unittest.TestCase):
    def test_the_deepest_path_counts(self):
        graph = functions(node("GOMP_a", 100), node("small", 10), node("large", 200), node("leaf", 50), elsewhere("printf"),
                          edge("GOMP_a", "small"), edge("GOMP_a", "large"), edge("small", "leaf"), edge("large", "printf"))
        self.assertEqual(graph.roots(), ["GOMP_a"])
        self.assertEqual(graph.deepest("GOMP_a"), (300, ["GOMP_a", "large"]))
        self.assertEqual(check_stacks.complaints(graph, 300), [])
        [complaint] = check_stacks.complaints(graph, 299)
        self.assertIn("300 bytes", complaint)
        self.assertIn("GOMP_a > large", complaint)

    def test_a_definition_in_another_file_is_found(self):
        graph = functions(node("GOMP_a", 100), elsewhere("callee"), edge("GOMP_a", "callee"), node("callee", 7))
        self.assertEqual(graph.deepest("GOMP_a")[0], 107)

    def test_what_only_the_constructor_calls_does_not_count(self):
        graph = functions(node("at_load", 10), node("once", 9000), node("below", 9000), node("shared", 20), node("GOMP_a", 1),
                          edge("at_load", "once"), edge("once", "below"), edge("at_load", "shared"), edge("GOMP_a", "shared"))
        self.assertEqual(check_stacks.complaints(graph, 21), [])
        self.assertEqual(len(check_stacks.complaints(graph, 20)), 1)

    def test_what_is_called_through_a_pointer_counts_alone(self):
        graph = functions(node("GOMP_a", 1), node("pool_thread", 500))
        self.assertEqual(len(check_stacks.complaints(graph, 499)), 1)

    def test_what_the_recorder_does_apart_has_a_stack_of_its_own(self):
        graph = functions(node("GOMP_a", 1), node("run_apart<begin", 500))
        self.assertEqual(check_stacks.complaints(graph, 10, 500), [])
        self.assertEqual(len(check_stacks.complaints(graph, 10, 499)), 1)

    def test_a_circle_counts_once(self):
        graph = functions(node("GOMP_a", 1), node("drain", 10), node("run", 100), edge("GOMP_a", "drain"),
                          edge("drain", "run"), edge("run", "drain"), edge("run", "run"))
        self.assertEqual(graph.deepest("GOMP_a")[0], 111)


if __name__ == "__main__":
    unittest.main()
