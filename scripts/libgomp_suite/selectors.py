# SPDX-License-Identifier: Apache-2.0
"""Selectors: conditions on the target, such as `{ ! lp64 }` or `x86_64-*-*`. They are evaluated for
this machine, as one without an accelerator."""

import fnmatch
import functools
import pathlib

from . import tcl

TRIPLET = "x86_64-pc-linux-gnu"


class UnknownTarget(ValueError):
    """A selector uses a word that this module does not know."""


@functools.cache
def processor_flags():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("flags"):
            return frozenset(line.split(":", 1)[1].split())
    return frozenset()


# The abilities of Debian's GCC 12 on x86-64, so that no test compilation is needed.
ANSWERS = {
    "__float128": True,
    "aarch64_tiny": False,
    "alias": True,
    "fd_truncate": True,
    "fpic": True,
    "ia32": False,
    "large_long_double": True,
    "lp64": True,
    "lto": True,
    # There is only host memory, so a target region sees the program's variables.
    "offload_device": False,
    "offload_device_any_intel_mic": False,
    "offload_device_nonshared_as": False,
    "offload_device_nvptx": False,
    "offload_device_shared_as": True,
    "offload_target_amdgcn": False,
    "offload_target_nvptx": False,
    "openacc_cublas": False,
    "openacc_cuda": False,
    "openacc_cudart": False,
    "openacc_host_selected": True,
    "openacc_nvidia_accel_selected": False,
    "openacc_radeon_accel_selected": False,
    "run_expensive_tests": False,
    "shared": True,
    "size32plus": True,
    "sync_int_long": True,
    "tls": True,
    "tls_runtime": True,
    "vect_simd_clones": True,
    "weak_undefined": True,
}

# Of a run on devices in other processes: they have memory of their own.
DEVICE_ANSWERS = {"offload_device": True, "offload_device_nonshared_as": True, "offload_device_shared_as": False}


def assume_devices():
    ANSWERS.update(DEVICE_ANSWERS)


# These depend on the processor on which this script runs.
PROCESSOR_ANSWERS = {"avx_runtime": "avx", "avx512f_runtime": "avx512f", "sse2_runtime": "sse2"}


def holds(selector, language):
    """Whether `selector`, the text after `target` in a directive, is true for a test in `language`."""
    words = tcl.split(selector)
    return _expression(words[0] if len(words) == 1 else selector, language)


def _expression(text, language):
    words = tcl.split(text)
    if len(words) == 2 and words[0] == "!":
        return not _operand(words[1], language)
    if len(words) == 3 and words[1] == "&&":
        return _operand(words[0], language) and _operand(words[2], language)
    if len(words) == 3 and words[1] == "||":
        return _operand(words[0], language) or _operand(words[2], language)
    if len(words) == 1:
        return _operand(words[0], language)
    return _any_triplet(words)


def _operand(text, language):
    if len(tcl.split(text)) > 1:
        return _expression(text, language)
    text = text.strip()
    if "-" in text or "*" in text:
        return _any_triplet([text])
    if text in ("c", "c++"):
        return text == language
    if text in PROCESSOR_ANSWERS:
        return PROCESSOR_ANSWERS[text] in processor_flags()
    if text in ANSWERS:
        return ANSWERS[text]
    raise UnknownTarget(f"no answer is known for the target '{text}'; add one to {__name__.rpartition('.')[2]}.py")


def _any_triplet(patterns):
    return any(fnmatch.fnmatchcase(TRIPLET, pattern) for pattern in patterns)
