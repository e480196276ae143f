#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the tour again: the outputs that docs/tour.md shows, and the pages for its pictures.

For each problem the script builds the program before and after its patch, and records both. It
writes the output of the report and the comparison into the blocks of docs/tour.md (between `<!--
RULE PART -->` and `<!-- end -->`), and leaves a page of `teff view`. On a busy machine the figures
are of little use; programs run with real-time priority if that is permitted.

example: bench/tour/tour.py --only hot-lock,serial-part build/tour
"""

import argparse
import re
import sys
from pathlib import Path

from cases import CASES, ROOT
from stops import Measured, Stop, runs

TOUR = ROOT / "docs" / "tour.md"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the folder for the pages; must exist")
    parser.add_argument("--only", metavar="RULE,...", help="only these problems")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="runs before and runs after the change; default: 5")
    parser.add_argument("--build", type=Path, default=ROOT / "build", metavar="DIR", help="default: build")
    return parser.parse_args()


def indented(text):
    return "".join(f"    {line}".rstrip() + "\n" for line in text.splitlines())


def change_of(case):
    """The patch, without its first lines, which name the files."""
    return "".join(line for line in case.patch.read_text().splitlines(True) if not line.startswith(("--- ", "+++ ")))


def block_of(text, rule, part):
    """The position of the block's content; fails if the page has no such block."""
    found = re.search(rf"<!-- {rule} {part} -->\n(.*?)<!-- end -->", text, re.DOTALL)
    if not found:
        raise runs.Failure(f"{TOUR.name} has no block for the {part} of {rule}")
    return found.span(1)


def with_block(text, rule, part, content):
    begin, end = block_of(text, rule, part)
    return f"{text[:begin]}\n{indented(content)}\n{text[end:]}"


def show(case, measured):
    text = TOUR.read_text()
    for part, content in (("report", measured.said()), ("change", change_of(case)), ("gain", measured.gained())):
        text = with_block(text, case.rule, part, content)
    TOUR.write_text(text)


def main():
    options = parse_arguments()
    wanted = options.only.split(",") if options.only else [case.rule for case in CASES]
    place = runs.Place(options.build, runs.may_be_urgent())
    try:
        for case in (case for case in CASES if case.rule in wanted):
            stop = Stop(place, case)
            stop.build()
            measured = Measured(stop, options.repeat)
            measured.page(options.folder)
            show(case, measured)
            print(f"{case.rule}: {measured.found['title']}", flush=True)
    except runs.Failure as failure:
        sys.exit(str(failure))
    finally:
        place.close()


if __name__ == "__main__":
    main()
