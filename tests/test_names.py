# SPDX-License-Identifier: Apache-2.0
"""Tests how constructs are named: C++ names with parentheses, long names, and programs at long
paths."""

import csv
import json
import shutil
import unittest

from harness import PROGRAMS, ProductTest

SOURCE = PROGRAMS / "names.cpp"
SHORT, LONG = "(anonymous namespace)::spawn", "(anonymous namespace)::spawn_with<"


class Names(ProductTest):
    def tasks(self, recording):
        """Line -> function, of the tasks."""
        facts = json.loads(self.teff("report", "--json", recording).out)
        return {site["line"]: site["function"] for site in facts["sites"] if site["kind"] == "task"}

    def check(self, recording):
        lines = SOURCE.read_text().splitlines()
        tasks = self.tasks(recording)
        self.assertEqual(len(tasks), 2, tasks)
        short, long = sorted(tasks)
        self.assertIn("// in the anonymous namespace", lines[short - 1])
        self.assertIn("// with a long name", lines[long - 1])
        self.assertEqual(tasks[short], SHORT)
        self.assertTrue(tasks[long].startswith(LONG) and len(tasks[long]) > 120, tasks[long])
        return tasks

    def test_names_with_parentheses_and_long_ones(self):
        """They are whole in data, and cut in the middle of the function in tables."""
        recording = self.record(self.compile(SOURCE))
        tasks = self.check(recording)
        text = self.teff("report", "--sites", "99", recording).text
        table = text[text.index("Work by site"):].split("\n\n")[0].splitlines()[1:]
        self.assertLessEqual(max(map(len, table)), 140, table)
        for line, function in tasks.items():
            (row,) = (row for row in table if f"{SOURCE.name}:{line} " in row)
            self.assertEqual(f"{SOURCE.name}:{line} {function}" in row, function == SHORT, row)
        table = self.place / "grains.csv"
        self.teff("export", "--format", "csv", "-o", table, recording)
        with table.open() as file:
            cells = {cell for row in csv.reader(file) for cell in row}
        for function in self.tasks(recording).values():
            self.assertTrue(any(function in cell for cell in cells), function)

    def test_a_program_at_a_long_path(self):
        folder = self.place / ("a" * 240) / ("b" * 240)
        folder.mkdir(parents=True)
        self.check(self.record(shutil.copy(self.compile(SOURCE), folder)))


if __name__ == "__main__":
    unittest.main()
