# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Runs the fuzz targets one after the other, each for its part of the time. Interesting inputs are
# kept in build/fuzz/NAME, so that the next run starts from them. An input that breaks something is
# left in build/fuzz as NAME-crash-...; build/asan/runtime/fuzz/fuzz_NAME FILE runs this input
# alone.

FUZZ_SECONDS=300

verb_fuzz() {
    local seconds=${1:-$FUZZ_SECONDS} source names=() each failed=0
    [[ $seconds =~ ^[1-9][0-9]*$ ]] || die "fuzz takes a number of seconds, not '$seconds'"
    for source in runtime/fuzz/*.cpp; do names+=("$(basename "$source" .cpp)"); done
    need fuzz
    cmake_build asan "${names[@]/#/fuzz_}"
    each=$(((seconds + ${#names[@]} - 1) / ${#names[@]}))
    for name in "${names[@]}"; do fuzz_one "$name" "$each" || failed=$((failed + 1)); done
    printf '%d passed, %d failed\n' $((${#names[@]} - failed)) "$failed"
    ((failed == 0))
}

# fuzz_one NAME SECONDS
fuzz_one() {
    local name=$1 log=build/fuzz/$1.log status=0
    say "$name for $2 s"
    mkdir -p "build/fuzz/$name"
    ASAN_OPTIONS=allocator_may_return_null=1 limited $(($2 + 60)) "build/asan/runtime/fuzz/fuzz_$name" \
        -max_total_time="$2" -timeout=10 -rss_limit_mb=2048 -close_fd_mask=2 -print_final_stats=1 \
        -dict=runtime/fuzz/words.dict -artifact_prefix="build/fuzz/$name-" \
        "build/fuzz/$name" "runtime/fuzz/seeds/$name" >"$log" 2>&1 || status=$?
    grep -E 'stat::number_of_executed_units|cov: [0-9]+.*DONE|ERROR|Test unit written' "$log" || tail -n 20 "$log"
    return "$status"
}
