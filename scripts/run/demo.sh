# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What a user would do first: take a program built by the stock compiler, record it, read the
# report, open the page.

DEMO_PAGE=build/demo/sort.html

demo_steps() {
    local recording=build/demo/sort.teff
    mkdir -p build/demo
    rm -rf "$recording" "$DEMO_PAGE"

    say "merge sort, as built by $(gcc --version | head -n 1) with -fopenmp"
    cmake_build release sort || return
    say "record"
    OMP_NUM_THREADS=2 limited 120 build/bin/teff record -o "$recording" -- build/workloads/sort || return
    say "report"
    limited 120 build/bin/teff report "$recording" || return
    say "page"
    limited 120 build/bin/teff view "$recording" --html "$DEMO_PAGE" || return
    if [[ ! -s $DEMO_PAGE ]]; then
        echo "teff view ended well but left no $DEMO_PAGE" >&2
        return 1
    fi
}

verb_demo() {
    need demo
    build_all
    demo_steps
    echo "$ROOT/$DEMO_PAGE"
}
