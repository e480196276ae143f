# SPDX-License-Identifier: Apache-2.0
"""What events and entry points say of implicit tasks and taskloops, beyond their order and number."""

from ompt_harness import OmptTest

UNDEFERRED = 0x0800_0000

REGIONS = """
int main(void) {
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += 1;
#pragma omp parallel num_threads(1) reduction(+ : sum)
    sum += 1;
    return sum != 3;
}
"""

TASKLOOP = """
int main(void) {
#pragma omp parallel num_threads(1)
#pragma omp taskloop num_tasks(2)
    for (int i = 0; i < 8; ++i) {}
    return 0;
}
"""

CONTROL = """
int omp_control_tool(int, int, void*) __attribute__((weak));
int main(void) {
#pragma omp parallel
    __asm__ volatile("");
    return omp_control_tool(9, 0, 0) == -2;
}
"""


class Details(OmptTest):
    def events_of(self, text):
        source = self.place / "program.c"
        source.write_text(text)
        done = self.run_with_tool(self.compile(source), 2)
        self.assertEqual(done.status, 0, done.text)
        return done.events

    def test_implicit_tasks(self):
        events = self.events_of(REGIONS)
        begins = [event for event in events if event.name == "implicit.begin"]
        self.assertEqual({event["flags"] for event in begins}, {"implicit"})
        # A task of a team of one is undeferred, as the task that met the construct waits for it.
        undeferred = [(event["size"], event.tasks()[0][1] & UNDEFERRED != 0) for event in begins]
        self.assertEqual(sorted(undeferred), [("1", True), ("2", False), ("2", False)])

    def test_the_barrier_at_the_end_of_a_region(self):
        events = self.events_of(REGIONS)
        index = {event["task"]: event["index"] for event in events if event.name == "implicit.begin"}
        ends = [event for event in events if event.name.startswith(("sync.barrier_implicit_parallel", "wait.barrier_implicit_parallel"))]
        self.assertEqual(len(ends), 12)
        for event in ends:
            # Only the primary thread's barrier belongs to a call of the program.
            self.assertEqual(event["ra"] == "0", index[event["task"]] != "0", event)
            if event.words[-1] == "begin":
                self.assertEqual(event.tasks()[0][4], "0", "the task's code has ended")

    def test_the_taskgroup_of_a_taskloop_is_around_it(self):
        names = [event.name for event in self.events_of(TASKLOOP)]
        self.assertEqual([name for name in names if name.startswith(("work.taskloop", "sync.taskgroup"))],
                         ["sync.taskgroup.begin", "work.taskloop.begin", "work.taskloop.end", "sync.taskgroup.end"])

    def test_the_tool_that_the_program_controls_is_called_from_the_runtime(self):
        [event] = [event for event in self.events_of(CONTROL) if event.name.startswith("control_tool")]
        self.assertNotEqual(event.tasks()[0][5], "0")
