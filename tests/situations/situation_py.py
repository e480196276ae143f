# SPDX-License-Identifier: Apache-2.0
"""The counterpart of situation.h for programs in Python."""

import ctypes
import os


def wrong(text):
    print("wrong: " + text, flush=True)
    os._exit(1)


def skip(text):
    print("skipped: " + text, flush=True)
    os._exit(77)


def check_equal(what, actual, expected):
    if actual != expected:
        wrong(f"{what} is {actual} instead of {expected}")


def load(name):
    """A library of library/, with the types of the functions that library/sum.c exports."""
    library = ctypes.CDLL(os.path.join(os.environ["SITUATIONS_DIR"], name))
    library.sum_to.argtypes = [ctypes.c_long, ctypes.c_int]
    library.sum_to.restype = ctypes.c_long
    return library


def check_sum(library, threads):
    check_equal(f"the sum with {threads} threads", library.sum_to(1000, threads), 500500)


