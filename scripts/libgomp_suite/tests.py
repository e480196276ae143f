# SPDX-License-Identifier: Apache-2.0
"""Finds the tests in the suite's folders: which sources are tests, in which languages, and how each
test is compiled."""

import dataclasses
import pathlib
import re

from . import directives

COMPILERS = {"c": "gcc-12", "c++": "g++-12", "fortran": "gfortran-12"}
DEFAULT_FLAGS = {"c": ["-O2"], "c++": ["-O2"], "fortran": []}
FORTRAN = re.compile(r"\.[fF](90|95|03|08)?$")
TARGET = re.compile(r"omp\s+(\w+\s+)*target|omp_target_", re.IGNORECASE)
PLAIN_LEVEL = "-O"  # for Fortran sources that do not say themselves that they are to be run

OPENMP = ("-fopenmp",)
# With the host as the only device.
OPENACC = ("-fopenacc", "-foffload=disable", "-DACC_DEVICE_TYPE_host=1", "-DACC_MEM_SHARED=1")
OPENACC_ENVIRONMENT = {"ACC_DEVICE_TYPE": "host"}

# folder -> (which files are tests, the languages that each is compiled as)
FOLDERS = {
    "libgomp.c": (re.compile(r"\.c$"), ["c"]),
    "libgomp.c-c++-common": (re.compile(r"\.c$"), ["c", "c++"]),
    "libgomp.c++": (re.compile(r"\.C$"), ["c++"]),
    "libgomp.fortran": (FORTRAN, ["fortran"]),
    "libgomp.oacc-c": (re.compile(r"\.c$"), ["c"]),
    "libgomp.oacc-c-c++-common": (re.compile(r"\.c$"), ["c", "c++"]),
    "libgomp.oacc-c++": (re.compile(r"\.C$"), ["c++"]),
    "libgomp.oacc-fortran": (FORTRAN, ["fortran"]),
}


@dataclasses.dataclass(frozen=True)
class Test:
    name: str
    source: pathlib.Path
    language: str
    level: str
    asked: directives.Directives
    model: tuple = OPENMP  # the flags for OpenMP or OpenACC

    def command(self, include_folders, program):
        """The compiler's command line, to be called in an empty folder: Fortran leaves its modules there."""
        includes = [word for folder in include_folders for word in ("-I", str(folder))]
        sources = [self.source, *(self.source.parent / name for name in self.asked.sources)]
        return [COMPILERS[self.language], *map(str, sources), *self.model, "-w", "-fdiagnostics-color=never", *includes,
                *self.level.split(), *self.asked.flags, "-o", str(program), "-lm"]

    def uses_target(self):
        """Whether it has target constructs of OpenMP, or calls routines for devices."""
        text = self.source.read_text(errors="replace")
        return self.model == OPENMP and TARGET.search(text) is not None

    @property
    def file_name(self):
        return re.sub(r"[^\w.+-]+", "-", self.name)


def find(testsuite, fortran_levels):
    """All tests of the suite, also those that cannot run here, in the order of their names."""
    found = []
    for folder, (pattern, languages) in FOLDERS.items():
        for source in sorted((testsuite / folder).rglob("*")):
            if source.is_file() and pattern.search(source.name):
                for language in languages:
                    found += _variants(testsuite, source, language, fortran_levels)
    return found


def _variants(testsuite, source, language, fortran_levels):
    text = source.read_text(errors="replace")
    name = str(source.relative_to(testsuite))
    if "c-c++-common" in name:
        name += f" as {language}"
    is_openacc = ".oacc-" in name
    for level in _levels(text, language, fortran_levels):
        try:
            asked = directives.read(text, language, level, DEFAULT_FLAGS[language])
        except ValueError as error:
            raise ValueError(f"{source}: {error}") from error
        if is_openacc:
            asked.environment = OPENACC_ENVIRONMENT | asked.environment
        called = f"{name} {level}".strip() if len(fortran_levels) > 1 else name
        yield Test(called, source, language, level, asked, OPENACC if is_openacc else OPENMP)


def _levels(text, language, fortran_levels):
    if language != "fortran":
        return [""]
    return fortran_levels if "dg-do run" in text else [PLAIN_LEVEL]
