# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Makes docs/tour.md again: its figures, measured on this machine, and its pictures.

TOUR_PAGES=build/tour

verb_tour() {
    need tour
    build_all || return
    if ! asks_for_help "$@"; then
        rm -rf "$TOUR_PAGES"
        mkdir -p "$TOUR_PAGES"
    fi
    limited 1200 python3 bench/tour/tour.py "$@" "$TOUR_PAGES" || return
    if asks_for_help "$@"; then return; fi
    TEFF_SCREEN=1200x750 first_screens_of "$TOUR_PAGES" || return
    tour_pictures
    echo "$ROOT/docs/tour.md"
}

# Few colours, as files in the repository should be small.
tour_pictures() {
    local picture name
    for picture in "$TOUR_PAGES"/*-1200.png; do
        name=$(basename "$picture" -1200.png)
        gm convert "$picture" +dither -colors 48 "docs/images/tour-$name.png" || return
    done
}
