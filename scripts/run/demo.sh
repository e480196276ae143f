# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Runs the demo, and makes the pages that tests read.

DEMO_FOLDER=build/demo
DEMO_PAGE=$DEMO_FOLDER/pack.html

# Shows what a user does first with a slow program: demo/story.py.
demo_steps() {
    mkdir -p "$DEMO_FOLDER"
    limited 180 python3 demo/story.py "$DEMO_FOLDER" || return
    if [[ ! -s $DEMO_PAGE ]]; then
        echo "the demo ended well but left no $DEMO_PAGE" >&2
        return 1
    fi
}

# Pages of a few programs, each with its report, for viewer/e2e/report.e2e.ts.
RECORDED_PAGES=$DEMO_FOLDER/pages

recorded_pages() {
    rm -rf "$RECORDED_PAGES"
    mkdir -p "$RECORDED_PAGES"
    cmake_build release sort sparselu mandelbrot || return
    recorded_page sort sort --size small || return
    recorded_page depend sparselu --size small --variant depend || return
    recorded_page loop mandelbrot --size small --schedule dynamic || return
    TEFF_TRACE_SAMPLES=5000 TEFF_TRACE_STACKS=TRUE recorded_page sampled sort --size small
}

# recorded_page NAME WORKLOAD OPTIONS...
recorded_page() {
    local page=$RECORDED_PAGES/$1
    OMP_NUM_THREADS=2 limited 60 build/bin/teff record -o "$page.teff" -- "build/workloads/$2" "${@:3}" || return
    limited 60 build/bin/teff report --json "$page.teff" >"$page.json" || return
    limited 60 build/bin/teff view "$page.teff" --html "$page.html"
}

# Makes the pages of the programs with one defect each, tests what their first screens show of it,
# and takes pictures of these screens.
DEFECT_PAGES=$DEMO_FOLDER/defects

# first_screens [OPTION OF pages.py...]
first_screens() {
    rm -rf "$DEFECT_PAGES"
    mkdir -p "$DEFECT_PAGES"
    limited 200 python3 bench/truth/pages.py "$@" "$DEFECT_PAGES" || return
    compgen -G "$DEFECT_PAGES/*.html" >/dev/null || return 0 # only its help was wanted
    first_screens_of "$DEFECT_PAGES"
}

# first_screens_of FOLDER: tests the pages there, and leaves their pictures.
first_screens_of() {
    TEFF_DEFECTS=$ROOT/$1 TEFF_PICTURES=$ROOT/$1 npm --prefix viewer run --silent test:first
}

verb_demo() {
    need demo
    build_all
    demo_steps
}
