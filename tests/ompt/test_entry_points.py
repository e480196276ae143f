# SPDX-License-Identifier: Apache-2.0
"""Every entry point gives the right answer in a serial part, in regions, in tasks, and on threads
that OpenMP does not know.
"""

import os
import unittest

from harness import LIBRARY
from ompt_harness import HERE, TOOL_FLAGS, OmptTest, libomp_folder

# libomp's different answers: callbacks of some events cannot be asked for, level -1 is the current
# one, and a thread that OpenMP does not know has a state.
LIBOMP_FAULTS = ["get_callback((ompt_callbacks_t)event, &set) ==", "get_parallel_info(-1, NULL, &size) == 0", "ask_elsewhere"]


class EntryPoints(OmptTest):
    library, known_faults = LIBRARY, []

    def ask(self, threads, *words, **extra):
        binary = self.compile(HERE / "starts" / "questions.c", *TOOL_FLAGS, "-rdynamic", "-pthread")
        done = self.run_with_tool([binary, *words], threads, library=self.library, attach={}, **extra)
        faults = [line for line in done.text.splitlines() if not any(known in line for known in self.known_faults)]
        self.assertEqual(faults, [])
        self.assertEqual(done.status, 1 if self.known_faults else 0, done.text)

    def test_answers(self):
        for threads in (1, 2, 4, 8):
            with self.subTest(threads=threads):
                self.ask(threads)

    def test_answers_of_bound_threads(self):
        processors = sorted(os.sched_getaffinity(0))[:4]
        places = ",".join(f"{{{processor}}}" for processor in processors)
        self.ask(len(processors), "bound", OMP_PLACES=places, OMP_PROC_BIND="close,close")


@unittest.skipUnless(libomp_folder(), "no libomp here")
class EntryPointsOnLibomp(EntryPoints):
    library, known_faults = libomp_folder(), LIBOMP_FAULTS
