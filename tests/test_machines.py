# SPDX-License-Identifier: Apache-2.0
"""Devices in ranks of MPI on two machines, which are modelled on this one."""

import pathlib
import shutil

from harness import TEFF, ProductTest
from machines import AGENT, Machines

SOURCES = pathlib.Path(__file__).parent / "devices"
LIMIT_S = 40 # a run takes a second or two


class TwoMachines(ProductTest):
    LAUNCHERS = {
        "openmpi": ("--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--mca", "plm_rsh_agent", AGENT, "-H"),
        "mpich": ("-launcher", "rsh", "-launcher-exec", AGENT, "-hosts"),
    }
    RANKS = (2, "left:1,right:1"), (3, "left:1,right:2"), (3, "left:2,right:1"), (4, "left:2,right:2")

    def setUp(self):
        super().setUp()
        self.launchers = [name for name in self.LAUNCHERS if shutil.which(f"mpirun.{name}")]
        if not self.launchers:
            self.skipTest("no mpirun.openmpi and no mpirun.mpich (Debian: openmpi-bin, mpich)")
        self.machines = Machines(self)

    def ranks(self, name, ranks, hosts, *words):
        """Runs the program with rank 0 on the machine named left, where the launcher is, too."""
        command = [f"mpirun.{name}", *self.LAUNCHERS[name], hosts, "-n", ranks, TEFF, "run", "--", *words]
        return self.machines.run("left", command, limit_s=LIMIT_S, cwd=self.place)

    def test_results(self):
        for source in ("maps.c", "between.c"):
            program = self.compile(SOURCES / source)
            for name in self.launchers:
                for ranks, hosts in self.RANKS[1:3]:
                    done = self.ranks(name, ranks, hosts, program)
                    self.assertEqual((done.status, done.text), (0, "2 devices, ok\n"), (name, hosts))

    def test_the_status_is_that_of_the_host(self):
        program = self.compile(SOURCES / "ends.c")
        for name in self.launchers:
            for ranks, hosts in self.RANKS:
                self.assertEqual(self.ranks(name, ranks, hosts, program, "").status, 0, (name, hosts))
                done = self.ranks(name, ranks, hosts, program, "exit")
                self.assertEqual(done.status, 7, (name, hosts, done.text))
                self.assertNotIn("teff", done.text)

    def test_the_job_ends_with_a_rank_that_fails(self):
        program = self.compile(SOURCES / "ends.c")
        ended = "teff: fatal: device 0 (process "
        for name in self.launchers:
            for ranks, hosts in self.RANKS[::3]:
                for how, status, saying in (("host", 137, ""), ("_exit", 9, ""), ("device", 1, ended), ("device-exit", 1, ended)):
                    done = self.ranks(name, ranks, hosts, program, how)
                    if name == "mpich": # Open MPI chooses the status, and may end the host before it can say anything
                        self.assertEqual(done.status, status, (hosts, how, done.text))
                        self.assertIn(saying, done.text, (hosts, how))
