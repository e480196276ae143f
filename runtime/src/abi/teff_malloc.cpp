// SPDX-License-Identifier: Apache-2.0
// Implements the routines of teff.h for memory that is spread over the nodes.
#include <cstdlib>
#include <iterator>

#include "abi/export.h"
#include "abi/first_use.h"
#include "icv/icv.h"
#include "mem/distributed_heap.h"

using namespace teff;

namespace {

constexpr int kOfEnvironment = -1; // OMP_DATA_DISTRIBUTION decides

// Returns the distribution with this number. An unknown number means the standard distribution,
// because the program may be compiled with a later version of the header.
unsigned chosen(int number) {
    if (number == kOfEnvironment) return icv::global().data_distribution;
    return number >= 0 && number < static_cast<int>(std::size(icv::kDistributions)) ? static_cast<unsigned>(number)
                                                                                    : mem::kStandard;
}

} // namespace

TEFF_EXPORT void* teff_malloc(std::size_t bytes, int number) {
    abi::first_use();
    void* const memory = mem::process_heap().allocate(mem::distribution(chosen(number)), 1, bytes);
    return memory != nullptr ? memory : std::malloc(bytes);
}

TEFF_EXPORT void teff_free(void* memory) {
    if (!mem::process_heap().free(memory)) std::free(memory);
}

// Stores in `sums`, for each of `nodes` nodes, the number of bytes of [address, address + bytes) on
// this node. Returns the number of nodes over which the process spreads memory; 0 if the nodes of
// these bytes are not known.
TEFF_EXPORT int teff_bytes_per_node(const void* address, std::size_t bytes, std::size_t* sums, int nodes) {
    std::size_t all[topo::NumaNodes::kMost] = {};
    const unsigned count = mem::process_nodes().count;
    if (!mem::process_heap().add_bytes_per_node(address, bytes, {all, count})) return 0;
    for (int node = 0; node < nodes; ++node)
        sums[node] = static_cast<unsigned>(node) < count ? all[node] : 0;
    return static_cast<int>(count);
}
