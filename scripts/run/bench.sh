# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Benchmarks: the runtime's microbenchmarks, and constructs and programs that run on Teff and on
# other runtimes in comparison.

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

# What each construct costs; what a process and an idle team cost; how soon the next region has
# ended.
bench_constructs() { limited 7200 python3 bench/constructs/constructs.py "$@"; }
# A service whose requests have priorities: its total time, and the response times of each priority.
bench_hashtag() { limited 7200 python3 bench/hashtag/hashtag.py "$@"; }
# The figures of the thesis on monitoring: speed-up, congestion, time in the runtime, and what
# measuring costs.
bench_monitor() { build_all && limited 7200 python3 bench/monitor/monitor.py "$@"; }
# How many cache lines move between threads for each task, and at which places; uses an instrumented
# build.
bench_lines() { cmake_build tsan-gcc teff && limited 1800 python3 bench/lines/lines.py "$@"; }
# What each barrier of labs/ and of the runtimes costs the master and the others.
bench_barriers() { build_labs && limited 7200 python3 labs/barriers/bench/barriers.py "$@"; }
bench_latency() { bench_constructs --suite latency "$@"; }
# How soon a task of high priority starts, in each kind of code.
bench_preemption() { limited 7200 python3 bench/preemption/preemption.py "$@"; }
# Target regions in other processes: what a region costs, how short a task may be, bytes moved.
bench_devices() { build_all && limited 7200 python3 bench/devices/devices.py "$@"; }
# The tables of README.md.
bench_readme() { limited 7200 python3 bench/compare/readme.py "$@"; }

verb_bench() {
    local what=${1:-all}
    shift || true
    need bench
    cmake_build release
    case $what in
        micro) bench_micro "$@" ;;
        barriers | compare | constructs | devices | hashtag | latency | lines | monitor | preemption | readme) "bench_$what" "$@" ;;
        all)
            bench_micro
            bench_constructs
            bench_latency
            bench_compare
            bench_hashtag
            bench_monitor
            bench_preemption
            bench_devices
            bench_lines
            ;;
        *) die "bench takes micro [REGEX], or barriers, compare, constructs, devices, hashtag, latency, lines, monitor, preemption or readme with OPTIONS (-h explains), not '$what'" ;;
    esac
}
