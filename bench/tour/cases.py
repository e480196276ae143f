# SPDX-License-Identifier: Apache-2.0
"""The programs of docs/tour.md: a program and its options for each problem that the report knows.
patches/NAME.patch changes its source. NAME is the rule of the finding.
"""

from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WORKLOADS, DEFECTS = ROOT / "workloads", ROOT / "bench" / "truth" / "defects"


@dataclass(frozen=True)
class Case:
    """`beside`: found only in a comparison with a run on one thread."""
    rule: str
    source: Path
    arguments: list = field(default_factory=list)
    beside: bool = False

    @property
    def patch(self):
        return HERE / "patches" / f"{self.rule}.patch"


def workload(rule, source, arguments):
    """A case of a workload, without its check, which would be a part of the run."""
    return Case(rule, WORKLOADS / source, [*arguments.split(), "--no-check"])


CASES = [
    workload("broken-cutoff", "fib.c", "--n 27"),
    workload("tiny-tasks", "vecmul.c", "--vectors 10000 --kib 1 --rounds 12"),
    workload("serial-part", "vecmul.c", "--vectors 512 --kib 64 --rounds 10"),
    workload("low-parallelism", "sparselu.c", "--blocks 6 --block 150"),
    workload("dependence-chain", "jacobi.c", "--n 1024 --block 1024 --iterations 40"),
    workload("dynamic-imbalance", "mandelbrot.f90", "--rows 800 --schedule dynamic --chunk 267"),
    Case("static-imbalance", DEFECTS / "static_imbalance.c"),
    Case("tiny-chunks", DEFECTS / "tiny_chunks.c"),
    Case("tiny-regions", DEFECTS / "tiny_regions.c"),
    Case("one-producer", DEFECTS / "one_producer.c"),
    Case("hot-lock", DEFECTS / "hot_lock.c"),
    Case("work-inflation", DEFECTS / "false_sharing.c", beside=True),
    Case("too-many-threads", DEFECTS / "too_many_threads.c"),
]
BY_RULE = {case.rule: case for case in CASES}
