#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every lock file of npm names all packages that its packages need, including those for
other platforms.

If packages were installed before the lock file was written, npm leaves out the optional packages
for all other platforms. `npm ci` of npm 11 refuses such a file. `npm install --package-lock-only`
adds what is missing.
"""

import json
import pathlib

import checklib

LOCK = "package-lock.json"


def asked(package):
    """The names of the packages that a package of the lock file needs. An optional peer may be missing."""
    peers = package.get("peerDependenciesMeta", {})
    yield from package.get("dependencies", {})
    yield from package.get("devDependencies", {})
    yield from package.get("optionalDependencies", {})
    yield from (name for name in package.get("peerDependencies", {}) if not peers.get(name, {}).get("optional"))


def folders(place):
    """The folders in which Node looks for the packages that the package at `place` asks for, the nearest first."""
    parts = place.split("/node_modules/")
    for count in range(len(parts), 0, -1):
        above = "/node_modules/".join(parts[:count])
        yield f"{above}/node_modules" if above else "node_modules"
    if place:
        yield "node_modules"


def missing_packages(lock):
    """(place, name): the package at `place` asks for `name`, which the lock file does not have."""
    packages = lock["packages"]
    for place, package in packages.items():
        for name in asked(package):
            if not any(f"{folder}/{name}" in packages for folder in folders(place)):
                yield place or "the project", name


def find_problems(root):
    problems = []
    for path in checklib.source_files(root):
        if pathlib.PurePath(path).name == LOCK:
            lock = json.loads((root / path).read_text(encoding="utf-8"))
            problems += [
                checklib.Problem(str(path), 0, f"{place} asks for {name}, which the file does not name")
                for place, name in missing_packages(lock)
            ]
    return problems


if __name__ == "__main__":
    checklib.run_as_script("check_locks", find_problems)
