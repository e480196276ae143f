# SPDX-License-Identifier: Apache-2.0
"""Common parts of the recorder's tests: run programs with and without a recording."""

import functools
import hashlib
import json
import pathlib
import subprocess

from harness import (
    LIBRARY,
    TEFF,
    WERROR,
    ProductTest,
    environment,
    folder_of_this_run,
    run,
)

HERE = pathlib.Path(__file__).parent
PROGRAMS = HERE / "programs"
FLAGS = ["-std=gnu11", "-O2", "-g", "-Wall", "-Wextra", *WERROR]
RECORDING = "r.teff"  # in the folder that a program runs in


@functools.cache
def build_folder():
    return folder_of_this_run("recorder")


@functools.cache
def build(name, *sources, flags=("-fopenmp",)):
    target = build_folder() / name
    sources = [
        source if pathlib.Path(source).is_absolute() else PROGRAMS / source
        for source in sources or (f"{name}.c",)
    ]
    subprocess.run(["gcc", *FLAGS, *flags, *sources, "-o", target], check=True, timeout=60)
    return target


class Trial:
    """The result of a run: its status, its output, and the files that it left, without the recording."""

    def __init__(self, done, folder):
        said = done.err.decode(errors="replace").splitlines(keepends=True)
        self.status = done.status
        self.out = done.out.decode(errors="replace").replace(str(folder), "FOLDER")
        self.err = "".join(line for line in said if not line.startswith("teff: warning: "))
        self.warnings = "".join(line for line in said if line.startswith("teff: warning: "))
        self.files = {
            str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.rglob("*"))
            if path.is_file() and not path.is_relative_to(folder / RECORDING)
        }

    @property
    def seen(self):
        """All that somebody can see who does not know of the recording."""
        return self.status, self.out, self.err, self.files


def try_in(folder, command, recorded, threads=2, env=None, prefix=()):
    """Runs a program in a folder. `prefix`: what starts it."""
    settings = environment(
        threads, LD_LIBRARY_PATH=str(LIBRARY), TEFF_TRACE=str(folder / RECORDING)
    ) | (env or {})
    if not recorded:
        del settings["TEFF_TRACE"]
    return Trial(run([*prefix, *command], settings, cwd=folder), folder)


def first_process(recording):
    """The name of the recording's first process, which need not be the one with the most work."""
    return json.loads((recording / "meta.json").read_text())["pid"]


def report(recording):
    """What the recording says of its first process; None if it cannot be read."""
    try:
        first = first_process(recording)
    except (OSError, ValueError):
        return None
    done = run([TEFF, "report", "--json", "--process", first, recording])
    return json.loads(done.out) if done.status in (0, 3) else None  # 3: not whole


class GuestTest(ProductTest):
    """A test that compares runs; each has a folder of its own."""

    def folder(self, name):
        folder = self.place / name
        folder.mkdir()
        return folder

    def compare(self, *command, **options):
        """Asserts that both runs look the same. Returns the recorded one and its folder."""
        alone = try_in(self.folder("alone"), command, False, **options)
        folder = self.folder("recorded")
        recorded = try_in(folder, command, True, **options)
        self.maxDiff = None
        self.assertEqual(recorded.seen, alone.seen, recorded.warnings)
        return recorded, folder
