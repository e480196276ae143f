# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Random OpenMP programs on Teff, and on libgomp and libomp beside it: tests/random.

verb_random() {
    if [[ " $* " != *" --help "* && " $* " != *" -h "* && " $* " != *" --lib"* ]]; then
        need random
        cmake_build release teff
    fi
    # In the foreground, so that Ctrl-C ends it.
    python3 tests/random/run.py "$@" </dev/null
}
