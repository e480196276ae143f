# SPDX-License-Identifier: Apache-2.0
"""The runtimes on which the situations are tried. Each is a libgomp.so.1, found by the library
path.
"""

import glob
import pathlib
import subprocess
from dataclasses import dataclass

from situation import BUILD, ROOT

LIBOMP_PATTERNS = ("/usr/lib/llvm-19/lib/libomp.so.5", "/usr/lib/llvm-*/lib/libomp.so.5")


@dataclass
class Runtime:
    name: str
    library: pathlib.Path | None
    directory: pathlib.Path | None = None  # for the library path; none for the system's own
    missing: str = ""


def teff(directory=ROOT / "build" / "lib"):
    directory = pathlib.Path(directory).resolve()
    library = directory / "libgomp.so.1"
    missing = "" if library.exists() else f"there is no {library}; build it with ./run build"
    return Runtime("Teff", library, directory, missing)


def libgomp():
    done = subprocess.run(["gcc", "-print-file-name=libgomp.so.1"], capture_output=True, text=True, timeout=30, check=False)
    library = pathlib.Path(done.stdout.strip())
    if not library.is_absolute():
        return Runtime("libgomp", None, missing="gcc knows no libgomp.so.1")
    return Runtime("libgomp", library.resolve())


def libomp():
    """LLVM's runtime also has GCC's entry points, so unmodified programs run on it by a link of that name."""
    found = [path for pattern in LIBOMP_PATTERNS for path in sorted(glob.glob(pattern), reverse=True)]
    if not found:
        return Runtime("libomp", None, missing="no libomp.so.5 under /usr/lib/llvm-*/lib (Debian: libomp-19-dev)")
    directory = BUILD / "libomp"
    directory.mkdir(parents=True, exist_ok=True)
    link = directory / "libgomp.so.1"
    link.unlink(missing_ok=True)
    link.symlink_to(found[0])
    return Runtime("libomp", link, directory)
