# SPDX-License-Identifier: Apache-2.0
"""The trace for Perfetto: its tracks, slices and flows, read by Perfetto's own definition of the format, and by its trace
processor."""

import collections
import unittest

import polars
from exports_harness import FEW_SOURCES, OWN, TRACES, ExportTest
from perfetto_reader import Processor, Trace

KINDS = {"task", "implicit", "initial", "chunk"}


class Perfetto(ExportTest):
    def trace(self, source):
        return Trace(self.export(self.recording(source), "perfetto").read_bytes())

    def test_fragments_are_those_of_the_run(self):
        self.of_each("perfetto", self.check_fragments_are_those_of_the_run)

    def check_fragments_are_those_of_the_run(self, recording, path, facts):
        trace = Trace(path.read_bytes())
        fragments = [found for found in trace.slices if found.category in KINDS]
        whole = [found for found in fragments if "work_ns" in found.values]
        table = polars.read_parquet(self.export(recording, "parquet") / "fragments.parquet")
        # Lists of thousands, whose difference nobody would read.
        self.assertTrue(sorted(found.values["grain"] for found in whole) == sorted(table["grain"]))
        self.assert_ns(sum(found.values["work_ns"] for found in whole), facts["work_ns"], len(whole))
        kinds = {found.values["grain"]: found.category for found in fragments}
        grains = polars.read_parquet(self.export(recording, "parquet") / "grains.parquet")
        self.assertTrue(kinds.items() <= dict(grains.select("grain", "kind").iter_rows()).items())

    def test_slices_of_a_worker_do_what_it_did(self):
        self.of_each("perfetto", self.check_slices_of_a_worker_do_what_it_did)

    def check_slices_of_a_worker_do_what_it_did(self, recording, path, _):
        trace = Trace(path.read_bytes())
        for found in trace.slices:
            self.assertLessEqual(found.begin, found.end)
        tables = self.export(recording, "parquet")
        waits = polars.read_parquet(tables / "waits.parquet")
        found = collections.Counter(trace.name(one) for one in trace.slices if one.category == "wait")
        said = collections.Counter(f"worker {worker}" for worker in waits["worker"])
        if recording.stem not in ("holds", "contexts"):  # which have more slices above each other than are shown
            self.assertTrue(found.keys() == said.keys() and all(found[key] >= said[key] for key in said), (found, said))
        regions = polars.read_parquet(tables / "regions.parquet")
        shown = [one for one in trace.slices if one.category == "region"]
        self.assertEqual(sorted(one.values["region"] for one in shown), list(range(len(regions))))
        for one in shown:
            self.assertTrue(trace.name(one).startswith("region "), trace.name(one))

    def test_the_trace_processor_has_the_same(self):
        self.of_each("perfetto", self.check_the_trace_processor_has_the_same, FEW_SOURCES)

    def check_the_trace_processor_has_the_same(self, _recording, path, facts):
        trace = Trace(path.read_bytes())
        with Processor(path.read_bytes()) as processor:
            said = processor.query("""select track.name as track, slice.name as name, category, ts, dur from slice
                                      join track on slice.track_id = track.id""")
            flows = processor.query("select slice_out, slice_in from flow")
            work, = processor.query("""select sum(int_value) from args join slice using (arg_set_id)
                                       where key = 'debug.work_ns'""")
            wrong = processor.query("select name, value from stats where severity in ('error', 'data_loss') and value > 0")
        self.assertEqual(wrong, [])
        found = [(trace.name(one), one.name, one.category, one.begin, one.end - one.begin) for one in trace.slices]
        # Lists of thousands, whose difference nobody would read.
        self.assertTrue(sorted(said) == sorted(found), (len(said), len(found)))
        self.assertEqual(len(flows), sum(len(steps) - 1 for steps in trace.flows().values()))
        self.assert_ns(work[0], facts["work_ns"], len(found))

    def test_flows_lead_from_creation_to_run_to_join(self):
        trace = self.trace(OWN / "wavefront.c")
        flows = trace.flows()
        tasks = {found.values["grain"] for found in trace.slices if found.category == "task"}
        self.assertTrue(tasks)
        for task in tasks:
            steps = flows[task + 1]
            own = [found for found in steps if found.values["grain"] == task]
            self.assertTrue(own and steps[0].values["grain"] != task, "the first step is in who created it")
            self.assertLessEqual(steps[0].end, own[0].begin)
            for last in steps[-1:]:
                if task + 1 in last.last_of:
                    self.assertLessEqual(own[-1].end, last.begin)
        joined = {flow for found in trace.slices for flow in found.last_of}
        self.assertTrue(joined)

    def test_waits_enclose_what_ran_in_them(self):
        trace = self.trace(TRACES / "tasks.c")
        waits = [found for found in trace.slices if found.category == "wait"]
        tasks = [found for found in trace.slices if found.category == "task"]
        inside = [task for task in tasks for wait in waits
                  if wait.track == task.track and wait.begin <= task.begin and task.end <= wait.end]
        self.assertTrue(inside)

    def test_slices_say_where_they_are(self):
        trace = self.trace(TRACES / "tasks.c")
        for found in trace.slices:
            if found.category == "task":
                self.assertRegex(found.values["site"], r"/tasks\.c:\d+$")
                self.assertEqual(found.name, f"{found.values['function']} {found.values['site']}")


if __name__ == "__main__":
    unittest.main()
