# SPDX-License-Identifier: Apache-2.0
"""Makes the table of symbols in docs/abi.md from the linker's version script."""

import re

NODE = re.compile(r"([\w.]+)\s*\{(.*?)\}\s*[\w.]*\s*;", re.DOTALL)
COMMENTS = re.compile(r"/\*.*?\*/|#[^\n]*|//[^\n]*", re.DOTALL)

# The first libgomp that has a version, if it is newer than that of GCC 12.
FIRST_GCC = {
    "GOMP_5.1.1": 13, "OMP_5.1.1": 13, "OMP_5.2": 13, "GOMP_5.1.2": 14, "GOMP_5.1.3": 15, "GOMP_6.0": 15, "GOMP_6.0.1": 16,
}
BEGIN = "<!-- From here on written by scripts/check_abi.py --fix -->"


def symbols(version_script):
    """(symbol, version) pairs in the script's order. Patterns other than `*` are not understood."""
    for version, body in NODE.findall(COMMENTS.sub("", version_script)):
        exported = body.split("local:")[0].replace("global:", "")
        yield from ((name.strip(), version) for name in exported.split(";") if name.strip())


def first_libgomp(version):
    if version.startswith("TEFF_"):
        return "never: Teff's own"
    if version == "VERSION":
        return "never: of libomp"
    return f"GCC {FIRST_GCC[version]}" if version in FIRST_GCC else "GCC 12 or before"


def table(version_script):
    """The lines below BEGIN."""
    rows = list(symbols(version_script))
    lines = [f"{len(rows)} symbols.", "", "| symbol | version | in libgomp from |", "|---|---|---|"]
    lines += [f"| `{name}` | {version} | {first_libgomp(version)} |" for name, version in rows]
    return lines


def with_table(document, version_script):
    """The document with its table made anew."""
    head, begin, _ = document.partition(BEGIN)
    if not begin:
        raise ValueError(f"it has no line '{BEGIN}'")
    return "\n".join([head + BEGIN, "", *table(version_script), ""])
