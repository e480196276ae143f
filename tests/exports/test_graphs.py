# SPDX-License-Identifier: Apache-2.0
"""Tests the exported graphs: networkx reads DOT (with pydot) and GraphML, and the graphs agree with
the programs and with the report."""

import csv
import re
import unittest

import networkx
from exports_harness import OWN, SOURCES, TRACES, ExportTest

SIDE = 6  # of programs/wavefront.c


def read_dot(path):
    graph = networkx.nx_pydot.read_dot(path)
    # A line that ends behind the last brace is a node to pydot.
    graph.remove_nodes_from([node for node in graph if node.strip('"\\n ') == ""])
    return graph


def read_graphml(path):
    """With the defaults of attributes, which networkx keeps apart."""
    graph = networkx.read_graphml(path)
    for _, values in graph.nodes(data=True):
        values |= graph.graph["node_default"] | dict(values)
    for _, _, values in graph.edges(data=True):
        values |= graph.graph["edge_default"] | dict(values)
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
        dot, graphml = read_dot(path), read_graphml(self.export(recording, "graphml", "--whole"))
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


MANY_NODES = 10_000  # networkx reads some 10,000 of them in a second


class Reductions(ExportTest):
    """Each reduction by itself, and all together: the graph keeps its grains, its work and its order."""

    def test_reduced_graphs_have_the_same_grains_and_work(self):
        for source in SOURCES:
            with self.subTest(program=source.name):
                recording = self.recording(source)
                whole = read_graphml(self.export(recording, "graphml", "--whole"))
                each = ("fragments", "forks", "bookkeeping", "fragments,forks") if len(whole) < MANY_NODES else ()
                for what in (*each, "all"):
                    with self.subTest(reduce=what):
                        self.check_reduced(recording, whole, what)

    def check_reduced(self, recording, whole, what):
        has = lambda name: what == "all" or name in what.split(",")  # noqa: E731
        graph = read_graphml(self.export(recording, "graphml", "--whole", "--reduce", what))
        self.assertTrue(networkx.is_directed_acyclic_graph(graph))
        self.assertEqual([node for node in graph if not graph.in_degree(node)], ["S"])
        self.assertEqual([node for node in graph if not graph.out_degree(node)], ["E"])
        of_grains = lambda graph: sorted({values["grain"] for _, values in graph.nodes(data=True) if "grain" in values})  # noqa: E731
        self.assertLessEqual(set(of_grains(whole)), set(of_grains(graph)))
        work = lambda graph: sum(values.get("work", 0) for _, values in graph.nodes(data=True))  # noqa: E731
        self.assertAlmostEqual(work(graph), work(whole), delta=0.1 * len(whole))
        count = lambda graph, kind: sum(values["kind"] == kind for _, values in graph.nodes(data=True))  # noqa: E731
        edges = lambda graph, kind: sum(values["kind"] == kind for _, _, values in graph.edges(data=True))  # noqa: E731
        self.assertEqual(count(graph, "join"), count(whole, "join"))
        self.assertEqual(edges(graph, "creation"), edges(whole, "creation"))
        self.assertEqual(count(graph, "fragment"), 0 if has("fragments") else count(whole, "fragment"))
        for kind, reduction in (("fork", "forks"), ("bookkeeping", "bookkeeping")):
            nodes = [values for _, values in graph.nodes(data=True) if values["kind"] == kind]
            self.assertEqual(sum(node["members"] for node in nodes), count(whole, kind))
            if not has(reduction):
                self.assertEqual(len(nodes), count(whole, kind))
        cost = lambda graph: sum(values["creation"] for _, values in graph.nodes(data=True)  # noqa: E731
                                 if values["kind"] == "bookkeeping" and "creation" in values)
        self.assertAlmostEqual(cost(graph), cost(whole), delta=0.1 * len(whole) + 0.1)

    def test_a_loop_is_one_node_of_bookkeeping_for_each_thread(self):
        recording = self.recording(TRACES / "loops.c")
        whole = read_graphml(self.export(recording, "graphml", "--whole"))
        for node, values in whole.nodes(data=True):
            if values["kind"] == "chunk":
                before, after = list(whole.predecessors(node)), list(whole.successors(node))
                self.assertEqual([whole.nodes[other]["kind"] for other in before], ["bookkeeping"])
                self.assertEqual([whole.nodes[other]["kind"] for other in after], ["bookkeeping"])
        graph = read_graphml(self.export(recording, "graphml", "--reduce", "all"))
        groups = {node: set(graph.successors(node)) for node, values in graph.nodes(data=True) if values["kind"] == "bookkeeping"}
        chunks = {node for node, values in graph.nodes(data=True) if values["kind"] == "chunk"}
        self.assertTrue(chunks)
        self.assertEqual(set.union(*groups.values()), chunks)
        self.assertEqual(sum(map(len, groups.values())), len(chunks), "each chunk is of one thread")
        for node, members in groups.items():
            self.assertEqual(graph.nodes[node]["members"], len(members) + 1)

    def test_dot_is_reduced_as_graphml_is(self):
        recording = self.recording(OWN / "wavefront.c")
        for options in (("--reduce", "all"), ("--reduce", "forks", "--attributes", "plain")):
            dot, graphml = (self.export(recording, kind, *options) for kind in ("dot", "graphml"))
            dot, graphml = read_dot(dot), networkx.read_graphml(graphml)
            self.assertEqual(sorted(dot), sorted(graphml))
            self.assertEqual(sorted(dot.edges()), sorted(graphml.edges()))


class Size(ExportTest):
    def test_the_smallest_files_have_300_bytes_for_each_grain(self):
        """100,000 grains have 30 MB. many.c creates all its tasks in one."""
        recording = self.record(self.compile(OWN / "many.c"))
        grains = self.facts(recording)["grains"]["total"]
        for kind, limit in (("graphml", 300), ("dot", 220)):
            path = self.export(recording, kind, "--attributes", "plain", "--reduce", "all")
            self.assertLess(path.stat().st_size, limit * grains + 5000)


class Colours(ExportTest):
    """chain.c's tasks run one after the other: each of them runs alone, as the CSV says, too."""

    def test_grains_with_the_problem_are_coloured(self):
        recording = self.recording(OWN / "chain.c")
        options = ("--thresholds", "thesis", "--threshold", "parallel_benefit=1000000000")
        with open(self.export(recording, "csv", *options), encoding="utf-8") as file:
            rows = {int(row["grain"]): row for row in csv.DictReader(file)}
        for by in ("parallel-benefit", "instantaneous-parallelism", "load-balance"):
            metric = by.replace("-", "_")
            graph = read_graphml(self.export(recording, "graphml", "--reduce", "fragments", "--colour-by", by, *options))
            self.assertEqual(graph.graph["colour_by"], metric)
            severities = []
            for _, values in graph.nodes(data=True):
                if "grain" not in values:
                    continue
                row = rows[values["grain"]]
                self.assertEqual(values["problem"], metric in row["problems"].split(), row)
                if row[metric]:
                    expected = float(row[metric])
                    self.assertAlmostEqual(values["value"], expected, delta=1e-5 * abs(expected))
                if values["problem"]:
                    severities.append((values["value"], values["severity"]))
            self.assertTrue(severities or by == "load-balance")
            below = metric != "load_balance"
            self.assertEqual([s for _, s in sorted(severities)], sorted((s for _, s in severities), reverse=below))

    def test_what_cannot_be_coloured_is_said(self):
        recording = self.recording(OWN / "chain.c")
        for options, said in ((("graphml", "--colour-by", "work-deviation"), "name it with --baseline"),
                              (("graphml", "--colour-by", "memory"), "does not say how long grains waited for memory"),
                              (("csv", "--colour-by", "scatter"), "only with --format graphml and dot"),
                              (("csv", "--reduce", "all"), "only with --format graphml and dot"),
                              (("dot", "--attributes", "all"), "only with --format graphml")):
            kind, *rest = options
            done = self.teff("export", recording, "--format", kind, "-o", self.place / "x", *rest, status=1)
            self.assertIn(said, done.text)


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
