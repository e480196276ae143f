# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Again and again: rare interleavings show only in numbers. Team sizes change from round to round, up to far more
# threads than processors.

verb_soak() {
    local minutes=${1:-10} round=0 threads ends
    [[ $minutes =~ ^[0-9]+$ ]] || die "soak takes a number of minutes, not '$minutes'"
    need soak
    cmake_build release
    cmake_build tsan
    ends=$((SECONDS + minutes * 60))
    while ((SECONDS < ends)); do
        round=$((round + 1))
        threads="$((RANDOM % 4 + 1)),$((RANDOM % 61 + 4))"
        say "round $round, threads $threads, $(((ends - SECONDS) / 60)) minutes left"
        limited 1200 ctest --preset release --quiet --timeout 120 --label-regex unit || die "round $round: unit tests failed"
        limited 1200 ctest --preset tsan --quiet --label-regex unit --timeout 240 || die "round $round: unit tests failed under ThreadSanitizer"
        limited 3600 python3 runtime/conformance/run.py --lib build/lib --threads "$threads" ||
            die "round $round: conformance failed with threads $threads"
    done
    say "$round rounds, no failure"
}
