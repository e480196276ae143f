# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Runs random OpenMP programs on Teff, and on libgomp and libomp in comparison: tests/random.

verb_random() {
    if [[ " $* " != *" --lib"* ]]; then
        need random
        cmake_build release teff
    fi
    # In the foreground, so that Ctrl-C ends it.
    python3 tests/random/run.py "$@" </dev/null
}
