# SPDX-License-Identifier: Apache-2.0
"""The runtimes to compare: where each runtime is found, and the environment in which a program
built by GCC runs on this runtime.
"""

import glob
import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

# Settings that would make one runtime behave unlike its default.
SETTING = re.compile(r"(OMP|GOMP|KMP|LIBOMP|TEFF|TBB)_")
LIBOMP_PATTERNS = ("/usr/lib/llvm-19/lib/libomp.so.5", "/usr/lib/llvm-*/lib/libomp.so.5", "/usr/lib*/libomp.so*")


@dataclass
class Runtime:
    name: str
    library_dir: Path | None = None  # holds libgomp.so.1; None: the system's own
    missing: str = ""  # why it cannot be used; empty if it can
    is_tbb: bool = False
    extra: dict = field(default_factory=dict)

    def environment(self, threads):
        clean = {name: value for name, value in os.environ.items() if not SETTING.match(name)}
        clean.pop("LD_LIBRARY_PATH", None)
        clean.pop("LD_PRELOAD", None)
        if self.library_dir:
            clean["LD_LIBRARY_PATH"] = str(self.library_dir)
        return clean | {"OMP_NUM_THREADS": str(threads)} | self.extra


def find_libomp():
    for pattern in LIBOMP_PATTERNS:
        for path in sorted(glob.glob(pattern), reverse=True):
            return Path(path)
    return None


def libomp(scratch):
    """LLVM's runtime also has GCC's entry points, so unmodified programs run on it by a link of that name."""
    library = find_libomp()
    if not library:
        return Runtime("libomp", missing="no libomp.so.5 under /usr/lib/llvm-*/lib (Debian: libomp-19-dev)")
    folder = Path(scratch) / "libomp"
    folder.mkdir()
    (folder / "libgomp.so.1").symlink_to(library)
    return Runtime("libomp", folder)


def teff(library_dir):
    library = Path(library_dir) / "libgomp.so.1"
    if not library.exists():
        return Runtime("teff", missing=f"{library} does not exist (build it with ./run build)")
    return Runtime("teff", Path(library_dir).resolve())


def tbb(binary_dir):
    if not list(Path(binary_dir).glob("tbb_*")):
        return Runtime("tbb", missing=f"no tbb_* programs in {binary_dir} (Debian: libtbb-dev)", is_tbb=True)
    return Runtime("tbb", is_tbb=True)


def resolved_library(program, runtime):
    """The libgomp.so.1 that `program` would load, as the dynamic linker says."""
    if not shutil.which("ldd"):
        return None
    listing = subprocess.run(
        ["ldd", str(program)], env=runtime.environment(1), capture_output=True, text=True, timeout=30, check=False
    )
    found = re.search(r"libgomp\.so\.1 => (\S+)", listing.stdout)
    return Path(found.group(1)) if found else None


def confirm(runtime, program):
    """Marks the runtime as missing if the dynamic linker would not load it: else a runtime might be compared with
    itself."""
    if runtime.missing or runtime.is_tbb or not runtime.library_dir:
        return
    library = resolved_library(program, runtime)
    if library and library.parent.resolve() != runtime.library_dir.resolve():
        runtime.missing = f"{program} loads {library} instead of {runtime.library_dir}/libgomp.so.1"
