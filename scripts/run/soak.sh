# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Repeats tests many times, because rare interleavings show only in large numbers of runs. Each
# program runs many times in a row with more threads than processors. Then follow the recorder's
# faults and the unit tests, also under ThreadSanitizer. The verb prints one line per program, and
# leaves a backtrace of every hang in build/soak.

SOAK_ROUNDS=200
SOAK_THREADS=8
SOAK_UNIT_ROUNDS_PER=20 # rounds of the programs for each round of the unit tests

verb_soak() {
    local rounds=${1:-$SOAK_ROUNDS} log=build/soak/programs.log began=$SECONDS total_passed=0 total_failed=0
    [[ $rounds =~ ^[1-9][0-9]*$ ]] || die "soak takes a number of rounds, not '$rounds'"
    need soak
    mkdir -p build/soak
    cmake_build release
    cmake_build tsan
    soak_programs "$rounds" "$log"
    soak_regions
    soak_recorder
    soak_unit_tests $(((rounds + SOAK_UNIT_ROUNDS_PER - 1) / SOAK_UNIT_ROUNDS_PER))
    say "$rounds rounds in $((SECONDS - began)) s"
    printf '%d passed, %d failed\n' "$total_passed" "$total_failed"
    ((total_failed == 0))
}

# soak_programs ROUNDS LOG
soak_programs() {
    local rounds=$1 log=$2 status=0 limit=$(($1 * 60 + 600))
    say "every conformance program $rounds times with $SOAK_THREADS threads"
    limited "$limit" python3 scripts/run/soak.py --lib build/lib --rounds "$rounds" --threads "$SOAK_THREADS" \
        > >(tee "$log") || status=$?
    soak_count "$log" "$status"
}

# Each system call of the recorder fails with each error.
soak_recorder() {
    local log=build/soak/recorder.log status=0
    say "every fault of the recorder's system calls"
    build_all
    TEFF_TEST_ALL=1 limited 1800 python3 tests/run.py --folder recorder faults > >(tee "$log") || status=$?
    soak_count "$log" "$status"
}

# Runs regions for a minute, and checks that memory does not grow.
soak_regions() {
    local log=build/soak/regions.log status=0
    say "regions for a minute"
    limited 120 python3 tests/situations/run.py --env SITUATION_SECONDS=60 scale/many_regions > >(tee "$log") || status=$?
    soak_count "$log" "$status"
}

# soak_unit_tests ROUNDS
soak_unit_tests() {
    local preset round log status
    for preset in release tsan; do
        for ((round = 1; round <= $1; round++)); do
            say "unit tests, $preset, round $round of $1"
            log=build/soak/unit-$preset-$round.log
            status=0
            limited 1200 ctest --preset "$preset" --label-regex '^unit$' -j "$JOBS" --timeout 120 --quiet \
                --output-log "$log" || status=$?
            soak_count "$log" "$status"
            if ((status)); then tail -n 30 "$log"; fi
        done
    done
}

# soak_count LOG STATUS: adds to the totals of verb_soak.
soak_count() {
    local passed failed _
    read -r passed failed _ < <(python3 scripts/tally.py "$1" "$2")
    total_passed=$((total_passed + passed))
    total_failed=$((total_failed + failed))
}
