#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the pages of the programs with one defect each, and the reports with which the pages must
agree.

For each program of defects/ the script writes NAME.html by `teff view`, NAME.txt by `teff report`
of the same recording, and NAME.cause.json: the finding that is the defect. If this finding needs a
baseline, the baseline is a recording on one thread. The programs run with real-time priority if
that is permitted. If the first finding of a recording is not the defect, the recording is made
again. viewer/e2e/first-screen.e2e.ts opens the pages.

example: bench/truth/pages.py --only lock,chain build/truth/pages
"""

import argparse
import json
import sys
from pathlib import Path

import defects
import runs

ATTEMPTS = 8


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the folder for the pages; must exist")
    parser.add_argument("--only", metavar="WORD,...", help="programs whose names contain one of the words")
    parser.add_argument("--build", type=Path, default=runs.ROOT / "build", metavar="DIR", help="default: build")
    return parser.parse_args()


class Pages:
    def __init__(self, place, folder):
        self.place, self.folder = place, folder

    def write(self, name, ending, text):
        (self.folder / f"{name}{ending}").write_text(text)

    def beside(self, name, program):
        """The other arguments of the report and the page, besides the recording."""
        if name not in defects.NEEDS_COUNTERS:
            return []
        return ["--baseline", self.place.record([program], self.place.environment(1), "baseline.teff")]

    def page(self, name):
        """Writes the files of one program."""
        source = runs.HERE / "defects" / f"{name}.c"
        program = self.place.compile(source, ("-DCURED=0",))
        beside = self.beside(name, program)
        for _ in range(ATTEMPTS):
            recording = self.place.record([program], self.place.environment(2), f"{name}.teff")
            read = runs.call([self.place.teff, "report", "--json", *beside, recording])
            finding = first(json.loads(read))
            if finding and finding["rule"] in defects.RULES[name] and finding["line"] in defects.lines_here(source):
                break
        else:
            raise runs.Failure(f"{name}: the report does not say it: {finding and finding['title']}")
        self.write(name, ".txt", runs.call([self.place.teff, "report", *beside, recording]))
        self.write(name, ".cause.json", json.dumps(finding))
        runs.call([self.place.teff, "view", *beside, "--html", self.folder / f"{name}.html", recording])


def first(report):
    """The first finding about the program."""
    return next((found for found in report["findings"] if found["rule"] not in defects.OF_THE_MACHINE), None)


def main():
    options = parse_arguments()
    words = options.only.split(",") if options.only else [""]
    names = [name for name in defects.RULES if any(word in name for word in words)]
    if not names:
        sys.exit(f"no program has a name with one of: {', '.join(words)}")
    place = runs.Place(options.build, runs.may_be_urgent())
    try:
        pages = Pages(place, options.folder.resolve())
        for name in names:
            pages.page(name)
    except runs.Failure as failure:
        sys.exit(str(failure))
    finally:
        place.close()


if __name__ == "__main__":
    main()
