# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Modelled machines: shows which of the thesis's results on locality are reproduced, writes the
# thesis's time lines as recordings with a page for each, and shows which results on barriers
# without coherent caches are reproduced. docs/machines.md explains them.

# out_folder ARGUMENT...: prints the folder after --out, if there is one.
out_folder() {
    while (($# > 1)); do
        if [[ $1 == --out ]]; then echo "$2"; fi
        shift
    done
}

verb_machines() {
    local folder=
    need build
    cmake_build labs machines >/dev/null || die "the modelled machines were not built"
    if [[ ${1:-} == timelines ]] && ! asks_for_help "$@"; then
        machine_time_lines "${@:2}"
        return
    fi
    if [[ ${1:-} == scc ]]; then folder=$(out_folder "$@"); fi
    if [[ -n $folder ]]; then
        need plots
        mkdir -p "$folder" || die "cannot make the folder '$folder' for figures"
    fi
    build/release/labs/machines/bin/machines "$@" || return
    # Only the system's Python has the system's packages.
    if [[ -n $folder ]]; then /usr/bin/python3 labs/machines/scc/plot.py "$folder"; fi
}

# machine_time_lines [--out DIRECTORY] [WORD]: recordings, and a page of each.
machine_time_lines() {
    local out=build/timelines recording scales page
    if [[ ${1:-} == --out ]]; then
        out=${2:?--out needs a folder}
        shift 2
    else
        rm -rf "$out"
    fi
    if ! { build_viewer && build_tools; } >/dev/null; then die "the tools were not built"; fi
    build/release/labs/machines/bin/machines timelines --out "$out" "$@" >"$out.list" || return
    while read -r recording scales; do
        page=${recording%.teff}.html
        limited 300 build/bin/teff view "$recording" --html "$page" >/dev/null || return
        echo "$page$scales"
    done <"$out.list"
    rm -f "$out.list"
}
