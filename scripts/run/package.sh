# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Makes the packages; docs/installing.md says for whom each package is. All packages are made from
# one tree, which `cmake --install` lays out. Two builds of one commit give the same bytes in any
# folder.

PACKAGES_DEB=(dpkg-dev:dpkg-buildpackage debhelper:dh lintian:lintian)
PACKAGES_WHEEL=(python3-venv:import=ensurepip)
PACKAGE_BUILD=$ROOT/build/package
PACKAGE_OUT=$ROOT/build/packages

usage_package() {
    cat <<'EOF'
usage: ./run package KIND

  tarball   a tree that runs from any folder, and beside it a tarball of debug symbols, a checksum
            of each, and a bill of materials
  deb       a Debian package, checked by lintian
  wheel     a Python wheel, tagged by auditwheel
  all       all of these

They are written to build/packages.
EOF
}

verb_package() {
    case ${1:-} in
        tarball | deb | wheel) local kinds=("$1") ;;
        all) local kinds=(tarball deb wheel) ;;
        -h | --help) usage_package && return ;;
        *) usage_package >&2 && die "there is no package '${1:-}'" ;;
    esac
    need package
    SOURCE_DATE_EPOCH=$(source_date)
    export SOURCE_DATE_EPOCH
    build_for_packages
    mkdir -p "$PACKAGE_OUT"
    local kind
    for kind in "${kinds[@]}"; do
        say "$kind"
        "package_$kind"
    done
}

version() { cat VERSION; }

# The time of all files in a package: the commit's, or without git, that of the newest source.
source_date() {
    git -c safe.directory="$ROOT" log -1 --format=%ct 2>/dev/null || find . -name build -prune -o -type f -printf '%T@\n' | sort -n | tail -n 1 | cut -d . -f 1
}

# Builds the runtime and the tools again, without paths of this machine in them.
build_for_packages() {
    say "runtime and tools, for packages"
    cmake_build package teff teff-machine
    build_viewer
    local cargo_home=${CARGO_HOME:-$HOME/.cargo}
    RUSTFLAGS="--remap-path-prefix=$ROOT=/usr/src/teff --remap-path-prefix=$cargo_home=/usr/src/cargo" \
        CARGO_TARGET_DIR=$PACKAGE_BUILD/tools cargo_limited build --quiet --release
    mkdir -p "$PACKAGE_BUILD/bin"
    install "$PACKAGE_BUILD/tools/release/teff" "$PACKAGE_BUILD/bin/teff"
}

# package_tree FOLDER [OPTION OF CMAKE]: makes the tree that a package has below its prefix. CMake
# keeps the times of sources, which may be earlier than the commit's, and dpkg-deb would not change
# these; so the times of all files are set here.
package_tree() {
    rm -rf "$1"
    limited 120 cmake --install build/package --prefix "$@" >/dev/null
    limited 120 python3 packaging/components.py "$1"
    chmod -R u=rwX,go=rX "$1"
    find "$1" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
}

package_tarball() {
    local name tree
    name=teff-$(version)-$(uname -m)-linux
    tree=$PACKAGE_BUILD/trees/$name
    package_tree "$tree" --strip
    pack "$name" --exclude=.debug "$name"
    mapfile -t symbols < <(cd "$PACKAGE_BUILD/trees" && find "$name" -name .debug)
    pack "$name-debug" "${symbols[@]}"
}

# pack NAME WORD...: makes NAME.tar.xz with the words as tar's arguments, and its checksum.
pack() {
    local file=$1.tar.xz
    tar -C "$PACKAGE_BUILD/trees" --sort=name --format=gnu --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
        -c "${@:2}" | xz -6 -T1 >"$PACKAGE_OUT/$file"
    (cd "$PACKAGE_OUT" && sha256sum "$file" >"$file.sha256" && du -h "$file")
}

package_deb() {
    need_words "${PACKAGES_DEB[@]}"
    local folder=$PACKAGE_BUILD/deb
    rm -rf "$folder"
    mkdir -p "$folder/teff"
    cp -r packaging/debian "$folder/teff/debian"
    package_tree "$folder/tree"
    {
        printf 'teff (%s) unstable; urgency=medium\n\n  * Version %s.\n\n' "$(version)" "$(version)"
        printf ' -- Teff developers <teff@teff.invalid>  %s\n' "$(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")"
    } >"$folder/teff/debian/changelog"
    (cd "$folder/teff" && limited 600 env TEFF_TREE="$folder/tree" dpkg-buildpackage --build=binary -us -uc -d) >"$folder/log" 2>&1 ||
        { tail -n 40 "$folder/log" && die "dpkg-buildpackage failed; its log is $folder/log"; }
    cp "$folder"/*.deb "$PACKAGE_OUT"
    (cd "$PACKAGE_OUT" && du -h ./*.deb)
    limited 300 lintian --allow-root --tag-display-limit 0 --fail-on error,warning "$folder"/*.changes && echo "lintian: nothing to say"
}

package_wheel() {
    need_words "${PACKAGES_WHEEL[@]}"
    local tree=$PACKAGE_BUILD/trees/wheel venv=$PACKAGE_BUILD/venv
    package_tree "$tree" --strip
    if [[ ! -x $venv/bin/auditwheel ]]; then
        limited 120 python3 -m venv "$venv"
        limited 300 "$venv/bin/pip" install --quiet --disable-pip-version-check auditwheel
    fi
    limited 120 "$venv/bin/python" packaging/python/wheel.py "$tree" "$PACKAGE_OUT"
    (cd "$PACKAGE_OUT" && du -h ./*.whl)
}
