# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What a user would do first: take a program built by the stock compiler, record it, read the report, open the page.

verb_demo() {
    need demo
    build_all
    say "workload: merge sort, built by $(gcc --version | head -n 1) with -fopenmp"
    cmake_build release workload_sort
    mkdir -p build/demo
    rm -rf build/demo/sort.teff
    say "record"
    OMP_NUM_THREADS=2 limited 120 build/bin/teff record -o build/demo/sort.teff -- build/workloads/sort
    say "report"
    limited 120 build/bin/teff report build/demo/sort.teff
    say "page"
    limited 120 build/bin/teff view build/demo/sort.teff --html build/demo/sort.html
    [[ -s build/demo/sort.html ]] || die "teff view wrote no page"
    echo "$ROOT/build/demo/sort.html"
}
