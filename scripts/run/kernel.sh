# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Builds the kernel module against Debian's headers, and tests it in an emulated machine that runs
# Debian's kernel. The kernel of this machine gets no module and no new version: the image is
# unpacked below build/, not installed.

KERNEL_BUILD=build/kernel
KERNEL_HELP="usage: ./run kernel [--quick] [--build] [--ticks N] [--limit SECONDS]

  Builds the module, its test client and the runtime, boots them in two emulated machines (QEMU), and checks what the
  guests print. One guest has two processors, to show races. In the other guest time is counted in instructions; it runs
  many ticks and gives the figures. Both run OpenMP programs that are preempted, and measure the latency of preemption.

  --quick     fewer ticks
  --build     only build
  --ticks N   the number of ticks of the longest check; other checks take a part of it (1000000; with --quick 20000)
  --limit S   end a guest after S seconds (3600; with --quick 900)

The guests' output is left in build/kernel/races.log and exact.log."

# The module is built in a copy: the kernel's makefiles write beside the sources.
build_kernel_module() {
    local release
    release=$(kernel_release) || die "no kernel headers in /usr/src; ./run setup kernel installs them"
    mkdir -p "$KERNEL_BUILD"
    rm -rf "$KERNEL_BUILD/source"
    cp -r labs/kernel "$KERNEL_BUILD/source"
    cp runtime/src/preempt/teff_preempt.h "$KERNEL_BUILD/source/module/"
    limited 300 make -s -C "/usr/src/linux-headers-$release" M="$ROOT/$KERNEL_BUILD/source/module" \
        W=1 KCFLAGS="${WARNINGS[*]}" modules 2>&1 | grep -v 'Skipping BTF generation' || true
    [[ -e $KERNEL_BUILD/source/module/teff_preempt.ko ]] || die "the module was not built; see above"
    cp "$KERNEL_BUILD/source/module/teff_preempt.ko" "$KERNEL_BUILD/"
    say "built $KERNEL_BUILD/teff_preempt.ko for $release"
}

# Statically linked: the guest has no libraries.
build_kernel_client() {
    local objects=$KERNEL_BUILD/objects source user_side=(-I runtime/src)
    rm -rf "$objects"
    mkdir -p "$objects"
    for source in labs/kernel/test/*.c; do
        gcc -std=gnu11 -D_GNU_SOURCE "${user_side[@]}" -O2 -g -Wall -Wextra "${WARNINGS[@]}" -c "$source" -o "$objects/$(basename "$source").o" || return
    done
    for source in labs/kernel/test/preemptible.S runtime/src/preempt/tick_entry_x86_64.S; do
        gcc "${user_side[@]}" -c "$source" -o "$objects/$(basename "$source").o" || return
    done
    g++ -std=c++20 "${user_side[@]}" -O2 -g -fno-exceptions -fno-rtti -Wall -Wextra "${WARNINGS[@]}" \
        -c runtime/src/preempt/tick_source_x86_64.cpp -o "$objects/tick_source.o" || return
    gcc -static -pthread -o "$KERNEL_BUILD/client" "$objects"/*.o || return
    say "built $KERNEL_BUILD/client"
}

# Builds ordinary programs, and copies Teff's library to replace that of their compiler.
build_kernel_programs() {
    local programs=$KERNEL_BUILD/openmp conformance=runtime/conformance name
    local flags=(-D_GNU_SOURCE -O2 -g -Wall -Wextra "${WARNINGS[@]}" -fopenmp -pthread)
    flags+=(-I "$conformance" -I runtime/src)
    cmake_build release teff || return
    rm -rf "$programs"
    mkdir -p "$programs"
    for name in higher_first locks; do
        gcc "${flags[@]}" "$conformance/preempt/$name.c" -o "$programs/$name" || return
    done
    g++ "${flags[@]}" "$conformance/preempt/cxx.cpp" -o "$programs/cxx" || return
    gcc "${flags[@]}" labs/kernel/test/openmp/latency.c -o "$programs/latency" || return
    gcc "${flags[@]}" labs/kernel/test/openmp/canaries.c -o "$programs/canaries" || return
    gcc "${flags[@]}" -shared -fPIC runtime/test_objects/{preempted.c,canaries_x86_64.S} -o "$programs/libpreempted.so" || return
    say "built $programs"
}

build_kernel() { build_kernel_module && build_kernel_client && build_kernel_programs; }

make_kernel_initramfs() {
    local root=$KERNEL_BUILD/root
    make_guest_root "$root" labs/kernel/test/init
    cp "$KERNEL_BUILD/client" "$root/"
    copy_with_libraries "$root" "$KERNEL_BUILD"/openmp/* || die "ldd does not name the libraries of $KERNEL_BUILD/openmp"
    objcopy --strip-debug "$KERNEL_BUILD/teff_preempt.ko" "$root/teff_preempt.ko"
    pack_initramfs "$root" "$KERNEL_BUILD/initramfs.gz"
}

# Two processors that run at the same time, so that races can occur. An emulated interrupt takes a
# few hundred microseconds on a busy host, so shorter periods would leave the program little time.
guest_races() {
    local groups=intact,demand,refusal,lifetime,root,asked
    boot_guest "$KERNEL_BUILD" races "$2" "teff_groups=$groups teff_ticks=$(($1 / 50)) teff_period_ns=500000 \
teff_openmp=right,latency teff_rounds=20 teff_tasks=$3" -smp 2 -m 512
}

# One processor on which each instruction takes one nanosecond: short periods, and figures that do
# not depend on the host.
guest_exact() {
    boot_guest "$KERNEL_BUILD" exact "$2" "teff_groups=due,intact,demand,stepped teff_ticks=$1 teff_period_ns=10000 \
teff_openmp=latency teff_tasks=$3" \
        -smp 1 -m 512 -icount shift=0,sleep=off
}

verb_kernel() {
    local ticks=1000000 limit=3600 tasks=1000 build_only=0
    while (($#)); do
        case $1 in
            --quick) ticks=20000 limit=900 tasks=300 ;;
            --build) build_only=1 ;;
            --ticks) ticks=${2:-} && shift ;;
            --limit) limit=${2:-} && shift ;;
            -h | --help) echo "$KERNEL_HELP" && return ;;
            *) die "kernel does not know '$1'; ./run kernel --help tells what it knows" ;;
        esac
        shift
    done
    [[ $ticks =~ ^[1-9][0-9]*$ && $limit =~ ^[1-9][0-9]*$ ]] || die "--ticks and --limit take numbers above 0"
    need kernel
    build_kernel
    if ((build_only)); then return; fi
    unpack_kernel_image "$(kernel_release)"
    make_kernel_initramfs
    guest_races "$ticks" "$limit" "$tasks"
    guest_exact "$ticks" "$limit" "$tasks"
    python3 scripts/kernel_log.py "$KERNEL_BUILD"/{races,exact}.log
}
