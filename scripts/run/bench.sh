# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Figures. Microbenchmarks first; then the comparison with other runtimes, which runs them side by side.

verb_bench() {
    local filter=${1:-.} program
    need bench
    build_runtime
    cmake_build release
    for program in build/release/bench/bin/bench_*; do
        [[ -x $program ]] || continue
        say "$(basename "$program")"
        limited 600 "$program" --benchmark_filter="$filter" --benchmark_min_time=0.2
    done
    if [[ -f bench/compare.py ]]; then
        say "comparison with other runtimes"
        limited 3000 python3 bench/compare.py --lib build/lib
    fi
}
