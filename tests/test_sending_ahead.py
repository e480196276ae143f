# SPDX-License-Identifier: Apache-2.0
"""Tests that data of constructs with nowait come to their device ahead of them, and what a device
refuses there."""

import socket

from harness import environment
from hostile_host import HostileHost
from test_devices import SOURCES, PassedBy


class Ahead(PassedBy):
    """Data of a construct with nowait come to the device while another one runs there."""

    LARGE = 32 << 20

    def test_data(self):
        program = self.compile(SOURCES / "ahead.c")
        for devices in (1, 2, 3):
            text = self.on_devices(program, devices=devices, env=environment(TEFF_DEVICE_FIGURES="TRUE")).text
            self.assertIn(f"{devices} devices, ok", text)
            for of_device in self.figures(text):
                self.assertGreaterEqual(of_device[7], self.LARGE, "bytes that came ahead")
                self.assertLessEqual(of_device[7], of_device[3], "they are a part of those to the device")

    def test_nothing_comes_ahead_of_what_the_host_waits_for(self):
        source = self.place / "waits.c"
        source.write_text("static char data[1 << 22];\nint main(void) {\nchar* const p = data;\nfor (int i = 0; i < 4; ++i)\n"
                          "#pragma omp target map(tofrom: p[0:1 << 22])\n++p[i];\nreturn p[3] != 1;\n}\n")
        text = self.on_devices(self.compile(source), env=environment(TEFF_DEVICE_FIGURES="TRUE")).text
        self.assertEqual(self.figures(text)[0][:2], [0, 4], text)
        self.assertNotIn("ahead", text)

    def test_nothing_comes_ahead_to_a_device_without_a_free_descriptor(self):
        text = self.on_devices(self.compile(SOURCES / "no_lane.c"), env=environment(TEFF_DEVICE_FIGURES="TRUE")).text
        self.assertEqual(self.figures(text)[0][:2], [0, 4], text)
        self.assertNotIn("ahead", text)

    def test_no_data_are_sent_for_nothing(self):
        text = self.on_devices(self.compile(SOURCES / "members.c"), env=environment(TEFF_DEVICE_FIGURES="TRUE")).text
        data, sent = self.figures(text)[0][3], self.figures(text)[0][5]
        self.assertEqual(data, 6 * 2 * 4 << 16, text)
        self.assertLess(sent, data + (1 << 16), "members have one block")

    def test_the_construct_that_runs_is_named_if_its_device_ends(self):
        program = self.compile(SOURCES / "ahead.c")
        for how, saying in (("kill", "has ended"), ("stop", "has not answered for 2 s")):
            done = self.on_devices(program, how, status=None, env=environment(TEFF_DEVICE_PATIENCE="2"))
            self.assertEqual(done.status, 1, done.text)
            process = int(done.out.split()[0])
            self.assertIn(f"device 0 (process {process}) {saying} during a target region at ahead+0x", done.text)
            self.assert_gone(process)


class Hostile(HostileHost):
    def test_data_sent_ahead(self):
        program = self.compile(SOURCES / "settings.c")

        def opens(heap, copies=0, ahead=0, then=b""):
            self.heap = heap
            return self.passing(heap, self.OPENS, copies=copies, ahead=ahead) + then

        def lane(*messages, ahead=1, closed=False, again=False):
            """Gives the line for data, sends these over it, and then a construct that waits for them."""
            def behind(ours):
                its, other = socket.socketpair()
                with its:
                    socket.send_fds(ours, [b"\1"], [its.fileno()])
                for message in messages:
                    other.sendall(message(self.heap))
                if closed:
                    other.close()
                self.addCleanup(other.close)
                how = self.OPENS if again else 0
                ours.sendall(self.passing(self.heap, how, copies=0, ahead=ahead, sequence=2))
            return behind

        two = (self.ahead, lambda heap: self.ahead(heap, number=2, after=1, ranges=((4096, 5), (0, 3))))
        reply = self.A_REPLY
        for behind, answers in ((lane(self.ahead), [reply, reply]), (lane(*two, ahead=2), [reply, reply]),
                                (lane(*two, ahead=1), [reply, reply]), (lane(ahead=0), [reply, reply]),
                                (lane(self.ahead, ahead=2, closed=True), [reply]),
                                (lane(lambda heap: self.ahead(heap)[:-1], closed=True), [reply])):
            status, text = self.device(program, opens, behind=behind)
            self.assertEqual((status, text, self.answers), (0, "", answers))
        outside = "it writes to memory that is not the host's"
        for message, saying in (
                (lambda heap: bytes(40), "it does not begin as a message of Teff"),
                (lambda heap: self.ahead(heap, kind=self.A_CONSTRUCT), "it is of another kind"),
                (lambda heap: self.ahead(heap, number=2), "it is not the next message"),
                (lambda heap: self.ahead(heap, copies=1 << 40), "its list is too long"),
                (lambda heap: self.ahead(heap, copies=9), "its list is longer than the message"),
                (lambda heap: self.ahead(heap, data=bytes(9)), "its data are not as long as its copies"),
                (lambda heap: self.ahead(heap, ranges=((-1, 8),)), outside),
                (lambda heap: self.ahead(heap, ranges=((0, 1 << 62),)), outside)):
            status, text = self.device(program, opens, behind=lane(message))
            self.assertEqual(status, 1, text)
            self.assertIn(self.answers, ([], [reply]), "the line is read while the first construct runs")
            self.assertIn(f"device 0 refuses a message of the host: {saying}", text)
        for message, behind, saying in (
                (lambda heap: opens(heap, copies=1), None, "it opens a line, and has data"),
                (lambda heap: opens(heap, ahead=1), None, "it asks for data that no line brings"),
                (opens, lambda ours: ours.sendall(b"\1"), "it has no line for data"),
                (opens, lane(ahead=0, again=True), "it has a line already")):
            status, text = self.device(program, message, behind=behind)
            self.assertEqual(status, 1, text)
            self.assertIn(f"device 0 refuses a message of the host: {saying}", text)
