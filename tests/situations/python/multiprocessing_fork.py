# SPDX-License-Identifier: Apache-2.0
# Situation: Python's multiprocessing by fork, after a library with OpenMP was used, as with numpy and scikit-learn
# Catches: a worker process that hangs in its first region, which is the best-known problem of libgomp.
# library: sum.so sum.c
# limit: 60
import multiprocessing

import situation_py as situation

library = situation.load("sum.so")


def work(number):
    situation.check_sum(library, 2 + number % 3)
    return number


def main():
    situation.check_sum(library, 4)
    context = multiprocessing.get_context("fork")
    for _ in range(3):
        with context.Pool(3, maxtasksperchild=2) as pool:
            situation.check_equal("the results", pool.map(work, range(12), chunksize=1), list(range(12)))
        situation.check_sum(library, 3)


if __name__ == "__main__":
    main()
