# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Builds the parts of the project. Each function is cheap when nothing has changed. It returns the
# status of the first step that failed, because it may be called where `set -e` has no effect.

BUILD_LIMIT=1500

# cmake_build PRESET [TARGET...]
cmake_build() {
    local preset=$1 targets=()
    shift
    if (($#)); then targets=(--target "$@"); fi
    configure "$preset" || return
    limited "$BUILD_LIMIT" cmake --build --preset "$preset" -j "$JOBS" "${targets[@]}"
}

# configure PRESET: prints which parts are left out because something that they need is missing. A
# build folder that was configured with WERROR=1 keeps this setting until it is removed. Likewise,
# the folder of `release` keeps the labs once they were built, because their preset shares this
# folder.
configure() {
    local preset=$1 folder=build/$1 stamp log options=()
    if [[ $preset == labs ]]; then folder=build/release; fi
    stamp=$folder/.configured-$preset
    log=$folder/configured.log
    if ((${#WARNINGS[@]})); then options=(-D CMAKE_COMPILE_WARNING_AS_ERROR=ON); fi
    if stale "$stamp" CMakePresets.json || [[ -n ${options[*]} && $(<"$stamp") != "${options[*]}" ]]; then
        mkdir -p "$folder"
        limited 600 cmake --preset "$preset" "${options[@]}" >"$log" || return
        grep 'left out' "$log" || true
        echo "${options[*]}" >"$stamp"
    fi
}

build_runtime() {
    say "runtime"
    cmake_build release teff teff-machine
}

# The experiments of labs/.
build_labs() {
    say "labs"
    cmake_build labs teff teff-machine labs
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

# Installs Node packages, and installs them again when the lock file has changed. The browsers come
# from Debian: no Node package may download a browser.
install_viewer_packages() {
    local stamp=viewer/node_modules/.installed-from
    if cmp -s viewer/package-lock.json "$stamp"; then return; fi
    npm_limited ci || return
    cp viewer/package-lock.json "$stamp"
}

npm_limited() {
    limited 600 env PUPPETEER_SKIP_DOWNLOAD=1 PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 \
        npm --prefix viewer "$@" --no-audit --no-fund --loglevel=error
}

# Installs the packages of Python and Node that read exports in the tests. Installs them again when
# their lists have changed.
READERS=$PWD/build/readers
install_readers() {
    local lists=tests/exports/readers stamp=$READERS/.installed-from
    if cat "$lists"/* | cmp -s - "$stamp"; then return; fi
    rm -rf "$READERS"
    limited 120 python3 -m venv "$READERS" || return
    limited 600 "$READERS/bin/pip" install --quiet --disable-pip-version-check -r "$lists/requirements.txt" || return
    cp "$lists"/package*.json "$READERS"
    limited 600 npm --prefix "$READERS" ci --ignore-scripts --no-audit --no-fund --loglevel=error || return
    cat "$lists"/* >"$stamp"
}

# Installs versions of MPICH that are newer than that of Debian 12; one has the standard binary
# interface. The tests that need them are skipped if they cannot be installed.
install_mpich() {
    local version
    for version in 4.3 5.0; do
        install_mpich_version "build/mpich-$version" "tests/mpi/requirements-$version.txt"
    done
}

# install_mpich_version FOLDER LIST
install_mpich_version() {
    local mpich=$1 list=$2
    if cmp -s "$list" "$mpich/.installed-from"; then return; fi
    rm -rf "$mpich"
    if limited 120 python3 -m venv "$mpich" &&
        limited 300 "$mpich/bin/pip" install --quiet --disable-pip-version-check -r "$list"; then
        cp "$list" "$mpich/.installed-from"
    else
        say "MPICH of the Python package index cannot be installed: tests that need it are skipped"
    fi
}

# Installs ruff, of which Debian has no package. Installs it again when the requested version has
# changed.
install_linters() {
    local linters=build/linters list=scripts/run/linters.txt
    if cmp -s "$list" "$linters/.installed-from"; then return; fi
    rm -rf "$linters"
    limited 120 python3 -m venv "$linters" || return
    limited 120 "$linters/bin/pip" install --quiet --disable-pip-version-check -r "$list" || return
    cp "$list" "$linters/.installed-from"
}

build_tools() {
    has_content tools || { say "tools: skipped, they have no sources yet"; return; }
    say "tools"
    cargo_limited build --quiet --release || return
    mkdir -p build/bin
    cmp -s tools/target/release/teff build/bin/teff || install tools/target/release/teff build/bin/teff
}

build_all() { build_runtime && build_viewer && build_tools; }

# cargo_limited VERB OPTIONS...: the tools contain the viewer's page.
cargo_limited() {
    local verb=$1 page=$ROOT/viewer/dist/index.html environment=()
    shift
    if [[ -f $page ]]; then environment=("TEFF_VIEWER_HTML=$page"); fi
    limited "$BUILD_LIMIT" env "${environment[@]}" \
        cargo "$verb" --locked --jobs "$JOBS" --manifest-path tools/Cargo.toml "$@"
}

verb_build() {
    need build
    build_all
    say "built: build/bin/teff, build/lib/libgomp.so.1"
}
