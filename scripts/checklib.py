# SPDX-License-Identifier: Apache-2.0
"""What the checks share.

A check is a module check_NAME.py with one function, find_problems(root), which returns a list of Problem. It looks at a
tree of files below `root` and nothing else, so that a test can hand it a small tree that is wrong on purpose.
"""

import dataclasses
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Where there is no git to ask, folders that hold what was built or fetched.
GENERATED = {"build", "node_modules", "target", "dist", ".git", ".cache", "__pycache__"}


@dataclasses.dataclass(frozen=True, order=True)
class Problem:
    path: str
    line: int  # 0: the file as a whole
    text: str

    def __str__(self):
        place = f"{self.path}:{self.line}" if self.line else self.path
        return f"{place}: {self.text}"


def source_files(root):
    """All files of the project, relative to root: tracked ones, and new ones that git does not ignore."""
    # The tree may belong to another user than the one who runs the check.
    git = ["git", "-c", f"safe.directory={root}", "-C", str(root), "ls-files", "-z", "-co", "--exclude-standard"]
    if (root / ".git").exists():
        listing = subprocess.run(git, check=True, capture_output=True, text=True).stdout
        paths = [pathlib.Path(name) for name in listing.split("\0") if name]
    else:
        paths = [path.relative_to(root) for path in walk(root)]
    return sorted(path for path in paths if (root / path).is_file())


def walk(root):
    for folder, subfolders, names in os.walk(root):
        subfolders[:] = [name for name in subfolders if name not in GENERATED]
        yield from (pathlib.Path(folder) / name for name in names)


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
