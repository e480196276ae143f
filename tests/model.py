# SPDX-License-Identifier: Apache-2.0
"""Reads what the tools hand out: the view model (docs/formats/view.md) and the GraphML file."""

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
    """Grains of a recording, with what made them."""

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
    """A GraphML file: how many nodes and edges of each kind, and which node leads where."""

    def __init__(self, text):
        tree = xml.etree.ElementTree.fromstring(text)
        space = {"g": "http://graphml.graphdrawing.org/xmlns"}
        self.kind = {}
        for node in tree.iterfind(".//g:node", space):
            self.kind[node.get("id")] = node.find("g:data[@key='kind']", space).text
        self.nodes = collections.Counter(self.kind.values())
        self.edges = collections.Counter()
        self.next = collections.defaultdict(list)
        self.ends = set()
        for edge in tree.iterfind(".//g:edge", space):
            self.edges[edge.find("g:data", space).text] += 1
            self.next[edge.get("source")].append(edge.get("target"))
            self.ends |= {edge.get("source"), edge.get("target")}

    def has_cycle(self):
        """Whether some path comes back: Kahn's algorithm leaves nodes over."""
        entering = collections.Counter(target for targets in self.next.values() for target in targets)
        ready = [node for node in self.kind if not entering[node]]
        seen = 0
        while ready:
            seen += 1
            for target in self.next[ready.pop()]:
                entering[target] -= 1
                if not entering[target]:
                    ready.append(target)
        return seen != len(self.kind)
