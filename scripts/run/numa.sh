# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Emulates machines with several NUMA nodes, and checks that pages lie where their distribution says
# and that tasks run there. The kernel reports where the pages lie and on which processors the tasks
# ran.

NUMA_BUILD=build/numa
NUMA_WORKLOADS=(map reduction vecmul jacobi sparselu)
NUMA_HELP="usage: ./run numa [--nodes N] [--limit SECONDS]

  Boots Debian's kernel on emulated machines (QEMU) with 2, 4 and 8 nodes whose distances differ by direction, and checks
  there:
  - each distribution of memory, with small and huge pages, in a cpuset, bound to a node, and with a full node;
  - the results of the workloads that distribute their data;
  - that more tasks and loop iterations run on the node of their data with TEFF_SCHEDULE=locality than with work stealing;
  - that teff run --distribute distributes the allocations of unchanged programs in C, C++ and Fortran.

  --nodes N   only one machine, with N nodes (2 to 8)
  --limit S   end a guest after S seconds (600)

The guests' output is left in build/numa/nodes-N.log."

build_numa_programs() {
    local programs=$NUMA_BUILD/programs strict=(-O2 -g -Wall -Wextra "${WARNINGS[@]}")
    cmake_build release teff "${NUMA_WORKLOADS[@]}" && build_tools || return
    mkdir -p "$programs"
    cp "${NUMA_WORKLOADS[@]/#/build/workloads/}" build/bin/teff build/lib/libteff-distribute.so "$programs/" || return
    local program
    for program in pages tasks loops; do
        gcc "${strict[@]}" -fopenmp -I build/include "tests/numa/$program.c" -o "$programs/$program" || return
    done
    gcc "${strict[@]}" -c tests/numa/judge.c -o "$NUMA_BUILD/judge.o" || return
    gcc "${strict[@]}" tests/numa/spread.c "$NUMA_BUILD/judge.o" -o "$programs/spread" || return
    g++ "${strict[@]}" -std=c++17 tests/numa/spread.cpp "$NUMA_BUILD/judge.o" -o "$programs/spread_cxx" || return
    gfortran "${strict[@]}" tests/numa/spread.f90 "$NUMA_BUILD/judge.o" -o "$programs/spread_fortran"
}

make_numa_initramfs() {
    local root=$NUMA_BUILD/root
    make_guest_root "$root" tests/numa/init
    copy_with_libraries "$root" "$NUMA_BUILD"/programs/* || die "ldd does not name the libraries of $NUMA_BUILD/programs"
    strip --strip-debug "$root"/openmp/* # a node has little memory
    pack_initramfs "$root" "$NUMA_BUILD/initramfs.gz"
}

# Each node has a processor and 128 MiB. The distance from a node to a later node is larger than the
# distance back.
boot_numa_guest() {
    local nodes=$1 limit=$2 from to options=()
    for ((from = 0; from < nodes; ++from)); do
        options+=(-object "memory-backend-ram,size=128M,id=m$from" -numa "node,nodeid=$from,cpus=$from,memdev=m$from")
    done
    for ((from = 0; from < nodes; ++from)); do
        for ((to = 0; to < nodes; ++to)); do
            ((from == to)) || options+=(-numa "dist,src=$from,dst=$to,val=$((from < to ? 20 + to - from : 16 + from - to))")
        done
    done
    boot_guest "$NUMA_BUILD" "nodes-$nodes" "$limit" "teff_nodes=$nodes" -smp "$nodes" -m "$((128 * nodes))" "${options[@]}"
}

# judge_numa_guest NODES: checks that each part of the guest has printed its results, and that the
# guest reached its end.
judge_numa_guest() {
    local log=$NUMA_BUILD/nodes-$1.log passed failed
    passed=$(grep -c '^ok ' "$log" || true)
    failed=$(grep -c '^FAILED' "$log" || true)
    grep '^FAILED' "$log" | head -n 20 || true
    if ! grep -q '^== end' "$log"; then
        echo "the guest did not come to its end; see $log"
        ((++failed))
    fi
    echo "$1 nodes: $passed passed, $failed failed"
    numa_passed=$((numa_passed + passed)) numa_failed=$((numa_failed + failed))
}

verb_numa() {
    local machines=(2 4 8) limit=600 nodes numa_passed=0 numa_failed=0
    while (($#)); do
        case $1 in
            --nodes) machines=("${2:-}") && shift ;;
            --limit) limit=${2:-} && shift ;;
            -h | --help) echo "$NUMA_HELP" && return ;;
            *) die "numa does not know '$1'; ./run numa --help tells what it knows" ;;
        esac
        shift
    done
    [[ ${machines[0]} =~ ^[2-8]$ ]] || die "--nodes takes a number from 2 to 8"
    [[ $limit =~ ^[1-9][0-9]*$ ]] || die "--limit takes a number above 0"
    need numa
    build_numa_programs || die "the programs for the guest were not built"
    unpack_kernel_image "$(kernel_release)"
    make_numa_initramfs
    for nodes in "${machines[@]}"; do
        boot_numa_guest "$nodes" "$limit"
        judge_numa_guest "$nodes"
    done
    echo "$numa_passed passed, $numa_failed failed"
    ((numa_failed == 0))
}
