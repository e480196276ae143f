# SPDX-License-Identifier: Apache-2.0
"""One stop of the tour: the program before and after its change, their recordings, and the reports
of Teff.
"""

import json
import shutil
import statistics
import sys
import time
from pathlib import Path

from cases import ROOT, WORKLOADS

sys.path.insert(0, str(ROOT / "bench" / "truth"))

import runs

THREADS = 2
FLAGS = ["-O2", "-g", "-fopenmp"]


class Stop:
    """Has its own folder, with a copy of the sources before and after the patch."""

    def __init__(self, place, case):
        self.place, self.case = place, case
        self.folder = place.path / case.rule
        self.before, self.after = self.folder / "before", self.folder / "after"
        self.name = case.source.stem
        for side in (self.before, self.after):
            side.mkdir(parents=True)
            shutil.copy(case.source, side)
            shutil.copytree(WORKLOADS / "common", side / "common")
            shutil.copy(ROOT / "runtime" / "include" / "teff.h", side)
            shutil.copy(ROOT / "bench" / "truth" / "defects" / "defect.h", side)

    def build(self):
        """Builds both programs, the second one from the patched source."""
        runs.call(["patch", "-p1", "--fuzz=0", "-i", self.case.patch], cwd=self.after)
        for side in (self.before, self.after):
            source = self.case.source
            modules = ["common/options.f90"] if source.suffix == ".f90" else []
            command = [*runs.COMPILERS[source.suffix], *FLAGS, "-I.", *modules, source.name, "-o", self.name, "-lm"]
            runs.call(command, cwd=side)

    def call(self, words, side):
        return runs.call([*self.place.prefix, *words], self.place.environment(THREADS), cwd=side)

    def program(self):
        return [f"./{self.name}", *self.case.arguments]

    def record(self, side, *options, to="run.teff"):
        self.call([self.place.teff, "record", *options, "-o", to, "--", *self.program()], side)
        return to

    def report(self, side, *words):
        return self.call([self.place.teff, "report", *words], side)

    def finding(self, side, *words):
        """The finding of the case's rule in the report of these recordings, and the wall time."""
        report = json.loads(self.report(side, "--json", *words))
        found = next((found for found in report["findings"] if found["rule"] == self.case.rule), None)
        return found, report["wall_ns"]

    def once(self):
        """The finding of one run before the change."""
        beside = ["--baseline", self.record(self.before, "--threads", "1", to="one.teff")] if self.case.beside else []
        return self.finding(self.before, *beside, self.record(self.before))[0]

    def plain(self, text):
        """The text without the folder, which differs between readers."""
        for side in (self.before, self.after):
            text = text.replace(f"{side}/", "")
        return text.rstrip()


def timed_ms(action):
    began = time.perf_counter()
    action()
    return (time.perf_counter() - began) * 1e3


class Measured:
    """Sets of recordings before and after, and the run before the change that has the median wall time."""

    def __init__(self, stop, repeat):
        self.stop, self.repeat = stop, repeat
        threads = "1,2" if stop.case.beside else str(THREADS)
        self.options = ["--repeat", str(repeat), "--threads", threads]
        for side in (stop.before, stop.after):
            stop.record(side, *self.options, to=f"{side.name}.teff")
        self.run = self.middle()
        self.found = stop.finding(stop.before, *self.beside(), self.run)[0]
        if not self.found:
            raise runs.Failure(f"{stop.case.rule}: the report does not say it")

    def middle(self):
        walls = [(self.stop.finding(self.stop.before, run)[1], run)
                 for run in (f"before.teff/threads-{THREADS}-{number}" for number in range(1, self.repeat + 1))]
        return sorted(walls)[len(walls) // 2][1]

    def beside(self):
        return ["--baseline", "before.teff/threads-1-1"] if self.stop.case.beside else []

    def said(self):
        """The commands, and the finding as the report prints it."""
        text = self.stop.report(self.stop.before, *self.beside(), self.run)
        record = ["teff", "record", *self.options, "-o", "before.teff", "--", *self.stop.program()]
        report = ["teff", "report", *self.beside(), self.run]
        return f"$ {' '.join(record)}\n$ {' '.join(report)}\n\n" + self.stop.plain(self.block(text.splitlines()))

    def block(self, lines):
        """The lines of the finding: from its number to the next number, or to the end of the list."""
        named = next(at for at, line in enumerate(lines) if line.startswith(f"     {self.stop.case.rule}: "))
        ends = (at for at in range(named, len(lines)) if not lines[at].startswith("     "))
        return "\n".join(lines[named - 1:next(ends)])

    def unrecorded_ms(self):
        """Medians of unrecorded, whole runs before and after the change; the runs are interleaved."""
        stop, sides = self.stop, (self.stop.before, self.stop.after)
        walls = [[timed_ms(lambda side=side: stop.call([stop.place.teff, "run", "--", *stop.program()], side)) for side in sides]
                 for _ in range(self.repeat)]
        return [statistics.median(of_side) for of_side in zip(*walls)]

    def gained(self):
        """The command, the times, and which findings are gone."""
        sets = ["../before/before.teff", "after.teff"]
        parts = self.stop.call([self.stop.place.teff, "diff", *sets], self.stop.after).rstrip().split("\n\n")
        kept = [part for part in parts if part.startswith(("  wall time", "Findings of"))]
        text = "$ teff diff before.teff after.teff\n\n" + self.stop.plain("\n\n".join(kept))
        before, after = self.unrecorded_ms()
        return f"{text}\n\nWithout a recording, from start to end: {before:.1f} ms -> {after:.1f} ms"

    def page(self, folder):
        """The page of that run, for viewer/e2e/first-screen.e2e.ts."""
        stop, rule = self.stop, self.stop.case.rule
        page = Path(folder).resolve() / f"{rule}.html"
        stop.call([stop.place.teff, "view", *self.beside(), "--html", page, self.run], stop.before)
        page.with_suffix(".txt").write_text(stop.report(stop.before, *self.beside(), self.run))
        page.with_suffix(".cause.json").write_text(json.dumps(self.found))
