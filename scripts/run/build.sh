# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Building. Each function is cheap when nothing changed, and returns the status of the first step that failed: it may be
# called where `set -e` does not reach.

BUILD_LIMIT=1500

# cmake_build PRESET [TARGET...]
cmake_build() {
    local preset=$1 targets=()
    shift
    if (($#)); then targets=(--target "$@"); fi
    if [[ ! -f build/$preset/build.ninja ]]; then
        limited 120 cmake --preset "$preset" --log-level=WARNING || return
    fi
    limited "$BUILD_LIMIT" cmake --build --preset "$preset" -j "$JOBS" "${targets[@]}"
}

build_runtime() {
    say "runtime"
    cmake_build release teff
}

# The page that `teff view` serves: one self-contained file.
build_viewer() {
    has_content viewer || { say "viewer: skipped, it has no sources yet"; return; }
    say "viewer"
    install_viewer_packages || return
    if stale viewer/dist/index.html viewer/*.json viewer/*.ts viewer/*.html viewer/src; then
        limited 300 npm --prefix viewer run --silent build || return
        touch viewer/dist/index.html
    fi
}

# Node packages, anew when the lock file changed. Browsers are Debian's: no package may download its own.
install_viewer_packages() {
    local stamp=viewer/node_modules/.installed-from
    if cmp -s viewer/package-lock.json "$stamp"; then return; fi
    PUPPETEER_SKIP_DOWNLOAD=1 PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 \
        limited 600 npm --prefix viewer ci --no-audit --no-fund --loglevel=error || return
    cp viewer/package-lock.json "$stamp"
}

build_tools() {
    has_content tools || { say "tools: skipped, they have no sources yet"; return; }
    say "tools"
    if [[ -f viewer/dist/index.html ]]; then export TEFF_VIEWER_HTML=$ROOT/viewer/dist/index.html; fi
    limited "$BUILD_LIMIT" cargo build --quiet --release --locked --jobs "$JOBS" --manifest-path tools/Cargo.toml || return
    mkdir -p build/bin
    cmp -s tools/target/release/teff build/bin/teff || install tools/target/release/teff build/bin/teff
}

build_all() { build_runtime && build_viewer && build_tools; }

verb_build() {
    need build
    build_all
    say "built: build/bin/teff, build/lib/libteff.so, build/lib/libgomp.so.1"
}
