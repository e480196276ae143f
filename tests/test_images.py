# SPDX-License-Identifier: Apache-2.0
"""Debian's ImageMagick and GraphicsMagick give the same picture on Teff, byte for byte."""

import json
import pathlib
import shutil
import subprocess
import unittest

from harness import ProductTest, environment, run

THREADS = (2, 8)
SIZE = "1300x1000"


def debian_convert():
    """Debian's own program: another build of the same name may be found earlier in the path."""
    if shutil.which("dpkg") is None:
        return None
    packages = ["imagemagick-6.q16", "imagemagick-7.q16"]
    done = subprocess.run(["dpkg", "-L", *packages], capture_output=True, text=True, check=False)
    paths = [pathlib.Path(line) for line in done.stdout.split() if "/bin/convert" in line]
    return paths[0] if paths else None


CONVERT, GM = debian_convert(), shutil.which("gm")
IMAGEMAGICK = [CONVERT, "-seed", "42", "-size", SIZE, "plasma:red-blue", "-blur", "0x2", "-rotate", "17",
               "-modulate", "110,90,130", "-strip", "-depth", "8", "rgb:-"]
GRAPHICSMAGICK = [GM, "convert", "-size", SIZE, "gradient:orange-navy", "-blur", "0x2", "-resize", "70%", "-rotate", "17",
                  "-modulate", "110,90,130", "-edge", "1", "-depth", "8", "rgb:-"]


class Images(ProductTest):
    def check_same_bytes(self, command):
        stock = run(command, environment(2))
        self.assertEqual(stock.status, 0, stock.text[-400:])
        self.assertGreater(len(stock.out), 1_000_000)
        for threads in THREADS:
            with self.subTest(threads=threads):
                env = environment(threads, MAGICK_THREAD_LIMIT=str(threads))
                on_teff = self.teff("run", "--", *command, env=env)
                self.assertTrue(on_teff.out == stock.out, "teff run gave another picture")
                recording = self.place / f"{threads}.teff"
                recorded = self.teff("record", "-o", recording, "--", *command, env=env)
                self.assertTrue(recorded.out == stock.out, "teff record gave another picture")
                workers = json.loads(self.teff("report", "--json", recording).out)["workers"]
                # The programs decide how many threads they use for a picture: they may use fewer
                # than they are given.
                self.assertGreater(workers, 1 if threads > 2 else 0)

    @unittest.skipUnless(CONVERT and CONVERT.exists(), "Debian's imagemagick is not installed")
    def test_imagemagick(self):
        self.check_same_bytes(IMAGEMAGICK)

    @unittest.skipUnless(GM, "graphicsmagick is not installed")
    def test_graphicsmagick(self):
        self.check_same_bytes(GRAPHICSMAGICK)


if __name__ == "__main__":
    unittest.main()
