# SPDX-License-Identifier: Apache-2.0
"""The functions that all checks share.

A check is a module check_NAME.py with one function, find_problems(root), which returns a list of
Problem. The function reads only files below `root`, so a test can give it a small tree with a known
fault.
"""

import dataclasses
import fnmatch
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

@dataclasses.dataclass(frozen=True, order=True)
class Problem:
    path: str
    line: int  # 0: the file as a whole
    text: str

    def __str__(self):
        place = f"{self.path}:{self.line}" if self.line else self.path
        return f"{place}: {self.text}"


def source_files(root):
    """All files of the project, relative to root: tracked ones, and new ones that git does not ignore. Where there is no
    repository, as in a tarball, or no git: those that no .gitignore names."""
    names = listed_by_git(root)
    if names is None:
        names = walk(root)
    return sorted(path for path in names if (root / path).is_file())


def listed_by_git(root):
    """None if git cannot list the files."""
    if not (root / ".git").exists() or shutil.which("git") is None:
        return None
    # The tree may belong to a different user than the one who runs the check.
    git = ["git", "-c", f"safe.directory={root}", "-C", str(root), "ls-files", "-z", "-co", "--exclude-standard"]
    done = subprocess.run(git, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"git does not list the files; going by .gitignore: {done.stderr.strip()}", file=sys.stderr)
        return None
    return [pathlib.Path(name) for name in done.stdout.split("\0") if name]


def walk(root):
    ignored = []  # (folder of the .gitignore, pattern)
    for folder, subfolders, names in os.walk(root):
        here = pathlib.Path(folder)
        if ".gitignore" in names:
            lines = (here / ".gitignore").read_text().splitlines()
            ignored += [(here, line) for line in lines if line.strip() and not line.startswith("#")]
        subfolders[:] = [name for name in subfolders if not is_ignored(here / name, True, ignored)]
        yield from ((here / name).relative_to(root) for name in names if not is_ignored(here / name, False, ignored))


def is_ignored(path, is_folder, ignored):
    """Knows patterns of three forms: /path, name, and either one with a slash behind it, for folders only."""
    if path.name == ".git":
        return True
    for base, pattern in ignored:
        if base not in path.parents or (pattern.endswith("/") and not is_folder):
            continue
        bare = pattern.rstrip("/")
        if fnmatch.fnmatch(f"/{path.relative_to(base)}" if bare.startswith("/") else path.name, bare):
            return True
    return False


def numbered_lines(path):
    """(number, line) pairs of a text file, from 1."""
    return enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1)


def run_as_script(name, find_problems):
    """The main function of a check: prints the problems and ends with status 1 if there are any."""
    problems = sorted(find_problems(ROOT))
    for problem in problems:
        print(problem)
    print(f"{name}: {len(problems)} problems" if problems else f"{name}: ok")
    sys.exit(bool(problems))
