# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Installs the built files below a folder: docs/installing.md.

verb_install() {
    local prefix=${1:-}
    if (($# != 1)) || [[ $prefix == -* ]]; then die "usage: ./run install PREFIX, for example ~/.local or /usr/local"; fi
    need build
    build_all
    install_tree release "$(realpath -m "$prefix")"
    say "installed: $prefix/bin/teff"
}

# install_tree PRESET PREFIX: installs into the usual folders below PREFIX, with debug symbols in
# separate files.
install_tree() { limited 120 cmake --install "build/$1" --strip --prefix "$2" >/dev/null; }
