# SPDX-License-Identifier: Apache-2.0
"""Tests the exported graphs: networkx reads DOT (with pydot) and GraphML, and the graphs agree with
the programs and with the report."""

import re
import unittest

import networkx
from exports_harness import OWN, ExportTest

SIDE = 6  # of programs/wavefront.c


def read_dot(path):
    graph = networkx.nx_pydot.read_dot(path)
    # A line that ends behind the last brace is a node to pydot.
    graph.remove_nodes_from([node for node in graph if node.strip('"\\n ') == ""])
    return graph


def longest_path(graph, work):
    longest = {}
    for node in networkx.topological_sort(graph):
        before = max((longest[other] for other in graph.predecessors(node)), default=0)
        longest[node] = before + work(graph.nodes[node])
    return max(longest.values())


class GrainGraph(ExportTest):
    def test_dot_and_graphml_are_the_same_graph(self):
        self.of_each("dot", self.check_dot_and_graphml_are_the_same_graph)

    def check_dot_and_graphml_are_the_same_graph(self, recording, path, facts):
        if len(path.read_bytes()) > 1 << 18:  # pydot would take minutes
            return
        dot, graphml = read_dot(path), networkx.read_graphml(self.export(recording, "graphml"))
        self.assertTrue(set(dot) == set(graphml))
        kinds = lambda graph: {node: values["kind"] for node, values in graph.nodes(data=True)}  # noqa: E731
        self.assertTrue(kinds(dot) == kinds(graphml))
        edges = lambda graph: sorted((a, b, values["kind"]) for a, b, values in graph.edges(data=True))  # noqa: E731
        self.assertTrue(edges(dot) == edges(graphml))
        self.assertTrue(networkx.is_directed_acyclic_graph(dot))
        self.assert_ns(longest_path(dot, lambda node: int(node.get("work_ns", 0))), facts["span_ns"], len(dot))
        self.assertAlmostEqual(longest_path(graphml, lambda node: node.get("work", 0)) / facts["span_ns"], 1, places=6)
        work = sum(int(node.get("work_ns", 0)) for _, node in dot.nodes(data=True))
        self.assert_ns(work, facts["work_ns"], len(dot))


class Dependences(ExportTest):
    def graph(self, name):
        path = self.export(self.recording(OWN / name), "dependences")
        graph = read_dot(path)
        edges = {kind: [(a, b) for a, b, values in graph.edges(data=True) if (values["kind"], values["color"]) == kind]
                 for kind in (("dependence", "black"), ("parent", "grey"))}
        self.assertEqual(sum(map(len, edges.values())), graph.number_of_edges())
        return graph, *edges.values()

    def test_a_chain_is_a_path(self):
        graph, dependences, parents = self.graph("chain.c")
        self.assertEqual(len(dependences), 9)
        chain = networkx.DiGraph(dependences)
        self.assertEqual(networkx.dag_longest_path_length(chain), 9)
        creators = {a for a, b in parents if b in chain}
        self.assertEqual(len(creators), 1, "all tasks of the chain have one parent")
        for node in networkx.topological_sort(chain):
            label = graph.nodes[node]["label"].strip('"')
            self.assertRegex(label, r"^[A-C] \d+\\n\d+\.\d{6}$")
            self.assertEqual("t" + label.split("\\n")[0].split()[1], node)
        starts = [int(graph.nodes[node]["start_ns"]) for node in networkx.topological_sort(chain)]
        self.assertEqual(starts, sorted(starts))

    def test_a_wavefront_is_a_grid(self):
        _, dependences, _ = self.graph("wavefront.c")
        graph = networkx.DiGraph(dependences)
        self.assertEqual(len(dependences), 2 * SIDE * (SIDE - 1))
        grid = networkx.DiGraph()
        for row in range(SIDE):
            for column in range(SIDE):
                grid.add_edges_from(((row, column), next) for next in ((row + 1, column), (row, column + 1)) if max(next) < SIDE)
        self.assertTrue(networkx.is_isomorphic(graph, grid))

    def test_an_excerpt_has_the_tasks_near_one_task(self):
        recording = self.recording(OWN / "chain.c")
        _, dependences, _ = self.graph("chain.c")
        chain = list(networkx.topological_sort(networkx.DiGraph(dependences)))
        path = self.place / "part.dot"
        arguments = ("export", recording, "--format", "dependences", "-o", path, "--around")
        self.teff(*arguments, chain[4].removeprefix("t"), "--distance", "2")
        part = read_dot(path)
        self.assertEqual(sorted(part), sorted(chain[2:7]))
        self.assertEqual(len(part.edges), 4)
        addresses = {values["address"].strip('"') for *_, values in part.edges(data=True)}
        self.assertEqual(len(addresses), 1, "all tasks of the chain depend on one variable")
        self.assertRegex(addresses.pop(), r"^0x[0-9a-f]+$")
        self.assertIn("tasks, numbered from 0", self.teff(*arguments, "1000", status=1).text)
        arguments = ("export", recording, "--format", "dot", "-o", path, "--around", "1")
        self.assertIn("--around works only with --format dependences", self.teff(*arguments, status=1).text)

    def test_every_task_has_a_node(self):
        self.of_each("dependences", self.check_every_task_has_a_node)

    def check_every_task_has_a_node(self, _, path, facts):
        said = facts["grains"]
        nodes = set(re.findall(r"^  (t\d+) \[", path.read_text(), re.MULTILINE))
        self.assertEqual(len(nodes), said["total"] - said["chunks"])

    def test_large_graphs_are_written_and_the_limit_is_told(self):
        binary = self.compile(OWN / "many.c")
        recording = self.record(binary)
        for kind in ("dot", "dependences"):
            path = self.place / kind
            done = self.teff("export", recording, "--format", kind, "-o", path)
            self.assertIn("very long for more than about 5000 nodes", done.text)
            self.assertTrue(path.read_text().endswith("}\n"))


if __name__ == "__main__":
    unittest.main()
