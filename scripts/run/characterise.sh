# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Runs the thesis's study of the properties of task-based programs on our workloads:
# docs/characterising.md.

verb_characterise() {
    need characterise
    { build_all && build_labs; } || return
    python3 scripts/characterise.py "$@"
}
