# SPDX-License-Identifier: Apache-2.0
"""What a prediction says of programs whose parallelism is known. Its times are virtual: they say
little of how busy the machine is."""

import json

from known_truth import BY_NAME, Reports

GRAIN_US, GRAINS = 100, 240


class Shares(Reports):
    """Work that threads divide by number is divided anew."""

    def predict(self, construct, recorded, *threads):
        recording = self.bench.record(
            [self.program(construct), str(GRAIN_US), str(GRAINS)], self.bench.environment(recorded))
        said = self.teff("predict", "--json", "--threads", ",".join(map(str, threads)), recording)
        points = json.loads(said.text)["points"]
        return {point["threads"]: point["in_parallel_ns"] for point in points}

    def test_a_loop_that_the_compiler_has_shared_out(self):
        for recorded in (1, 2):
            with self.subTest(recorded=recorded):
                times = self.predict(BY_NAME["inlined static loop"], recorded, 1, 4)
                self.assertGreater(times[1] / times[4], 3)
                self.assertLess(times[1] / times[4], 4.1)
