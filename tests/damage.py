#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Damages recordings at random, and checks that no verb takes a damaged recording for a whole one.

Each damage belongs to a kind, and is determined by a number. `teff report` must then

- refuse the recording: status 1, and a message that names a file of it; or
- mark it: status 3, the kind and text in the JSON, the text as its first line, and no finding; or
- report what it reported before, if the damage changed nothing that is read.

Run as a program it makes many damages and prints how they ended:

    tests/damage.py --number 1000
    tests/damage.py --number 100 --teff OTHER/teff      what another build says of the same damages
"""

import argparse
import collections
import json
import pathlib
import random
import shutil
import tempfile

import harness

PROGRAMS = sorted((harness.ROOT / "tests" / "damaged").glob("*.c"))
CHUNK = 1 << 20
PAGE = 4096
THREADS = 3

# How a report of a damaged recording ends.
REFUSED, MARKED, SAME, WRONG = "refused", "marked", "same", "wrong"


class Recording:
    """The files of a recording, in memory. A stream has the bytes up to its last record, and the rest of its file."""

    def __init__(self, folder):
        self.files = {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}

    @property
    def streams(self):
        return sorted(name for name in self.files if name.startswith("stream-") and self.files[name])

    def used(self, name):
        return max(len(self.files[name].rstrip(b"\0")), 1)

    def patch(self, name, at, data):
        old = self.files[name]
        self.files[name] = old[:at] + data + old[at + len(data):]

    def write(self, folder):
        if folder.exists():
            shutil.rmtree(folder)
        folder.mkdir()
        for name, data in self.files.items():
            (folder / name).write_bytes(data)


def a_stream(recording, rng):
    return rng.choice(recording.streams)


def cut(recording, rng, _other):
    name = a_stream(recording, rng)
    recording.files[name] = recording.files[name][:rng.randrange(recording.used(name))]


def cut_at_chunk(recording, rng, _other):
    name = max(recording.streams, key=recording.used)
    chunks = (recording.used(name) - 1) // CHUNK
    recording.files[name] = recording.files[name][:rng.randint(0, chunks) * CHUNK]


def empty(recording, rng, _other):
    recording.files[a_stream(recording, rng)] = b""


def empty_all(recording, _rng, _other):
    for name in recording.streams:
        recording.files[name] = b""


def delete(recording, rng, _other):
    del recording.files[a_stream(recording, rng)]


def delete_all(recording, _rng, _other):
    for name in recording.streams:
        del recording.files[name]


def flip_bit(recording, rng, _other):
    name = a_stream(recording, rng)
    at = rng.randrange(recording.used(name))
    recording.patch(name, at, bytes([recording.files[name][at] ^ 1 << rng.randrange(8)]))


def flip_bytes(recording, rng, other):
    for _ in range(rng.randint(2, 40)):
        flip_bit(recording, rng, other)


def zero_page(recording, rng, _other):
    name = a_stream(recording, rng)
    at = rng.randrange(recording.used(name)) // PAGE * PAGE
    recording.patch(name, at, bytes(min(PAGE, len(recording.files[name]) - at)))


def zero_tail(recording, rng, _other):
    """The length stays: as after a loss of power."""
    name = a_stream(recording, rng)
    at = rng.randrange(recording.used(name))
    recording.patch(name, at, bytes(len(recording.files[name]) - at))


def move_bytes(recording, rng, _other):
    name = a_stream(recording, rng)
    length = 16 * rng.randint(1, 64)
    source, target = (rng.randrange(max(recording.used(name) - length, 1)) // 16 * 16 for _ in range(2))
    recording.patch(name, target, recording.files[name][source:source + length])


def swap(recording, rng, _other):
    a, b = rng.sample(recording.streams, 2)
    recording.files[a], recording.files[b] = recording.files[b], recording.files[a]


def duplicate(recording, rng, _other):
    a, b = rng.sample(recording.streams, 2)
    recording.files[b] = recording.files[a]


def mix(recording, rng, other):
    name = rng.choice([name for name in recording.streams if name in other.files])
    recording.files[name] = other.files[name]


def truncate_json(recording, rng, _other):
    name = rng.choice(["meta.json", "end.json"])
    recording.files[name] = recording.files[name][:rng.randrange(len(recording.files[name]) - 2)]


def drop_end(recording, _rng, _other):
    del recording.files["end.json"]


def drop_end_and_cut(recording, rng, other):
    cut(recording, rng, other)
    drop_end(recording, rng, other)


def other_end(recording, _rng, other):
    recording.files["end.json"] = other.files["end.json"]


def old_end(recording, _rng, _other):
    """As an earlier runtime wrote it."""
    end = json.loads(recording.files["end.json"])
    for key in ("start_ticks", "stream_bytes"):
        end.pop(key, None)
    recording.files["end.json"] = json.dumps(end).encode()


DAMAGES = {damage.__name__: damage for damage in (
    cut, cut_at_chunk, empty, empty_all, delete, delete_all, flip_bit, flip_bytes, zero_page, zero_tail, move_bytes, swap,
    duplicate, mix, truncate_json, drop_end, drop_end_and_cut, other_end, old_end)}


class Bench:
    """Records each program twice, and judges what `teff` says of damaged copies."""

    def __init__(self, place, teff=harness.TEFF):
        self.place, self.teff = pathlib.Path(place), teff
        self.recordings, self.reports = {}, {}
        self.folder = self.place / "damaged.teff"

    def prepare(self):
        for source in PROGRAMS:
            binary = self.place / source.stem
            self.check(harness.run(["gcc", "-std=gnu11", *harness.FLAGS, source, "-o", binary]))
            env = harness.environment(THREADS, OMP_CANCELLATION="true", TEFF_TRACE_SAMPLES="5000")
            folders = [self.place / f"{source.stem}-{at}.teff" for at in range(2)]
            for folder in folders:
                self.check(harness.run([harness.TEFF, "record", "-o", folder, "--", binary], env))
            self.recordings[source.stem] = [Recording(folder) for folder in folders]
            self.recordings[source.stem][0].write(self.folder)
            self.reports[source.stem] = self.facts(harness.run([self.teff, "report", "--json", self.folder]))

    @staticmethod
    def check(done):
        if done.status != 0:
            raise AssertionError(done.text)

    @staticmethod
    def facts(done):
        return json.loads(done.out)

    def damage(self, program, kind, number):
        first, second = self.recordings[program]
        damaged = Recording.__new__(Recording)
        damaged.files = dict(first.files)
        DAMAGES[kind](damaged, random.Random(f"{program} {kind} {number}"), second)
        damaged.write(self.folder)

    def judge(self, program):
        """How the report of the damaged recording ended, and a sentence about it if it is wrong."""
        done = harness.run([self.teff, "report", "--json", self.folder])
        if "panicked" in done.text or done.status < 0:
            return WRONG, f"it crashed: {done.text}"
        if done.status == 1 and not done.out:
            return (REFUSED, "") if self.folder.name in done.text else (WRONG, f"no file is named: {done.text}")
        facts = self.facts(done)
        if done.status == 0:
            return (SAME, "") if facts == self.reports[program] else (WRONG, self.difference(program, facts))
        lacks = facts["wholeness"]
        if done.status != 3 or lacks["kind"] == "whole" or not lacks["text"]:
            return WRONG, f"status {done.status}, {lacks}"
        return (WRONG, f"it has findings: {lacks}") if facts["findings"] else (MARKED, lacks["text"])

    def difference(self, program, facts):
        before = self.reports[program]
        keys = [key for key in facts if facts[key] != before.get(key)]
        return f"another report, with {len(facts['findings'])} findings: {', '.join(keys)} differ"

    def first_line(self):
        return harness.run([self.teff, "report", self.folder]).out.decode().partition("\n")[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--number", type=int, default=1000, help="how many damages to make (1000)")
    parser.add_argument("--seed", type=int, default=0, help="the number of the first one (0)")
    parser.add_argument("--teff", type=pathlib.Path, default=harness.TEFF, help="the teff that reads them")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="teff-damage-") as place:
        bench = Bench(place, args.teff)
        bench.prepare()
        ends = run_all(bench, args)
    outcomes = (REFUSED, MARKED, SAME, WRONG)
    print(f"{'damage':<18}" + "".join(f"{outcome:>9}" for outcome in outcomes))
    for kind in DAMAGES:
        print(f"{kind:<18}" + "".join(f"{ends[kind][outcome]:>9}" for outcome in outcomes))
    total = sum(ends.values(), collections.Counter())
    print(f"{'all':<18}" + "".join(f"{total[outcome]:>9}" for outcome in outcomes))
    return 1 if total[WRONG] else 0


def run_all(bench, args):
    programs = [source.stem for source in PROGRAMS]
    ends = collections.defaultdict(collections.Counter)
    for at in range(args.seed, args.seed + args.number):
        kind = list(DAMAGES)[at % len(DAMAGES)]
        program = programs[at // len(DAMAGES) % len(programs)]
        bench.damage(program, kind, at)
        outcome, why = bench.judge(program)
        ends[kind][outcome] += 1
        if outcome == WRONG:
            print(f"{program} {kind} {at}: {why}", flush=True)
    return ends


if __name__ == "__main__":
    raise SystemExit(main())
