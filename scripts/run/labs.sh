# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Builds and tests the experiments of labs/: see labs/README.md. The other verbs for these are
# characterise, kernel, machines and processes.

verb_labs() {
    case ${1:-} in
        test) shift && run_tests_of_labs "$@" ;;
        '')
            need labs
            build_labs
            say "built: what labs/README.md lists"
            ;;
        *) die "labs takes nothing, or test [SUITE...], not '$1'" ;;
    esac
}

run_tests_of_labs() {
    source scripts/run/test.sh
    verb_test --labs "$@"
}
