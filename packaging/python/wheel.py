#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the Python wheel of an installed tree.

    wheel.py TREE OUT       writes OUT/teff-VERSION-py3-none-PLATFORM.whl

The command goes where pip puts scripts, and the rest below the same prefix, so that the command finds it as it does
everywhere. The platform is the oldest one that auditwheel finds the tree fit for. Times in the archive are
SOURCE_DATE_EPOCH. Needs auditwheel.
"""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
VERSION = (ROOT / "VERSION").read_text(encoding="utf-8").strip()
INFO = f"teff-{VERSION}.dist-info"
DATA = f"teff-{VERSION}.data"
# A wheel has no links. So of libgomp.so.1.0.0 and the links to it, only the name for which the
# loader looks is kept.
LIBRARY = "lib/teff/libgomp.so.1"
PARTS = ("lib/teff/libteff-audit.so", "lib/teff/libteff-distribute.so", "libexec", "include", "share/teff", "share/man",
         "share/bash-completion", "share/zsh", "share/fish")
METADATA = f"""\
Metadata-Version: 2.1
Name: teff
Version: {VERSION}
Summary: OpenMP runtime and profiler that shows every task and loop chunk
License: Apache-2.0
Requires-Python: >=3.8
Classifier: Operating System :: POSIX :: Linux
Classifier: Topic :: Software Development :: Debuggers
Description-Content-Type: text/markdown

"""


def contents(tree):
    """(name in the wheel, bytes, whether it is a program) of everything but RECORD and WHEEL."""
    package = ROOT / "packaging/python/teff"
    for path in sorted(package.glob("*.py")):
        yield f"teff/{path.name}", path.read_bytes(), False
    yield f"{DATA}/scripts/teff", (tree / "bin/teff").read_bytes(), True
    yield f"{DATA}/data/{LIBRARY}", (tree / LIBRARY).read_bytes(), True
    for part in PARTS:
        top = tree / part
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            if path.is_file() and ".debug" not in path.parts:
                yield f"{DATA}/data/{path.relative_to(tree)}", path.read_bytes(), os.access(path, os.X_OK)
    doc = tree / "share/doc/teff"
    for name in ("LICENSE", "third-party-licences.txt", "sbom.cdx.json"):
        yield f"{INFO}/licenses/{name}", (doc / name).read_bytes(), False
    text = (doc / "docs/installing.md").read_text(encoding="utf-8")
    yield f"{INFO}/METADATA", (METADATA + text).encode(), False


def add(archive, name, data, is_program):
    # The format cannot express a time before 1980.
    moment = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), 315532800))
    entry = zipfile.ZipInfo(name, moment[:6])
    entry.external_attr = (0o100755 if is_program else 0o100644) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, data)


def write(tree, folder, platform):
    """Writes the wheel for one platform."""
    path = folder / f"teff-{VERSION}-py3-none-{platform}.whl"
    wheel = f"Wheel-Version: 1.0\nGenerator: teff\nRoot-Is-Purelib: false\nTag: py3-none-{platform}\n".encode()
    record = []
    with zipfile.ZipFile(path, "w") as archive:
        for name, data, is_program in [*contents(tree), (f"{INFO}/WHEEL", wheel, False)]:
            add(archive, name, data, is_program)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}\n")
        add(archive, f"{INFO}/RECORD", "".join([*record, f"{INFO}/RECORD,,\n"]).encode(), False)
    return path


def oldest_platform(wheel):
    """The oldest platform on which the wheel's files run, as auditwheel says, such as manylinux_2_28_x86_64."""
    command = [sys.executable, "-m", "auditwheel", "show", str(wheel)]
    done = subprocess.run(command, check=True, timeout=60, stdout=subprocess.PIPE, text=True)
    found = re.search(r'platform tag:\s*"?([a-z0-9_]+)', " ".join(done.stdout.split()))
    if not found:
        sys.exit(f"wheel.py: auditwheel names no platform:\n{done.stdout}")
    return found[1]


def main():
    tree, folder = map(pathlib.Path, sys.argv[1:])
    first = write(tree, folder, f"linux_{os.uname().machine}")
    platform = oldest_platform(first)
    first.unlink()
    print(f"auditwheel: {platform}")
    write(tree, folder, platform)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main()
