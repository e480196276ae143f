# SPDX-License-Identifier: Apache-2.0
# Situation: scikit-learn, whose threads threadpoolctl limits, here and in joblib's processes
# Catches: a runtime that threadpoolctl does not know: it follows links and goes by the name of the
# file.
# limit: 120
import os
import sys

import situation_py as situation

DEBIANS_PYTHON = "/usr/bin/python3"  # has the packages, whichever Python is first in the path

try:
    import joblib
    import threadpoolctl
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.utils._openmp_helpers import (
        _openmp_effective_n_threads as effective_threads,
    )
except ImportError:
    if os.path.exists(DEBIANS_PYTHON) and not os.path.samefile(sys.executable, DEBIANS_PYTHON):
        os.execv(DEBIANS_PYTHON, [DEBIANS_PYTHON, *sys.argv])
    situation.skip("needs python3-threadpoolctl, python3-joblib and python3-sklearn")

THREADS = int(os.environ["OMP_NUM_THREADS"])


def openmp_runtimes():
    """(file, threads) of each OpenMP runtime that threadpoolctl finds in this process."""
    return [(pool["filepath"], pool["num_threads"]) for pool in threadpoolctl.threadpool_info()
            if pool["user_api"] == "openmp"]


def check(threads):
    runtime = os.path.realpath(os.environ["SITUATIONS_RUNTIME"])
    situation.check_equal("what threadpoolctl finds", openmp_runtimes(), [(runtime, threads)])
    situation.check_equal("scikit-learn's threads", effective_threads(), threads)


def fitted_score():
    points = [[i % 17, i % 5] for i in range(400)]
    classes = [point[0] % 2 for point in points]
    return HistGradientBoostingClassifier(max_iter=5).fit(points, classes).score(points, classes)


def in_process():
    return openmp_runtimes()[0][1], effective_threads()


def main():
    check(THREADS)
    for limit in (1, 2):
        with threadpoolctl.threadpool_limits(limits=limit, user_api="openmp"):
            check(limit)
            situation.check_equal("the score", fitted_score(), 1.0)
        check(THREADS)
    with joblib.parallel_backend("loky", inner_max_num_threads=2):
        found = joblib.Parallel(n_jobs=2)(joblib.delayed(in_process)() for _ in range(4))
    situation.check_equal("the processes' threads", found, [(2, 2)] * 4)


if __name__ == "__main__":
    main()
