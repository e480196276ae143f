#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs situations as root on an emulated machine with Debian's kernel, four processors, and control
groups of version 2 only.

    emulated.py                   runs the situations about control groups and affinity (machine/)
    emulated.py machine/quota     runs the situations whose name contains one of the words

No suite runs this. It needs qemu-system-x86, and downloads Debian's packages of the kernel and
busybox once. Ends with the line "N passed, N failed".
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

import runtimes
from run import chosen
from situation import BUILD, SKIPPED

PLACE = BUILD / "emulated"
PACKAGES = ("linux-image-cloud-amd64", "busybox-static")
LIMIT_S = 600

INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t tmpfs tmp /tmp
mount -t devtmpfs dev /dev
mount -t cgroup2 cgroup2 /sys/fs/cgroup
export LD_LIBRARY_PATH=/lib
cd /tmp
{programs}
poweroff -f
"""


def download():
    """The kernel and busybox, unpacked."""
    if (PLACE / "root" / "bin" / "busybox").exists():
        return
    PLACE.mkdir(parents=True, exist_ok=True)
    depends = subprocess.run(["apt-cache", "depends", PACKAGES[0]], capture_output=True, text=True, timeout=60, check=True).stdout
    kernel = re.search(r"Depends: (linux-image-\S+)", depends).group(1)
    subprocess.run(["apt-get", "download", "-q", kernel, PACKAGES[1]], cwd=PLACE, timeout=300, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for package in PLACE.glob("*.deb"):
        subprocess.run(["dpkg", "-x", package, PLACE / "root"], timeout=120, check=True)


def cpio_entry(name, mode, data):
    """One file of an initial file system, in the format that the kernel calls newc."""
    fields = [0, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0]
    head = b"070701" + b"".join(b"%08x" % field for field in fields) + name.encode() + b"\0"
    return head + b"\0" * (-len(head) % 4) + data + b"\0" * (-len(data) % 4)


def needed_libraries(program, library):
    """The libraries that the dynamic linker would load, by the name for which it looks; the runtime instead of the
    system's libgomp."""
    listing = subprocess.run(["ldd", program], capture_output=True, text=True, timeout=30, check=True).stdout
    files = {pathlib.Path(found).name: pathlib.Path(found) for found in re.findall(r"(/\S+) \(0x", listing)}
    return files | {"libgomp.so.1": library}


def file_system(situations, library):
    directories = ["bin", "lib", "lib64", "proc", "sys", "tmp", "dev", "programs"]
    parts = [cpio_entry(name, 0o040755, b"") for name in directories]
    parts.append(cpio_entry("bin/busybox", 0o100755, (PLACE / "root" / "bin" / "busybox").read_bytes()))
    libraries, lines = {}, []
    for situation in situations:
        libraries |= needed_libraries(situation.binary, library)
        parts.append(cpio_entry(f"programs/{situation.binary.name}", 0o100755, situation.binary.read_bytes()))
        settings = f"OMP_NUM_THREADS=4 {situation.word('env')}"
        lines.append(f"env {settings} timeout {situation.limit_s * 5:.0f} /programs/{situation.binary.name}; echo \"RESULT {situation.name} $?\"")
    for name, path in libraries.items():
        folder = "lib64" if name.startswith("ld-linux") else "lib"
        parts.append(cpio_entry(f"{folder}/{name}", 0o100755, path.resolve().read_bytes()))
    parts.append(cpio_entry("init", 0o100755, INIT.format(programs="\n".join(lines)).encode()))
    return b"".join(parts) + cpio_entry("TRAILER!!!", 0, b"")


def boot(image):
    kernel = next((PLACE / "root" / "boot").glob("vmlinuz-*"))
    command = ["qemu-system-x86_64", "-accel", "tcg", "-cpu", "max", "-smp", "4", "-m", "768", "-nographic", "-no-reboot", "-kernel", kernel,
               "-initrd", image, "-append", "console=ttyS0 quiet panic=-1"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT_S, check=False)
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1bc|\r", "", done.stdout.decode(errors="replace"))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", default=["machine/"])
    parser.add_argument("--lib", help="folder of the libgomp.so.1 to test")
    return parser.parse_args()


def main():
    args = arguments()
    if not shutil.which("qemu-system-x86_64"):
        sys.exit("tests/situations/emulated.py: there is no qemu-system-x86_64; install Debian's package qemu-system-x86")
    runtime = runtimes.teff(args.lib) if args.lib else runtimes.teff()
    situations = [s for s in chosen(args.words) if s.source.suffix != ".py" and "library" not in s.head]
    for situation in situations:
        complaint = situation.build()
        if complaint:
            sys.exit(complaint)
    download()
    image = PLACE / "image"
    image.write_bytes(file_system(situations, runtime.library.resolve()))
    console = boot(image)
    print(console)
    results = re.findall(r"RESULT (\S+) (\d+)$", console, re.MULTILINE)
    passed = sum(status == "0" for _, status in results)
    skipped = sum(int(status) == SKIPPED for _, status in results)
    if skipped:
        print(f"{skipped} skipped")
    print(f"{passed} passed, {len(situations) - passed - skipped} failed")
    sys.exit(passed + skipped != len(situations))


if __name__ == "__main__":
    main()
