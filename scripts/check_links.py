#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the targets of links in the documentation exist.

In every *.md: relative links, their #anchors, and file names in `backticks` whose first folder is
one of ours. In every source file: names of documents below docs/.
"""

import re

import checklib

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)|!\[[^\]]*\]\(([^)\s]+)\)")
CODE_SPAN = re.compile(r"`([^`\n]+)`")
FILE_NAME = re.compile(r"\.?[\w.-]+(?:/[\w.-]+)*/?")
DOCUMENT = re.compile(r"\bdocs/[\w/.-]*\w\.md\b")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")
FENCE = re.compile(r"^\s*(```|~~~)")

# Folders at the top whose content is made, not kept.
MADE = {"build"}
PROSE = {".md"}
CODE = {".cpp", ".h", ".S", ".c", ".f90", ".rs", ".ts", ".py", ".sh", ".cmake", ".toml"}


def anchor(heading):
    """The anchor that a heading gets on the usual hosts."""
    text = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def prose_lines(path):
    """The lines of a Markdown file outside of code fences."""
    fenced = False
    for number, line in checklib.numbered_lines(path):
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            yield number, line


def anchors(path):
    return {anchor(match[1]) for _, line in prose_lines(path) if (match := HEADING.match(line))}


def judge_link(root, path, target):
    """What is wrong with a link in the document `path`; None if it is good or leads out of the project."""
    if re.match(r"[a-z][a-z+.-]*:", target):
        return None
    file_part, _, fragment = target.partition("#")
    pointed = root / path.parent / file_part if file_part else root / path
    if not pointed.exists():
        return f"links to {file_part}, which does not exist"
    if fragment and pointed.suffix in PROSE and fragment not in anchors(pointed):
        return f"links to #{fragment}, a heading that {file_part or 'this document'} does not have"
    return None


def judge_name(root, path, name, top_folders):
    """What is wrong with a file name in backticks; None if it exists or is no file name of ours."""
    if "/" not in name or not FILE_NAME.fullmatch(name) or name.split("/")[0] not in top_folders:
        return None
    if (root / name).exists() or (root / path.parent / name).exists():
        return None
    return f"names {name}, which does not exist"


def problems_of_prose(root, path, top_folders):
    for number, line in prose_lines(root / path):
        for match in LINK.finditer(CODE_SPAN.sub("", line)):
            text = judge_link(root, path, match[1] or match[2])
            if text:
                yield checklib.Problem(str(path), number, text)
        for match in CODE_SPAN.finditer(line):
            text = judge_name(root, path, match[1], top_folders)
            if text:
                yield checklib.Problem(str(path), number, text)


def problems_of_code(root, path):
    for number, line in checklib.numbered_lines(root / path):
        for match in DOCUMENT.finditer(line):
            if not (root / match[0]).exists():
                yield checklib.Problem(str(path), number, f"names {match[0]}, which does not exist")


def find_problems(root):
    files = checklib.source_files(root)
    top_folders = {path.parts[0] for path in files if len(path.parts) > 1} - MADE
    problems = []
    for path in files:
        if path.suffix in PROSE:
            problems += problems_of_prose(root, path, top_folders)
        elif path.suffix in CODE and path.parts[:2] != ("scripts", "tests"):
            problems += problems_of_code(root, path)
    return problems


if __name__ == "__main__":
    checklib.run_as_script("check_links", find_problems)
