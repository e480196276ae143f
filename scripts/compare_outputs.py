#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what two builds of teff make of the same recordings, byte by byte.

For a change of the reader that must not change any result: reports, exports, predictions, and
comparisons of each recording with the next one. Prints what differs and the number of outputs.

example: scripts/compare_outputs.py old/bin/teff build/bin/teff recordings/*.teff
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

FORMATS = ["graphml", "dot", "dependences", "perfetto", "speedscope", "firefox", "folded", "parquet", "csv", "mir",
           "taskgraph"]
OUTPUT = "{OUTPUT}"
LIMIT_S = 300


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("recordings", type=Path, nargs="+")
    return parser.parse_args()


def commands(recording, following):
    """What is run; OUTPUT stands for the file to write."""
    yield ["report", recording]
    yield ["report", "--json", "--metrics", recording]
    yield ["report", "--json", "--partial", "--from", "0.0005", recording]
    yield ["predict", "--json", recording]
    yield ["diff", "--json", recording, following]
    yield ["view", "--no-source", "--html", OUTPUT, recording]
    for name in FORMATS:
        yield ["export", "--format", name, "-o", OUTPUT, recording]


def files(path):
    if path.is_dir():
        return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}
    return path.read_bytes() if path.exists() else None


def run(teff, command):
    """All that a command gives: status, standard output and error, the files that it writes."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "output"
        words = [str(output if word == OUTPUT else word) for word in command]
        done = subprocess.run([str(teff.resolve()), *words], capture_output=True, timeout=LIMIT_S, check=False)
        printed = [text.replace(folder.encode(), b"") for text in (done.stdout, done.stderr)]
        return done.returncode, printed, files(output)


def main():
    options = parse_arguments()
    recordings = options.recordings
    outputs = failed = different = 0
    for recording, following in zip(recordings, recordings[1:] + recordings[:1]):
        for command in commands(recording, following):
            old, new = run(options.old, command), run(options.new, command)
            outputs += 1
            failed += old[0] != 0
            if old != new:
                different += 1
                print("differs:", *command)
    print(f"{outputs} outputs of {len(recordings)} recordings compared: {different} differ "
          f"({failed} are of commands that fail with the old build)")
    sys.exit(different > 0)


if __name__ == "__main__":
    main()
