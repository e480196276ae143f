#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the shell scripts with shellcheck and the Python scripts with ruff (.shellcheckrc,
ruff.toml).

Each tool is taken from build/linters, where `./run test checks` installs ruff, or from the path. A
tool that is not installed is skipped, and the check says so, because nothing else needs these
tools.
"""

import json
import os
import shutil
import subprocess

import checklib

LIMIT_S = 120
FOLDERS = os.pathsep.join([str(checklib.ROOT / "build/linters/bin"), os.environ.get("PATH", os.defpath)])


def found_tool(name):
    return shutil.which(name, path=FOLDERS)


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
    found = json.loads(output_of(root, [found_tool("shellcheck"), "-x", "--format=json", *scripts]) or "[]") if scripts else []
    for each in found:
        yield checklib.Problem(each["file"], each["line"], f"{each['message']} (SC{each['code']})")


def python_problems(root, paths):
    scripts = [str(path) for path in paths if path.suffix == ".py"]
    command = [found_tool("ruff"), "check", "--no-cache", "--output-format=json", *scripts]
    for each in json.loads(output_of(root, command) or "[]") if scripts else []:
        path = each["filename"].removeprefix(f"{root}/")
        yield checklib.Problem(path, each["location"]["row"], f"{each['message']} ({each['code']})")


LINTERS = {"shellcheck": shell_problems, "ruff": python_problems}


def skipped():
    """The tools that are not installed."""
    return [tool for tool in LINTERS if not found_tool(tool)]


def find_problems(root):
    paths = checklib.source_files(root)
    missing = skipped()
    for tool in missing:
        print(f"check_scripts: skipped: {tool} is not installed")
    return [problem for tool, linter in LINTERS.items() if tool not in missing for problem in linter(root, paths)]


if __name__ == "__main__":
    checklib.run_as_script("check_scripts", find_problems)
