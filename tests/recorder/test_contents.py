# SPDX-License-Identifier: Apache-2.0
"""Recordings of unusual programs are right, and the report says what could not be recorded."""

import collections
import os
import pathlib
import resource
import subprocess
import unittest

from harness import TEFF, environment, run
from recorder_harness import (
    FLAGS,
    PROGRAMS,
    RECORDING,
    GuestTest,
    build,
    build_folder,
    report,
    try_in,
)

MANY = 40  # rounds of a race


class Contents(GuestTest):
    def record(self, *command, folder=None, status=0, **options):
        """Runs a program that is recorded; returns what the recording says, and the run."""
        folder = folder or self.folder("x")
        trial = try_in(folder, command, True, **options)
        self.assertEqual(trial.status, status, trial.err)
        return report(folder / RECORDING), trial

    def assert_whole(self, facts):
        self.assertTrue(facts["complete"])
        self.assertEqual(
            [note for note in facts["notes"] if "left out" in note or "could not store" in note], []
        )

    def test_a_childs_work_is_not_its_parents(self):
        facts, _ = self.record(build("processes"), "fork-after-threads-have-gone")
        self.assert_whole(facts)
        self.assertEqual(
            {
                kind: facts["grains"][kind]
                for kind in ("tasks", "implicit", "initial", "unfinished")
            },
            {"tasks": 60, "implicit": 6, "initial": 2, "unfinished": 0},
        )

    def test_nor_is_that_of_children_forked_all_the_time(self):
        facts, _ = self.record(build("processes"), "fork-while-others-record")
        self.assert_whole(facts)
        self.assertEqual((facts["grains"]["implicit"], facts["grains"]["unfinished"]), (0, 0))
        self.assertEqual(facts["grains"]["tasks"] % 17_000, 0)

    def test_nor_is_that_of_a_child_without_the_c_library(self):
        facts, _ = self.record(build("processes"), "fork-by-hand")
        self.assert_whole(facts)
        self.assertEqual(facts["grains"]["tasks"], 20)

    def test_a_forked_child_has_a_recording_of_its_own(self):
        self.record(build("processes"), "fork-after-threads-have-gone")
        further = list((self.place / "x" / RECORDING).glob("process-*"))
        self.assertEqual(len(further), 1)
        facts = report(further[0])
        self.assertFalse(facts["complete"], "it has left by _exit")
        self.assertEqual(facts["notes"], [note for note in facts["notes"] if "end" in note or "had not finished" in note])
        self.assertEqual(
            {kind: facts["grains"][kind] for kind in ("tasks", "implicit", "initial")},
            {"tasks": 200, "implicit": 3, "initial": 1},
        )

    def test_children_forked_in_the_midst_of_the_recorder_live(self):
        program = build("fork_in_handler")
        for name, more in (
            ("tasks", {}),
            ("paths", {"TEFF_TRACE_CALL_PATHS": "32"}),
            ("samples", {"TEFF_TRACE_SAMPLES": "10000"}),
        ):
            folder = self.folder(name)
            env = {"TEFF_TRACE": str(folder / RECORDING)} | more
            self.assertEqual(try_in(folder, [program], True, env=env).out, "100 0\n", name)

    def test_discarded_tasks_have_not_run(self):
        facts, trial = self.record(build("discard"), env={"OMP_CANCELLATION": "true"})
        self.assertEqual(trial.out, "1\n")
        self.assertEqual((facts["grains"]["tasks"], facts["grains"]["discarded"]), (1, 4))
        self.assertEqual([site["count"] for site in facts["sites"] if site["kind"] == "task"], [1])
        done = run([TEFF, "report", self.place / "x" / RECORDING])
        self.assertIn("1 task, ", done.text)
        self.assertIn("4 discarded", done.text)

    def plug(self, name):
        library = build_folder() / f"{name}.so"
        subprocess.run(
            [
                "gcc",
                *FLAGS,
                "-fopenmp",
                "-fPIC",
                "-shared",
                f'-DFILE="{name}.c"',
                PROGRAMS / "plug.c",
                "-o",
                library,
            ],
            check=True,
            timeout=60,
        )
        return library

    def test_libraries_at_one_address_have_their_own_names(self):
        facts, trial = self.record(build("plugs", flags=()), self.plug("one"), self.plug("two"))
        self.assertEqual(trial.out, "", "they lie at one address")
        regions = collections.Counter(
            (os.path.basename(site["file"]), site["line"])
            for site in facts["sites"]
            for _ in range(site["count"])
            if site["kind"] == "implicit"
        )
        self.assertEqual(regions, {("one.c", 101): 8, ("two.c", 101): 8})
        self.assertEqual(
            sum(site["count"] for site in facts["sites"] if site["kind"] == "task"), 24
        )

    def test_a_relative_folder_in_one_that_is_gone_is_refused(self):
        folder, gone = self.folder("x"), self.folder("gone")
        command = f'cd "{gone}" && rmdir "{gone}" && exec "$@"'
        facts, trial = self.record(
            build("discard"),
            folder=folder,
            prefix=["sh", "-c", command, "sh"],
            env={"TEFF_TRACE": "lost.teff"},
        )
        self.assertIsNone(facts)
        self.assertIn(
            "lost.teff is cannot be told (No such file or directory): nothing is recorded",
            trial.warnings,
        )
        self.assertFalse(os.path.exists("/lost.teff"))

    def test_of_two_that_share_a_folder_one_is_recorded(self):
        folder, program = self.folder("x"), build("discard")
        settings = environment(2, LD_LIBRARY_PATH=str(TEFF.parent.parent / "lib"))
        for number in range(MANY):
            settings["TEFF_TRACE"] = str(folder / f"{number}.teff")
            started = [
                subprocess.Popen(
                    [program], env=settings, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
                )
                for _ in "ab"
            ]
            said = [child.communicate(timeout=60)[1].decode() for child in started]
            self.assertEqual([child.returncode for child in started], [0, 0])
            self.assertEqual(
                sorted("exists and is not an empty directory" in text for text in said),
                [False, True],
                said,
            )
            self.assert_whole(report(folder / f"{number}.teff"))

    def test_a_huge_command_line_is_cut(self):
        words = [f"argument-number-{number:06}" for number in range(150_000)]
        folder = self.folder("x")
        settings = environment(
            2, LD_LIBRARY_PATH=str(TEFF.parent.parent / "lib"), TEFF_TRACE=str(folder / RECORDING)
        )
        unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        done = subprocess.run(
            [build("discard"), *words],
            env=settings,
            check=False,
            capture_output=True,
            timeout=60,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, unlimited),
        )
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertLess((folder / RECORDING / "meta.json").stat().st_size, 1 << 20)
        facts = report(folder / RECORDING)
        self.assertIn("argument-number-000000", facts["command"])
        self.assertNotIn("argument-number-149999", facts["command"])
        self.assertIn('"command_left_out": 14', (folder / RECORDING / "meta.json").read_text())

    def test_the_limit_ends_the_recording_and_is_said(self):
        facts, trial = self.record(
            build("threads"), "handlers-use-openmp", env={"TEFF_TRACE_LIMIT": "2"}
        )
        self.assertIn(
            "has reached its limit of 2 MiB: what follows is counted, not recorded", trial.warnings
        )
        self.assertEqual(len(trial.warnings.splitlines()), 1)
        self.assertTrue(any("could not store" in note for note in facts["notes"]), facts["notes"])


class SmallDisk(GuestTest):
    """A test with its own disk, for behaviour that depends on the free space."""

    def mount(self, size):
        if os.geteuid() != 0:
            self.skipTest("only root can mount a small file system")
        disk = self.folder("disk")
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        if done.returncode != 0:
            self.skipTest(f"a small file system cannot be mounted here: {done.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", "--lazy", disk], check=True, timeout=60)
        return disk

    def record(self, disk, **env):
        program = [build("descriptors"), "close-all-others"]  # five chunks
        trial = try_in(
            self.folder("x"), program, True, env={"TEFF_TRACE": str(disk / RECORDING)} | env
        )
        self.assertEqual(trial.status, 0)
        return (
            trial.warnings,
            sum(path.stat().st_size for path in (disk / RECORDING).iterdir()),
            report(disk / RECORDING),
        )

    def test_by_default_a_recording_leaves_as_much_as_it_takes(self):
        disk = self.mount("6m")
        warnings, size, facts = self.record(disk)
        status = os.statvfs(disk)
        self.assertLessEqual(size, status.f_bavail * status.f_bsize + (64 << 10))
        self.assertIn("would soon have taken more than it leaves free on its disk", warnings)
        self.assertIn("TEFF_TRACE_LIMIT", warnings)
        self.assertTrue(any("could not store" in note for note in facts["notes"]), facts["notes"])

    def memory_group(self, limit_bytes):
        """Makes a control group, of either version, with this much memory; returns its folder."""
        names = {
            "/sys/fs/cgroup/memory": "memory.limit_in_bytes",
            "/sys/fs/cgroup": "memory.max",
        }
        for parent, limit in names.items():
            group = pathlib.Path(parent) / f"teff-test-{os.getpid()}"
            try:
                group.mkdir()
            except OSError:
                continue
            self.addCleanup(group.rmdir)
            if (group / limit).exists():
                (group / limit).write_text(str(limit_bytes))
                return group
        self.skipTest("no control group can be made here that limits memory")

    def test_where_files_lie_in_memory_it_leaves_the_control_group_as_much(self):
        disk, group = self.mount("1g"), self.memory_group(32 << 20)
        program = [build("limits"), "many-records"]
        trial = try_in(
            self.folder("x"),
            program,
            True,
            env={"TEFF_TRACE": str(disk / RECORDING)},
            prefix=["sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$@"', "sh"],
        )
        self.assertEqual(trial.status, 0, "it has not been killed")
        self.assertIn("or of its control group's memory", trial.warnings)
        size = sum(path.stat().st_size for path in (disk / RECORDING).iterdir())
        self.assertLessEqual(size, 16 << 20)
        facts = report(disk / RECORDING)
        self.assertTrue(any("could not store" in note for note in facts["notes"]), facts["notes"])

    def test_without_a_limit_it_takes_all(self):
        disk = self.mount("3m")
        warnings, _, facts = self.record(disk, TEFF_TRACE_LIMIT="0")
        # At its end the recorder has given back the space that it had not used, but the files keep
        # their lengths.
        taken = sum(path.stat().st_size for path in (disk / RECORDING).iterdir())
        self.assertGreater(taken, (3 << 20) - (1 << 20) - (64 << 10))
        self.assertIn("cannot be extended (No space left on device)", warnings)
        self.assertTrue(any("could not store" in note for note in facts["notes"]), facts["notes"])


if __name__ == "__main__":
    unittest.main()
