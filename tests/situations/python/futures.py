# SPDX-License-Identifier: Apache-2.0
# Situation: Python's concurrent.futures: 8 threads in regions at the same time, from which processes are forked that use OpenMP, too
# Catches: a runtime that mixes up the regions of several threads, and a child that finds the runtime's locks taken.
# library: sum.so sum.c
# limit: 60
import concurrent.futures
import os

import situation_py as situation

library = situation.load("sum.so")


def in_thread(number):
    for _ in range(10):
        situation.check_sum(library, 1 + number % 4)
    return number


def in_forked_process(number):
    child = os.fork()
    if child == 0:
        situation.check_sum(library, 1 + number % 4)
        os._exit(0)
    for _ in range(5):
        situation.check_sum(library, 2)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def main():
    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        situation.check_equal("the results", list(threads.map(in_thread, range(40))), list(range(40)))
        situation.check_equal("the children's status", list(threads.map(in_forked_process, range(24))), [0] * 24)
        situation.check_equal("the results", list(threads.map(in_thread, range(8))), list(range(8)))


if __name__ == "__main__":
    main()
