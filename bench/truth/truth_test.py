#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests how truth.py computes graphs and figures, with pieces whose lengths are given here."""

import struct
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "compare"))

# pylint: disable=wrong-import-position
import account
import constructs
import defects
import logs
import paths
import predicted
import runs
import truth

G, H, OWN, OTHER = logs.GRAIN, logs.HOLD, logs.OWN, logs.OTHER


def piece(begin, ran, kind=G, thread=0, a=0, b=0, away=0):
    return logs.Piece(begin, begin + ran + away, ran, kind, thread, a, b)


def spans(graph, pieces):
    """Both spans: as it ran, and with any schedule."""
    return tuple(paths.longest(graph, pieces, as_run, lambda piece: piece.ran) for as_run in (True, False))


class Graphs(unittest.TestCase):
    def test_chunks_of_a_thread_follow_each_other_only_as_they_ran(self):
        pieces = [piece(0, 10, a=0), piece(0, 30, thread=1, a=1), piece(10, 10, a=2)]
        self.assertEqual(spans(paths.loop, pieces), (30, 30))
        self.assertEqual(spans(paths.loop, [*pieces, piece(20, 15, a=3)]), (35, 30))
        self.assertEqual(spans(paths.threads, [*pieces, piece(20, 15, a=3)]), (35, 35))

    def test_steps_are_kept_apart_by_barriers(self):
        pieces = [piece(0, 10), piece(0, 30, thread=1), piece(30, 20, a=1), piece(30, 5, thread=1, a=1)]
        self.assertEqual(spans(paths.steps, pieces), (50, 50))

    def test_ordered_parts_follow_each_other(self):
        pieces = [piece(0, 30), piece(0, 30, thread=1, a=1), piece(30, 10, H), piece(40, 10, H, 1, 1), piece(40, 30, a=2),
                  piece(70, 10, H, 0, 2)]
        self.assertEqual(spans(paths.ordered, pieces), (80, 60))

    def test_holds_follow_each_other_in_any_order(self):
        pieces = [piece(0, 5, thread=0), piece(0, 5, thread=1), piece(5, 20, H, 0), piece(25, 20, H, 1)]
        self.assertEqual(spans(paths.holds, pieces), (45, 25))
        self.assertEqual(paths.one_at_a_time(pieces, lambda piece: piece.ran), 40)

    def test_a_tree_joins_children(self):
        pieces = [piece(0, 10, a=1, b=0), piece(10, 50, thread=1, a=2), piece(10, 10, a=1, b=1), piece(20, 5, a=3),
                  piece(60, 10, a=1, b=2)]
        self.assertEqual(spans(paths.tree, pieces), (70, 70))

    def test_a_wait_joins_what_it_waits_for(self):
        rounds = [piece(0, 10, OWN), piece(10, 10), piece(10, 40, OTHER, 1), piece(20, 10, OWN, a=1), piece(30, 10, a=1),
                  piece(50, 40, OTHER, 1, 1)]
        self.assertEqual(spans(paths.taskwait_depend, rounds)[0], 10 + 10 + 10 + 40)
        self.assertEqual(spans(paths.taskwait, rounds)[0], 10 + 40 + 10 + 40)

    def test_a_taskgroup_joins_descendants_and_nothing_else(self):
        rounds = [piece(0, 1, OWN), piece(1, 90, OTHER, 1), piece(2, 10), piece(12, 10, b=1), piece(22, 1, OWN, a=1)]
        self.assertEqual(spans(paths.taskgroup, rounds)[0], 91)
        self.assertEqual(spans(paths.taskgroup, rounds[:1] + rounds[2:])[0], 22)

    def test_an_event_is_fulfilled_before_what_depends_on_it(self):
        rounds = [piece(0, 10), piece(0, 30, OTHER, 1), piece(30, 10, b=1)]
        self.assertEqual(spans(paths.detach, rounds)[0], 40)

    def test_a_wavefront(self):
        cells = [piece(0, 10, a=1, b=1), piece(10, 20, a=1, b=2), piece(10, 5, thread=1, a=2, b=1),
                 piece(30, 10, a=2, b=2)]
        self.assertEqual(spans(paths.wavefront, cells), (40, 40))

    def test_nested_regions_join(self):
        pieces = [piece(0, 10, OWN), piece(10, 10), piece(10, 30, thread=1), piece(40, 10, OWN, b=1), piece(50, 1, b=1)]
        self.assertEqual(spans(paths.nested, pieces), (51, 51))

    def test_a_grain_that_no_graph_names_is_a_mistake(self):
        with self.assertRaises(ValueError):
            paths.longest(lambda pieces, as_run: [(pieces[0], [])], [piece(0, 1), piece(1, 1)], True, lambda piece: 1)


class Logs(unittest.TestCase):
    def setUp(self):
        self.file = Path(tempfile.mkdtemp()) / "pieces.log"

    def write(self, parts, end=1000):
        """Threads' pieces, at one tick per ns."""
        capacity = 8
        content = logs.HEADER.pack(0, end, 0, end, 0, end, 1000, len(parts), capacity, 2).ljust(logs.PAGE, b"\0")
        for pieces in parts:
            packed = b"".join(struct.pack("<QQQIIqq", p.begin, p.end, p.ran, p.kind, p.thread, p.a, p.b) for p in pieces)
            content += packed.ljust(capacity * logs.PIECE.size, b"\0")
        self.file.write_bytes(content)
        return logs.Log(self.file)

    def marked(self, *parts):
        """A region from 100 to 900, outside of which 120 ns of CPU time were used."""
        begins, ends = piece(100, 70, logs.REGION_BEGINS), piece(900, 950, logs.REGION_ENDS)
        begins.end, ends.end = begins.begin, ends.begin
        first, *others = parts
        return self.write([[begins, *first, ends], *others])

    def test_work_span_and_lost_time(self):
        log = self.marked([piece(100, 300, a=0, away=100)], [piece(100, 500, thread=1, a=1)])
        found = constructs.judge(log, constructs.Construct("", "", paths.loop, classes=("imbalance",)))
        self.assertEqual(found.work, 300 + 500 + 2 * 2 + 120)
        self.assertEqual(found.span, 502 + 120)
        self.assertEqual(found.serial, 200)
        self.assertEqual(found.descheduled, 100)
        self.assertEqual(found.lost, 2 * 800 - (402 + 502))
        self.assertEqual(found.classes, {"imbalance": 100})

    def test_waits_for_a_lock(self):
        log = self.marked([piece(100, 50), piece(160, 100, H)], [piece(100, 50, thread=1), piece(265, 100, H, 1)])
        found = constructs.judge(log, constructs.Construct("", "", paths.holds, classes=("locks",)))
        self.assertEqual(found.classes["locks"], 10 + 115)

    def test_a_program_that_did_not_end(self):
        with self.assertRaises(ValueError):
            self.write([[piece(0, 1)]], end=0)


class Verdicts(unittest.TestCase):
    def test_what_is_off(self):
        self.assertEqual(truth.verdict("work", 1.03), "off")
        self.assertEqual(truth.verdict("span", 1.03), "")
        self.assertEqual(truth.verdict("any schedule", None), "missing")
        self.assertEqual(truth.verdict("rest", 1.1), "too much")

    def test_budgets_that_do_not_add_up(self):
        def faults(classes, rest, whole=200.0):
            entries = [{"name": str(n), "ns": ns} for n, ns in enumerate(classes)]
            budget = {"workers": 2, "wall_ns": 100.0, "whole_ns": whole, "classes": entries, "rest_ns": rest}
            return account.budget_faults({"budget": budget})
        self.assertEqual(faults([150.0, 49.0], 1.0), [])
        self.assertEqual(faults([150.0, 40.0], 1.0), ["does not add up"])
        self.assertEqual(faults([150.0, 40.0], 10.0), ["rest"])
        self.assertEqual(faults([210.0, -10.0], 0.0), ["negative"])
        self.assertEqual(faults([150.0, 150.0], 0.0, 300.0), ["whole is not workers x wall"])
        self.assertEqual(account.budget_faults({}), ["no budget"])

    def test_a_prediction_is_judged_by_medians(self):
        rows = [predicted.judge("a", [(2.0, 1.0, 2.2, 1.1), (2.0, 1.0, 2.0, 1.04), (9.0, 9.0, 1.9, 1.0)]),
                predicted.judge("b", [(2.0, 1.0, 2.0, 0.9)]), predicted.judge("c", [(2.0, 1.0, 2.0, 0.99)])]
        self.assertEqual([[round(error, 6) for error in row["errors"]] for row in rows], [[0, 0.04], [0, -0.1], [0, -0.01]])
        self.assertEqual(predicted.cells(rows[0]), ["a", "2000.0", "+0.0", "1000.0", "1040.0", "+4.0", ""])
        median, worst, good = predicted.sums(rows)
        self.assertEqual((round(median, 6), round(worst, 6), good), (0.04, 0.1, True))
        self.assertFalse(predicted.sums(rows[1:])[2], "the median is 5.5 %")
        off = predicted.judge("d", [(2.0, 1.0, 2.0, 0.8)])
        self.assertEqual(predicted.cells(off)[-1], "off")
        self.assertFalse(predicted.sums([*rows, rows[2], off])[2], "one is off by 20 %")

    def test_defects_have_lines_and_rules(self):
        for source in sorted((runs.HERE / "defects").glob("*.c")):
            self.assertIn(source.stem, defects.RULES)
            self.assertTrue(defects.lines_here(source), source)

    def test_a_defect_is_judged(self):
        rounds = defects.Rounds()
        source = runs.HERE / "defects" / "chain.c"
        line = min(defects.lines_here(source))
        for gain in (100, 110, 120):
            rounds.findings.append([{"rule": "dependence-chain", "file": "/a/chain.c", "line": line, "gain_ns": gain}])
            for times, value in ((rounds.defect, 300), (rounds.cure, 200), (rounds.defect_recorded, 330),
                                 (rounds.cure_recorded, 210)):
                times.append(value)
        self.assertEqual(defects.judge("chain", rounds, source)["wrong"], [])
        rounds.cure[:] = [50, 50, 50]
        rounds.findings[1][0]["line"] = line + 5
        self.assertEqual(defects.judge("chain", rounds, source)["wrong"], ["line", "gain", "not the same"])


if __name__ == "__main__":
    unittest.main()
