#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shellcheck finds nothing in the shell scripts, ruff nothing in those of Python (.shellcheckrc, ruff.toml).

A tool that is not installed is left out, and the check says so: nothing else needs them.
"""

import json
import shutil
import subprocess

import checklib

LIMIT_S = 120


def is_shell(root, path):
    if path.suffix == ".sh":
        return True
    if path.suffix:
        return False
    with (root / path).open("rb") as file:
        return file.readline(80).split(b"/")[-1].split()[-1:] in ([b"bash"], [b"sh"])


def output_of(root, command):
    return subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=LIMIT_S, check=False).stdout


def shell_problems(root, paths):
    scripts = [str(path) for path in paths if is_shell(root, path)]
    found = json.loads(output_of(root, ["shellcheck", "-x", "--format=json", *scripts]) or "[]") if scripts else []
    for each in found:
        yield checklib.Problem(each["file"], each["line"], f"{each['message']} (SC{each['code']})")


def python_problems(root, paths):
    scripts = [str(path) for path in paths if path.suffix == ".py"]
    command = ["ruff", "check", "--no-cache", "--output-format=json", *scripts]
    for each in json.loads(output_of(root, command) or "[]") if scripts else []:
        path = each["filename"].removeprefix(f"{root}/")
        yield checklib.Problem(path, each["location"]["row"], f"{each['message']} ({each['code']})")


LINTERS = {"shellcheck": shell_problems, "ruff": python_problems}


def find_problems(root):
    paths = checklib.source_files(root)
    problems = []
    for tool, linter in LINTERS.items():
        if shutil.which(tool):
            problems += linter(root, paths)
        else:
            print(f"check_scripts: {tool} is not installed: left out")
    return problems


if __name__ == "__main__":
    checklib.run_as_script("check_scripts", find_problems)
