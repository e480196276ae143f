#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the layers of the tools: a crate may depend on crates below it, and no others.

Within a crate, modules must not use each other in a cycle. This holds for files, and also for
folders: a module together with all modules below it must not form a cycle with its siblings.

Tests do not count: dev-dependencies, and modules under #[cfg(test)].
"""

import pathlib
import tomllib

import checklib
import rust_modules

CRATES = pathlib.Path("tools/crates")

# From top to bottom. A dependency may only run down this list.
LAYERS = ["cli", "doctor", "view", "export", "reports", "compile", "launch", "recordings", "symbols", "terminal", "grains", "trace"]


def name_of(module):
    return "::".join(("crate", *module))


def problems_of_manifest(root, crate):
    path = CRATES / crate / "Cargo.toml"
    manifest = tomllib.loads((root / path).read_text(encoding="utf-8"))
    for other in manifest.get("dependencies", {}):
        if other in LAYERS and LAYERS.index(other) <= LAYERS.index(crate):
            layers = " > ".join(LAYERS)
            yield checklib.Problem(str(path), 0, f"{crate} lies below {other} and may not depend on it (layers: {layers})")


def problems_of_modules(root, crate):
    sources = (CRATES / crate / "src" / name for name in ("lib.rs", "main.rs"))
    for source in (source for source in sources if (root / source).is_file()):
        modules = rust_modules.crate(root / source)
        uses = rust_modules.uses(modules)
        files = {pair: (pair[0], line) for pair, line in uses.items()}
        found = list(problems_of_circles(root, modules, files, "a circle of modules"))
        if not found:
            folders = rust_modules.between_siblings(uses)
            found = problems_of_circles(root, modules, folders, "a circle of modules with those below them")
        yield from found


def problems_of_circles(root, modules, uses, kind):
    """`uses`: the pairs (user, used), in which circles are sought, and the (module, line) of each use."""
    for circle in rust_modules.circles(uses):
        names = ", ".join(map(name_of, circle))
        for (user, used), (module, line) in sorted(uses.items()):
            if user in circle and used in circle:
                path = modules[module].file.relative_to(root)
                yield checklib.Problem(str(path), line, f"uses {name_of(used)} within {kind}: {names}")


def find_problems(root):
    crates = {path.parts[2] for path in checklib.source_files(root) if path.is_relative_to(CRATES) and path.name == "Cargo.toml"}
    problems = []
    for crate in sorted(crates):
        if crate not in LAYERS:
            text = f"is in no layer; scripts/check_modules.py lists them: {', '.join(LAYERS)}"
            problems.append(checklib.Problem(str(CRATES / crate), 0, text))
            continue
        problems += problems_of_manifest(root, crate)
        problems += problems_of_modules(root, crate)
    return problems


if __name__ == "__main__":
    checklib.run_as_script("check_modules", find_problems)
