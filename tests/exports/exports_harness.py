# SPDX-License-Identifier: Apache-2.0
"""Functions that the tests of the exports share: they record programs, once for all tests, and
export the recordings."""

import json
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from harness import PROGRAMS, ROOT, ProductTest, environment, folder_of_this_run  # noqa: E402

READERS = pathlib.Path(os.environ.get("TEFF_READERS", ROOT / "build" / "readers"))
TRACES = ROOT / "tests" / "traces"
OWN = HERE / "programs"
# Tasks of tasks, dependences, loops, nested regions, undeferred and cancelled tasks, locks, and
# untied tasks that wait.
SOURCES = [TRACES / f"{name}.c" for name in ("tasks", "dependences", "loops", "nested", "undeferred", "cancelled", "regions")]
SOURCES += [OWN / "chain.c", OWN / "wavefront.c", PROGRAMS / "contexts.c", PROGRAMS / "holds.c"]
FEW_SOURCES = [TRACES / "dependences.c", TRACES / "nested.c", OWN / "wavefront.c", PROGRAMS / "holds.c"]  # for slow readers
THREADS = 3
NOT_WHOLE = 3  # the status of a verb that has read a recording which lacks something

_recordings = {}
_exports = {}


class ExportTest(ProductTest):
    def recording(self, source):
        """A recording of the program, made once for all tests."""
        if source not in _recordings:
            place = folder_of_this_run("exports")
            self.place, mine = place, self.place
            env = environment(THREADS, OMP_CANCELLATION="true", OMP_MAX_ACTIVE_LEVELS="2",
                              TEFF_DEQUE_LIMIT=str(1 << 15))  # contexts.c has so many tasks that wait at a time
            _recordings[source] = self.record(self.compile(source), env=env, name=f"{source.stem}.teff", status=None)
            self.place = mine
        return _recordings[source]

    def export(self, recording, kind, *options):
        """The exported file or folder, made once for all tests."""
        key = (recording, kind, *options)
        if key not in _exports:
            path = recording.parent / f"{recording.name}.{len(_exports)}.{kind}"
            self.teff("export", recording, "--format", kind, "-o", path, *options)
            _exports[key] = path
        return _exports[key]

    def read(self, *words):
        """Runs a verb of teff on a recording that need not be whole."""
        done = self.teff(*words, status=None)
        self.assertIn(done.status, (0, NOT_WHOLE), f"teff {words}\n{done.text}")
        return done

    def facts(self, recording):
        return json.loads(self.read("report", "--json", recording).out)

    def of_each(self, kind, check, sources=SOURCES):
        """Calls `check` with the recording of each program, its export, and what the report says of it."""
        for source in sources:
            with self.subTest(program=source.name):
                recording = self.recording(source)
                check(recording, self.export(recording, kind), self.facts(recording))

    def assert_ns(self, found, said, rounded):
        """Equal, except that `rounded` numbers have been rounded to whole nanoseconds."""
        self.assertLessEqual(abs(found - said), rounded / 2 + 1, f"{found} ns, and the report says {said} ns")
