# SPDX-License-Identifier: Apache-2.0
"""`python -m teff VERB ...` is the command `teff VERB ...`, with two things more for Python's programs.

A word that names a script, as in `python -m teff record -o out.teff script.py 1000`, is started by this interpreter. And the
runtime is preloaded: packages from PyPI carry a libgomp of their own under a changed name, which the loader would take for
their calls otherwise.
"""

import importlib.metadata
import os
import sys

STARTS = {"run", "stat", "record"}
LIBRARY = "lib/teff/libgomp.so.1"


def command():
    """The executable of this distribution: wherever its installer has put scripts."""
    for file in importlib.metadata.files("teff") or []:
        if file.name == "teff" and file.parent.name == "bin":
            return os.path.realpath(file.locate())
    sys.exit("teff: the command of this package is missing; install it again: pip install --force-reinstall teff")


def started_by(interpreter, words):
    """The words of a verb, with the interpreter before a script."""
    for at, word in enumerate(words):
        if word == "--" and at + 1 < len(words):
            return words[: at + 1] + ([interpreter] if words[at + 1].endswith(".py") else []) + words[at + 1:]
        if word.endswith(".py") and os.path.isfile(word):
            return [*words[:at], "--", interpreter, *words[at:]]
    return words


def main():
    words, environment, executable = sys.argv[1:], dict(os.environ), command()
    if words and words[0] in STARTS:
        words = [words[0], *started_by(sys.executable, words[1:])]
        library = os.path.join(os.path.dirname(os.path.dirname(executable)), LIBRARY)
        earlier = environment.get("LD_PRELOAD")
        environment["LD_PRELOAD"] = f"{library}:{earlier}" if earlier else library
    os.execve(executable, [executable, *words], environment)


if __name__ == "__main__":
    main()
