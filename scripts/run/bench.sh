# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Figures: the runtime's microbenchmarks, and programs that run side by side on Teff and on other runtimes.

bench_micro() {
    local filter=${1:-.} program
    for program in build/release/bench/bin/bench_*; do
        if [[ -x $program ]]; then
            say "$(basename "$program")"
            limited 600 "$program" --benchmark_filter="$filter" --benchmark_min_time=0.2
        fi
    done
}

bench_compare() { limited 7200 python3 bench/compare/compare.py "$@"; }

verb_bench() {
    local what=${1:-all}
    shift || true
    need bench
    cmake_build release
    case $what in
        micro) bench_micro "$@" ;;
        compare) bench_compare "$@" ;;
        all)
            bench_micro
            bench_compare
            ;;
        *) die "bench takes micro [REGEX] or compare [OPTIONS], not '$what'" ;;
    esac
}
