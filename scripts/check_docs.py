#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the documents agree with the sources.

Whatever a document names must exist: verbs of ./run and of teff, options after a verb of teff,
suites of ./run test, environment variables, presets, files below runtime/src, and names in
docs/architecture.md. The documents must name: every verb, every export format, every folder of
runtime/src (in docs/architecture.md), every test (in tests/README.md), every decision (in the index
of docs/decisions), and every document (reachable from README.md). Facts that are written twice must
be equal: the layers, and the number of export formats. docs/features.md must be what
scripts/features.py makes.

docs/knobs.md and the tables of docs/abi.md are generated. The code that makes them also checks
them.
"""

import json
import os
import pathlib
import re

import check_includes
import check_links
import checklib
import features

README = pathlib.Path("README.md")
ARCHITECTURE = pathlib.Path("docs/architecture.md")
HACKING = pathlib.Path("docs/hacking.md")
EXPORTS = pathlib.Path("docs/formats/exports.md")
TESTS = pathlib.Path("tests/README.md")
DECISIONS = pathlib.Path("docs/decisions")
CHANGES = pathlib.Path("CHANGELOG.md")  # tells what was, too

RUN_VERB = re.compile(r"\./run ([a-z][a-z0-9]+)\b")
RUN_CASE = re.compile(r"^    ([a-z0-9]+(?: \| [a-z0-9]+)+)\)$", re.M)
SUITE = re.compile(r"^    ([a-z0-9_]+):\d+$", re.M)
RUN_TEST = re.compile(r"\./run test((?: [a-z0-9_]+)+)")
VARIABLE = re.compile(r"\b(?:TEFF|OMP|GOMP)_[A-Z][A-Z0-9_]*\b(?![.]\d)")  # not a version of symbols
SPAN = re.compile(r"`([^`\n]+)`")
TEFF_VERB = re.compile(r"\bteff ([a-z]+)\b")
OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]*)")
IDENTIFIER = re.compile(r"(?:\w+::)*(\w+)(?:\(\))?")
RUNTIME_FILE = re.compile(r"(?:[\w-]+/)+[\w-]+\.(?:h|cpp|S|map)")
NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen"]

# Verbs that run.sh handles separately.
RUN_VERBS_APART = {"clean", "help"}
# Words that follow `teff` in sentences, and are no verbs of the command.
WORDS_AFTER_TEFF = {"is", "has", "does"}
FOLDERS_OF_SOURCES = ("runtime", "tools", "scripts", "tests", "bench", "viewer", "labs", "workloads", "cmake")
SOURCES = {".cpp", ".h", ".c", ".S", ".rs", ".py", ".sh", ".ts", ".cmake", ".f90", ".map", ".json"}


class Tree:
    """The project's files, each read when it is first needed."""

    def __init__(self, root):
        self.root = root
        self.paths = checklib.source_files(root)
        self.documents = [path for path in self.paths if path.suffix == ".md" and path != CHANGES]
        self.sources = [
            path for path in self.paths
            if (path.suffix in SOURCES or path.name == "CMakeLists.txt") and path.parts[0] in (*FOLDERS_OF_SOURCES, "run", path.name)
        ]

    def text(self, path):
        file = self.root / path
        return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""

    def lines(self, path):
        return checklib.numbered_lines(self.root / path) if (self.root / path).is_file() else []

    def identifiers(self):
        """Every word of the sources below runtime/."""
        words = set()
        for path in self.sources:
            if path.parts[0] == "runtime":
                words.update(re.findall(r"\w+", self.text(path)))
        return words


def run_verbs(tree):
    return {verb for match in RUN_CASE.finditer(tree.text("run")) for verb in match[1].split(" | ")} | RUN_VERBS_APART


def problems_of_run(tree):
    """Verbs of ./run, and suites of ./run test."""
    verbs = run_verbs(tree)
    suites = set(SUITE.findall(tree.text("scripts/run/test.sh")))
    named = set()
    for path in tree.documents:
        for number, line in tree.lines(path):
            for verb in RUN_VERB.findall(line):
                named.add(verb)
                if verb not in verbs:
                    yield checklib.Problem(str(path), number, f"names the verb './run {verb}', which does not exist")
            for words in RUN_TEST.findall(line.strip().split("  ")[0]):
                yield from (
                    checklib.Problem(str(path), number, f"names the suite '{suite}', which does not exist")
                    for suite in words.split()
                    if suite not in suites and is_code(line, f"./run test{words}")
                )
    usage = re.search(r"<<'EOF'\n(.*?)\nEOF$", tree.text("run"), re.S | re.M)
    for verb in sorted(verbs - set(re.findall(r"^  ([a-z][a-z0-9]*)\b", usage[1], re.M)) if usage else []):
        yield checklib.Problem("run", 0, f"its usage does not name the verb '{verb}'")
    for verb in sorted(verbs - named - RUN_VERBS_APART):
        yield checklib.Problem(str(HACKING), 0, f"no document names './run {verb}'")


def is_code(line, text):
    """Does the text stand in code: in an indented line, or in backticks as a whole?"""
    return line.startswith("    ") or any(text in span for span in SPAN.findall(line))


def rust_text(tree):
    return "\n".join(tree.text(path) for path in tree.sources if path.suffix == ".rs" and path.parts[0] == "tools")


def teff_verbs(rust):
    """{verb: options} of the tools, from the declarations that clap reads."""
    match = re.search(r"pub enum Verb \{(.*?)\n\}", rust, re.S)
    if match is None:
        return {}
    return {
        name.lower(): options_of(rust, struct) | {"help", "version"}
        for name, struct in re.findall(r"^\s+(\w+)\((?:\w+::)*(\w+)\)", match[1], re.M)
    }


def options_of(rust, struct):
    match = re.search(r"pub struct " + struct + r" \{(.*?)\n\}", rust, re.S)
    options = set()
    for attribute, field, kind in re.findall(r"#\[(?:arg|command)\(((?:[^\[\]]|\[[^\]]*\])*)\)\]\s*pub (\w+): ([\w:<>]+)",
                                             match[1] if match else ""):
        if "flatten" in attribute:
            options |= options_of(rust, kind.split("::")[-1])
        elif re.search(r"\blong\b", attribute):
            options.add(field.replace("_", "-"))
    return options


def problems_of_teff(tree):
    """Verbs of teff and their options."""
    verbs = teff_verbs(rust_text(tree))
    if not verbs:
        return
    named = set()
    for path in tree.documents:
        for number, line in tree.lines(path):
            for command in ([line] if line.startswith("    ") else SPAN.findall(line)):
                for match in TEFF_VERB.finditer(command.split(" # ")[0].split("  #")[0]):
                    named.add(match[1])
                    if match[1] in verbs:
                        yield from problems_of_options(path, number, match, verbs[match[1]], command)
                    elif command.startswith(("teff ", "    teff ")) and match.start() == command.index("teff"):
                        yield checklib.Problem(str(path), number, f"names 'teff {match[1]}', which does not exist")
    text = tree.text(README)
    for verb in sorted(verbs):
        if f"teff {verb}" not in text:
            yield checklib.Problem(str(README), 0, f"does not name 'teff {verb}'")


def problems_of_options(path, number, match, options, command):
    rest = re.split(r" -- |\s#|[|;]", command[match.end():])[0]
    for option in OPTION.findall(rest):
        if option not in options:
            yield checklib.Problem(str(path), number, f"names 'teff {match[1]} --{option}', which does not exist")


def problems_of_variables(tree):
    """Environment variables and other names in capitals."""
    sources = "\n".join(tree.text(path) for path in tree.sources if path.suffix != ".json")
    known = set(VARIABLE.findall(sources))
    for path in tree.documents:
        for number, line in tree.lines(path):
            for name in VARIABLE.findall(line):
                if name not in known and not name.endswith("_"):
                    yield checklib.Problem(str(path), number, f"names {name}, which no source knows")


def problems_of_presets(tree):
    presets = json.loads(tree.text("CMakePresets.json") or "{}").get("configurePresets", [])
    known = {preset["name"] for preset in presets}
    shown = {preset["name"] for preset in presets if not preset.get("hidden")}
    text = tree.text(HACKING)
    for number, line in tree.lines(HACKING):
        for name in re.findall(r"--preset ([\w-]+)", line):
            if known and name not in known:
                yield checklib.Problem(str(HACKING), number, f"names the preset {name}, which does not exist")
    for name in sorted(shown):
        if f"`{name}`" not in text:
            yield checklib.Problem(str(HACKING), 0, f"does not name the preset {name}")


def problems_of_formats(tree):
    """Every format of `teff export` is in docs/formats/exports.md, and their number in README.md is right."""
    match = re.search(r"pub enum ExportFormat \{(.*?)\n\}", rust_text(tree), re.S)
    formats = [name.lower() for name in re.findall(r"^\s+(\w+),", match[1], re.M)] if match else []
    text = tree.text(EXPORTS)
    for name in formats:
        if f"`{name}`" not in text:
            yield checklib.Problem(str(EXPORTS), 0, f"does not name the format `{name}`")
    for number, line in tree.lines(README):
        for word in re.findall(r"(\w+) export\s+formats", line):
            if formats and word.lower() not in (NUMBERS[min(len(formats), 13)], str(len(formats))):
                yield checklib.Problem(str(README), number, f"says '{word} export formats'; there are {len(formats)}")


def problems_of_architecture(tree):
    """Each layer has a row, whose files exist; and the names in code spans occur in the sources."""
    folders = {path.parts[2] for path in tree.paths if path.parts[:2] == ("runtime", "src") and len(path.parts) > 3}
    rows = {}
    words = tree.identifiers()
    for number, line in tree.lines(ARCHITECTURE):
        row = re.match(r"\| `(\w+)/` \|.*\|([^|]*)\|$", line)
        if row:
            rows[row[1]] = (number, SPAN.findall(row[2]))
        else:
            yield from problems_of_names(number, line, words)
    for folder in sorted(folders - rows.keys()) if tree.text(ARCHITECTURE) else []:
        yield checklib.Problem(str(ARCHITECTURE), 0, f"has no row for runtime/src/{folder}")
    for folder, (number, files) in rows.items():
        if folders and folder not in folders:
            yield checklib.Problem(str(ARCHITECTURE), number, f"has a row for {folder}/, which does not exist")
        for name in files:
            if not (tree.root / "runtime/src" / folder / name).exists():
                yield checklib.Problem(str(ARCHITECTURE), number, f"names {folder}/{name}, which does not exist")


def problems_of_names(number, line, words):
    for span in SPAN.findall(line):
        match = IDENTIFIER.fullmatch(span)
        if match and "::" in span and not set(re.findall(r"\w+", span)) <= words:
            yield checklib.Problem(str(ARCHITECTURE), number, f"names {span}, which no source has")


def problems_of_runtime_files(tree):
    """Files named from runtime/src on, as `task/create.h`: in documents, and in comments of the runtime."""
    source = tree.root / "runtime/src"
    folders = {path.name for path in source.iterdir() if path.is_dir()} if source.is_dir() else set()
    for path in tree.paths:
        if path in tree.documents:
            found = ((number, name) for number, line in tree.lines(path) for name in SPAN.findall(line))
        elif path.parts[:2] == ("runtime", "src") and path.suffix in {".h", ".cpp"}:
            found = ((number, name) for number, line in tree.lines(path) if "//" in line
                     for name in re.findall(r"(?<![\w/.])(?:\w+/)+\w+\.(?:h|cpp)\b", line.split("//", 1)[1]))
        else:
            continue
        for number, name in found:
            if RUNTIME_FILE.fullmatch(name) and name.split("/")[0] in folders and not exists(tree, path, name):
                yield checklib.Problem(str(path), number, f"names {name}, which does not exist")


def exists(tree, path, name):
    places = ("", "runtime", "runtime/src", path.parent)
    return any((tree.root / place / name).exists() for place in places)


def problems_of_tests(tree):
    """tests/README.md has a row for each test."""
    text = tree.text(TESTS)
    for path in tree.paths:
        if path.parts[0] == "tests" and path.name.startswith("test_") and path.suffix == ".py":
            name = str(path.relative_to("tests"))
            if f"`{name}`" not in text:
                yield checklib.Problem(str(TESTS), 0, f"has no row for {name}")
    for number, line in tree.lines(TESTS):
        row = re.match(r"\| `([\w/]+\.py)` \|", line)
        if row and not (tree.root / "tests" / row[1]).exists():
            yield checklib.Problem(str(TESTS), number, f"names {row[1]}, which does not exist")


def problems_of_layers(tree):
    """docs/hacking.md shows the same layers as the check of includes."""
    order = " ".join(tree.text(HACKING).split())
    if tree.text(HACKING) and "layers" in order and " > ".join(check_includes.LAYERS) not in order:
        yield checklib.Problem(str(HACKING), 0, "has not the layers of scripts/check_includes.py, in their order")


def problems_of_links(tree):
    """Each document can be reached from README.md."""
    if README not in tree.documents:
        return
    reached, to_read = set(), [README]
    while to_read:
        path = to_read.pop()
        if path in reached:
            continue
        reached.add(path)
        for match in check_links.LINK.finditer(tree.text(path)):
            target = (match[1] or match[2]).partition("#")[0]
            pointed = pathlib.Path(os.path.normpath(path.parent / target)) if target else path
            if pointed in tree.documents:
                to_read.append(pointed)
    for path in tree.documents:
        if path not in reached and path.parts[0] != ".github":
            yield checklib.Problem(str(path), 0, "no chain of links leads here from README.md")


def problems_of_decisions(tree):
    """docs/decisions/README.md has a row for each record, with its title."""
    index = tree.text(DECISIONS / "README.md")
    for path in tree.paths:
        if path.parent == DECISIONS and path.name[:4].isdigit():
            title = re.sub(r"^# \d+: ", "", tree.text(path).partition("\n")[0])
            row = f"| [{path.name[:4]}]({path.name}) | {title[:1].upper()}{title[1:]} |"
            if row not in index:
                yield checklib.Problem(str(DECISIONS / "README.md"), 0, f"lacks the row: {row}")
            if not re.search(r"^\*\*Status\*?\*?", tree.text(path), re.M):
                yield checklib.Problem(str(path), 0, "does not say its status")


def problems_of_features(tree):
    """The generated list of features is up to date."""
    if (tree.root / features.DOCUMENT).exists() and tree.text(features.DOCUMENT) != features.generate(tree.root):
        yield checklib.Problem(str(features.DOCUMENT), 0, "is not what scripts/features.py --fix would write")


PARTS = [
    problems_of_run, problems_of_teff, problems_of_variables, problems_of_presets, problems_of_formats,
    problems_of_architecture, problems_of_runtime_files, problems_of_tests, problems_of_layers, problems_of_links,
    problems_of_decisions, problems_of_features,
]


def find_problems(root):
    tree = Tree(pathlib.Path(root))
    return [problem for part in PARTS for problem in part(tree)]


if __name__ == "__main__":
    checklib.run_as_script("check_docs", find_problems)
