# SPDX-License-Identifier: Apache-2.0
"""Tests that an installed tree works from any folder, and that all its files state the same
version."""

import json
import platform
import re
import shutil
import unittest

from harness import ROOT, ProductTest, folder_of_this_run, run

BUILD = ROOT / "build" / "release"
VERSION = (ROOT / "VERSION").read_text(encoding="utf-8").strip()
RUNTIME = "lib/teff/libgomp.so.1"
BINARIES = ("bin/teff", "libexec/teff/teff-machine", "lib/teff/libgomp.so.1.0.0", "lib/teff/libteff-audit.so",
            "lib/teff/libteff-distribute.so")
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
PROGRAM = """
#include <stdio.h>
int main(void) {
    int sum = 0;
    #pragma omp parallel
    #pragma omp single
    for (int i = 1; i <= 100; ++i) {
        #pragma omp task shared(sum)
        {
            #pragma omp atomic
            sum += i;
        }
    }
    FILE* maps = fopen("/proc/self/maps", "r");
    for (char line[4096]; fgets(line, sizeof line, maps);) fputs(line, stderr);
    printf("%d\\n", sum);
}
"""


def numbers(version):
    return tuple(int(word) for word in version.split("."))


class Installed(ProductTest):
    """The present build, installed in one folder and then moved to another."""

    @classmethod
    def setUpClass(cls):
        place = folder_of_this_run("install")
        first, cls.tree = place / "first", place / "second"
        done = run(["cmake", "--install", BUILD, "--strip", "--prefix", first], limit_s=180)
        assert done.status == 0, done.text
        shutil.move(first, cls.tree)
        cls.teff_there = cls.tree / "bin" / "teff"

    def there(self, *words, **options):
        done = run([self.teff_there, *words], cwd=self.place, **options)
        self.assertEqual(done.status, 0, f"{words}\n{done.text}")
        return done

    def program(self):
        source = self.place / "sum.c"
        source.write_text(PROGRAM, encoding="utf-8")
        return self.compile(source)

    def test_runs_on_its_own_runtime(self):
        done = self.there("run", "--", self.program())
        self.assertEqual(done.out, b"5050\n")
        self.assertIn(str(self.tree / "lib/teff/libgomp.so.1.0.0"), done.err.decode())

    def test_a_link_to_the_command_will_do(self):
        link = self.place / "teff"
        link.symlink_to(self.teff_there)
        done = run([link, "run", "--", self.program()], cwd=self.place)
        self.assertEqual((done.status, done.out), (0, b"5050\n"), done.text)

    def test_documents_link_only_to_installed_files(self):
        documents = list((self.tree / "share/doc/teff").rglob("*.md"))
        links = [(document, target) for document in documents
                 for target in LINK.findall(document.read_text(encoding="utf-8")) if "://" not in target]
        self.assertGreater(len(links), 100)
        self.assertEqual([link for link in links if not (link[0].parent / link[1]).exists()], [])

    def test_records_reports_and_draws(self):
        self.there("record", "-o", "sum.teff", "--", self.program())
        report = json.loads(self.there("report", "--json", "sum.teff").out)
        self.assertTrue(any("sum.c" in json.dumps(site) for site in report["sites"]), report["sites"])
        self.there("view", "--html", "sum.html", "sum.teff")
        self.assertGreater((self.place / "sum.html").stat().st_size, 100_000)
        predicted = self.there("predict", "--machine", "server", "--threads", "2", "sum.teff")
        self.assertIn("server", predicted.text)

    def test_does_not_take_another_libgomp_for_its_own(self):
        tree = self.place / "tree"
        (tree / "lib").mkdir(parents=True)
        shutil.copytree(self.tree / "bin", tree / "bin")
        shutil.copy(self.tree / RUNTIME, tree / "lib/libgomp.so.1")
        done = run([tree / "bin/teff", "run", "--", "true"])
        self.assertNotEqual(done.status, 0)
        self.assertIn("lib/teff/libgomp.so.1 is missing", done.text)

    def test_nothing_that_exists_to_study_is_installed(self):
        names = {path.name for path in self.tree.rglob("*") if not path.is_relative_to(self.tree / "share/doc")}
        self.assertFalse(names & {"processes", "instructions", "instructions.flags"})
        done = run([self.tree / "bin/teff", "run", "--processes", "2", "--", "true"])
        self.assertNotEqual(done.status, 0)
        self.assertIn("./run labs builds it", done.text)

    def test_symbols_lie_beside_what_they_are_of(self):
        for name in BINARIES:
            file = self.tree / name
            symbols = file.parent / ".debug" / f"{file.name}.debug"
            sections = run(["readelf", "-SW", file]).text
            self.assertNotIn(".symtab", sections, name)
            self.assertIn(".gnu_debuglink", sections, name)
            self.assertIn(".symtab", run(["readelf", "-SW", symbols]).text, name)
        self.assertIn(".debug_info", run(["readelf", "-SW", self.tree / "lib/teff/.debug/libgomp.so.1.0.0.debug"]).text)

    @unittest.skipIf(numbers(platform.libc_ver()[1]) > (2, 36), "headers of a later C library bind to that library")
    def test_needs_no_later_c_library_than_the_documents_say(self):
        for name in BINARIES:
            needed = {numbers(word) for word in re.findall(r"@GLIBC_([0-9.]+)", run(["nm", "-D", self.tree / name]).text)}
            self.assertLessEqual(max(needed), (2, 35), name)
        self.assertIn("glibc 2.35 or later", (self.tree / "share/doc/teff/docs/installing.md").read_text(encoding="utf-8"))

    def test_says_one_version_everywhere(self):
        self.assertEqual(self.there("--version").out.decode(), f"teff {VERSION}\n")
        self.there("record", "-o", "sum.teff", "--", self.program())
        meta = json.loads((self.place / "sum.teff/meta.json").read_text(encoding="utf-8"))
        self.assertEqual(meta["runtime"], VERSION)
        self.assertIn(f'"teff {VERSION}"', (self.tree / "share/man/man1/teff.1").read_text(encoding="utf-8"))

    def test_each_verb_has_a_page_and_is_completed(self):
        verbs = [line.split()[0] for line in self.there("--help").out.decode().splitlines()
                 if line.startswith("  ") and line[2:3].islower()]
        verbs = [verb for verb in verbs if verb not in ("help", "teff")]
        self.assertIn("record", verbs)
        pages = {path.name for path in (self.tree / "share/man/man1").iterdir()}
        self.assertEqual(pages, {"teff.1", *(f"teff-{verb}.1" for verb in verbs)})
        for file in ("bash-completion/completions/teff", "zsh/site-functions/_teff", "fish/vendor_completions.d/teff.fish"):
            text = (self.tree / "share" / file).read_text(encoding="utf-8")
            missing = [verb for verb in verbs if verb not in text]
            self.assertEqual(missing, [], file)
            self.assertNotIn("manual", text, file)

    def test_completes_in_bash(self):
        script = """
            source "$1"
            COMP_WORDS=(teff rec) COMP_CWORD=1
            _teff teff rec teff
            echo "${COMPREPLY[@]}"
        """
        done = run(["bash", "-c", script, "bash", self.tree / "share/bash-completion/completions/teff"])
        self.assertEqual(done.out.decode().split(), ["record"], done.text)

    def test_headers_and_documents_are_there(self):
        for name, headers in (("c.c", ["teff", "omp-tools"]), ("cpp.cpp", ["teff", "omp-tools", "teff_stat", "teff_trace"])):
            source = self.place / name
            text = "".join(f"#include <{header}.h>\n" for header in headers) + "int main(void) { return 0; }\n"
            source.write_text(text, encoding="utf-8")
            self.compile(source, f"-I{self.tree / 'include/teff'}")
        self.assertTrue((self.tree / "share/doc/teff/docs/installing.md").is_file())


if __name__ == "__main__":
    unittest.main()
