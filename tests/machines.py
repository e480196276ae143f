#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several machines, modelled on this one: each has its own network, processes, host name, shared memory, and a
folder that the others do not see. All else of the file system is the same for all, as with a shared file system.

A process on each machine takes commands by a socket in a folder, as sshd does by the network. Run as a program, this
file is the command that starts a process on another machine, for the launchers of MPI: FILE HOST COMMAND..."""

import contextlib
import json
import os
import pathlib
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import unittest

from harness import environment, run

NAMES = ("left", "right")
SOCKETS = "SOCKETS_OF_MACHINES" # a variable with the folder of the sockets
AGENT = pathlib.Path(__file__).resolve()
LIMIT_S = 20
NOT_FOUND = 127 # as a shell says

# Run as root of the machine's namespaces. The shell stays, and waits for processes whose parents
# have ended.
SET_UP = """
set -e
hostname "$1"
mount --bind "$2/hosts" /etc/hosts
mount --bind "$2/$1" "$2/own"
mount -t tmpfs tmpfs /dev/shm
ip link set lo up
python3 "$3" --serve "$2/$1.socket" &
wait
"""


def available():
    """Why this machine can model no others; empty if it can."""
    missing = [name for name in ("unshare", "ip", "mount") if not shutil.which(name)]
    if missing:
        return f"no {', '.join(missing)} (Debian: util-linux, iproute2)"
    probe = "mount -t tmpfs tmpfs /dev/shm && ip link add one type veth peer name other"
    done = run(["unshare", "--net", "--mount", "--uts", "--pid", "--ipc", "--fork", "sh", "-c", probe])
    return f"namespaces are not permitted: {done.text.strip()}" if done.status else ""


class Machines:
    """Two machines with a network between them. They end with the test."""

    def __init__(self, test):
        if why_not := available():
            raise unittest.SkipTest(why_not)
        self.place = test.place / "machines"
        self.place.mkdir()
        self.own = self.place / "own" # on each machine, its own folder
        addresses = [f"10.77.0.{number} {name}" for number, name in enumerate(NAMES, 1)]
        (self.place / "hosts").write_text("\n".join(["127.0.0.1 localhost", *addresses, ""]))
        self.own.mkdir()
        self.shells = []
        test.addCleanup(self.end)
        for name in NAMES:
            self.start(name)
        self.connect()

    def start(self, name):
        (self.place / name).mkdir()
        words = ["unshare", "--net", "--mount", "--uts", "--pid", "--ipc", "--fork", "--kill-child", "--mount-proc",
                 "sh", "-c", SET_UP, "sh", name, self.place, AGENT]
        self.shells.append(subprocess.Popen([str(word) for word in words], start_new_session=True))
        deadline = time.monotonic() + LIMIT_S
        while not (self.place / f"{name}.socket").exists():
            assert time.monotonic() < deadline and self.shells[-1].poll() is None, f"{name} does not start"
            time.sleep(0.01)

    def connect(self):
        first, second = (self.init_of(shell) for shell in self.shells)
        done = run(["ip", "link", "add", "eth0", "netns", first, "type", "veth", "peer", "name", "eth0", "netns", second])
        assert done.status == 0, done.text
        for number, name in enumerate(NAMES, 1):
            for words in (("addr", "add", f"10.77.0.{number}/24", "dev", "eth0"), ("link", "set", "eth0", "up")):
                done = self.run(name, ["ip", *words])
                assert done.status == 0, done.text
        for name in NAMES:
            self.await_link(name)

    def await_link(self, name):
        """The kernel says some time after a link is up that it runs, and UCX uses no other."""
        deadline = time.monotonic() + LIMIT_S
        while "state UP" not in self.run(name, ["ip", "-o", "link", "show", "eth0"]).text:
            assert time.monotonic() < deadline, f"the link of {name} does not run"
            time.sleep(0.01)

    def init_of(self, shell):
        return int(pathlib.Path(f"/proc/{shell.pid}/task/{shell.pid}/children").read_text().split()[0])

    def command(self, name, words):
        return [sys.executable, AGENT, "--words", name, *words]

    def environment(self, **extra):
        return environment(TMPDIR=str(self.own), **{SOCKETS: str(self.place)}, **extra)

    def run(self, name, words, env=None, **options):
        """Runs a command on a machine to its end."""
        return run(self.command(name, words), env or self.environment(), **options)

    def end(self):
        for shell in self.shells:
            shell.kill() # and all processes of its machine
            shell.wait()


def serve(path):
    """Takes commands, each by a connection of its own, and starts them."""
    server = socket.socket(socket.AF_UNIX)
    server.bind(path + ".new")
    server.listen(16)
    os.rename(path + ".new", path)
    while True:
        connection, _ = server.accept()
        threading.Thread(target=start, args=(connection,), daemon=True).start()


def start(connection):
    with connection:
        length, = struct.unpack("=I", connection.recv(4, socket.MSG_WAITALL))
        words, variables, folder = json.loads(connection.recv(length, socket.MSG_WAITALL))
        _, files, _, _ = socket.recv_fds(connection, 1, 3)
        try:
            child = subprocess.Popen(words, env=variables, cwd=folder, stdin=files[0], stdout=files[1], stderr=files[2],
                                     start_new_session=True)
            process = os.pidfd_open(child.pid)
            ready, _, _ = select.select([process, connection], [], [])
            if process not in ready:
                os.killpg(child.pid, signal.SIGKILL) # who has asked is gone
            os.close(process)
            status = child.wait()
        except OSError as error:
            os.write(files[2], f"{error}\n".encode())
            status = NOT_FOUND
        finally:
            for file in files:
                os.close(file)
        with contextlib.suppress(OSError): # who has asked may be gone
            connection.sendall(bytes([status if status >= 0 else 128 - status]))


def ask(name, words):
    """Runs a command on a machine with our files, environment and folder. Returns its status."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(f"{os.environ[SOCKETS]}/{name}.socket")
        text = json.dumps([words, dict(os.environ), os.getcwd()]).encode()
        connection.sendall(struct.pack("=I", len(text)) + text)
        socket.send_fds(connection, [b"\0"], [0, 1, 2])
        return connection.recv(1)[0]


def main(words):
    if words[0] == "--serve":
        serve(words[1])
    if words[0] == "--words":
        return ask(words[1], words[2:])
    host, *command = [word for at, word in enumerate(words) if at != 0 or not word.startswith("-")]
    return ask(host, ["sh", "-c", " ".join(command)])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
