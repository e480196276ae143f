# SPDX-License-Identifier: Apache-2.0
"""`python -m teff VERB ...` is the command `teff VERB ...`, with two things more for Python's programs.

If the program is a script of Python, as in `python -m teff record -o out.teff script.py 1000`, this interpreter starts it. And
with glibc before 2.35 the runtime is preloaded: packages from PyPI carry a libgomp of their own under a changed name, which
only a later dynamic linker can be asked to replace.
"""

import importlib.metadata
import os
import platform
import sys

STARTS = {"run", "stat", "record", "sweep"}
# Options of these verbs whose value is the next word.
WITH_VALUE = {"-o", "--output", "--over", "--runs", "--repeat", "--threads", "-e", "--events", "--times", "--every", "--devices", "--processes", "--transport",
              "--distribute", "--at-least", "--delay", "--duration", "--last", "--pid",
              "--counters"}
FOLDER = "lib/teff"
LIBRARY = "libgomp.so.1"


def command():
    """The executable of this distribution, in the folder where the installer has put scripts."""
    for file in importlib.metadata.files("teff") or []:
        if file.name == "teff" and file.parent.name == "bin":
            return os.path.realpath(file.locate())
    sys.exit("teff: the command of this package is missing; install it again: pip install --force-reinstall teff")


def started_by(interpreter, words):
    """The words of a verb, with the interpreter before the program if the program is a Python script."""
    at, separator = 0, ["--"]
    while at < len(words) and words[at].startswith("-"):
        if words[at] == "--":
            at, separator = at + 1, []
            break
        at += 2 if words[at] in WITH_VALUE else 1
    if at < len(words) and words[at].endswith(".py") and os.path.isfile(words[at]):
        return [*words[:at], *separator, interpreter, *words[at:]]
    return words


def preloaded(executable, environment):
    """The runtime that the command uses, as LD_PRELOAD names it. Empty if LD_PRELOAD cannot contain its path; the
    command then says so."""
    place = environment.get("TEFF_LIB") or os.path.join(os.path.dirname(os.path.dirname(executable)), FOLDER)
    library = os.path.abspath(place if os.path.isfile(place) else os.path.join(place, LIBRARY))
    return [] if set(library) & set(" :;") else [library]


def glibc_is_old():
    name, version = platform.libc_ver()
    return name == "glibc" and [int(number) for number in version.split(".")[:2]] < [2, 35]


def main():
    words, environment, executable = sys.argv[1:], dict(os.environ), command()
    if words and words[0] in STARTS:
        words = [words[0], *started_by(sys.executable, words[1:])]
        earlier = environment.get("LD_PRELOAD")
        objects = (preloaded(executable, environment) if glibc_is_old() else []) + ([earlier] if earlier else [])
        if objects:
            environment["LD_PRELOAD"] = ":".join(objects)
    os.execve(executable, [executable, *words], environment)


if __name__ == "__main__":
    main()
