# SPDX-License-Identifier: Apache-2.0
"""Tests teff run --distribute: its messages, and that the library that it preloads does not change
how programs behave.

The suite `./run numa` tests where pages lie, because this needs a machine with several nodes. In
these tests the library spreads memory over a single node, but makes all the system calls that it
would otherwise make. The programs read the memory policies of their memory from
/proc/self/numa_maps.
"""

import os
import pathlib
import re
import shutil
import unittest

from harness import LIBRARY, PROGRAMS, TEFF, ProductTest, environment, run

DISTRIBUTE = LIBRARY / "libteff-distribute.so"
POLICIES = {"fine": "interleave", "coarse": "prefer"}


def several_nodes():
    return len(list(pathlib.Path("/sys/devices/system/node").glob("node[0-9]*"))) > 1


def filters():
    """The number of filters for system calls that this process has; in a container there are some."""
    status = pathlib.Path("/proc/self/status").read_text()
    return int(re.search(r"^Seccomp(?:_filters)?:\s*(\d+)\n(?!Seccomp_filters)", status, re.M)[1])


def spread(setting, **extra):
    return environment(LD_PRELOAD=str(DISTRIBUTE), TEFF_DISTRIBUTE=setting, **extra)


def spread_over_one(kind="fine", bytes_=1 << 20, more_filters=0, **extra):
    return spread(f"{kind}:{bytes_}:filters={filters() + more_filters}:one_node_too", **extra)


class CommandLine(ProductTest):
    def fails(self, *words, saying, **options):
        done = self.teff("run", *words, status=None, **options)
        self.assertGreater(done.status, 0, done.text)
        for word in saying:
            self.assertIn(word, done.text)
        self.assertNotIn("panicked", done.text)
        self.assertNotIn("ran", done.out.decode())

    def test_help_names_units_ranges_and_default(self):
        words = " ".join(self.teff("run", "-h").out.decode().split())
        for part in ("--distribute <SPREAD>", "fine:", "coarse:", "--at-least <SIZE>", "K, M, G or T", "1K is 1024",
                     "from 64K to 1T", "[default: 1M]", "teff run --distribute fine --at-least 512K"):
            self.assertIn(part, words)

    def test_wrong_words(self):
        self.fails("--distribute", "rough", "--", "echo", "ran", saying=["rough", "fine, coarse"])
        self.fails("--distribute", "fine", "--at-least", "63K", "--", "echo", "ran", saying=["63K", "from 64K to 1T"])
        self.fails("--distribute", "fine", "--at-least", "2T", "--", "echo", "ran", saying=["2T", "from 64K to 1T"])
        self.fails("--distribute", "fine", "--at-least", "1.5M", "--", "echo", "ran", saying=["1.5M", "K, M, G or T"])
        self.fails("--at-least", "1M", "--", "echo", "ran", saying=["--distribute"])

    @unittest.skipIf(several_nodes(), "the machine has several nodes")
    def test_one_node_is_said_once_and_nothing_is_preloaded(self):
        done = self.teff("run", "--distribute", "fine", "--", "sh", "-c",
                         'sh -c "env; true"; exit 5', status=5)
        self.assertEqual(done.err, b"teff: one NUMA node: nothing to distribute.\n")
        self.assertNotIn(b"LD_PRELOAD", done.out)
        self.assertNotIn(b"TEFF_DISTRIBUTE", done.out)

    def test_a_refusing_system_is_said_once(self):
        refuse = self.compile(PROGRAMS / "refuse_numa.c")
        done = run([refuse, TEFF, "run", "--distribute", "fine", "--", "sh", "-c", "echo ran; true"])
        if done.status == 77:
            self.skipTest(done.text)
        self.assertEqual((done.status, done.out), (0, b"ran\n"), done.text)
        self.assertEqual(done.text.count("the system refuses to spread memory"), 1, done.text)

    def test_raised_privileges_are_refused(self):
        self.place.chmod(0o755)
        program = self.place / "raised"
        shutil.copy("/usr/bin/echo", program)
        try:
            os.chown(program, 65534, -1)
        except PermissionError:
            self.skipTest("only root can make such a program")
        program.chmod(0o4755)
        self.fails("--distribute", "fine", "--", program, "ran", saying=["set-user-ID", "--distribute"])
        self.assertEqual(self.teff("run", "--", program, "ran").out, b"ran\n")

    def machine_of(self, nodes):
        """An environment in which the library finds `nodes` nodes, and which changes nothing else."""
        shutil.copy(LIBRARY / "libgomp.so.1", self.place)
        source = self.place / "nodes.c"
        source.write_text(f"""long teff_distribute_nodes(void) {{ return {nodes}; }}
            long teff_distribute_filters(void) {{ return 3; }}""")
        done = run(["gcc", "-shared", "-fPIC", source, "-o", self.place / DISTRIBUTE.name])
        self.assertEqual(done.status, 0, done.text)
        return environment(TEFF_LIB=str(self.place))

    def test_several_nodes_are_spread_over_without_a_word(self):
        env = self.machine_of(2)
        for words, setting in ((["fine"], "fine:1048576"), (["coarse", "--at-least", "64k"], "coarse:65536"),
                               (["fine", "--at-least", "2G"], "fine:2147483648")):
            done = self.teff("run", "--distribute", *words, "--", "sh", "-c", "env", env=env)
            lines = done.out.decode().splitlines()
            self.assertEqual(done.err, b"")
            self.assertIn(f"TEFF_DISTRIBUTE={setting}:filters=3", lines)
            self.assertIn(f"LD_PRELOAD={self.place / DISTRIBUTE.name}", lines)
        env["LD_PRELOAD"] = str(LIBRARY / "libgomp.so.1")
        done = self.teff("run", "--distribute", "fine", "--", "env", env=env)
        self.assertIn(f"LD_PRELOAD={self.place / DISTRIBUTE.name}:{LIBRARY / 'libgomp.so.1'}\n", done.out.decode())

    def test_a_static_program_is_told(self):
        source = self.place / "static.c"
        source.write_text("""#include <unistd.h>
            int main(int argc, char **argv) { return argc < 2 || execvp(argv[1], argv + 1); }""")
        program = self.compile(source, "-static", "-fno-openmp")
        done = self.teff("run", "--distribute", "coarse", "--", program, "echo", "ran", env=self.machine_of(2))
        self.assertIn("linked statically", done.text)
        self.assertEqual(done.out, b"ran\n", "what it starts may be distributed")
        self.assertEqual(self.teff("run", "--distribute", "coarse", "--", "echo", "ran", env=self.machine_of(2)).err, b"")

    @unittest.skipIf(shutil.which("musl-gcc") is None, "no musl")
    def test_a_program_of_another_c_library_is_told_and_runs(self):
        source = self.place / "other.c"
        source.write_text("""#include <stdio.h>
            #include <stdlib.h>
            #include <string.h>
            int main(void) {
                char *block = realloc(malloc(5 << 20), 9 << 20);
                memset(block, 1, 9 << 20);
                return block[1 << 20] != 1 || puts("ran") < 0;
            }""")
        program = self.place / "other"
        self.assertEqual(run(["musl-gcc", source, "-o", program]).status, 0)
        done = self.teff("run", "--distribute", "coarse", "--", program, env=self.machine_of(2))
        self.assertIn("linked with musl", done.text)
        done = run([program], spread_over_one())
        self.assertEqual((done.status, done.out, done.err), (0, b"ran\n", b""))

    def test_a_missing_or_wrong_library_is_said(self):
        shutil.copy(LIBRARY / "libgomp.so.1", self.place)
        env = environment(TEFF_LIB=str(self.place))
        self.fails("--distribute", "fine", "--", "echo", "ran", saying=["libteff-distribute.so", "missing"], env=env)
        for wrong in (b"", (LIBRARY / "libgomp.so.1").read_bytes()):
            (self.place / DISTRIBUTE.name).write_bytes(wrong)
            self.fails("--distribute", "fine", "--", "echo", "ran", saying=["is not the library"], env=env)


class Library(ProductTest):
    def assert_silent(self, done):
        self.assertEqual((done.status, done.text), (0, ""))

    def test_all_kinds_of_allocations(self):
        program = self.compile(PROGRAMS / "allocations.c")
        self.assert_silent(run([program, "default"]))
        for kind, policy in POLICIES.items():
            with self.subTest(kind):
                self.assert_silent(run([program, policy], spread_over_one(kind)))
        self.assert_silent(run([program, "default"], environment(LD_PRELOAD=str(DISTRIBUTE))))

    @unittest.skipIf(several_nodes(), "the machine has several nodes")
    def test_one_node_changes_nothing(self):
        self.assert_silent(run([self.compile(PROGRAMS / "allocations.c"), "default"], spread("fine")))

    def test_smaller_ones_are_left_alone(self):
        program = self.compile(PROGRAMS / "allocations.c")
        self.assert_silent(run([program, "default"], spread_over_one("fine", 64 << 20)))

    def test_an_allocator_that_a_program_brings_along_keeps_its_blocks(self):
        done = run(["gcc", "-shared", "-fPIC", "-O2", "-fno-builtin", PROGRAMS / "own_malloc.c", "-o",
                    self.place / "libown.so"])
        self.assertEqual(done.status, 0, done.text)
        source = self.place / "own.c"
        source.write_text("""#include <stdlib.h>
            #include <string.h>
            int main(void) {
                char *volatile block = malloc(5 << 20);
                memset(block, 1, 5 << 20);
                block = realloc(block, 9 << 20);
                if (block[(5 << 20) - 1] != 1) return 1;
                char *volatile zeros = calloc(3, 1 << 20);
                free(zeros);
                free(block);
                return 0;
            }""")
        for where in ([f"-L{self.place}", "-Wl,--no-as-needed", "-lown", f"-Wl,-rpath,{self.place}"],
                      [PROGRAMS / "own_malloc.c", "-fno-builtin"]):
            program = self.place / "own"
            done = run(["gcc", "-O1", source, *where, "-o", program])
            self.assertEqual(done.status, 0, done.text)
            self.assert_silent(run([program], spread_over_one()))

    def test_cxx_before_main(self):
        program = self.compile(PROGRAMS / "static_allocation.cpp")
        for kind, policy in POLICIES.items():
            done = run([program, policy], spread_over_one(kind))
            self.assertEqual((done.status, done.text), (0, ""), kind)

    def test_openmp_programs_of_three_languages(self):
        for source in ("constructs.c", "names.cpp", "sums.f90"):
            with self.subTest(source):
                program = self.compile(PROGRAMS / source)
                plain = run([program], environment(LD_LIBRARY_PATH=str(LIBRARY)))
                done = run([program], spread_over_one("coarse", 65536, LD_LIBRARY_PATH=str(LIBRARY)))
                self.assertEqual((done.status, done.err), (plain.status, plain.err))
                self.assertEqual(done.out.count(b"\n"), plain.out.count(b"\n"))

    def test_scripts_and_what_they_start(self):
        program = self.compile(PROGRAMS / "allocations.c")
        script = self.place / "script"
        script.write_text(f'#!/bin/sh\nsh -c "exec {program} interleave"; echo $?; exec {program} interleave\n')
        script.chmod(0o755)
        done = run([script], spread_over_one())
        self.assertEqual((done.status, done.out, done.err), (0, b"0\n", b""))

    def odd(self, *case, kind="fine", bytes_=65536):
        return run([self.compile(PROGRAMS / "odd_allocations.c", "-fno-builtin"), *case], spread_over_one(kind, bytes_))

    def test_a_block_that_shrinks_leaves_its_neighbours_alone(self):
        self.assert_silent(self.odd("shrink"))

    def test_a_block_that_grows_in_its_last_page_stays_where_it_is(self):
        self.assert_silent(self.odd("grow", bytes_=1 << 20))

    def test_a_signal_handler_may_map_memory_at_any_time(self):
        program = self.compile(PROGRAMS / "odd_allocations.c", "-fno-builtin")
        for kind in POLICIES:
            for delay_us in (*range(1, 20), *range(20, 200, 20), *range(200, 2000, 200)):
                self.assert_silent(run([program, "handler", str(delay_us)], spread_over_one(kind), 10))

    def test_neighbours_at_fixed_addresses_can_be_moved_as_one(self):
        for kind in POLICIES:
            self.assert_silent(self.odd("neighbours", kind=kind))

    def test_mappings_are_left_for_the_program(self):
        for kind in POLICIES:
            self.assert_silent(self.odd("many", kind=kind))

    def test_a_program_that_restricts_itself_is_left_alone(self):
        done = self.odd("restricted")
        if done.status == 77:
            self.skipTest("no filters for system calls")
        self.assertEqual(done.status, 0, done.text)
        self.assertEqual(done.text.count("\n"), 1, done.text)
        self.assertIn("restricts its own system calls", done.text)
        done = self.odd("restricted_by_root")
        if done.status != 77:
            self.assert_silent(done)

    def test_functions_of_the_program_are_not_taken_for_the_c_librarys(self):
        program = self.compile(PROGRAMS / "own_names.c", "-fno-builtin", "-fno-openmp", "-Wno-error")
        self.assertEqual(run([program], environment()).status, 0)
        self.assert_silent(run([program], spread_over_one()))

    def test_it_needs_little_of_the_c_library(self):
        """If an older C library lacked a function, no program could start there; a function that takes a lock or
        reads the environment must not be called inside malloc."""
        done = run(["nm", "-D", "--undefined-only", DISTRIBUTE])
        self.assertEqual(done.status, 0, done.text)
        needed = [line.split() for line in done.out.decode().splitlines()]
        self.assertTrue(needed)
        strong = {name for kind, name in needed if kind == "U"}
        self.assertTrue(any(name.startswith("dlsym@") for name in strong), strong)
        for name in strong:
            self.assertRegex(name, "^(dlsym|__errno_location|mem(chr|cmp|cpy|move|set)|strlen)@GLIBC_2.(2.5|14)$")
        for kind, _ in needed:
            self.assertIn(kind, "Uw")

    def test_programs_under_sanitizers(self):
        source = self.place / "checked.c"
        source.write_text("""#include <stdlib.h>
            #include <string.h>
            int main(void) {
                char *block = realloc(malloc(5 << 20), 9 << 20);
                memset(block, 1, 9 << 20);
                free(block);
                return 0;
            }""")
        for sanitizer in ("thread", "undefined", "leak"):
            with self.subTest(sanitizer):
                program = self.compile(source, f"-fsanitize={sanitizer}", "-fno-openmp", "-fno-builtin")
                plain = run([program], environment())
                if plain.status == 0:
                    self.assert_silent(run([program], spread_over_one()))

    def test_the_users_own_thresholds_stay(self):
        source = self.place / "threshold.c"
        source.write_text("""#include <malloc.h>
            #include <stdlib.h>
            int main(int argc, char **argv) {
                if (argc > 1) mallopt(M_MMAP_THRESHOLD, 8 << 20);
                free(malloc(5 << 20));
                return mallinfo2().hblkhd != 0 || malloc(5 << 20) == NULL || mallinfo2().hblkhd != 0;
            }""")
        program = self.compile(source)
        self.assertEqual(run([program], spread_over_one()).status, 1, "it is mapped")
        self.assert_silent(run([program, "mallopt"], spread_over_one()))
        self.assert_silent(run([program], spread_over_one(MALLOC_MMAP_THRESHOLD_=str(8 << 20))))
        self.assert_silent(run([program], spread_over_one(GLIBC_TUNABLES=f"glibc.malloc.mmap_threshold={8 << 20}")))

    def test_threads_have_placed_their_memory_when_a_filter_comes(self):
        program = self.compile(PROGRAMS / "odd_allocations.c", "-fno-builtin")
        if run([program, "restricted_threads"], environment()).status != 0:
            self.skipTest("no filters for system calls")
        for _ in range(40):
            done = run([program, "restricted_threads"], spread_over_one(), 10)
            self.assertEqual(done.status, 0, done.text)
            self.assertEqual(done.text.count("\n"), 1, done.text)

    def test_a_child_that_shares_memory_does_not_restrict_its_parent(self):
        done = self.odd("restricted_child")
        if done.status == 77:
            self.skipTest("memory policies cannot be asked for")
        self.assert_silent(done)

    def test_a_forked_child_restricts_itself(self):
        done = self.odd("restricted_fork")
        if done.status == 77:
            self.skipTest("no filters for system calls")
        self.assertEqual(done.status, 0, done.text)
        self.assertEqual(done.text.count("restricts its own system calls"), 1, done.text)

    def settings(self, **options):
        """The settings as arguments for env."""
        settings = spread_over_one(**options)
        return [f"{name}={settings[name]}" for name in ("LD_PRELOAD", "TEFF_DISTRIBUTE")]

    def test_a_program_that_another_one_restricts_is_left_alone(self):
        """A system call that a launcher forbids to the program that it starts would end this program."""
        program = self.compile(PROGRAMS / "odd_allocations.c", "-fno-builtin")
        restricted = [program, "restricts"]
        done = run([*restricted, program, "grow"], environment())
        if done.status == 77:
            self.skipTest("no filters for system calls")
        self.assert_silent(done)
        self.assert_silent(run([*restricted, "env", *self.settings(), program, "grow"], environment()))
        by_hand = [re.sub(":filters=[0-9]+", "", word) for word in self.settings()]
        self.assert_silent(run([*restricted, "env", *by_hand, program, "grow"], environment()))

    def test_filters_that_were_there_before_are_no_reason_to_stay_out(self):
        program = self.compile(PROGRAMS / "allocations.c")
        launcher = self.compile(PROGRAMS / "odd_allocations.c", "-fno-builtin")
        done = run([launcher, "filters", "env", *self.settings(more_filters=1), program, "interleave"], environment())
        if done.status == 77:
            self.skipTest("no filters for system calls")
        self.assert_silent(done)

    def test_blocks_are_filled_as_the_user_says(self):
        source = self.place / "filled.c"
        source.write_text("""#include <stdlib.h>
            int main(void) {
                const size_t bytes = 5 << 20;
                const unsigned char *block = malloc(bytes);
                for (size_t at = 0; at < bytes; ++at)
                    if (block[at] != (165 ^ 255)) return 1;
                return 0;
            }""")
        program = self.compile(source, "-fno-builtin", "-Wno-error")
        for setting in ({"MALLOC_PERTURB_": "165"}, {"GLIBC_TUNABLES": "glibc.malloc.perturb=165"}):
            if run([program], environment(**setting)).status == 0:
                self.assert_silent(run([program], spread_over_one(**setting)))
        self.assertEqual(run([program], spread_over_one()).status, 1)

    def test_a_refusal_is_said_once_and_changes_nothing(self):
        refuse = self.compile(PROGRAMS / "refuse_numa.c")
        program = self.compile(PROGRAMS / "allocations.c")
        done = run([refuse, "env", *self.settings(more_filters=1), program, "default"])
        if done.status == 77:
            self.skipTest(done.text)
        self.assertEqual(done.status, 0, done.text)
        self.assertEqual(done.text.count("\n"), 1, done.text)
        self.assertIn("refuses to spread memory over its nodes", done.text)

    def test_little_memory(self):
        source = self.place / "little.c"
        source.write_text("""#include <errno.h>
            #include <stdlib.h>
            #include <string.h>
            int main(void) {
                int blocks = 0;
                while (malloc(3 << 20) != NULL && blocks < 1000) ++blocks;
                return blocks < 10 || blocks == 1000 || errno != ENOMEM;
            }""")
        program = self.compile(source, "-Wno-unused-result")
        for kind in POLICIES:
            self.assert_silent(run(["sh", "-c", f"ulimit -v 200000; exec {program}"], spread_over_one(kind)))

    def test_a_setting_that_is_none_is_said(self):
        program = self.compile(PROGRAMS / "allocations.c")
        done = run([program, "default"], spread("fine:1K"))
        self.assertEqual(done.status, 0, done.text)
        self.assertIn("TEFF_DISTRIBUTE is not valid", done.text)
        self.assertEqual(done.text.count("\n"), 1)

    def test_the_runtime_knows_the_variable(self):
        program = self.compile(PROGRAMS / "sums.f90")
        done = run([program], environment(LD_LIBRARY_PATH=str(LIBRARY), TEFF_DISTRIBUTE="fine:65536"))
        self.assertEqual((done.status, done.err), (0, b""), done.text)

    def test_what_allocates_little_is_asked_for_little(self):
        if shutil.which("strace") is None or run(["strace", "true"]).status != 0:
            self.skipTest("no strace")
        trace = ["strace", "-f", "-e", "trace=mbind,get_mempolicy,madvise,openat"]
        done = run([*trace, "sh", "-c", "true"], spread_over_one())
        self.assertEqual(len(re.findall("get_mempolicy", done.text)), 2, done.text)
        self.assertNotRegex(done.text, r"mbind|madvise\((?!.*MADV_WIPEONFORK|.*0x12)|/sys/devices")
        done = run([*trace, "sh", "-c", "true"], environment(LD_PRELOAD=str(DISTRIBUTE)))
        self.assertNotRegex(done.text, "mbind|madvise|get_mempolicy|max_map_count")
        done = run([*trace, "python3", "-c", "bytes(5 << 20)"], spread_over_one())
        self.assertRegex(done.text, "mbind")


if __name__ == "__main__":
    unittest.main()
