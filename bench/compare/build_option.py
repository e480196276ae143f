# SPDX-License-Identifier: Apache-2.0
"""The option --build DIR of tests that also run real programs."""

import sys
from pathlib import Path


def take_build():
    """Takes the option off the command line, which unittest reads later. Returns the folder; None if it is not given."""
    if "--build" not in sys.argv:
        return None
    at = sys.argv.index("--build")
    folder = Path(sys.argv[at + 1])
    del sys.argv[at:at + 2]
    return folder
