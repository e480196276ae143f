#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the messages of commits: a title has at most 72 columns, and the second line is empty.

check_titles.py [RANGE]            these commits [default: all since the rule began]
check_titles.py --message FILE     the message of a commit that is about to be made
"""

import argparse
import pathlib
import subprocess
import sys

import checklib

WIDEST = 72
FIRST = "fed978397946"  # the last commit before the rule


def judge(message):
    """What is wrong with a message."""
    lines = message.splitlines() or [""]
    title = lines[0]
    if not title.strip():
        yield "has no title"
    if len(title) > WIDEST and not title.startswith(("Merge ", "Revert ")):
        yield f"has a title of {len(title)} columns, more than {WIDEST}"
    if len(lines) > 1 and lines[1].strip():
        yield "has no empty line between title and body"


def messages(root, commits):
    """(hash, message) of the commits; empty if there is no history."""
    git = ["git", "-c", f"safe.directory={root}", "-C", str(root)]
    done = subprocess.run([*git, "log", "--no-merges", "-z", "--format=%h%n%B", commits, "--"],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        return []
    return [tuple(entry.split("\n", 1)) for entry in done.stdout.split("\0") if entry.strip()]


def find_problems(root, commits=f"{FIRST}..HEAD"):
    if not (root / ".git").exists():
        return []
    return [checklib.Problem(f"commit {name}", 0, text) for name, message in messages(root, commits) for text in judge(message)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("range", nargs="?", default=f"{FIRST}..HEAD")
    parser.add_argument("--message", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.message:
        lines = [line for line in arguments.message.read_text().splitlines() if not line.startswith("#")]
        problems = list(judge("\n".join(lines)))
    else:
        problems = find_problems(checklib.ROOT, arguments.range)
    for problem in problems:
        print(problem)
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
