# SPDX-License-Identifier: Apache-2.0
# Situation: two libraries, each with its own libgomp under another file name, as in Python's wheels: one preloaded runtime serves both
# Catches: two runtimes in one process, with two pools and two sets of control variables.
# library: sum.so sum.c
# preload: yes
import ctypes
import os
import pathlib
import shutil
import subprocess

import situation_py as situation

NAMES = ("libgomp-a34b3233.so.1.0.0", "libgomp-d22c30c5.so.1.0.0")


def without_preload():
    return {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}


def run(*command):
    return subprocess.run(command, env=without_preload(), check=True, capture_output=True, text=True, timeout=30).stdout.strip()


def make_wheel(folder, runtime_name):
    """Does what auditwheel does: makes a copy of libgomp under another name, and a library that needs this name."""
    folder.mkdir()
    shutil.copy(run("gcc", "-print-file-name=libgomp.so.1"), folder / runtime_name)
    run("patchelf", "--set-soname", runtime_name, str(folder / runtime_name))
    library = folder / "sum.so"
    shutil.copy(pathlib.Path(os.environ["SITUATIONS_DIR"]) / "sum.so", library)
    run("patchelf", "--replace-needed", "libgomp.so.1", runtime_name, str(library))  # not both in one run: patchelf 0.14 breaks the file
    run("patchelf", "--set-rpath", "$ORIGIN", str(library))
    return library


def mapped_file_of(address):
    for line in pathlib.Path("/proc/self/maps").read_text().splitlines():
        span, *_, path = line.split(maxsplit=5) + [""] * (6 - len(line.split(maxsplit=5)))
        first, last = (int(end, 16) for end in span.split("-"))
        if first <= address < last:
            return path
    return "nothing"


if not shutil.which("patchelf"):
    situation.skip("no patchelf")
libraries = [ctypes.CDLL(str(make_wheel(pathlib.Path(name.split(".")[0]).resolve(), name))) for name in NAMES]
expected = os.path.realpath(os.environ["SITUATIONS_RUNTIME"])
for library in libraries:
    library.runtime_of_library.restype = ctypes.c_void_p
    library.sum_to.argtypes = [ctypes.c_long, ctypes.c_int]
    library.sum_to.restype = ctypes.c_long
    situation.check_equal("the runtime", os.path.realpath(mapped_file_of(library.runtime_of_library())), expected)
    situation.check_equal("the sum", library.sum_to(1000, 3), 500500)
libraries[0].set_default_threads(3)
situation.check_equal("the other library's default", libraries[1].default_threads(), 3)
situation.check_equal("threads", len(os.listdir("/proc/self/task")), 3)
