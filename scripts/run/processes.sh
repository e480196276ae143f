# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Runs workloads and conformance programs on processes that share no memory.

verb_processes() {
    need processes
    cmake_build release || return
    { build_labs && build_tools; } || return
    python3 labs/processes/bench/measure.py "$@"
}
