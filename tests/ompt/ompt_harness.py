# SPDX-License-Identifier: Apache-2.0
"""Common parts of the OMPT tests: build the tool, run a program under it, read its log."""

import functools
import pathlib
import subprocess

from events import parse
from harness import (
    LIBRARY,
    ROOT,
    WERROR,
    ProductTest,
    environment,
    folder_of_this_run,
    run,
)

HERE = pathlib.Path(__file__).parent
PROGRAMS = HERE / "programs"
TOOL_SOURCES = sorted((HERE / "tool").glob("*.c"))
TOOL_FLAGS = ["-std=gnu11", "-O2", "-g", "-Wall", "-Wextra", *WERROR, "-I", str(ROOT / "runtime" / "include")]


@functools.cache
def build_folder():
    return folder_of_this_run("ompt")


@functools.cache
def tool():
    """The tool as a library of its own."""
    library = build_folder() / "libtool.so"
    subprocess.run(["gcc", *TOOL_FLAGS, "-fPIC", "-shared", "-fvisibility=hidden", *TOOL_SOURCES, "-o", library], check=True,
                   timeout=60)
    return library


@functools.cache
def libomp_folder():
    """A folder in which libgomp.so.1 is libomp, which also runs GCC's programs; None if libomp is not installed."""
    found = sorted(pathlib.Path("/usr/lib").glob("llvm-*/lib/libomp.so"))
    if not found:
        return None
    folder = build_folder() / "libomp"
    folder.mkdir()
    (folder / "libgomp.so.1").symlink_to(found[-1])
    return folder


class Run:
    """A run's end and what the tool wrote."""

    def __init__(self, finished, log):
        self.status, self.finished, self.log = finished.status, finished, log

    @property
    def events(self):
        return parse(self.log)

    @property
    def text(self):
        return self.finished.text


class OmptTest(ProductTest):
    def run_with_tool(self, command, threads=2, library=LIBRARY, attach=None, limit_s=60, **extra):
        """attach: variables that load the tool; without them, OMP_TOOL_LIBRARIES names it."""
        log = self.place / "events.log"
        log.unlink(missing_ok=True)
        if attach is None:
            attach = {"OMP_TOOL_LIBRARIES": str(tool())}
        env = environment(threads, OMPT_LOG=str(log), LD_LIBRARY_PATH=str(library), **attach, **extra)
        finished = run(command if isinstance(command, list) else [command], env, limit_s, cwd=self.place)
        return Run(finished, log.read_text() if log.exists() else "")
