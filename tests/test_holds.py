# SPDX-License-Identifier: Apache-2.0
"""Each hold of a lock, critical region, atomic update and ordered region is recorded once, with the
times that the program's own clock shows.
"""

import collections
import itertools
from dataclasses import dataclass

from harness import PROGRAMS, ProductTest, environment
from records import numbers, records

LOCK, WAIT, LOOP = numbers("TEFF_LOCK_"), numbers("TEFF_WAIT_"), numbers("TEFF_LOOP_")
LENGTH = (1 << 48) - 1
WAIT_OF = {"CRITICAL": "CRITICAL", "ATOMIC": "CRITICAL", "LOCK": "LOCK", "NEST_LOCK": "LOCK", "ORDERED": "ORDERED"}
SLACK = 2000  # ticks: the processor may read its clock a little earlier or later than the program says
PER_THREAD = 40  # the program's ROUNDS
THREADS = 3


@dataclass
class Hold:
    """A hold in the recording."""

    stream: int
    task: int
    address: int
    began: int
    until: int
    waited: int
    site: int


@dataclass
class Said:
    """A hold that the program has logged."""

    address: int
    before: int
    taken: int
    until: int
    after: int


class Holds(ProductTest):
    def setUp(self):
        super().setUp()
        program = self.compile(PROGRAMS / "holds.c")
        recording = self.place / "test.teff"
        done = self.teff("record", "-o", recording, "--", program, env=environment(THREADS))
        self.streams = [records(path) for path in sorted(recording.glob("stream-*.bin"))]
        self.said = collections.defaultdict(list)
        for line in done.out.decode().splitlines():
            kind, *numbers_of_hold = map(int, line.split())
            self.said[kind].append(Said(*numbers_of_hold))

    def of(self, name):
        return [(number, record) for number, stream in enumerate(self.streams) for record in stream
                if record.name == name]

    def found(self, kind):
        """The holds of a kind, by the lock's address; each list is in order of time."""
        groups = collections.defaultdict(list)
        for number, record in self.of("LOCK"):
            task, address, waited, held, site = record.words[:5]
            if record.flags == LOCK[kind]:
                groups[address].append(Hold(number, task, address, record.at, record.at + held, waited, site & LENGTH))
        for group in groups.values():
            group.sort(key=lambda hold: hold.began)
        return groups

    def expected(self, kind):
        groups = collections.defaultdict(list)
        for said in self.said[LOCK[kind]]:
            groups[said.address].append(said)
        for group in groups.values():
            group.sort(key=lambda said: said.taken)
        return groups

    def assert_same(self, found, said):
        self.assertEqual(len(found), len(said))
        for hold, truth in zip(found, said):
            self.assertLessEqual(truth.before, hold.began - hold.waited + SLACK)
            self.assertLessEqual(hold.began, truth.taken + SLACK)
            self.assertLessEqual(truth.until, hold.until + SLACK)
            self.assertLessEqual(hold.until, truth.after + SLACK)
            self.assertNotEqual(hold.site, 0)
        for hold, following in itertools.pairwise(found):
            self.assertLessEqual(hold.until, following.began + SLACK, "one holds it at a time")

    def assert_all_same(self, kind, address_of):
        found, expected = self.found(kind), self.expected(kind)
        self.assertEqual({address_of(key) for key in expected}, set(found))
        for key, said in expected.items():
            self.assert_same(found[address_of(key)], said)

    def test_locks(self):
        self.assert_all_same("LOCK", lambda address: address)

    def test_nest_locks_are_held_from_the_first_to_the_last(self):
        self.assert_all_same("NEST_LOCK", lambda address: address)
        (group,) = self.found("NEST_LOCK").values()
        self.assertEqual(len(group), THREADS * PER_THREAD)

    def test_critical_regions_by_name(self):
        found = self.found("CRITICAL")
        in_order = sorted(found, key=lambda address: found[address][0].began)
        self.assert_all_same("CRITICAL", lambda number: in_order[number])

    def test_atomic_updates(self):
        (found,) = self.found("ATOMIC").values()
        said = self.said[LOCK["ATOMIC"]]
        self.assertEqual(len(found), len(said))
        for hold in found:
            around = [truth for truth in said
                      if truth.before <= hold.began + SLACK and hold.until <= truth.after + SLACK]
            self.assertTrue(around)

    def test_ordered_regions_by_loop(self):
        loops = [record for _, record in sorted(self.of("LOOP"), key=lambda pair: pair[1].at)
                 if record.flags & LOOP["ORDERED"]]
        self.assert_all_same("ORDERED", lambda number: loops[number].words[0])

    def test_a_lock_that_another_thread_gives_back(self):
        crossing = [hold for group in self.found("LOCK").values() for hold in group
                    if hold.task >> 48 != hold.stream]
        self.assertEqual(len(crossing), PER_THREAD)
        self.assertEqual(len({hold.address for hold in crossing}), 1)

    def test_each_wait_is_recorded_as_a_wait_too(self):
        waits = {(record.words[0], record.at + (record.words[1] & LENGTH), record.flags): record.words[1] & LENGTH
                 for _, record in self.of("WAIT")}
        waited = 0
        for kind, of_wait in WAIT_OF.items():
            for hold in [hold for group in self.found(kind).values() for hold in group if hold.waited]:
                self.assertEqual(waits.get((hold.task, hold.began, WAIT[of_wait])), hold.waited)
                waited += 1
        self.assertGreater(waited, 0)
