# SPDX-License-Identifier: Apache-2.0
"""The option --build DIR of tests that also run real programs."""

import sys
from pathlib import Path


def take_build():
    """Removes the option from the command line, which unittest reads later. Returns the folder, or None if the
    option is not given."""
    if "--build" not in sys.argv:
        return None
    at = sys.argv.index("--build")
    folder = Path(sys.argv[at + 1])
    del sys.argv[at:at + 2]
    return folder
