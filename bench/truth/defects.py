#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks on programs with one defect each whether the report's first finding names the defect and
its line, and whether the gain that the finding predicts is the gain of the cured program.

Each program of defects/ is built twice, with its defect and cured. Each round runs the defective
program recorded and then unrecorded, and the cured program unrecorded and then recorded. Medians
over the rounds are compared. `finds` is the rule and the line of the first finding about the
program; a report may have one about the machine before it. `same` is the
number of rounds in which all findings about the program were the same as in the first round. `gain`
is the gain that the first finding predicts. `cure` is what the cure gains in unrecorded runs, and
`recorded` what it gains in recorded runs; the ratio beside each is `gain` divided by it.

example: bench/truth/defects.py --only lock,chain --runs 12
"""

import argparse
import re
import statistics
import sys
from dataclasses import dataclass, field
from pathlib import Path

import runs

# Program -> the rules that name its defect. The cause of the last one shows only in counters or
# against a baseline.
RULES = {
    "broken_cutoff": {"broken-cutoff", "tiny-tasks"},
    "chain": {"dependence-chain"},
    "static_imbalance": {"static-imbalance"},
    "dynamic_imbalance": {"dynamic-imbalance"},
    "one_producer": {"one-producer"},
    "hot_lock": {"hot-lock"},
    "serial_start": {"serial-part"},
    "serial_sleep": {"serial-sleep"},
    "too_many_threads": {"too-many-threads"},
    "tiny_chunks": {"tiny-chunks"},
    "tiny_regions": {"tiny-regions"},
    "false_sharing": {"false-sharing", "inflation", "work-inflation"},
}
NEEDS_COUNTERS = {"false_sharing"}
GAIN_ERROR = 0.30
HEADER = ["defect", "finds", "line", "same", "gain ms", "cure ms", "ratio", "recorded ms", "ratio", ""]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="WORD,...", help="programs whose names contain one of the words")
    parser.add_argument("--runs", type=int, default=12, metavar="N", help="rounds; default: 12")
    parser.add_argument("--threads", type=int, default=2, metavar="N", help="default: 2")
    return runs.parse_common(parser)


@dataclass
class Rounds:
    """The results of the rounds of one program. Times are in ns."""
    findings: list = field(default_factory=list)
    defect: list = field(default_factory=list)
    cure: list = field(default_factory=list)
    defect_recorded: list = field(default_factory=list)
    cure_recorded: list = field(default_factory=list)

    def brought(self):
        return statistics.median(self.defect) - statistics.median(self.cure)

    def brought_recorded(self):
        return statistics.median(self.defect_recorded) - statistics.median(self.cure_recorded)

    def gain(self):
        """The median gain of the first finding, or None if a round has no finding."""
        if not all(self.findings):
            return None
        return statistics.median(found[0]["gain_ns"] for found in self.findings)


def time_ns(output):
    return float(re.search(r"time_s=([0-9.]+)", output).group(1)) * 1e9


def lines_here(source):
    """The lines that a correct finding may name."""
    lines = source.read_text().splitlines()
    return {number for number, line in enumerate(lines, 1) if line.endswith("// HERE")}


# Rules that concern the state of the machine, and not the program.
OF_THE_MACHINE = {"descheduled"}


def of_the_program(findings):
    return [found for found in findings if found["rule"] not in OF_THE_MACHINE]


def one_round(place, source, env, rounds):
    defect, cured = (place.compile(source, (f"-DCURED={number}",)) for number in (0, 1))
    report = place.report(place.record([defect], env))
    rounds.findings.append(of_the_program(report.get("findings", [])))
    rounds.defect_recorded.append(report["wall_ns"])
    rounds.defect.append(time_ns(place.run([defect], env)))
    rounds.cure.append(time_ns(place.run([cured], env)))
    rounds.cure_recorded.append(place.report(place.record([cured], env))["wall_ns"])


def identity(findings):
    return [(found["rule"], Path(found.get("file") or "").name, found.get("line")) for found in findings]


def judge(name, rounds, source):
    """A row of figures; `wrong` names the figures that miss their goal."""
    first = rounds.findings[0][0] if rounds.findings[0] else {}
    same = sum(identity(found) == identity(rounds.findings[0]) for found in rounds.findings)
    gain, brought, recorded = rounds.gain(), rounds.brought(), rounds.brought_recorded()
    wrong = []
    if not all(found and found[0]["rule"] in RULES[name] for found in rounds.findings):
        wrong.append("finding")
    if not all(found and found[0].get("line") in lines_here(source) for found in rounds.findings):
        wrong.append("line")
    if gain is None or abs(gain / brought - 1) > GAIN_ERROR:
        wrong.append("gain")
    if same < len(rounds.findings):
        wrong.append("not the same")
    if name in NEEDS_COUNTERS:
        wrong = ["needs counters or a baseline"] if wrong else []
    return {"defect": name, "rule": first.get("rule"), "line": first.get("line"), "same": same,
            "rounds": len(rounds.findings), "gain_ns": gain, "brought_ns": brought, "recorded_ns": recorded,
            "wrong": wrong, "findings": [identity(found) for found in rounds.findings]}


def ms(value):
    return "-" if value is None else f"{value / 1e6:.2f}"


def cells(row):
    def ratio(to):
        return "-" if row["gain_ns"] is None or not row[to] else f"{row['gain_ns'] / row[to]:.2f}"
    return [row["defect"], row["rule"] or "-", str(row["line"] or "-"), f"{row['same']}/{row['rounds']}",
            ms(row["gain_ns"]), ms(row["brought_ns"]), ratio("brought_ns"), ms(row["recorded_ns"]),
            ratio("recorded_ns"), ", ".join(row["wrong"])]


def main():
    options = parse_arguments()
    words = options.only.split(",") if options.only else [""]
    found, failures = [], []
    place = runs.Place(options.build, options.urgent)
    try:
        env = place.environment(options.threads)
        for name in (name for name in RULES if any(word in name for word in words)):
            source, rounds = runs.HERE / "defects" / f"{name}.c", Rounds()
            try:
                for _ in range(options.runs):
                    one_round(place, source, env, rounds)
                found.append(judge(name, rounds, source))
            except (runs.Failure, KeyError) as failure:
                failures.append(f"{name}: {failure!r}")
    finally:
        place.close()
    runs.show(HEADER, found, cells, failures, options)
    good = sum(not row["wrong"] for row in found)
    print(f"{good} of {len(found)} as they should be, {len(failures)} failures")
    sys.exit(bool(failures or good < len(found) - len(NEEDS_COUNTERS)))


if __name__ == "__main__":
    main()
