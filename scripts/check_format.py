#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that sources are formatted: by clang-format 19 for C and C++ (except the tests' programs,
which are written as users write them), by rustfmt for Rust, and by Biome for TypeScript. Python and
shell have no formatter here.

    check_format.py         prints which files differ
    check_format.py --fix   formats them
"""

import argparse
import pathlib
import shutil
import subprocess
import sys

import checklib

CLANG_FORMAT = "clang-format-19"
BIOME = "viewer/node_modules/.bin/biome"  # ./run build installs it
FOLDERS = ("runtime", "labs", "workloads", "bench", "demo")
SUFFIXES = {".c", ".cpp", ".h"}


def clang_sources(root):
    return [
        str(path) for path in checklib.source_files(root)
        if path.parts[0] in FOLDERS and "tests" not in path.parts and path.suffix in SUFFIXES
    ]


def clang_format_command(files, fix):
    return [CLANG_FORMAT, "-i", *files] if fix else [CLANG_FORMAT, "--dry-run", "-Werror", "--ferror-limit=1", *files]


def commands(root, fix):
    """(language, its formatter, command) for each language that has sources."""
    sources = clang_sources(root)
    if sources:
        yield "C and C++", CLANG_FORMAT, clang_format_command(sources, fix)
    if (root / "tools/Cargo.toml").is_file():
        yield "Rust", "cargo", ["cargo", "fmt", "--manifest-path", "tools/Cargo.toml", "--all", *([] if fix else ["--check"])]
    if (root / "viewer/package.json").is_file():
        yield "TypeScript", BIOME, ["npm", "--prefix", "viewer", "run", "--silent", "format" if fix else "format:check"]


def check(root, fix=False):
    """Runs the formatters and returns (languages in order, languages that are not, languages whose formatter is missing)."""
    good, bad, skipped = [], [], []
    for language, formatter, command in commands(root, fix):
        if shutil.which(root / formatter if "/" in formatter else formatter) is None:
            print(f"{language}: not looked at, as there is no {formatter}")
            skipped.append(language)
            continue
        done = subprocess.run(command, cwd=root, timeout=300, check=False)
        (bad if done.returncode else good).append(language)
    return good, bad, skipped


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fix", action="store_true", help="format the files instead of reporting them")
    good, bad, skipped = check(pathlib.Path(checklib.ROOT), parser.parse_args().fix)
    for language in bad:
        print(f"{language}: not laid out as the formatter would; ./run format does it")
    if skipped:
        print(f"{len(skipped)} skipped")
    print(f"{len(good)} passed, {len(bad)} failed")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
