# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Installs what a verb needs. `need VERB` first checks what is there, and calls apt only if
# something is missing. Without apt, or without root and sudo, it says what to provide.
#
# A word is PACKAGE or PACKAGE:WITNESS. A witness shows that the content of the package is
# installed, from any source:
#
#     ninja                a command
#     cmake>=3.25          a command of this version or a later one
#     <gtest/gtest.h>      a header, in the compiler's folders or below a prefix
#     import=sklearn       a module of Python
#     /etc/ssl/certs       a file or folder
#
# A Debian package whose witness has no version also counts if dpkg knows its name. A word without a
# witness counts as missing only if dpkg exists and does not know its name.

CXX_WORD=${CXX:-g++}
CXX_WORD=${CXX_WORD%% *}
if [[ $CXX_WORD == *clang* ]]; then CXX_MINIMUM=19; else CXX_MINIMUM=12; fi

PACKAGES_BUILD=(
    "build-essential:$CXX_WORD>=$CXX_MINIMUM" binutils:ld cmake:cmake'>=3.25' ninja-build:ninja
    ca-certificates:/etc/ssl/certs nodejs:node'>=18' npm:npm
)
# Debian's web browsers need a recent Rust, so its stable releases have one under these names.
PACKAGES_RUST=(cargo-web:cargo'>=1.85' rustc-web:rustc'>=1.85')
# If this is missing, parts of labs/ are left out.
PACKAGES_LABS=('libzydis-dev:<Zydis/Zydis.h>')
# If this is missing, the check of scripts is skipped.
PACKAGES_LINTERS=(shellcheck:shellcheck)
# Many verbs other than build run Python scripts.
PACKAGES_SCRIPTS=(python3:python3'>=3.10')
PACKAGES_UNIT=('libgtest-dev:<gtest/gtest.h>' 'libbenchmark-dev:<benchmark/benchmark.h>')
PACKAGES_BENCH=("${PACKAGES_UNIT[@]}" clang-19:clang-19 libomp-19-dev 'libtbb-dev:<tbb/task_group.h>')
PACKAGES_AARCH64=(
    gcc-aarch64-linux-gnu:aarch64-linux-gnu-gcc g++-aarch64-linux-gnu:aarch64-linux-gnu-g++ qemu-user-static:qemu-aarch64-static
)
PACKAGES_TEST=(
    "${PACKAGES_BENCH[@]}" rustfmt-web:rustfmt rust-web-clippy:cargo-clippy clang-format-19:clang-format-19 libclang-rt-19-dev
    gfortran:gfortran flang-19:flang-new-19 'libopenblas-dev:<cblas.h>' 'libssl-dev:<openssl/evp.h>' valgrind:valgrind gdb:gdb patchelf:patchelf
    chromium:chromium graphicsmagick:gm imagemagick:identify
    "${PACKAGES_AARCH64[@]}" googletest
    python3-threadpoolctl:import=threadpoolctl python3-joblib:import=joblib python3-sklearn:import=sklearn
    python3-venv:import=ensurepip
)
# The tests of GCC's libgomp, and the compilers of the same version.
PACKAGES_CONFORMANCE=(gcc-12-source gcc-12:gcc-12 g++-12:g++-12 gfortran-12:gfortran-12 libomp-19-dev xz-utils:xz)
# The module is built for the kernel of these headers, and tested in an emulated machine.
PACKAGES_KERNEL=(
    build-essential:g++ cmake:cmake ninja-build:ninja python3:python3 linux-headers-amd64 qemu-system-x86:qemu-system-x86_64 busybox-static cpio:cpio
)
# The figures of ./run machines scc --out.
PACKAGES_PLOTS=(python3-matplotlib:import=matplotlib)

# at_least MINIMUM FOUND: compares version numbers.
at_least() { [[ $(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1) == "$1" ]]; }

# version_of COMMAND: the first number with a point in it that the command calls its version.
version_of() { "$1" --version 2>/dev/null | head -n 1 | grep -oE '[0-9]+(\.[0-9]+)+' | head -n 1; }

# prefixes: the folders below which CMake looks for headers and libraries first.
prefixes() {
    local folder
    tr ':;' '\n' <<<"${CMAKE_PREFIX_PATH:-}"
    tr ':' '\n' <<<"$PATH" | while read -r folder; do
        case $folder in */bin | */sbin) echo "${folder%/*}" ;; esac
    done
}

has_header() {
    local prefix include=()
    while read -r prefix; do
        if [[ $prefix == /?* && -d $prefix/include ]]; then include+=(-I "$prefix/include"); fi
    done < <(prefixes)
    "$CXX_WORD" "${include[@]}" -x c++ -std=c++17 -E - <<<"#include <$1>" >/dev/null 2>&1
}

# is_witnessed WITNESS
is_witnessed() {
    local found
    case $1 in
        '<'*) found=${1#<} && has_header "${found%>}" ;;
        import=*) python3 -c "import ${1#import=}" 2>/dev/null ;;
        /*) [[ -e $1 ]] ;;
        *'>='*) found=$(version_of "${1%%>=*}") && [[ -n $found ]] && at_least "${1##*>=}" "$found" ;;
        *) command -v "$1" >/dev/null ;;
    esac
}

# missing_words WORD...: prints the words that neither dpkg nor a witness shows to be installed.
missing_words() {
    local word package witness installed dpkg=false
    if command -v dpkg-query >/dev/null; then
        dpkg=true
        installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${@%%:*}" 2>/dev/null | awk '$2 == "installed" {print $1}') || true
    fi
    for word in "$@"; do
        package=${word%%:*}
        witness=
        if [[ $word == *:* ]]; then witness=${word#*:}; fi
        if [[ $witness != *'>='* ]] && grep -qxF "$package" <<<"${installed:-}"; then continue; fi
        if [[ -z $witness ]]; then
            if $dpkg; then echo "$word"; fi
        elif ! is_witnessed "$witness"; then
            echo "$word"
        fi
    done
}

# wanted WORD: describes what to provide.
wanted() {
    local witness=${1#*:} command found
    case $witness in
        '<'*) echo "the header $witness" ;;
        import=*) echo "Python's module ${witness#import=}" ;;
        *'>='*)
            command=${witness%%>=*}
            found=$(version_of "$command") || true
            if [[ -n $found ]]; then found="found $found, $(command -v "$command")"; else found="not found"; fi
            echo "$command ${witness##*>=} or later ($found)"
            ;;
        *) echo "$witness" ;;
    esac
}

# miss WORD...: prints what is missing.
miss() {
    local word
    for word in "$@"; do printf '  %-60s Debian: %s\n' "$(wanted "$word")" "${word%%:*}"; done
    echo "Commands are looked for in PATH; headers and libraries where the compiler does, below each folder"
    echo "of CMAKE_PREFIX_PATH, and beside the bin folders in PATH. docs/hacking.md has more."
}

can_install() { command -v apt-get >/dev/null && command -v dpkg-query >/dev/null && { ((EUID == 0)) || command -v sudo >/dev/null; }; }

# install_packages PACKAGE...
install_packages() {
    say "install: $*"
    local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0)
    limited_as_root 600 "${apt[@]}" update || say "apt-get update failed; going on with the package lists there are"
    limited_as_root 3600 "${apt[@]}" install -y --no-install-recommends "$@" || return
    # CMake must search again for what it did not find before.
    rm -f build/*/CMakeCache.txt build/*/.configured-*
}

limited_as_root() {
    if ((EUID == 0)); then limited "$@"; else limited "$1" sudo "${@:2}"; fi
}

# need_words WORD...
need_words() {
    local missing why=
    mapfile -t missing < <(missing_words "$@")
    if ((${#missing[@]} == 0)); then return; fi
    if ! command -v apt-get >/dev/null; then
        why="there is no apt-get to install it"
    elif ! can_install; then
        why="only root can install it, and there is no sudo"
    else
        why="what apt-get installed is not enough"
        install_packages "${missing[@]%%:*}" || why="apt-get could not install it; see above"
        hash -r
        rm -f build/*/.configured-* # CMake is to find what it missed
        mapfile -t missing < <(missing_words "$@")
        if ((${#missing[@]} == 0)); then return; fi
    fi
    die "something is missing, and $why:"$'\n'"$(miss "${missing[@]}")"
}

# plugin_word: the headers for plugins of the GCC in use, for `teff cc`; without a GCC, of Debian's.
plugin_word() {
    local folder package=gcc-12-plugin-dev
    if folder=$(gcc -print-file-name=plugin 2>/dev/null); then package=gcc-$(gcc -dumpversion | cut -d. -f1)-plugin-dev; fi
    echo "$package:${folder:-/nowhere}/include/gcc-plugin.h"
}

# need VERB: makes sure that everything that the verb uses is installed.
need() {
    local words=("${PACKAGES_BUILD[@]}" "${PACKAGES_RUST[@]}")
    case $1 in
        kernel | numa) need_words "${PACKAGES_KERNEL[@]}" && return ;; # neither tools nor page take part
        aarch64) need_words cmake:cmake'>=3.25' ninja-build:ninja "${PACKAGES_SCRIPTS[@]}" "${PACKAGES_AARCH64[@]}" \
            gfortran-aarch64-linux-gnu:aarch64-linux-gnu-gfortran && return ;;
        plots) need_words "${PACKAGES_PLOTS[@]}" && return ;;
        conformance) words+=("${PACKAGES_CONFORMANCE[@]}") ;;
        demo) words+=(patch:patch) ;;
        tour) words+=(gfortran:gfortran chromium:chromium graphicsmagick:gm patch:patch) ;;
        truth) words+=(gfortran:gfortran chromium:chromium) ;;
        bench) words+=("${PACKAGES_BENCH[@]}") ;;
        random) words+=(libomp-19-dev) ;;
        test | sanitize | soak | situations | fuzz) words+=("${PACKAGES_TEST[@]}") ;;
    esac
    if [[ $1 != build ]]; then words+=("${PACKAGES_SCRIPTS[@]}"); fi
    if can_install; then
        case $1 in
            labs | characterise | processes | sanitize) words+=("${PACKAGES_LABS[@]}") ;;
            test) words+=("${PACKAGES_LINTERS[@]}" "$(plugin_word)") ;;
        esac
    fi
    need_words "${words[@]}"
}

verb_setup() {
    need "${1:-test}"
    say "all packages for '${1:-test}' are there"
}
