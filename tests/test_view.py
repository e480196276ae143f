# SPDX-License-Identifier: Apache-2.0
"""Tests `teff view` as a server: who gets the recording, what happens with misbehaving clients, and
how the server ends."""

import http.client
import json
import os
import pathlib
import resource
import select
import shutil
import signal
import socket
import stat
import subprocess
import unittest

from harness import LIMIT_S, PROGRAMS, TEFF, ProductTest, environment, run

CHROMIUM = shutil.which("chromium")


class Server:
    """A running `teff view`, and its address."""

    def __init__(self, recording, *words, env=None, **options):
        self.child = subprocess.Popen([TEFF, "view", *words, recording], env=env or environment(), stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        self.url = self.first_line().split()[0].decode()
        host, _, path = self.url.removeprefix("http://").partition("/")
        self.host, self.port, self.path = host, int(host.partition(":")[2] or 80), "/" + path

    def first_line(self):
        if not select.select([self.child.stdout], [], [], LIMIT_S)[0]:
            self.child.kill()
            raise AssertionError("teff view printed no address")
        line = self.child.stdout.readline()
        if not line:
            raise AssertionError(self.child.communicate(timeout=LIMIT_S)[1].decode())
        return line

    def get(self, path, host=None):
        """The status and the body of the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT_S)
        try:
            connection.request("GET", path, headers={"Host": host or self.host})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=LIMIT_S)

    def end(self, number=signal.SIGINT):
        """The exit status and the output."""
        self.child.send_signal(number)
        _, said = self.child.communicate(timeout=LIMIT_S)
        return self.child.returncode, said.decode()


class View(ProductTest):
    def setUp(self):
        super().setUp()
        self.recording = self.record(self.compile(PROGRAMS / "ending.c"))

    def serve(self, *words, **options):
        server = Server(self.recording, *(words or ["--no-open"]), **options)
        self.addCleanup(server.child.communicate, timeout=LIMIT_S)
        self.addCleanup(server.child.kill)
        return server

    def test_who_has_the_address_gets_page_and_data(self):
        server = self.serve()
        for host in (server.host, "localhost:9999", "laptop"):  # as seen through ssh -L
            status, page = server.get(server.path, host)
            self.assertEqual((status, page[:15].lower()), (200, b"<!doctype html>"))
            status, data = server.get(server.path + "data.json", host)
            self.assertEqual((status, data[:1]), (200, b"{"))

    def test_nobody_else_gets_anything(self):
        server = self.serve()
        guess = "/" + "0" * (len(server.path) - 2) + "/"
        for path in ("/", "/data.json", guess, guess + "data.json"):
            for host in (server.host, f"localhost:{server.port}", "evil.example"):
                status, body = server.get(path, host)
                self.assertEqual(status, 403)
                self.assertLess(len(body), 200)

    def test_two_servers_have_two_keys(self):
        self.assertNotEqual(self.serve().path, self.serve().path)

    def test_the_browser_is_told_the_key_where_nobody_sees_it(self):
        opener, seen = self.place / "xdg-open", self.place / "seen"
        opener.write_text(f'#!/bin/sh\ncp -p "$1" {self.place}/page.html && echo "$@" > {seen}.new && mv {seen}.new {seen}\n')
        opener.chmod(0o755)
        env = environment(XDG_RUNTIME_DIR=str(self.place), PATH=f"{self.place}:{os.environ['PATH']}")
        server = self.serve("--port", "0", env=env)
        run(["sh", "-c", 'while ! [ -e "$1" ]; do sleep 0.01; done', "sh", seen])
        arguments = seen.read_text().split()
        self.assertEqual(len(arguments), 1)
        self.assertNotIn(server.path.strip("/"), arguments[0])
        self.assertIn(f"url={server.url}", (self.place / "page.html").read_text())
        self.assertEqual(stat.S_IMODE((self.place / "page.html").stat().st_mode), 0o600)
        self.assertEqual(server.end()[0], 0)
        self.assertFalse(pathlib.Path(arguments[0]).exists())

    def test_it_ends_in_order_when_asked_to(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            server = self.serve()
            with server.connect():
                status, said = server.end(number)
            self.assertEqual(status, 0, said)
            self.assertIn("--port", said)

    def test_it_outlives_the_terminal_where_it_was_told_to(self):
        server = self.serve(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))  # as nohup does
        server.child.send_signal(signal.SIGHUP)
        self.assertEqual(server.get(server.path)[0], 200)
        self.assertEqual(server.end()[0], 0)

    def test_a_port_that_is_taken(self):
        server = self.serve()
        done = self.teff("view", "--no-open", "--port", str(server.port), self.recording, status=1)
        for word in (str(server.port), "another program", "--port"):
            self.assertIn(word, done.text)

    def test_the_port_can_be_chosen_and_be_the_one_of_the_web(self):
        try:
            with socket.create_server(("127.0.0.1", 80)):
                pass
        except OSError as error:
            self.skipTest(f"port 80 cannot be had here: {error}")
        server = self.serve("--no-open", "--port", "80")
        self.assertEqual(server.get(server.path, "127.0.0.1")[0], 200)  # a browser leaves this port out

    def test_a_port_of_the_system(self):
        lowest = int(pathlib.Path("/proc/sys/net/ipv4/ip_unprivileged_port_start").read_text())
        if os.geteuid() != 0 or lowest <= 81:
            self.skipTest("everyone may have port 80 here, or nobody")
        self.place.chmod(0o755)
        done = run([shutil.copy(TEFF, self.place), "view", "--no-open", "--port", "80", self.recording], user=65534)
        self.assertEqual(done.status, 1)
        self.assertIn("ports below 1024 are the system's", done.text)

    def test_idle_clients_and_few_descriptors(self):
        few = (16, 16)
        server = self.serve(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, few))
        threads = self.threads(server)
        clients = [server.connect() for _ in range(60)]
        self.assertLessEqual(self.threads(server), threads)  # one that has read the recording may still be ending
        for client in clients:
            client.close()
        self.assertEqual(server.get(server.path)[0], 200)
        self.assertEqual(server.end()[0], 0)

    def test_a_server_that_cannot_have_the_descriptors_it_needs_says_so(self):
        for few in range(6, 30):  # with less than 6 the loader starts no program
            try:
                return self.serve(preexec_fn=lambda few=few: resource.setrlimit(resource.RLIMIT_NOFILE, (few, few)))
            except AssertionError as error:
                self.assertIn("Too many open files", str(error))
                self.assertNotIn("panicked", str(error))
        return self.fail("it never had enough")

    def threads(self, server):
        return len(os.listdir(f"/proc/{server.child.pid}/task"))

    def test_an_answer_that_nobody_reads(self):
        server = self.serve()
        with server.connect() as client:
            client.sendall(f"GET {server.path} HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode())
        self.assertEqual(server.get(server.path)[0], 200)

    @unittest.skipUnless(CHROMIUM, "chromium is not installed")
    def test_a_browser_shows_the_page(self):
        server = self.serve()
        page = run([CHROMIUM, "--headless", "--no-sandbox", f"--user-data-dir={self.place}/profile", "--dump-dom",
                    "--virtual-time-budget=10000", server.url.replace("127.0.0.1", "localhost")])
        shown = page.out.decode(errors="replace").partition("<script type=\"module\">")[0]
        self.assertIn(self.recording.name, shown, page.text[-2000:])
        self.assertNotIn("cannot be shown", shown)
        for word in ("What to change", "Time of ", 'class="budget"'):
            self.assertIn(word, shown)


class Source(ProductTest):
    """The text of the source in the page."""

    TEXT = "Ends in the way that its argument names"

    def setUp(self):
        super().setUp()
        self.source = pathlib.Path(shutil.copy(PROGRAMS / "ending.c", self.place))
        self.recording = self.record(self.compile(self.source))

    def page(self, *words):
        page = self.place / "page.html"
        self.teff("view", *words, "--html", page, self.recording)
        return page.read_text()

    def test_is_there_unless_told_otherwise(self):
        self.assertIn(self.TEXT, self.page())
        self.assertNotIn(self.TEXT, self.page("--no-source"))

    def test_that_has_changed_or_is_gone_is_said(self):
        self.assertNotIn("newer than the program", self.page())
        later = self.source.stat().st_mtime + 1000
        os.utime(self.source, (later, later))
        self.assertIn("newer than the program", self.page())
        self.source.write_text("shorter\n")
        self.assertIn("fewer lines", self.page())
        self.source.unlink()
        self.assertIn("The file does not exist", self.page())


class Folded(ProductTest):
    """A recording with more grains than a page holds."""

    def setUp(self):
        super().setUp()
        tasks = 210_000
        self.recording = self.record(self.compile(PROGRAMS / "tree_of_tasks.c"), str(tasks))
        self.server = Server(self.recording, "--no-open")
        self.addCleanup(self.server.child.communicate, timeout=LIMIT_S)
        self.addCleanup(self.server.child.kill)

    def ask(self, question):
        status, body = self.server.get(self.server.path + question)
        return status, json.loads(body) if status == 200 else body.decode()

    def test_a_page_can_ask_for_what_is_folded(self):
        _, model = self.ask("data.json")
        grains, shown = model["run"]["grains"], model["run"]["shown"]
        self.assertLess(shown, 50_000)
        self.assertGreater(grains, 200_000)
        _, found = self.ask("grains.json?by=work&most=3")
        self.assertEqual((found["total"], len(found["grains"])), (grains, 3))
        self.assertEqual(self.ask(f"part.json?first=0&count={grains}&grain={grains - 1}")[0], 200)
        self.assertEqual(self.ask("time.json?level=5&tile=31")[0], 200)
        for absurd in ("part.json?first=0&count=4294967295", "time.json?level=5&tile=32", "part.json?count=x"):
            status, why = self.ask(absurd)
            self.assertEqual(status, 400, absurd)
            self.assertTrue(why.endswith(".\n"), why)
        self.assertEqual(self.server.get("/part.json?first=0&count=1")[0], 403)
        self.assertEqual(self.server.end()[0], 0)

    @unittest.skipUnless(CHROMIUM, "chromium is not installed")
    def test_a_browser_goes_to_a_grain_that_is_folded(self):
        for number in (4321, 187_654):
            page = run([CHROMIUM, "--headless", "--no-sandbox", f"--user-data-dir={self.place}/profile", "--dump-dom",
                        "--virtual-time-budget=20000", f"{self.server.url}#grain={number}"])
            panel = page.out.decode(errors="replace").partition('class="panel"')[2][:2000]
            self.assertIn(f"#{number}<", panel, page.text[-2000:])
            self.assertIn("Explicit task", panel)


def data_of(page):
    return json.loads(page.partition('<script id="teff-data" type="application/json">')[2].partition("</script>")[0])


class OfSet(ProductTest):
    """A set of recordings on one page."""

    def setUp(self):
        super().setUp()
        self.set = self.place / "a.teff"
        program = self.compile(PROGRAMS / "scaled.c")
        self.teff("record", "-o", self.set, "--repeat", "3", "--threads", "1,2,4", "--", program)

    def test_the_page_has_the_table_of_the_report_and_its_median_runs(self):
        data = data_of(self.teff("view", "--html", "-", self.set).out.decode())
        report = json.loads(self.teff("report", "--json", self.set).out)
        self.assertEqual(data["scaling"], report)
        self.assertIn(data["words"]["verdict"], " ".join(self.teff("report", self.set).text.split()))
        self.assertEqual([run["run"]["name"] for run in data["runs"]],
                         [f"a.teff/{point['run']}" for point in report["points"]])
        for shown, point in zip(data["runs"], report["points"], strict=True):
            alone = data_of(self.teff("view", "--html", "-", self.set / point["run"]).out.decode())
            alone["run"]["name"] = shown["run"]["name"]
            self.assertEqual(shown, alone)

    def test_what_means_one_recording_shows_one(self):
        for words in (["--baseline", self.set / "threads-1-1"], ["--from", "0"]):
            data = data_of(self.teff("view", "--html", "-", *words, self.set).out.decode())
            self.assertEqual(data["run"]["workers"], 4)

    def test_the_run_on_the_most_threads_can_be_asked_about(self):
        server = Server(self.set, "--no-open")
        self.addCleanup(server.child.communicate, timeout=LIMIT_S)
        self.addCleanup(server.child.kill)
        for folder, status in (("run-2/", 200), ("run-0/", 404), ("", 404)):
            self.assertEqual(server.get(server.path + folder + "grains.json?by=work&most=3")[0], status)

    @unittest.skipUnless(CHROMIUM, "chromium is not installed")
    def test_a_browser_shows_the_table(self):
        page = self.place / "set.html"
        self.teff("view", "--html", page, self.set)
        shown = run([CHROMIUM, "--headless", "--no-sandbox", f"--user-data-dir={self.place}/profile", "--dump-dom",
                     "--virtual-time-budget=10000", f"file://{page}"])
        body = shown.out.decode(errors="replace").partition("<script")[0]
        lines = [line.split() for line in self.teff("report", self.set).text.splitlines()]
        table = next(at for at, line in enumerate(lines) if line[:3] == ["threads", "runs", "wall"])
        for threads, runs, wall, unit, *rest in lines[table + 1:table + 4]:
            speedup, efficiency = rest[-2:]
            spread = " ".join(rest[:-2])
            for cells in (f"<td>{wall} {unit}</td><td>{speedup}</td><td>{efficiency}</td>", f"<td>{runs}</td><td>{spread}</td>"):
                self.assertIn(cells, body, f"{threads} threads")


class SideBySide(ProductTest):
    """Two recordings on one page."""

    ASKED = "grains.json?by=work&most=3"

    def setUp(self):
        super().setUp()
        program = PROGRAMS / "scaled.c"
        self.before = self.record(self.compile(program), name="before.teff")
        self.after = self.record(self.compile(program, "-DLONGER"), name="after.teff")

    def test_the_page_has_the_figures_that_the_comparison_prints(self):
        data = data_of(self.teff("view", "--html", "-", self.before, self.after).out.decode())
        self.assertEqual(data["diff"], json.loads(self.teff("diff", "--json", self.before, self.after).out))
        self.assertGreater(sum(None not in row.values() for row in data["rows"]), 0)
        for site, row in zip(data["diff"]["sites"], data["rows"], strict=True):
            for side in ("before", "after"):
                self.assertEqual(site[side] is None, row[side] is None)
                if row[side] is not None:
                    shown = data[side]["sites"][row[side]]
                    named = [site[side][name] for name in ("file", "line", "function")]
                    self.assertEqual([shown[name] for name in ("file", "line", "function")], named)

    def test_each_recording_can_be_asked_about(self):
        server = Server(self.before, "--no-open", self.after)
        self.addCleanup(server.child.communicate, timeout=LIMIT_S)
        self.addCleanup(server.child.kill)
        for folder, status in (("before/", 200), ("after/", 200), ("", 404)):
            self.assertEqual(server.get(server.path + folder + self.ASKED)[0], status)

    def test_what_means_one_recording_is_refused_with_two(self):
        self.assertIn("--process", self.teff("view", "--process", "1", self.before, self.after, status=2).text)
        self.assertIn("AFTER", self.teff("view", "--threads", "2", self.before, status=2).text)
        self.assertIn("two recordings", self.teff("view", "--threads", "2", self.before, self.after, status=1).text)

    @unittest.skipUnless(CHROMIUM, "chromium is not installed")
    def test_a_browser_shows_both(self):
        page = self.place / "both.html"
        self.teff("view", "--html", page, self.before, self.after)
        shown = run([CHROMIUM, "--headless", "--no-sandbox", f"--user-data-dir={self.place}/profile", "--dump-dom",
                     "--virtual-time-budget=10000", f"file://{page}"])
        body = shown.out.decode(errors="replace").partition("<script")[0]
        wall = next(line for line in self.teff("diff", self.before, self.after).text.splitlines() if "wall time" in line)
        before, _, after = " ".join(wall.split()[2:7]).partition(" -> ")
        self.assertIn(f"{before} → {after}", body, shown.text[-2000:])
        self.assertEqual(body.count('aria-label="Time line"'), 2)


if __name__ == "__main__":
    unittest.main()
