# SPDX-License-Identifier: Apache-2.0
"""Programs that GCC compiled with -fopenacc run with the host as their device."""

from harness import LIBRARY, PROGRAMS, ProductTest, environment, run


class OpenAcc(ProductTest):
    def build(self, source, *flags):
        return self.compile(PROGRAMS / source, "-fopenacc", "-foffload=disable", *flags)

    def run_program(self, program, *words, status=0, **extra):
        env = environment(LD_LIBRARY_PATH=str(LIBRARY), **extra)
        done = run([program, *words], env)
        self.assertEqual(done.status, status, done.text)
        return done

    def test_constructs_and_routines(self):
        program = self.build("openacc.c")
        for way in ("all", "with-omp"):
            self.assertEqual(self.run_program(program, way).text, "ok\n")

    def test_fortran(self):
        self.assertEqual(self.run_program(self.build("openacc.f90")).text, "ok\n")

    def test_what_ends_a_program_says_why(self):
        program = self.build("openacc.c")
        reasons = {
            "init-twice": "device already active",
            "no-device": "no device of type nvidia",
            "bad-range": "is a bad range",
            "map": "cannot map data",
            "unknown": "unknown device type 77",
            "shutdown": "no device initialized",
        }
        for way, reason in reasons.items():
            done = self.run_program(program, way, status=1)
            self.assertRegex(done.err.decode(), rf"^teff: fatal: OpenACC: .*{reason}")
            self.assertEqual(done.out, b"")

    def test_the_environment_can_name_the_host_only(self):
        program = self.build("openacc.c")
        self.assertEqual(self.run_program(program, "all", ACC_DEVICE_TYPE="HOST", ACC_DEVICE_NUM="0").text, "ok\n")
        for name, value in (("ACC_DEVICE_TYPE", "nvidia"), ("ACC_DEVICE_NUM", "1")):
            done = self.run_program(program, "all", status=1, **{name: value})
            self.assertIn(f"{name} is {value}", done.text)
        done = self.run_program(program, "all", ACC_DEVICE_NUM="one")
        self.assertIn("ACC_DEVICE_NUM", done.err.decode())

    def test_a_program_can_name_the_host_itself(self):
        program = self.build("openacc.c")
        self.assertEqual(self.run_program(program, "names-host", ACC_DEVICE_TYPE="nvidia").text, "ok\n")
        done = self.run_program(program, "default-type", status=1, ACC_DEVICE_TYPE="nvidia")
        self.assertIn("ACC_DEVICE_TYPE is nvidia", done.text)

    def build_tool(self):
        tool = self.place / "tool.so"
        done = run(["gcc", "-shared", "-fPIC", PROGRAMS / "openacc_tool.c", "-o", tool])
        self.assertEqual(done.status, 0, done.text)
        return tool

    def test_a_library_sees_the_events_of_threads_that_begin_at_once(self):
        tool = self.build_tool()
        done = self.run_program(self.build("openacc.c"), "with-omp", ACC_PROFLIB=str(tool))
        self.assertEqual(done.text, "ok\n1:1 2:1 16:8 17:8 odd:0\n")

    def test_a_library_sees_the_events(self):
        program = self.build("openacc.c")
        tool = self.build_tool()
        done = self.run_program(program, "all", ACC_PROFLIB=f";{tool};/nowhere.so")
        events, ok = done.out.decode().split("\n")[1], done.out.decode().split("\n")[0]
        self.assertEqual(ok, "ok")
        counts = dict(word.split(":") for word in events.split())
        self.assertEqual(counts.pop("odd"), "0")
        # Two uses, since the program ends the first; one data construct, a directive and host_data;
        # nothing of exits, which are switched off; two updates; seven compute constructs.
        self.assertEqual(counts, {"1": "2", "2": "2", "10": "3", "11": "3", "14": "2", "15": "2", "16": "7", "17": "7"})
        self.assertRegex(done.err.decode(), r"^teff: warning: ACC_PROFLIB: /nowhere.so: ")

    def test_it_is_seen_as_any_program(self):
        program = self.build("openacc.c")
        recording = self.record(program, "with-omp")
        self.assertIn("openacc", self.teff("report", recording).text)


del ProductTest
