# SPDX-License-Identifier: Apache-2.0
"""A host that sends a device what no host sends."""

import contextlib
import socket
import struct
import subprocess

from harness import LIBRARY, LIMIT_S, ProductTest, environment


class HostileHost(ProductTest):
    """This test is the host of a device, and sends what no host sends."""

    HEADER = struct.Struct("=IIQQ")
    HELLO = struct.Struct("=IIqQQ")
    CONSTRUCT = struct.Struct("=QQIIIIQQQQQQ")
    MAGIC, A_CONSTRUCT, A_REPLY, AN_ALIVE, A_PASS, A_CUT, AN_AHEAD = 0x46464554, 2, 3, 4, 5, 6, 7
    SENDS, RECEIVES, MOVES, OPENS, LOADS, A_NUMBER = 1, 2, 3, 4, 5, 77

    def device(self, program, message, devices=1, behind=None):
        """Returns what a device that gets the message does. `behind` sends more."""
        ours, its = socket.socketpair()
        env = environment(LD_LIBRARY_PATH=str(LIBRARY), LD_PRELOAD=str(LIBRARY / "libteff-start.so"),
                          _TEFF_DEVICE=f"sockets:{its.fileno()},0,{devices}")
        device = subprocess.Popen([str(program)], env=env, pass_fds=[its.fileno()], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE)
        its.close()
        with ours:
            ours.settimeout(LIMIT_S)
            _, kind, _, length = self.HEADER.unpack(ours.recv(self.HEADER.size, socket.MSG_WAITALL))
            self.assertEqual(kind, 1)
            hello = ours.recv(length, socket.MSG_WAITALL)
            heap = self.HELLO.unpack(hello[:self.HELLO.size])[3]
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                ours.sendall(message(heap))
                if behind:
                    behind(ours)
                ours.shutdown(socket.SHUT_WR)
            self.answers = self.kinds_until_the_end(ours)
            try:
                _, err = device.communicate(timeout=LIMIT_S)
            finally:
                device.kill()
        return device.returncode, err.decode(errors="replace")

    def kinds_until_the_end(self, ours):
        kinds = []
        with contextlib.suppress(ConnectionResetError):
            while len(header := ours.recv(self.HEADER.size, socket.MSG_WAITALL)) == self.HEADER.size:
                _, kind, _, length = self.HEADER.unpack(header)
                ours.recv(length, socket.MSG_WAITALL)
                if kind != self.AN_ALIVE:
                    kinds.append(kind)
        return kinds

    def passing(self, heap, how, other=1, copies=1, reads=0, length=8, data=b"", ahead=0, sequence=1):
        """A construct whose data go from device to device."""
        ranges = b"".join(struct.pack("=QQ", heap + 64 * i, 8) for i in range(copies))
        ranges += b"".join(struct.pack("=QQ", heap + 4096 + 64 * i, length) for i in range(reads))
        body = self.CONSTRUCT.pack(0, 0, 0, 0, how, other, self.A_NUMBER, ahead, copies, 0, reads, 0) + ranges + data
        return self.HEADER.pack(self.MAGIC, self.A_CONSTRUCT, sequence, len(body)) + body

    def construct(self, heap, copies=1, function=0, length=None, sequence=1):
        ranges = b"".join(struct.pack("=QQ", heap + 64 * i, 8) for i in range(copies))
        body = self.CONSTRUCT.pack(function, 0, 0, 0, 0, 0, 0, 0, copies, 0, 0, 0) + ranges + bytes(8 * copies)
        return self.HEADER.pack(self.MAGIC, self.A_CONSTRUCT, sequence, len(body) if length is None else length) + body

    def ahead(self, heap, number=1, after=0, ranges=((0, 8),), copies=None, data=bytes(8), kind=None):
        """Data of a later construct."""
        body = struct.pack("=QQ", after, len(ranges) if copies is None else copies)
        body += b"".join(struct.pack("=QQ", heap + at, length) for at, length in ranges) + data
        return self.HEADER.pack(self.MAGIC, kind or self.AN_AHEAD, number, len(body)) + body
