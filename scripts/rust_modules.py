# SPDX-License-Identifier: Apache-2.0
"""Finds which modules of a Rust crate use which others, from the sources alone.

A module is a file. A module uses another module if a path, in a `use` or in code, ends at an item
that is defined in the other module. A name that a module re-exports counts as an item of the module
where it is defined. Test code does not count: neither items under #[cfg(test)], nor files whose
`mod` declaration is under #[cfg(test)].
"""

import dataclasses
import pathlib
import re

WORD = r"[A-Za-z_]\w*"

# Comments and string literals, which are no code. An earlier pattern has precedence over a later
# one.
NO_CODE = re.compile(
    r"//[^\n]*"
    r"|/\*.*?\*/"
    r'|\bb?c?r(?P<hashes>#*)".*?"(?P=hashes)'
    r'|"(?:\\.|[^"\\])*"'
    r"|'(?:\\.[^']*|[^'\\])'",
    re.DOTALL)
TEST_ONLY = re.compile(r"#\[cfg\(test\)\]")
MODULE = re.compile(rf"\bmod\s+({WORD})\s*;")
USE = re.compile(r"\buse\s+([^;]*);")
PATH = re.compile(rf"(?<![\w:.$]){WORD}(?:\s*::\s*{WORD})+")


@dataclasses.dataclass
class Module:
    file: pathlib.Path
    name: tuple  # of the modules from the crate's root to this one
    children: set = dataclasses.field(default_factory=set)
    imports: dict = dataclasses.field(default_factory=dict)  # name: path
    globs: list = dataclasses.field(default_factory=list)  # paths
    paths: list = dataclasses.field(default_factory=list)  # (line, path)


def crate(source):
    """The modules of the crate whose root file is `source`, by name, without those of tests."""
    modules = {}
    add_module(modules, source, ())
    return modules


def add_module(modules, file, name):
    text = without_tests(blanked(file.read_text(encoding="utf-8")))
    module = modules[name] = Module(file, name)
    folder = file.parent if file.name in ("lib.rs", "main.rs", "mod.rs") else file.with_suffix("")
    for child in MODULE.findall(text):
        candidates = (folder / f"{child}.rs", folder / child / "mod.rs")
        found = next((path for path in candidates if path.is_file()), None)
        if found:
            module.children.add(child)
            add_module(modules, found, (*name, child))
    for match in USE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        for path, alias in leaves(match[1]):
            module.paths.append((line, path))
            if alias == "*":
                module.globs.append(path)
            else:
                module.imports[alias] = path
    rest = USE.sub(lambda match: blank(match[0]), text)
    for match in PATH.finditer(rest):
        module.paths.append((rest.count("\n", 0, match.start()) + 1, tuple(re.split(r"\s*::\s*", match[0]))))


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def blanked(text):
    """The same text with blanks for comments, texts and characters."""
    return NO_CODE.sub(lambda match: blank(match[0]), text)


def without_tests(text):
    """The same text with blanks for each item that is only compiled for tests."""
    while match := TEST_ONLY.search(text):
        end = item_end(text, match.end())
        text = text[:match.start()] + blank(text[match.start():end]) + text[end:]
    return text


def item_end(text, start):
    """The end of the item that begins at `start`: after its first semicolon or its closing brace."""
    depth = 0
    for at in range(start, len(text)):
        character = text[at]
        depth += (character in "{[(") - (character in "}])")
        if depth == 0 and (character == ";" or character == "}"):
            return at + 1
    return len(text)


def leaves(tree, before=()):
    """(path, the name that it gets here) of each leaf of a `use`; the name of a glob is `*`."""
    tree = tree.strip()
    if tree.startswith("{"):
        for part in parts(tree[1:tree.rindex("}")]):
            yield from leaves(part, before)
        return
    head, colons, rest = tree.partition("::")
    if colons:
        yield from leaves(rest, (*before, *([head.strip()] if head.strip() else [])))
        return
    name, _, alias = (word.strip() for word in tree.partition(" as "))
    if not name:
        return
    path = before if name in ("self", "*") else (*before, name)
    yield path, alias or (name if name == "*" else path[-1])


def parts(text):
    depth, begin = 0, 0
    for at, character in enumerate(text):
        depth += (character == "{") - (character == "}")
        if character == "," and depth == 0:
            yield text[begin:at]
            begin = at + 1
    yield text[begin:]


def target(modules, module, path, seen=frozenset()):
    """The name of the module that defines what `path` means in `module`; None if that is outside the crate."""
    at, path = module.name, list(path)
    if path[0] == "crate":
        at, path = (), path[1:]
    else:
        while path and path[0] in ("self", "super"):
            at = at[:-1] if path.pop(0) == "super" else at
        if len(path) and not is_known(modules[at], path[0]) and at == module.name:
            return None
    while path:
        here = modules[at]
        if path[0] in here.children:
            at = (*at, path.pop(0))
        elif path[0] in here.imports and (at, path[0]) not in seen and here.imports[path[0]] != (path[0],):
            return target(modules, here, here.imports[path[0]] + tuple(path[1:]), seen | {(at, path[0])})
        else:
            through = from_globs(modules, here, path, seen)
            return through if through is not None else at
    return at


def is_known(module, word):
    return word in module.children or word in module.imports


def from_globs(modules, module, path, seen):
    for glob in module.globs:
        key = (module.name, "*", glob)
        found = None if key in seen else target(modules, module, glob, seen | {key})
        if found is not None and defines(modules[found], path[0]):
            return target(modules, modules[found], ("self", *path), seen | {key})
    return None


def defines(module, word):
    return is_known(module, word)


def uses(modules):
    """{(user, used): line of the first use}, of different modules."""
    edges = {}
    for module in modules.values():
        for line, path in module.paths:
            used = target(modules, module, path)
            if used is not None and used != module.name:
                edges.setdefault((module.name, used), line)
    return edges


def between_siblings(edges):
    """{(user, used): (module, line)} of modules with the same parent, each with all modules below it: the first use."""
    found = {}
    for (user, used), line in sorted(edges.items()):
        depth = next((at for at, pair in enumerate(zip(user, used)) if pair[0] != pair[1]), None)
        if depth is not None:
            found.setdefault((user[:depth + 1], used[:depth + 1]), (user, line))
    return found


def circles(edges):
    """The groups of modules in which each module uses each other one, directly or indirectly."""
    graph = {}
    for user, used in edges:
        graph.setdefault(user, set()).add(used)
        graph.setdefault(used, set())
    reached = {start: reach(graph, start) for start in graph}
    groups = {frozenset(other for other in reached[start] if start in reached[other]) for start in graph}
    return sorted(sorted(group) for group in groups if len(group) > 1)


def reach(graph, start):
    seen, todo = set(), list(graph[start])
    while todo:
        at = todo.pop()
        if at not in seen:
            seen.add(at)
            todo.extend(graph[at])
    return seen
