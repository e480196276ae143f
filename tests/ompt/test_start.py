# SPDX-License-Identifier: Apache-2.0
"""How a tool starts and ends: where the runtime looks for a tool, in which order, and that finalize
is called once.
"""

import functools
import unittest

from checker import Checker
from events import Counts, parse
from harness import LIBRARY, run
from ompt_harness import (
    HERE,
    TOOL_FLAGS,
    TOOL_SOURCES,
    OmptTest,
    build_folder,
    libomp_folder,
    tool,
)

STARTS = HERE / "starts"
NONE = {}  # no variable brings a tool in


@functools.cache
def library_of(name):
    library = build_folder() / f"lib{name}.so"
    done = run(["gcc", *TOOL_FLAGS, "-fPIC", "-shared", STARTS / f"{name}.c", "-o", library])
    assert done.status == 0, done.text
    return library


class Start(OmptTest):
    library = LIBRARY

    def plain(self, attach, **extra):
        done = self.run_with_tool(self.compile(STARTS / "plain.c"), library=self.library, attach=attach, **extra)
        self.assertEqual(done.status, 0, done.text)
        return done

    def with_tool_inside(self, name):
        """A program with the tool in it. The dynamic linker shows the tool to the runtime only if the program exports it."""
        return self.compile(STARTS / f"{name}.c", *TOOL_FLAGS, *map(str, TOOL_SOURCES), "-rdynamic")

    def run_inside(self, name, status=0, **options):
        done = self.run_with_tool(self.with_tool_inside(name), library=self.library, attach=NONE, **options)
        self.assertEqual(done.status, status, done.text)
        return done

    def assert_attached(self, done):
        counts = Counts(done.events)
        self.assertEqual([counts[name] for name in ("start", "initialize", "finalize")], [1, 1, 1], done.text)
        self.assertEqual(counts["task_create.explicit"], 1)

    def assert_no_tool(self, done):
        self.assertEqual(done.log, "")

    # ---- Where it looks
    # --------------------------------------------------------------------------------------------

    def test_a_library_by_name(self):
        done = self.plain({"OMP_TOOL_LIBRARIES": str(tool())})
        self.assert_attached(done)
        started, initialized = done.events[:2]
        self.assertGreaterEqual(int(started["version"]), 201511)
        self.assertTrue(started["runtime"])
        self.assertEqual((initialized["device"], initialized["data"]), ("0", "42"))
        self.assertEqual(done.events[-1]["data"], "4711")

    def test_no_tool_at_all(self):
        self.assert_no_tool(self.plain(NONE))

    def test_preloaded(self):
        self.assert_attached(self.plain({"LD_PRELOAD": str(tool())}))

    def test_in_the_program(self):
        self.assert_attached(self.run_inside("plain"))

    def test_in_a_library_of_the_program(self):
        binary = self.compile(STARTS / "plain.c", "-Wl,--no-as-needed", tool(), f"-Wl,-rpath,{tool().parent}")
        self.assert_attached(self.run_with_tool(binary, library=self.library, attach=NONE))

    def test_disabled(self):
        for attach in ({"OMP_TOOL_LIBRARIES": str(tool())}, {"LD_PRELOAD": str(tool())}):
            self.assert_no_tool(self.plain(attach, OMP_TOOL="disabled"))
        done = self.run_inside("plain", OMP_TOOL="disabled")
        self.assert_no_tool(done)

    def test_enabled(self):
        self.assert_attached(self.plain({"OMP_TOOL_LIBRARIES": str(tool())}, OMP_TOOL="enabled"))

    def test_the_next_library_when_one_is_missing_or_no_tool_or_declines(self):
        libraries = ["/nowhere/libmissing.so", str(library_of("no_tool")), str(library_of("decline")), str(tool())]
        done = self.plain({"OMP_TOOL_LIBRARIES": ":".join(libraries)})
        self.assert_attached(done)
        self.assertIn("declined", done.text)

    def test_the_first_that_stays_is_the_only_one(self):
        done = self.plain({"OMP_TOOL_LIBRARIES": f"{tool()}:{library_of('decline')}"})
        self.assert_attached(done)
        self.assertNotIn("declined", done.text)

    def test_the_program_comes_before_the_list(self):
        done = self.run_with_tool(self.with_tool_inside("plain"), library=self.library,
                                  attach={"OMP_TOOL_LIBRARIES": str(library_of("decline"))})
        self.assert_attached(done)
        self.assertNotIn("declined", done.text)

    def test_the_list_when_the_program_declines(self):
        done = self.plain({"LD_PRELOAD": str(library_of("decline")), "OMP_TOOL_LIBRARIES": str(tool())})
        self.assert_attached(done)
        self.assertEqual(done.text.count("declined"), 1)

    def test_declining(self):
        self.assertEqual([event.name for event in self.plain(None, OMPT_MODE="decline").events], ["start"])

    def test_refusing_in_initialize(self):
        self.assertEqual([event.name for event in self.plain(None, OMPT_MODE="refuse").events], ["start", "initialize"])

    def test_staying_without_callbacks(self):
        done = self.plain(None, OMPT_MODE="bare")
        self.assertEqual([event.name for event in done.events], ["start", "initialize", "finalize"])

    # ---- What it says of it
    # ----------------------------------------------------------------------------------------

    def test_verbose_on_stderr_names_each_step(self):
        libraries = ["/nowhere/libmissing.so", str(library_of("decline")), str(tool())]
        done = self.plain({"OMP_TOOL_LIBRARIES": ":".join(libraries)}, OMP_TOOL_VERBOSE_INIT="stderr")
        said = done.finished.err.decode()
        for library in libraries:
            self.assertIn(library, said)
        self.assertEqual(done.finished.out, b"")

    def test_verbose_on_stdout(self):
        done = self.plain(None, OMP_TOOL_VERBOSE_INIT="stdout")
        self.assertIn(str(tool()), done.finished.out.decode())
        self.assertEqual(done.finished.err, b"")

    def test_verbose_in_a_file(self):
        place = self.place / "said.txt"
        done = self.plain(None, OMP_TOOL_VERBOSE_INIT=str(place))
        self.assertIn(str(tool()), place.read_text())
        self.assertEqual(done.text, "")

    def test_silent_by_default(self):
        for extra in ({}, {"OMP_TOOL_VERBOSE_INIT": "disabled"}):
            done = self.plain({"OMP_TOOL_LIBRARIES": f"/nowhere/libmissing.so:{tool()}"}, **extra)
            self.assert_attached(done)
            self.assertEqual(done.text, "")

    # ---- Attaching late, going early
    # -------------------------------------------------------------------------------

    def test_callbacks_set_late_and_a_tool_that_goes_early(self):
        for threads in (1, 2, 4):
            with self.subTest(threads=threads):
                done = self.run_inside("late", threads=threads, OMPT_MODE="late")
                counts = Counts(done.events)
                for name, expected in [("parallel_begin.team", 2), ("parallel_end.team", 2), ("implicit.begin", 2 * threads),
                                       ("task_create.explicit", 2 * threads), ("schedule.complete", 2 * threads), ("finalize", 1)]:
                    self.assertEqual(counts[name], expected, name)
                self.assertEqual(done.events[-1].name, "finalize")

    def test_the_first_routine_is_the_first_use(self):
        done = self.run_with_tool(self.compile(STARTS / "routine.c"), library=self.library)
        self.assertEqual(done.status, 0, done.text)
        self.assertEqual([event.name for event in done.events if event.words[0] != "set"],
                         ["start", "initialize", "thread_begin.initial", "initial.begin", "initial.end", "thread_end", "finalize"])
        self.assertEqual(Checker(done.events).complaints, [])

    def test_initialize_may_ask_routines(self):
        for program in ("routine", "plain"):
            done = self.run_with_tool(self.compile(STARTS / f"{program}.c"), library=self.library, OMPT_MODE="ask")
            self.assertEqual(done.status, 0, done.text)
            self.assertEqual(Checker(done.events).complaints, [])

    def test_a_tool_that_goes_hears_of_every_end(self):
        done = self.run_inside("goes")
        counts = Counts(done.events)
        self.assertEqual(counts.matching("thread_begin.*"), 3)
        for name, expected in [("thread_end", 3), ("initial.end", 1), ("parallel_begin.team", 1), ("finalize", 1)]:
            self.assertEqual(counts[name], expected, name)
        self.assertEqual(Checker(done.events).complaints, [])

    def test_a_tool_may_go_in_any_callback(self):
        program = self.compile(STARTS / "variety.c")
        stays = self.run_with_tool(program, library=self.library, threads=3)
        self.assertEqual(Checker(stays.events).complaints, [])
        names = {event.name for event in stays.events if event.words[0] not in ("start", "initialize", "set", "finalize")}
        self.assertGreater(len(names), 40)
        for name in sorted(names):
            with self.subTest(name):
                done = self.run_with_tool(program, library=self.library, threads=3, OMPT_LEAVE_IN=f" {name} ")
                self.assertEqual(done.status, 0, done.text)
                self.assertEqual(Counts(done.events)["finalize"], 1)

    def test_callbacks_that_come_and_go_while_threads_are_busy(self):
        for threads in (1, 2, 4):
            with self.subTest(threads=threads):
                done = self.run_inside("changing", threads=threads, OMPT_MODE="late")
                counts = Counts(done.events)
                self.assertEqual(counts["finalize"], 1)
                self.assertGreaterEqual(counts["task_create.explicit"], 400)

    def test_a_tool_beside_a_recording(self):
        recording = self.place / "recording.teff"
        done = self.plain(None, TEFF_TRACE=str(recording))
        self.assert_attached(done)
        self.assertEqual(Checker(done.events).complaints, [])
        self.assertTrue((recording / "end.json").exists())

    def test_control_tool_reaches_the_tool(self):
        binary = self.compile(STARTS / "control.c")
        # Without a tool, without a callback, and what the tool's callback returns.
        for attach, mode, answer in [({}, "", "-2"), (None, "bare", "-1"), (None, "", "7")]:
            done = self.run_with_tool([binary, answer], library=self.library, attach=attach, OMPT_MODE=mode)
            self.assertEqual(done.status, 0, f"{answer} {done.text}")
        said = sorted((event["command"], event["modifier"]) for event in done.events if event.name == "control_tool")
        self.assertEqual(said, [("1", "11"), ("4", "13"), ("64", "12"), ("64", "12")])

    # ---- The end
    # ---------------------------------------------------------------------------------------------------

    def test_exit_inside_a_region_finalizes_once(self):
        for threads in (1, 2, 4):
            with self.subTest(threads=threads):
                done = self.run_inside("exit_inside", status=7, threads=threads)
                events = done.events
                self.assertEqual(Counts(events)["finalize"], 1)
                # Callbacks that other threads have begun before may end after it.
                final = next(event for event in events if event.name == "finalize")
                self.assertIs([event for event in events if event.tid == final.tid][-1], final)
                self.assertEqual(Checker(events, ends=False).complaints, [])

    def test_fork_finalizes_each_process_that_initialized(self):
        done = self.run_inside("fork")
        parent = int(done.log.split()[0])
        pids = {int(line.split()[0]) for line in done.log.splitlines()}
        for pid in pids:
            counts = Counts(parse(done.log, pid))
            self.assertEqual(counts["finalize"], counts["initialize"], f"{'parent' if pid == parent else 'child'}")
        events = parse(done.log, parent)
        self.assertEqual(Counts(events)["parallel_begin.team"], 2)
        self.assertEqual(Checker(events).complaints, [])


    def test_a_child_whose_parent_did_not_use_openmp_has_a_tool(self):
        program = self.compile(HERE.parent / "first_use" / "in_children.c")
        done = self.run_with_tool([program, "1"], library=self.library)
        self.assertEqual(done.status, 0, done.text)
        self.assert_ran_whole(done.events)

    def assert_ran_whole(self, events):
        counts = Counts(events)
        self.assertEqual([counts[name] for name in ("start", "initialize", "parallel_begin.team", "finalize")], [1] * 4)
        self.assertEqual(Checker(events).complaints, [])


@unittest.skipUnless(libomp_folder(), "no libomp here")
class StartOnLibomp(Start):
    library = libomp_folder()
    # At exit() inside a region it ends tasks that run, or never finalizes; after fork() it
    # finalizes the child too; it crashes or hangs when callbacks come and go in a region; and it
    # does not tell a missing callback from a missing tool.
    test_exit_inside_a_region_finalizes_once = test_fork_finalizes_each_process_that_initialized = None
    test_callbacks_that_come_and_go_while_threads_are_busy = test_control_tool_reaches_the_tool = None
    test_a_tool_beside_a_recording = None  # it makes none
    # In initialize its own initialisation is not over; in most callbacks it does not stand its
    # tool's end.
    test_initialize_may_ask_routines = test_a_tool_may_go_in_any_callback = None
