# SPDX-License-Identifier: Apache-2.0
"""Parquet tables, read by polars, agree with the report; and the notebook runs."""

import re
import sys
import unittest

import polars
from exports_harness import OWN, ROOT, TRACES, ExportTest
from harness import run


class Tables:
    def __init__(self, folder):
        for path in folder.iterdir():
            setattr(self, path.stem, polars.read_parquet(path))


class Parquet(ExportTest):
    def test_totals_are_those_of_the_report(self):
        self.of_each("parquet", self.check_totals_are_those_of_the_report)

    def check_totals_are_those_of_the_report(self, _, folder, facts):
        tables = Tables(folder)
        grains, said = tables.grains, facts["grains"]
        self.assertEqual(len(grains), said["total"])
        for kind, name in (("task", "tasks"), ("implicit", "implicit"), ("initial", "initial"), ("chunk", "chunks")):
            count = grains.filter((polars.col("kind") == kind) & ~polars.col("cancelled"))
            self.assertEqual(len(count), said[name], kind)
        for column, total in (("work_ns", "work_ns"), ("creation_ns", "creation_ns"), ("wait_ns", "wait_ns")):
            self.assert_ns(grains[column].sum(), facts[total], len(grains))
        self.assert_ns(tables.fragments["work_ns"].sum(), facts["work_ns"], len(tables.fragments))
        self.assert_ns(tables.waits["lost_ns"].sum(), facts["wait_ns"], len(tables.waits))
        self.assertEqual(grains["inline"].sum(), said["inline"])
        row = tables.run.row(0, named=True)
        for name in ("wall_ns", "work_ns", "span_ns", "span_any_schedule_ns"):
            self.assert_ns(row[name], facts[name], 1)
        self.assertEqual((row["command"], row["complete"], row["workers"]),
                         (facts["command"], facts["complete"], facts["workers"]))

    def test_sites_are_those_of_the_report(self):
        self.of_each("parquet", self.check_sites_are_those_of_the_report)

    def check_sites_are_those_of_the_report(self, _, folder, facts):
        tables = Tables(folder)
        ran = tables.grains.filter(~polars.col("cancelled"))
        counts = dict(ran.group_by("site").len().iter_rows())
        rows = [row for row in tables.sites.iter_rows(named=True) if counts.get(row["site"])]
        of = lambda row: (row["kind"], row["file"], row["line"], row["function"], row["count"])  # noqa: E731
        self.assertEqual(sorted(map(of, rows)), sorted(map(of, facts["sites"])))
        for row in rows:
            self.assertEqual(counts[row["site"]], row["count"])

    def test_rows_that_others_name_are_there(self):
        self.of_each("parquet", self.check_rows_that_others_name_are_there)

    def check_rows_that_others_name_are_there(self, _recording, folder, _facts):
        tables = Tables(folder)
        grains = len(tables.grains)
        names = [(tables.grains["parent"], grains), (tables.grains["site"], len(tables.sites)),
                 (tables.grains["loop"], len(tables.loops)), (tables.grains["region"], len(tables.regions)),
                 (tables.grains["joined_by"], len(tables.waits)), (tables.fragments["grain"], grains),
                 (tables.waits["grain"], grains), (tables.locks["grain"], grains), (tables.regions["grain"], grains),
                 (tables.dependences["predecessor"], grains), (tables.dependences["successor"], grains)]
        for column, rows in names:
            self.assertTrue((column.drop_nulls() < rows).all(), column.name)

    def test_dependences_are_those_of_the_program(self):
        tables = Tables(self.export(self.recording(OWN / "chain.c"), "parquet"))
        self.assertEqual(len(tables.dependences), 9)
        self.assertEqual(tables.dependences["address"].n_unique(), 1)

    def test_loops_and_chunks(self):
        tables = Tables(self.export(self.recording(TRACES / "loops.c"), "parquet"))
        chunks = tables.grains.filter(polars.col("kind") == "chunk")
        self.assertEqual(set(chunks["loop"]), set(tables.loops["loop"]) & set(chunks["loop"]))
        self.assertTrue((chunks["iterations"] > 0).all() and len(chunks))
        self.assertTrue(set(tables.loops["schedule"]) <= {"static", "dynamic", "guided", "sections"})

    def test_metrics_are_those_of_the_csv(self):
        recording = self.recording(TRACES / "loops.c")
        options = ("--thresholds", "thesis", "--threshold", "scatter=0")
        tables = Tables(self.export(recording, "parquet", "--metrics", *options))
        rows = polars.read_csv(self.export(recording, "csv", *options))
        self.assertEqual(len(tables.metrics), len(rows))
        for column in set(tables.metrics.columns) - {"identity", "problems"}:
            pairs = zip(tables.metrics[column], rows[column], strict=True)
            for ours, theirs in pairs:
                if ours is None or theirs is None:
                    self.assertEqual((ours, theirs), (None, None), column)
                else:
                    self.assertAlmostEqual(ours, theirs, delta=1e-6 * max(1, abs(theirs)), msg=column)
        self.assertEqual([row or "" for row in rows["problems"]], list(tables.metrics["problems"]))
        self.assertEqual([int(row, 16) for row in rows["identity"]], list(tables.metrics["identity"]))

    def test_every_column_is_in_the_documentation(self):
        page = (ROOT / "docs" / "formats" / "exports.md").read_text()
        section = page.partition("## Parquet")[2]
        for path in self.export(self.recording(TRACES / "tasks.c"), "parquet", "--metrics").iterdir():
            row = re.search(rf"^\| `{path.stem}` \|(.*)$", section, re.MULTILINE)
            self.assertTrue(row, path.stem)
            for column, kind in polars.read_parquet_schema(path).items():
                self.assertIn(f"`{column}`", row[1], path.stem)
                self.assertTrue(kind != polars.Int64 or column.endswith("_ns") or path.stem in ("loops", "grains"), column)

    def test_the_notebook_runs(self):
        folder = self.export(self.recording(TRACES / "tasks.c"), "parquet")
        done = run([sys.executable, ROOT / "docs" / "notebooks" / "grains.py", folder])
        self.assertEqual(done.status, 0, done.text)
        for word in ("parallel", "do_not_pay", "running", "taskwait"):
            self.assertIn(word, done.text.replace("command", "parallel"))

    def test_what_is_there_is_not_destroyed(self):
        recording = self.recording(TRACES / "tasks.c")
        folder, file = self.place / "folder", self.place / "file"
        folder.mkdir()
        (folder / "mine.txt").write_text("mine")
        file.write_text("mine")
        for path, why in ((folder, "files in it"), (file, "is no folder"), (recording, "files in it"), ("-", "name the folder with -o")):
            done = self.teff("export", recording, "--format", "parquet", "-o", path, status=1)
            self.assertIn(why, done.text)
        self.assertEqual(((folder / "mine.txt").read_text(), file.read_text()), ("mine", "mine"))
        (folder / "mine.txt").unlink()
        self.teff("export", recording, "--format", "parquet", "-o", folder)
        self.assertTrue((folder / "grains.parquet").exists())
        self.assertEqual(sorted(path.name for path in self.place.iterdir()), ["file", "folder"])


if __name__ == "__main__":
    unittest.main()
