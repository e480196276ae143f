# SPDX-License-Identifier: Apache-2.0
"""Spends processor time in two functions, three parts in `heavy` and one in `light`, in a serial part.

    stacks.py LIBRARY STEPS      LIBRARY has a function `begin`, which runs an empty parallel region
"""

import ctypes
import sys


def spin(steps):
    total = 0
    for i in range(steps):
        total = (total * 3 + i) & 0xFFFF
    return total


def heavy(steps):
    return spin(3 * steps)


def light(steps):
    return spin(steps)


def key(steps):
    return light(steps)


def main():
    library = ctypes.CDLL(sys.argv[1])
    steps = int(sys.argv[2])
    library.begin()
    for _ in range(10):
        heavy(steps)
        sorted([steps], key=key)  # `light` is called by C code that Python called
    library.begin()


main()
