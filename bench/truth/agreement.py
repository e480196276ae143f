# SPDX-License-Identifier: Apache-2.0
"""Compares the findings of a report with its budget, from the report's own JSON.

`contradictions` names each finding that claims more than the classes of time that it can come from,
each that is out of order, and each that repeats another one. The classes are written down here
again, so that a mistake in the tool is not a mistake in the check.

example: bench/truth/agreement.py REPORT.json ...
"""

import collections
import json
import sys
from pathlib import Path

LOST_IN_REGIONS = ("imbalance", "nothing_ready", "ready_waiting", "scheduling")
CLASSES = {
    "tiny-tasks": ("creation", "scheduling", "nothing_ready", "ready_waiting"),
    "broken-cutoff": ("creation", "scheduling", "nothing_ready", "ready_waiting"),
    "tiny-chunks": ("scheduling",),
    "tiny-regions": ("creation", *LOST_IN_REGIONS),
    "one-producer": ("nothing_ready", "ready_waiting", "scheduling"),
    "dependence-chain": LOST_IN_REGIONS,
    "small-teams": ("outside_team", "imbalance", "nothing_ready"),
    "low-parallelism": ("nothing_ready",),
    "task-imbalance": LOST_IN_REGIONS,
    "dynamic-imbalance": LOST_IN_REGIONS,
    "static-imbalance": LOST_IN_REGIONS,
    "hot-lock": ("locks", "imbalance"),
    "ordered-chain": ("locks", "imbalance"),
    "serial-part": ("serial", *LOST_IN_REGIONS),
    "work-inflation": ("inflation",),
    "too-many-threads": ("descheduled",),
    "descheduled": ("descheduled",),
    "slept": ("descheduled",),
    "serial-sleep": ("serial", "descheduled"),
    "page-faults": ("work",),
}
# The figures are rounded to ticks and to whole nanoseconds here and there.
TOLERANCE = 1.001
OF_THE_MACHINE = "descheduled"


def most_gained_ns(report, rule):
    """The wall time of which a cure can take away. For most rules, that is the wall time without the
    recorder and other processes; what the other processes took is in the wall time alone."""
    return report["wall_ns"] if rule == OF_THE_MACHINE else report.get("undisturbed_ns", report["wall_ns"])


def contradictions(report):
    """What is wrong with the findings, in words."""
    budget = report["budget"]
    classes = {entry["name"]: entry["ns"] for entry in budget["classes"]}
    at_once = min(budget["workers"], budget["processors"]) or 1
    faults, places = [], collections.Counter()
    for finding in report["findings"]:
        rule = finding["rule"]
        between_regions = rule == "serial-part" and " without a parallel region" in finding["title"]
        if between_regions:
            most = classes.get("serial", 0)
        else:
            most = sum(classes.get(name, 0) for name in CLASSES[rule])
        if finding["lost_ns"] > TOLERANCE * most + 1:
            faults.append(f"{rule}: {finding['lost_ns'] / 1e6:.3f} ms lost of {most / 1e6:.3f}")
        # Where no region is open, one thread that sleeps keeps all from working.
        most_gained = classes.get("descheduled", 0) if rule == "serial-sleep" else most / at_once
        if finding["gain_ns"] > TOLERANCE * most_gained + 1:
            faults.append(f"{rule}: {finding['gain_ns'] / 1e6:.3f} ms gained of {most_gained / 1e6:.3f}")
        if finding["gain_ns"] > most_gained_ns(report, rule):
            faults.append(f"{rule}: more gained than there is")
        share = finding["gain_ns"] / (most_gained_ns(report, rule) or 1)
        if abs(finding["gain_share"] - share) > TOLERANCE - 1:
            faults.append(f"{rule}: a share of {finding['gain_share']:.3f} instead of {share:.3f}")
        places[rule, between_regions, finding["file"], finding["function"]] += 1
    faults += [f"{kind[0]}: {number} times in {kind[-1]}" for kind, number in places.items() if number > 1]
    return faults + order(report["findings"])


def order(findings):
    """The one about the machine comes first, and the others by falling gain."""
    faults = []
    if any(finding["rule"] == OF_THE_MACHINE for finding in findings[1:]):
        faults.append("the machine is not the first")
    gains = [finding["gain_ns"] for finding in findings if finding["rule"] != OF_THE_MACHINE]
    if gains != sorted(gains, reverse=True):
        faults.append("not by gain")
    return faults


def main():
    bad = 0
    for name in sys.argv[1:]:
        faults = contradictions(json.loads(Path(name).read_text()))
        bad += bool(faults)
        print(f"{Path(name).stem}: {'; '.join(faults) or 'agrees'}")
    print(f"{len(sys.argv) - 1 - bad} reports agree with their budgets, {bad} do not")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
