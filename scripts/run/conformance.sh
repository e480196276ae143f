# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Runs libgomp's own test suite on libgomp and on Teff. scripts/libgomp_suite implements it.

CONFORMANCE_LIMIT=7200

verb_conformance() {
    need conformance
    cmake_build release teff
    # In the foreground, because `limited` takes the terminal away, and with it the progress line.
    timeout --foreground --kill-after=10 "$CONFORMANCE_LIMIT" \
        env PYTHONPATH="$ROOT/scripts" python3 -m libgomp_suite "$@" </dev/null
}
