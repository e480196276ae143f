# SPDX-License-Identifier: Apache-2.0
"""Tests that a sampling tool gets right answers at any instruction: state, task, region and
frames."""

import functools
import unittest

from harness import LIBRARY, run
from ompt_harness import HERE, TOOL_FLAGS, OmptTest, build_folder, libomp_folder

SOURCES = HERE / "sampling"


@functools.cache
def sampler():
    library = build_folder() / "libsampler.so"
    done = run(["gcc", *TOOL_FLAGS, "-fPIC", "-shared", "-fvisibility=hidden", "-pthread", SOURCES / "sampler.c", "-o", library])
    assert done.status == 0, done.text
    return library


class Sampling(OmptTest):
    library, settings, threads = LIBRARY, {}, (1, 2, 4)

    def test_samples_of_every_place(self):
        binary = self.compile(SOURCES / "sampled.c", "-Wl,--no-as-needed", sampler(), f"-Wl,-rpath,{sampler().parent}")
        for threads in self.threads:
            with self.subTest(threads=threads):
                done = self.run_with_tool(binary, threads, library=self.library, attach={}, OMP_MAX_ACTIVE_LEVELS="2",
                                          **self.settings)
                self.assertEqual((done.status, done.text), (0, ""))

    def test_frames_divide_the_stack_into_the_program_and_the_runtime(self):
        binary = self.compile(SOURCES / "unwound.c", *TOOL_FLAGS, "-rdynamic")
        for threads in self.threads:
            with self.subTest(threads=threads):
                done = self.run_with_tool(binary, threads, library=self.library, attach={}, OMP_MAX_ACTIVE_LEVELS="2")
                self.assertEqual((done.status, done.text), (0, ""))


@unittest.skipUnless(libomp_folder(), "no libomp here")
class SamplingOnLibomp(Sampling):
    library, threads = libomp_folder(), (1, 2)
    settings = {"KMP_BLOCKTIME": "0"}  # with more threads than processors it would spin for minutes
    # At a taskwait libomp names a frame further in.
    test_frames_divide_the_stack_into_the_program_and_the_runtime = None
