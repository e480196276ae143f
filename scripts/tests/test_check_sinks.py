# SPDX-License-Identifier: Apache-2.0

import unittest

import check_sinks

from tests.tree import problems


def check(files):
    return problems(check_sinks.find_problems, {f"runtime/src/{path}": text for path, text in files.items()})


class Sinks(unittest.TestCase):
    def test_records_and_the_probes_are_allowed(self):
        self.assertEqual(check({
            "task/events_ompt.cpp": '#include "task/events.h"\n#include "probe/ompt/task_events.h"\n'
                                    '#include "team/team.h"\n#include <cstdlib>\n// it does not wait_until(done)\n',
        }), [])

    def test_what_waits_is_refused(self):
        for header in ("task/wait.h", "task/waiting.h", "task/create.h", "region/league.h", "region/tool_notices.h"):
            for file in ("events_ompt.cpp", "events_trace.cpp", "events.h"):
                found = check({f"region/{file}": f'\n#include "{header}"\n'})
                self.assertEqual(len(found), 1, (header, file))
                self.assertIn(f'runtime/src/region/{file}:2: includes "{header}"', found[0])

    def test_acts_are_refused_in_a_sink(self):
        for act in ("leader.parker.park();", "team.notices_due.fetch_sub(1, order);", "wait_for_dependences (worker);",
                    "barrier(worker, kind, false, site);", "region::cancel(worker, kind);"):
            for file in ("events_ompt.cpp", "events.h"):
                self.assertIn("a sink of events only tells", check({f"task/{file}": f"    {act}\n"})[0])

    def test_other_files_are_free(self):
        self.assertEqual(check({"task/dependences.cpp": '#include "task/waiting.h"\n    wait_until(worker, done);\n'}), [])


if __name__ == "__main__":
    unittest.main()
