# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Builds the library and the conformance programs for AArch64, and runs them under QEMU's emulation
# of user programs.

AARCH64_LIMIT=10800
AARCH64_HELP="usage: ./run aarch64 [OPTIONS]

  Cross-compiles the whole library and the conformance programs for AArch64, runs each program under QEMU's emulation of
  user programs with 2 and 3 threads, and prints a table: how many programs of each folder passed, failed, and cannot run
  under emulation, with the reason.

  --filter E      only programs whose folder/name matches the expression
  --threads N,M   with these numbers of threads
  --timeout S     end a run after so many seconds (120)
  --stock         on libgomp of the cross compiler instead

What passes says nothing about the order in which memory is written: on an x86-64 processor the emulated program has that
processor's order, which is stronger than AArch64's."

verb_aarch64() {
    local lib=(--lib build/aarch64/lib) options=()
    while (($#)); do
        case $1 in
            -h | --help) echo "$AARCH64_HELP" && return ;;
            --stock) lib=() ;;
            --filter | --threads | --timeout) options+=("$1" "${2?$1 needs a value}") && shift ;;
            *) die "aarch64 has no option '$1'; ./run aarch64 --help" ;;
        esac
        shift
    done
    need aarch64
    if ((${#lib[@]})); then cmake_build aarch64 teff || return; fi
    limited "$AARCH64_LIMIT" python3 runtime/conformance/run.py --cross aarch64-linux-gnu --table --threads 2,3 \
        --timeout 120 --jobs "$JOBS" "${lib[@]}" "${options[@]}"
}
