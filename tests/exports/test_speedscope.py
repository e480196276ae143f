# SPDX-License-Identifier: Apache-2.0
"""Tests profiles for speedscope with its schema, and with its own page in a browser; and folded
stacks."""

import base64
import collections
import json
import re
import shutil
import unittest

import jsonschema
import polars
from expected import Expected
from exports_harness import READERS, THREADS, TRACES, ExportTest, environment
from harness import run

CHROMIUM = shutil.which("chromium")
RELEASE = READERS / "node_modules" / "speedscope" / "dist" / "release"
UNITS_NS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}
MOST_EVENTS = 2000
# As flamegraph.pl has it.
LINE = re.compile(r"^(.*)\s+(\d+(?:\.\d*)?)$")


def self_times(profile):
    """The self times by frame. Asserts that the events nest."""
    times, stack, last = collections.Counter(), [], profile["startValue"]
    for event in profile["events"]:
        assert event["at"] >= last, "back in time"
        if stack:
            times[stack[-1]] += event["at"] - last
        last = event["at"]
        if event["type"] == "O":
            stack.append(event["frame"])
        else:
            assert stack.pop() == event["frame"], "not the one on top"
    assert not stack and last <= profile["endValue"]
    return times


def is_work(name):
    """Whether the frame is a grain, or its work while it holds a lock."""
    others = ("creation of ", "loop", "parallel region", "runtime", "wait for ", "taskwait", "taskgroup", "barrier", "implicit barrier",
              "end of region", "dependence", "taskyield", "run at once", "preempted", "idle")
    return not name.startswith(others)


class Speedscope(ExportTest):
    def test_it_is_what_the_schema_says(self):
        schema = json.loads((RELEASE / "file-format-schema.json").read_text())

        def check(_, path, facts):
            profile = json.loads(path.read_text())
            for worker in profile["profiles"]:
                del worker["events"][MOST_EVENTS // 2:-MOST_EVENTS // 2]  # the validator is slow
            jsonschema.validate(profile, schema)
            self.assertLessEqual(len(profile["profiles"]), facts["workers"])

        self.of_each("speedscope", check)

    def test_what_frames_have_for_themselves_is_the_time_of_fragments(self):
        self.of_each("speedscope", self.check_what_frames_have_for_themselves_is_the_time_of_fragments)

    def check_what_frames_have_for_themselves_is_the_time_of_fragments(self, recording, path, facts):
        file = json.loads(path.read_text())
        frames = file["shared"]["frames"]
        times = sum((self_times(profile) for profile in file["profiles"]), collections.Counter())
        of_grains = sum(time for frame, time in times.items() if is_work(frames[frame]["name"]))
        table = polars.read_parquet(self.export(recording, "parquet") / "fragments.parquet")
        lengths = (table["end_ns"] - table["start_ns"]).sum()
        events = sum(len(profile["events"]) for profile in file["profiles"])
        if recording.stem == "contexts":  # where tasks leave their stacks, the recorder's own time is on neither side
            self.assertGreater(of_grains, facts["work_ns"] / 2)
        elif recording.stem == "holds":  # which begin within a gap, with what the runtime takes behind that
            self.assertGreater(of_grains, lengths - events - len(table))
        else:
            self.assert_ns(of_grains, lengths, events + len(table))

    def opened(self, path):
        """The text of speedscope's page after it has opened the file."""
        if not CHROMIUM:
            self.skipTest("chromium is not installed")
        script = self.place / "profile.js"
        data = base64.b64encode(path.read_bytes()).decode()
        script.write_text(f"speedscope.loadFileFromBase64({json.dumps(path.name)}, '{data}')")
        url = f"file://{RELEASE}/index.html#localProfilePath={script}"
        done = run([CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader",
                    "--allow-file-access-from-files", "--virtual-time-budget=20000", f"--user-data-dir={self.place}/browser",
                    "--dump-dom", url], environment(), 60)
        self.assertEqual(done.status, 0, done.text)
        page = done.out.decode()
        page = re.sub(r"<(style|script).*?</\1>", "", page, flags=re.DOTALL)
        return " ".join(re.sub("<[^>]*>", " ", page).split())

    def test_the_page_opens_it(self):
        recording = self.recording(TRACES / "tasks.c")
        path = self.export(recording, "speedscope")
        text = self.opened(path)
        for profile in json.loads(path.read_text())["profiles"]:
            shown = re.search(rf"\d+ {profile['name']} ([\d.]+)(ns|µs|ms|s)\b", text)
            self.assertTrue(shown, text)
            total = sum(self_times(profile).values())
            self.assertAlmostEqual(float(shown[1]) * UNITS_NS[shown[2]], total, delta=total / 100 + 0.01)

    def test_the_page_opens_folded_stacks(self):
        path = self.export(self.recording(TRACES / "tasks.c"), "folded")
        self.assertIn(path.name, self.opened(path))


class Folded(ExportTest):
    def test_work_adds_up(self):
        self.of_each("folded", self.check_work_adds_up)

    def check_work_adds_up(self, _, path, facts):
        lines = path.read_text().splitlines()
        total = sum(int(LINE.match(line)[2]) for line in lines)
        self.assert_ns(total, facts["work_ns"], len(lines) + 2 * facts["grains"]["total"])

    def test_paths_are_those_of_creation(self):
        expected = Expected(TRACES / "tasks.c", THREADS)
        found = set()
        for line in self.export(self.recording(TRACES / "tasks.c"), "folded").read_text().splitlines():
            first, *names = LINE.match(line)[1].split(";")
            self.assertEqual(first, "(outside of parallel regions)")
            lines = [int(re.search(r"/tasks\.c:(\d+)( \[implicit\])?$", name)[1]) for name in names]
            found.add(" ".join(map(expected.site, lines)))
        whole = {"", "region", "region outer", "region outer inner", "region grouped", "region grouped nested", "region loose"}
        self.assertLessEqual(found, whole)
        self.assertIn("region outer", found)


if __name__ == "__main__":
    unittest.main()
