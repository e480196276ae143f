# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Runs everything under the sanitizers: the unit tests, built by Clang and by GCC, and the
# conformance programs, built by GCC, on a library that GCC built for the same sanitizer.

SANITIZE_THREADS=2,8

verb_sanitize() {
    local preset total_passed=0 total_failed=0
    need sanitize
    mkdir -p build/sanitize
    for preset in asan asan-gcc tsan tsan-gcc; do
        cmake_build "$preset"
        sanitized "unit-$preset" 1800 ctest --preset "$preset" --label-regex '^(unit|labs)$' -j "$JOBS" --timeout 240 --no-label-summary
    done
    sanitized conformance-asan-gcc 3600 python3 runtime/conformance/run.py --sanitize address --lib build/asan-gcc/lib \
        --threads "$SANITIZE_THREADS" --timeout 100
    sanitized conformance-tsan-gcc 3600 python3 runtime/conformance/run.py --sanitize thread --lib build/tsan-gcc/lib \
        --threads "$SANITIZE_THREADS" --timeout 100
    printf '%d passed, %d failed\n' "$total_passed" "$total_failed"
    ((total_failed == 0))
}

# sanitized NAME SECONDS COMMAND...: runs the command, keeps its log, shows the log's end if
# something failed, and adds to the totals of verb_sanitize.
sanitized() {
    local name=$1 seconds=$2 log=build/sanitize/$1.log status=0 passed failed _
    shift 2
    say "$name"
    limited "$seconds" "$@" >"$log" 2>&1 || status=$?
    read -r passed failed _ < <(python3 scripts/tally.py "$log" "$status")
    total_passed=$((total_passed + passed))
    total_failed=$((total_failed + failed))
    printf '%d passed, %d failed: %s\n' "$passed" "$failed" "$log"
    if ((status)); then tail -n 60 "$log"; fi
}
