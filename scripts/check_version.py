#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every file that must state the version states the version in VERSION.

CMake and the packages read VERSION. Cargo, npm and conda cannot: their manifests and lock files
each have a copy.
"""

import json
import re

import checklib

SOURCE = "VERSION"
NUMBER = re.compile(r"\d+\.\d+\.\d+")


def version(root):
    """The version of the project."""
    return (root / SOURCE).read_text(encoding="utf-8").strip()


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def cargo_versions(root):
    """(path, line, version) of the workspace, and of its crates in the lock file."""
    manifest, lock = "tools/Cargo.toml", "tools/Cargo.lock"
    text = (root / manifest).read_text(encoding="utf-8")
    for match in re.finditer(r'^\[workspace\.package\]\n(?:[^\[].*\n)*?version = "([^"]*)"', text, re.M):
        yield manifest, line_of(text, match.start(1)), match[1]
    text = (root / lock).read_text(encoding="utf-8")
    # A package of the lock file without a source is one of our own.
    for match in re.finditer(r'^\[\[package\]\]\nname = "[^"]*"\nversion = "([^"]*)"\n(?!source)', text, re.M):
        yield lock, line_of(text, match.start(1)), match[1]


def npm_versions(root):
    """The same for the page's package."""
    manifest, lock = "viewer/package.json", "viewer/package-lock.json"
    yield manifest, 0, json.loads((root / manifest).read_text(encoding="utf-8"))["version"]
    text = json.loads((root / lock).read_text(encoding="utf-8"))
    yield lock, 0, text["version"]
    yield lock, 0, text["packages"][""]["version"]


def conda_versions(root):
    """The same for the recipe for conda, if there is one."""
    recipe = "packaging/conda/recipe.yaml"
    text = (root / recipe).read_text(encoding="utf-8") if (root / recipe).is_file() else ""
    for match in re.finditer(r'^context:\n  version: "([^"]*)"', text, re.M):
        yield recipe, line_of(text, match.start(1)), match[1]


def find_problems(root):
    if not (root / SOURCE).is_file():
        return [checklib.Problem(SOURCE, 0, "does not exist; it holds the version of the project")]
    expected = version(root)
    if not NUMBER.fullmatch(expected):
        return [checklib.Problem(SOURCE, 1, f"is not a version such as 1.2.3: {expected!r}")]
    stated = [*cargo_versions(root), *npm_versions(root), *conda_versions(root)]
    return [
        checklib.Problem(path, line, f"has version {found}, but {SOURCE} has {expected}")
        for path, line, found in stated if found != expected
    ]


if __name__ == "__main__":
    checklib.run_as_script("check_version", find_problems)
