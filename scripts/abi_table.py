# SPDX-License-Identifier: Apache-2.0
"""Makes the table of symbols in docs/abi.md from the linker's version script."""

import re
import textwrap

NODE = re.compile(r"([\w.]+)\s*\{(.*?)\}\s*[\w.]*\s*;", re.DOTALL)
COMMENTS = re.compile(r"/\*.*?\*/|#[^\n]*|//[^\n]*", re.DOTALL)

# The first libgomp that has a version, if it is newer than that of GCC 12.
FIRST_GCC = {
    "GOMP_5.1.1": 13, "OMP_5.1.1": 13, "OMP_5.2": 13, "GOMP_5.1.2": 14, "GOMP_5.1.3": 15, "GOMP_6.0": 15, "GOMP_6.0.1": 16,
}
OF_LIBOMP = "VERSION"  # the name of libomp's version
BEGIN = "<!-- From here on written by scripts/check_abi.py --fix -->"


def symbols(version_script):
    """(symbol, version) pairs in the script's order. A symbol may end with `*`."""
    for version, body in NODE.findall(COMMENTS.sub("", version_script)):
        exported = body.split("local:")[0].replace("global:", "")
        yield from ((name.strip(), version) for name in exported.split(";") if name.strip())


def first_libgomp(version):
    if version.startswith("TEFF_"):
        return "never: Teff's own"
    return f"GCC {FIRST_GCC[version]}" if version in FIRST_GCC else "GCC 12 or before"


def table(version_script):
    """The lines below BEGIN."""
    rows = list(symbols(version_script))
    of_libgomp = [row for row in rows if row[1] != OF_LIBOMP]
    of_libomp = ", ".join(f"`{name}`" for name, version in rows if version == OF_LIBOMP)
    lines = [f"{len(of_libgomp)} symbols of libgomp, and Teff's own.", "", "| symbol | version | in libgomp from |", "|---|---|---|"]
    lines += [f"| `{name}` | {version} | {first_libgomp(version)} |" for name, version in of_libgomp]
    if of_libomp:
        lines += ["", f"Of libomp, in version {OF_LIBOMP}, besides the names above that libomp has, too:", ""]
        lines += textwrap.wrap(of_libomp, 100, break_long_words=False)
    return lines


def with_table(document, version_script):
    """The document with its table made anew."""
    head, begin, _ = document.partition(BEGIN)
    if not begin:
        raise ValueError(f"it has no line '{BEGIN}'")
    return "\n".join([head + BEGIN, "", *table(version_script), ""])
