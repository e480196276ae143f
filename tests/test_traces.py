# SPDX-License-Identifier: Apache-2.0
"""Tests that the recordings of small programs contain exactly the graphs of these programs."""

import collections
import json
import unittest

from expected import Expected
from harness import ROOT, ProductTest, environment
from model import CANCELLED, INLINE, Graph, Model

THREADS = (1, 2, 4)


class Traces(ProductTest):
    def check_program(self, source):
        binary = self.compile(source)
        for threads in THREADS:
            with self.subTest(threads=threads):
                expected = Expected(source, threads)
                recording = self.record(binary, env=environment(threads, **expected.env), name=f"{threads}.teff")
                self.check_recording(recording, expected)

    def check_recording(self, recording, expected):
        page, graphml = recording.with_suffix(".html"), recording.with_suffix(".graphml")
        self.teff("view", "--html", page, recording)
        self.teff("export", "--format", "graphml", "-o", graphml, recording)
        model = Model(page.read_text())
        self.assertTrue(model.run["complete"])
        self.check_model(model, expected)
        graph = Graph(graphml.read_text())
        self.check_graphml(graph, model)
        facts = json.loads(self.teff("report", "--json", recording).out)
        self.assertAlmostEqual(graph.longest_path() / max(facts["span_ns"], 1), 1, places=6)
        self.assertEqual(facts["grains"]["total"], model.run["grains"])

    def check_model(self, model, expected):
        roots = [grain for grain in model.grains if grain.kind == "initial"]
        self.assertEqual(tuple(sorted(tree_of(root, expected) for root in roots)), expected.tree)
        chunks = [grain for grain in model.grains if grain.kind == "chunk"]
        self.assertEqual(sorted((expected.site(c.line), c.first, c.iterations) for c in chunks),
                         sorted(expected.chunks.elements()))
        for chunk in chunks:
            self.assertEqual(model.grains[chunk.parent].kind, "implicit")
        site = lambda row: expected.site(model.grains[row].line)  # noqa: E731
        self.assertEqual(collections.Counter((site(a), site(b)) for a, b in model.edges), expected.edges)
        for before, after in model.edges:
            self.assertLessEqual(model.grains[before].end, model.grains[after].start)

    def check_graphml(self, graph, model):
        kinds = collections.Counter(grain.kind for grain in model.grains)
        created = kinds["task"] + kinds["implicit"]
        self.assertEqual(graph.nodes["chunk"], kinds["chunk"])
        self.assertEqual(graph.edges["creation"], created)
        self.assertEqual(graph.edges["join"], created)
        self.assertEqual(graph.edges["dependence"], len(model.edges))
        self.assertLessEqual(graph.ends, set(graph.kind))
        self.assertFalse(graph.has_cycle())
        self.assertEqual(graph.back_in_time(), [])
        # A region is one fork of all its implicit tasks; any other fork creates one task.
        regions = len({(g.parent, g.line) for g in model.grains if g.kind == "implicit"})
        self.assertEqual(graph.nodes["fork"], kinds["task"] + regions)


def tree_of(grain, expected):
    """A grain and all that it created, in an order that does not depend on the run. Chunks are compared separately."""
    words = [grain.kind]
    if grain.kind != "initial":
        words.append(expected.site(grain.line))
    words += [name for flag, name in ((INLINE, "inline"), (CANCELLED, "cancelled")) if grain.flags & flag]
    children = (tree_of(child, expected) for child in grain.children if child.kind != "chunk")
    return " ".join(words), tuple(sorted(children))


def add_programs():
    for source in sorted((ROOT / "tests" / "traces").glob("*.c")):
        setattr(Traces, f"test_{source.stem}", lambda self, source=source: self.check_program(source))


add_programs()

if __name__ == "__main__":
    unittest.main()
