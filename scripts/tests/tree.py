# SPDX-License-Identifier: Apache-2.0
"""A small tree of files for a check to look at."""

import contextlib
import pathlib
import tempfile


@contextlib.contextmanager
def tree(files):
    """A temporary folder with the given {path: text}; gone afterwards."""
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        yield root


def problems(find_problems, files):
    """What a check says about the tree, as lines of text."""
    with tree(files) as root:
        return [str(problem).replace(str(root), "") for problem in sorted(find_problems(root))]
