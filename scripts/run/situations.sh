# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Runs the situations' programs on libgomp, libomp and Teff side by side.

verb_situations() {
    need situations
    cmake_build release teff
    python3 tests/situations/table.py "$@"
}
