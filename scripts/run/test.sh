# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Runs the tests as suites: first those of the product, then those of labs/. Each suite runs in a
# process of its own with a time limit and a log.
# scripts/tally.py counts the tests of a suite from its log and its exit status.

# name:seconds, in the order in which they run: quick ones first.
SUITES=(
    build:1800
    checks:300
    format:120
    unit:1200
    abi:60
    conformance:900
    clang:600
    random:300
    random_clang:300
    preempted:600
    nodes:600
    workloads:600
    product:600
    situations:900
    ompt:600
    recorder:600
    exports:300
    viewer:900
    tools:1200
    demo:600
    asan:1200
    tsan:1200
    aarch64:300
)

# This suite keeps one processor busy, so the next one runs at the same time.
BESIDE_NEXT=viewer

# The second part: labs/.
LAB_SUITES=(
    labs:600
    processes:300
    kernel:300
)

# The limit for all suites together: if one suite hangs, the others get the remaining time. On two
# idle processors they shall take less than 2,400 s. A slow machine, or one with other load, takes
# longer: 2,925 s were measured.
TEST_LIMIT=3300

suite_build() { build_all && echo "1 passed, 0 failed"; }

suite_checks() {
    local status=0
    install_linters || say "ruff could not be installed: its check is skipped"
    python3 -m unittest discover -s scripts/tests -t scripts 2>&1 || status=1
    python3 scripts/check_all.py || status=1
    return "$status"
}

suite_format() {
    if has_content viewer; then install_viewer_packages || return; fi
    python3 scripts/check_format.py
}

# These searches of the explored team take ten seconds to a minute of processor time each, so only
# ./run soak runs them.
LONG_SEARCHES='^region/ExploredTeam[.](ABarrierOpensWhenItsTasksAndTheirsHaveBeenRun|MembersMeetAtBarriers'
LONG_SEARCHES+='|WithoutAQuestionForDescentAnUnrelatedTaskIsRun|AnUnrelatedTaskInTheLaneIsRun'
LONG_SEARCHES+='|MembersWithoutAPlaceStayAndRunNothing|TasksOfANodeWithoutMembersAreRun)$'
suite_unit() {
    cmake_build release || return
    labelled_tests release unit --exclude-regex "$LONG_SEARCHES"
}

# Each sanitizer's suite tests only the folders in which that sanitizer finds most
# (TEFF_TEST_FOLDERS in the presets). A sanitizer adds little to the explorer's searches, which find
# races themselves, and whose code other tests run on threads. So the long searches are not built
# (TEFF_SEARCHES), and the searches below are not run. ./run sanitize runs all folders and searches
# under GCC's sanitizers.
SEARCHES='Explored|^(sched/(Deque|Sleepers)|sync/(ProgramLock|Parker|OrderedTurn|SplitCount)|loop/Progress'
SEARCHES+='|team/Notification|preempt/RequestWord)[.]'

# Sanitized builds also carry Clang's thread safety analysis: a build error here can be a lock that
# is not held.
suite_asan() { cmake_build asan && labelled_tests asan unit --exclude-regex "$SEARCHES"; }
suite_tsan() { cmake_build tsan && labelled_tests tsan unit --exclude-regex "$SEARCHES"; }

# Tests the context switch and other parts for another processor architecture, cross-compiled and
# emulated. The whole library takes minutes to compile: ./run aarch64 builds it.
suite_aarch64() { cmake_build aarch64 test_base test_fiber && labelled_tests aarch64 unit; }

# labelled_tests PRESET LABEL [OPTION OF CTEST...]
labelled_tests() {
    ctest --preset "$1" --label-regex "^$2\$" -j "$JOBS" --timeout 120 --no-label-summary "${@:3}"
}

# Tests the interface of the built library: its symbols, and how much of a caller's stack it needs.
suite_abi() {
    local status=0 check
    cmake_build release teff || return
    for check in check_abi check_stacks; do
        if python3 "scripts/$check.py"; then
            echo "1 checks passed, 0 failed"
        else
            echo "0 checks passed, 1 failed"
            status=1
        fi
    done
    return "$status"
}

suite_conformance() {
    cmake_build release teff || return
    python3 runtime/conformance/run.py --lib build/lib --jobs "$JOBS"
}

# The same programs, built by Clang, on libomp.so.5; then half by Clang and half by GCC.
suite_clang() {
    local status=0
    cmake_build release teff || return
    python3 runtime/conformance/run.py --clang --lib build/lib/llvm --jobs "$JOBS" --threads 2,8 || status=1
    python3 runtime/conformance/halves.py --lib build/lib --jobs "$JOBS" || status=1
    return "$status"
}

# Random programs: first tests the code that generates, writes and reduces them; then runs some
# hundreds of seeds, each under every setting.
RANDOM_SEEDS=1-600
suite_random() {
    local status=0
    cmake_build release teff || return
    (cd tests/random && python3 -m unittest discover --pattern '*_test.py') || status=1
    python3 tests/random/run.py --no-peers --settings each --limit 20 "$RANDOM_SEEDS" || status=1
    return "$status"
}

# Random programs as Clang compiles them, on libomp.so.5.
suite_random_clang() {
    cmake_build release teff || return
    python3 tests/random/run.py --clang --no-peers --settings each --limit 20 1-150
}

# The same programs, while their tasks preempt each other at random instructions. Programs are left
# out that query the settings which this needs, that keep a stack of tasks for each thread, or that
# assume that no other task starts on a thread during a tied task.
PREEMPTIBLE='^(?!.*/(queries|scheduling_constraint|constraint_relaxed|in_place_is_tied))'
suite_preempted() {
    cmake_build release teff || return
    TEFF_PREEMPT=stress:50us python3 runtime/conformance/run.py --lib build/lib --jobs "$JOBS" --threads 2,8 \
        --filter "$PREEMPTIBLE"
}

# The same programs, preempted and not, under TEFF_SCHEDULE=locality on four simulated nodes, where
# nearly every task has a home (runtime/pretended). The program that tests the order in which work
# stealing takes a task's children is left out.
suite_nodes() {
    local lib=build/release/runtime/pretended status=0
    cmake_build release teff_pretended || return
    export TEFF_SCHEDULE=locality
    python3 runtime/conformance/run.py --lib "$lib" --jobs "$JOBS" --threads 2,8 \
        --filter '^(?!.*/lock_and_older_child)' || status=1
    TEFF_PREEMPT=stress:50us python3 runtime/conformance/run.py --lib "$lib" --jobs "$JOBS" --threads 8 \
        --filter "$PREEMPTIBLE(?!.*/lock_and_older_child)" || status=1
    return "$status"
}

# Tests that the workloads, and the programs and scripts that compare runtimes, work. ./run bench
# measures how fast they are.
suite_workloads() {
    cmake_build release || return
    labelled_tests release workloads
}

suite_tools() {
    local status=0
    build_all || return
    cargo_limited clippy --quiet --all-targets -- -D warnings || status=1
    cargo_limited test --quiet --no-fail-fast || status=1
    return "$status"
}

suite_viewer() {
    local status=0
    build_viewer || return
    npm --prefix viewer run lint || status=1
    npm --prefix viewer test || status=1
    npm --prefix viewer run test:built || status=1
    return "$status"
}

# Tests the whole product with programs of stock compilers.
suite_product() { build_all && install_mpich && python3 tests/run.py --jobs "$JOBS"; }

# Tests exports with the readers of the programs that open them.
suite_exports() {
    build_all && install_readers && "$READERS/bin/python" tests/run.py --folder exports --jobs "$JOBS"
}

# Programs on processes that share no memory.
suite_processes() { build_all && build_labs && python3 tests/run.py --folder "$ROOT/labs/processes/tests"; }

# Tests OpenMP programs in real-life situations; first tests the runner of these programs.
suite_situations() {
    local status=0
    cmake_build release teff || return
    (cd tests/situations && python3 -m unittest --quiet situation_test) || status=1
    python3 tests/situations/run.py || status=1
    return "$status"
}

# Tests OMPT as a tool uses it.
suite_ompt() { cmake_build release teff && python3 tests/run.py --folder ompt --jobs "$JOBS"; }

# Tests that the recorded program does not notice the recorder.
suite_recorder() { build_all && python3 tests/run.py --folder recorder --jobs "$JOBS"; }

# Tests the way from a recorded program to its page: whether pages have the figures of the reports,
# and show on their first screen what is wrong with the program.
suite_demo() {
    local status=0
    build_all && demo_steps && echo "1 passed, 0 failed" && recorded_pages || return
    TEFF_RECORDED=$ROOT/$RECORDED_PAGES npm --prefix viewer run --silent test:recorded || status=1
    first_screens || status=1
    return "$status"
}

# labs/: the unit tests, and tests of the hooks that count instructions, with programs.
suite_labs() {
    local status=0
    build_all && build_labs && cmake_build labs labs_tests || return
    labelled_tests labs labs || status=1
    python3 tests/run.py --folder "$ROOT/labs/instructions/tests" --jobs "$JOBS" || status=1
    return "$status"
}

# Only builds the module; ./run kernel runs the guests. If the kernel's headers are missing, the
# module is left out.
suite_kernel() {
    if kernel_release >/dev/null; then
        build_kernel_module || return
    else
        echo "the module is not built: no kernel headers in /usr/src; ./run setup kernel installs them"
    fi
    mkdir -p "$KERNEL_BUILD"
    build_kernel_client && echo "1 passed, 0 failed"
}

# The folder whose sources a suite tests. If the folder is missing, the suite has nothing to test.
suite_folder() {
    case $1 in
        unit | abi | asan | tsan | aarch64) echo runtime/src ;;
        conformance | preempted | nodes) echo runtime/conformance ;;
        workloads | tools | viewer) echo "$1" ;;
        labs | processes | kernel) echo labs ;;
        demo) echo tools ;;
        product | random | random_clang | situations | ompt | recorder | exports) echo tests ;;
        *) echo scripts ;;
    esac
}

# time_for SECONDS: prints SECONDS, or the time that is left until `ends` if that is less, but at
# least 1, because 0 would mean no limit.
time_for() {
    local left=$((ends - SECONDS))
    if ((left < 1)); then left=1; fi
    echo $(($1 < left ? $1 : left))
}

# begin_suite NAME SECONDS: runs the suite in the background, where Ctrl-C does not reach it.
begin_suite() {
    began[$1]=$SECONDS
    limited "$(time_for "$2")" "$ROOT/run" test --suite "$1" >"build/test/$1.log" 2>&1 &
    pids[$1]=$!
}

# end_suite NAME: waits for the suite, adds to the totals, prints one line, and the log's end if the
# suite failed.
end_suite() {
    local name=$1 log=build/test/$1.log status=0 counts passed failed skipped
    wait "${pids[$name]}" || status=$?
    counts=$(python3 scripts/tally.py "$log" "$status")
    read -r passed failed skipped <<<"$counts"
    total_passed=$((total_passed + passed))
    total_failed=$((total_failed + failed))
    total_skipped=$((total_skipped + skipped))
    if ((skipped)); then skipped=", $skipped skipped"; else skipped=; fi
    printf '%-12s %5d passed, %d failed%s   %4d s   %s\n' "$name" "$passed" "$failed" "$skipped" \
        $((SECONDS - began[$name])) "$log"
    if ((failed)); then tail -n 80 "$log" | cut -c 1-240 | sed 's/^/    | /'; fi
}

# run_suites SUITE...: runs those of these suites that were requested.
run_suites() {
    local suite name beside=
    for suite in "$@"; do
        name=${suite%%:*}
        if [[ $asked != "  " && $asked != *" $name "* ]]; then continue; fi
        if ! has_content "$(suite_folder "$name")"; then
            printf '%-12s skipped: %s has no content yet\n' "$name" "$(suite_folder "$name")"
            continue
        fi
        begin_suite "$name" "${suite##*:}"
        if [[ $name == "$BESIDE_NEXT" ]]; then
            beside=$name
            continue
        fi
        end_suite "$name"
        if [[ -n $beside ]]; then end_suite "$beside"; fi
        beside=
    done
    if [[ -n $beside ]]; then end_suite "$beside"; fi
}

verb_test() {
    if [[ ${1:-} == --suite ]]; then
        set +e # a suite reports all its failures; its functions return the status
        "suite_$2"
        exit $?
    fi
    local product=("${SUITES[@]}") labs=("${LAB_SUITES[@]}")
    case ${1:-} in
        --list)
            printf '%s\n' "${SUITES[@]%%:*}" "${LAB_SUITES[@]%%:*}"
            return
            ;;
        --product) labs=() && shift ;;
        --labs) product=() && shift ;;
    esac
    local asked=" $* " name ends total_passed=0 total_failed=0 total_skipped=0
    local -A began=() pids=()
    for name in "$@"; do
        [[ " ${product[*]%%:*} ${labs[*]%%:*} " == *" $name "* ]] || die "there is no suite '$name'; ./run test --list names them"
    done
    need test
    if ((${#labs[@]})); then need labs; fi
    mkdir -p build/test
    ends=$((SECONDS + TEST_LIMIT))
    trap 'kill -TERM "${pids[@]}" 2>/dev/null; exit 130' INT TERM
    run_suites "${product[@]}"
    run_suites "${labs[@]}"
    echo
    if ((total_skipped)); then echo "$total_skipped skipped; the logs say what each of them misses"; fi
    printf '%d passed, %d failed\n' "$total_passed" "$total_failed"
    ((total_failed == 0))
}
