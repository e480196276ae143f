#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The situations on libgomp, libomp and Teff side by side, as a Markdown table.

    table.py                  all situations
    table.py fork/ exit       the situations whose name contains one of the words

Each program runs once on each runtime; one that hangs takes its whole time limit.
"""

import sys

import runtimes
from run import chosen

MAX_CELL = 70


def cell(situation, runtime):
    if runtime.missing:
        return "not installed"
    text = situation.run(runtime).cell.replace("|", "\\|")
    return text if len(text) <= MAX_CELL else text[: MAX_CELL - 3] + "..."


def main():
    columns = [runtimes.libgomp(), runtimes.libomp(), runtimes.teff()]
    print("| situation |" + "".join(f" {runtime.name} |" for runtime in columns))
    print("|---|" + "---|" * len(columns))
    for situation in chosen(sys.argv[1:]):
        complaint = situation.build()
        if complaint:
            sys.exit(f"{situation.name} does not compile:\n{complaint}")
        cells = [cell(situation, runtime) for runtime in columns]
        print(f"| {situation.sentence} |" + "".join(f" {text} |" for text in cells), flush=True)


if __name__ == "__main__":
    main()
