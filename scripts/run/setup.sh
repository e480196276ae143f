# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Packages. `need VERB` looks once at what is installed, and calls apt only if something is missing.

# A word `package:command` needs no package where the command is already there, from wherever it
# came.
PACKAGES_BUILD=(
    build-essential cmake:cmake ninja-build:ninja pkg-config:pkg-config ca-certificates python3:python3
    binutils libgtest-dev libbenchmark-dev libzydis-dev nodejs:node npm:npm
)
PACKAGES_BENCH=(clang-19 libomp-19-dev libtbb-dev)
PACKAGES_TEST=(
    "${PACKAGES_BENCH[@]}" clang-format-19 libclang-rt-19-dev gfortran libopenblas-dev libssl-dev valgrind gdb patchelf
    chromium:chromium graphicsmagick:gm imagemagick:identify
    g++-aarch64-linux-gnu qemu-user-static googletest
    python3-threadpoolctl python3-joblib python3-sklearn python3-venv
)
# The tests of GCC's own libgomp, and the compilers that they belong to.
PACKAGES_CONFORMANCE=(gcc-12-source gcc-12 g++-12 gfortran-12 libomp-19-dev xz-utils)
# The module is built for the kernel of these headers, and tried in an emulated machine.
PACKAGES_KERNEL=(
    build-essential cmake:cmake ninja-build:ninja python3:python3 linux-headers-amd64 qemu-system-x86:qemu-system-x86_64 busybox-static cpio:cpio
)
# The figures of ./run machines scc --out.
PACKAGES_PLOTS=(python3-matplotlib)
# Debian's web browsers need a young Rust, so its stable releases carry one under these names.
PACKAGES_RUST=(cargo-web rustc-web rustfmt-web rust-web-clippy)
CARGO_MINIMUM=1.85
NODE_MINIMUM=18

# at_least MINIMUM FOUND: compares version numbers.
at_least() { [[ $(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1) == "$1" ]]; }

cargo_is_young_enough() {
    local found
    found=$(cargo --version 2>/dev/null | awk '{print $2}') || return 1
    [[ -n $found ]] && at_least "$CARGO_MINIMUM" "$found"
}

node_version() { node --version 2>/dev/null | tr -d v; }

# missing_packages WORD...: prints the packages that neither dpkg nor the path knows.
missing_packages() {
    local word package command installed
    installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${@%%:*}" 2>/dev/null | awk '$2 == "installed" {print $1}') || true
    for word in "$@"; do
        package=${word%%:*}
        command=${word#*:}
        if [[ $word == *:* ]] && command -v "$command" >/dev/null; then continue; fi
        grep -qxF "$package" <<<"$installed" || echo "$package"
    done
}


install_packages() {
    say "install: $*"
    command -v apt-get >/dev/null || die "these packages are missing, and there is no apt-get to install them: $*"
    if ((EUID != 0)) && ! command -v sudo >/dev/null; then
        die "these packages are missing; run as root, or install them: apt-get install $*"
    fi
    local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0)
    limited_as_root 600 "${apt[@]}" update || say "apt-get update failed; going on with the package lists there are"
    limited_as_root 1800 "${apt[@]}" install -y --no-install-recommends "$@" ||
        die "apt-get could not install: $*. Debian 12 has all of them in its main archive; see the message above"
    # What CMake did not find before may be there now.
    rm -f build/*/CMakeCache.txt build/*/.configured
}

limited_as_root() {
    if ((EUID == 0)); then limited "$@"; else limited "$1" sudo "${@:2}"; fi
}

need_packages() {
    local missing
    mapfile -t missing < <(missing_packages "$@")
    if ((${#missing[@]})); then install_packages "${missing[@]}"; fi
    hash -r
}

# need VERB: makes sure that what the verb uses is installed.
need() {
    local words=("${PACKAGES_BUILD[@]}")
    case $1 in
        kernel | numa) need_packages "${PACKAGES_KERNEL[@]}" && return ;; # neither tools nor page take part
        plots) need_packages "${PACKAGES_PLOTS[@]}" && return ;;
        conformance) words+=("${PACKAGES_CONFORMANCE[@]}") ;;
        tour) words+=(gfortran:gfortran chromium:chromium graphicsmagick:gm patch:patch) ;;
        truth) words+=(gfortran:gfortran chromium:chromium) ;;
        bench) words+=("${PACKAGES_BENCH[@]}") ;;
        random) words+=(libomp-19-dev) ;;
        test | sanitize | soak | situations | fuzz) words+=("${PACKAGES_TEST[@]}") ;;
    esac
    cargo_is_young_enough || words+=("${PACKAGES_RUST[@]}")
    need_packages "${words[@]}"
    cargo_is_young_enough || die "cargo $CARGO_MINIMUM or later is needed, found: $(cargo --version 2>&1)"
    at_least "$NODE_MINIMUM" "$(node_version)" || die "node $NODE_MINIMUM or later is needed, found: $(node_version)"
}

verb_setup() {
    need "${1:-test}"
    say "all packages for '${1:-test}' are there"
}
