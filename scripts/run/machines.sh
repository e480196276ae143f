# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Modelled machines: which of the thesis's results on locality come out. docs/machines.md explains
# it.

verb_machines() {
    need build
    cmake_build release machines >/dev/null || die "the modelled machines were not built"
    build/release/runtime/machine/bin/machines "$@"
}
