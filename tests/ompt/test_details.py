# SPDX-License-Identifier: Apache-2.0
"""What events say of taskloops, beyond their number."""

from ompt_harness import OmptTest

TASKLOOP = """
int main(void) {
#pragma omp parallel num_threads(1)
#pragma omp taskloop num_tasks(2)
    for (int i = 0; i < 8; ++i) {}
    return 0;
}
"""


class Details(OmptTest):
    def events_of(self, text):
        source = self.place / "program.c"
        source.write_text(text)
        done = self.run_with_tool(self.compile(source), 2)
        self.assertEqual(done.status, 0, done.text)
        return done.events

    def test_the_taskgroup_of_a_taskloop_is_around_it(self):
        names = [event.name for event in self.events_of(TASKLOOP)]
        self.assertEqual([name for name in names if name.startswith(("work.taskloop", "sync.taskgroup"))],
                         ["sync.taskgroup.begin", "work.taskloop.begin", "work.taskloop.end", "sync.taskgroup.end"])
