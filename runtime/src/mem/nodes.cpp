// SPDX-License-Identifier: Apache-2.0
#include "mem/nodes.h"

#include <pthread.h>
#include <sys/mman.h>

#include "base/system_call.h"

namespace teff::mem {

namespace {

using base::call;

constexpr unsigned long kMaskBits = topo::NumaNodes::kMostNumber + 1; // the kernel counts one less
constexpr int kOfNode = 1, kOfAddress = 2, kOfAllowedNodes = 4;       // MPOL_F_NODE, MPOL_F_ADDR, MPOL_F_MEMS_ALLOWED

class RealSystem final : public System {
  public:
    long bind(Range range, Policy policy, const NodeMask& nodes) const override {
        return call(SYS_mbind, range.begin, range.bytes, static_cast<int>(policy), nodes.words.data(), kMaskBits, 0);
    }
    long forbid_huge_pages(Range range) const override {
        return call(SYS_madvise, range.begin, range.bytes, MADV_NOHUGEPAGE);
    }
    void* map(std::size_t bytes) const override {
        const long memory = call(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        return base::is_error(memory) ? nullptr : reinterpret_cast<void*>(memory);
    }
    void unmap(Range range) const override { (void)call(SYS_munmap, range.begin, range.bytes); }
    long node_of_caller() const override {
        unsigned node = 0;
        const long error = call(SYS_getcpu, nullptr, &node, nullptr);
        return error != 0 ? error : static_cast<long>(node);
    }
    long node_of_page(void* page) const override {
        *static_cast<volatile char*>(page) = 0;
        int node = 0;
        const long error = call(SYS_get_mempolicy, &node, nullptr, 0, page, kOfNode | kOfAddress);
        return error != 0 ? error : node;
    }
};

bool names_nodes(Policy policy) {
    return policy == Policy::bind || policy == Policy::interleave || policy == Policy::weighted_interleave;
}

} // namespace

const System& real_system() {
    static constexpr RealSystem system;
    return system;
}

Nodes usable_nodes(const topo::NumaNodes& machine, const NodeMask& allowed, Policy policy, const NodeMask& named) {
    Nodes nodes;
    nodes.count = 0;
    for (unsigned node = 0; node < machine.count; ++node) {
        const unsigned number = machine.number[node];
        if (allowed.has(number) && (!names_nodes(policy) || named.has(number))) nodes.add(number);
    }
    if (nodes.count == 0) nodes.add(machine.number[0]); // nothing to spread over
    return nodes;
}

const Nodes& process_nodes() {
    static constinit Nodes found;
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, [] {
        NodeMask allowed, named;
        int policy = 0;
        const bool tells =
            call(SYS_get_mempolicy, nullptr, allowed.words.data(), kMaskBits, nullptr, kOfAllowedNodes) == 0 &&
            call(SYS_get_mempolicy, &policy, named.words.data(), kMaskBits, nullptr, 0) == 0;
        if (!tells) allowed = NodeMask(); // refused: so will be what spreads memory
        found = usable_nodes(topo::numa_nodes(), allowed, static_cast<Policy>(policy & 0xff), named);
    });
    return found;
}

} // namespace teff::mem
