# SPDX-License-Identifier: Apache-2.0
"""Reads output of the tools: the view model (docs/formats/view.md) and GraphML files."""

import base64
import collections
import json
import re
import struct
import xml.etree.ElementTree

NONE = 0xFFFFFFFF
CODES = {"u8": "B", "u16": "H", "u32": "I", "i32": "i", "f32": "f", "f64": "d"}
KINDS = ("task", "implicit", "chunk", "group", "initial")
INLINE, CANCELLED, UNFINISHED = 16, 32, 4
DATA = re.compile(r'<script id="teff-data" type="application/json">(.*?)</script>', re.DOTALL)


class Grain:
    def __init__(self, row, columns, sites):
        site = columns["site"][row]
        self.kind = KINDS[columns["kind"][row]]
        self.parent = columns["parent"][row]
        self.line = sites[site]["line"] if site != NONE else 0
        self.flags = columns["flags"][row]
        self.first = columns["first"][row]
        self.iterations = int(columns["iterations"][row])
        self.start, self.end = columns["start"][row], columns["end"][row]
        self.children = []


class Model:
    """The grains of a recording, with what created them."""

    def __init__(self, page):
        data = json.loads(DATA.search(page)[1])
        columns = {name: column(values) for name, values in data["grain"].items()}
        self.run = data["run"]
        self.sites = data["sites"]
        self.grains = [Grain(row, columns, self.sites) for row in range(len(columns["kind"]))]
        for grain in self.grains:
            if grain.parent != NONE:
                self.grains[grain.parent].children.append(grain)
        self.edges = list(zip(column(data["edge"]["from"]), column(data["edge"]["to"])))


def column(values):
    code = "<" + CODES[values["type"]]
    return [value for value, in struct.iter_unpack(code, base64.b64decode(values["data"]))]


class Graph:
    """A GraphML file: the number of nodes and edges of each kind, the nodes to which each node leads, and the paths
    through it."""

    def __init__(self, text):
        tree = xml.etree.ElementTree.fromstring(text)
        space = {"g": "http://graphml.graphdrawing.org/xmlns"}
        keys = {key.get("id"): key for key in tree.iterfind("g:key", space)}
        defaults = {of: {key.get("attr.name"): key.findtext("g:default", namespaces=space) for key in keys.values()
                         if key.get("for") == of and key.find("g:default", space) is not None}
                    for of in ("node", "edge")}

        def values_of(element, of):
            data = element.iterfind("g:data", space)
            return defaults[of] | {keys[value.get("key")].get("attr.name"): value.text for value in data}

        self.kind, self.start, self.end, self.work = {}, {}, {}, {}
        for node in tree.iterfind(".//g:node", space):
            name, values = node.get("id"), values_of(node, "node")
            self.kind[name] = values["kind"]
            if "start" in values:
                self.start[name], self.end[name] = float(values["start"]), float(values["end"])
                self.work[name] = float(values["work"])
        self.nodes = collections.Counter(self.kind.values())
        self.edges = collections.Counter()
        self.next = collections.defaultdict(list)
        self.ends = set()
        for edge in tree.iterfind(".//g:edge", space):
            self.edges[values_of(edge, "edge")["kind"]] += 1
            self.next[edge.get("source")].append(edge.get("target"))
            self.ends |= {edge.get("source"), edge.get("target")}

    def in_order(self):
        """The nodes, each after all that lead to it. Kahn's algorithm leaves out nodes that are on a cycle or behind
        one."""
        entering = collections.Counter(target for targets in self.next.values() for target in targets)
        ready = [node for node in self.kind if not entering[node]]
        for node in ready:
            yield node
            for target in self.next[node]:
                entering[target] -= 1
                if not entering[target]:
                    ready.append(target)

    def has_cycle(self):
        return sum(1 for _ in self.in_order()) != len(self.kind)

    def longest_path(self):
        """The work on the longest path."""
        depth = collections.defaultdict(float)
        for node in self.in_order():
            depth[node] += self.work.get(node, 0)
            for target in self.next[node]:
                depth[target] = max(depth[target], depth[node])
        return max(depth.values())

    def back_in_time(self):
        """The stretches of execution that begin before a stretch that leads to them has ended."""
        ended = collections.defaultdict(float)
        early = []
        for node in self.in_order():
            if node in self.start:
                if ended[node] > self.start[node] + 1:
                    early.append(node)
                ended[node] = self.end[node]
            for target in self.next[node]:
                ended[target] = max(ended[target], ended[node])
        return early
