# SPDX-License-Identifier: Apache-2.0
"""The cases to compare: program and arguments of each case, at full and at quick size."""

from collections.abc import Callable
from dataclasses import dataclass

import launcher


@dataclass(frozen=True)
class Case:
    name: str
    program: str
    arguments: tuple[str, ...]
    quick: tuple[str, ...]
    tbb: str = ""  # its twin in oneTBB, if there is one
    settings: tuple[tuple[str, str], ...] = ()  # environment variables that it needs on every runtime
    read: Callable = launcher.parse_final_line  # makes an Outcome of what it prints

    def command(self, is_tbb, quick):
        return [self.tbb if is_tbb else self.program, *(self.quick if quick else self.arguments)]


def micro(name, program, arguments, quick, tbb=""):
    return Case(name, program, tuple(arguments.split()), tuple(quick.split()), tbb)


TINY = [
    micro("fib_tasks", "fib", "--n 32", "--n 22", "tbb_fib"),
    micro("producer", "producer", "--tasks 1000000", "--tasks 20000", "tbb_producer"),
    micro("stolen_producer", "stolen_producer", "--tasks 500000", "--tasks 20000", "tbb_stolen_producer"),
    micro("taskloop", "taskloop", "--loops 20 --tasks 2000", "--loops 2 --tasks 500", "tbb_taskloop"),
    micro("chain", "depend", "--shape chain --tasks 200000", "--shape chain --tasks 5000", "tbb_depend"),
    micro("diamond", "depend", "--shape diamond --tasks 200000", "--shape diamond --tasks 5000", "tbb_depend"),
    micro("wavefront", "depend", "--shape wavefront --tasks 200000", "--shape wavefront --tasks 5000", "tbb_depend"),
    micro("undeferred", "undeferred", "--tasks 4000000", "--tasks 50000"),
    micro("undeferred_copy", "undeferred", "--tasks 4000000 --copy constructor", "--tasks 50000 --copy constructor"),
    micro("bnb_tasks", "bnb", "--prune none --n 19 --cutoff 20", "--prune none --n 12 --cutoff 20", "tbb_bnb"),
]


def workload(name, program="", more=""):
    program = program or name
    arguments = tuple(more.split())
    return Case(name, program, ("--size", "medium", *arguments), ("--size", "small", *arguments))


WORKLOADS = [
    workload("fib"),
    workload("fib_cutoff", "fib", "--variant manual --n 40"),
    workload("fib_if", "fib", "--variant if"),
    workload("fib_final", "fib", "--variant final"),
    workload("nqueens"),
    workload("sort"),
    workload("strassen"),
    workload("alignment"),
    workload("floorplan"),
    workload("sparselu_single", "sparselu", "--variant single"),
    workload("sparselu_for", "sparselu", "--variant for"),
    workload("fft"),
    workload("uts"),
    workload("bnb"),
    workload("aes_aes", "aes", "--variant aes"),
    workload("aes_full", "aes", "--variant full"),
    workload("aes_fragments", "aes", "--variant fragments"),
    workload("mandelbrot_static", "mandelbrot", "--schedule static"),
    workload("mandelbrot_dynamic", "mandelbrot", "--schedule dynamic --chunk 1"),
    workload("mandelbrot_guided", "mandelbrot", "--schedule guided --chunk 1"),
]

TIES = ("tied", "untied")


def versions(name, variants):
    """A workload in each of its variants, with tied and with untied tasks."""
    return [workload(f"{name}_{variant}_{tasks}", name, f"--variant {variant} --tasks {tasks}")
            for variant in variants for tasks in TIES]


# The same work with different tasks and creators, and with tied and untied tasks.
VERSIONS = [
    *versions("alignment", ("single", "for")),
    *versions("floorplan", ("manual", "if", "final", "all")),
    *versions("sparselu", ("single", "for", "depend")),
    *versions("strassen", ("manual", "if", "final", "all")),
]

SUITES = {"tiny": TINY, "workloads": WORKLOADS, "versions": VERSIONS, "all": TINY + WORKLOADS}
