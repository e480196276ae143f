# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# The thesis's study of what task-based programs are made of, on our workloads:
# docs/characterising.md.

verb_characterise() {
    case " $* " in *" -h "* | *" --help "*) python3 scripts/characterise.py --help && return ;; esac
    need characterise
    { build_all && build_labs; } || return
    python3 scripts/characterise.py "$@"
}
