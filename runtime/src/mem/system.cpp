// SPDX-License-Identifier: Apache-2.0
//
// The kernel's calls behind nodes.h. They are in a separate file because libteff-distribute.so
// contains this file, but not the files that describe the machine.
#include <sys/mman.h>

#include "base/system_call.h"
#include "mem/nodes.h"

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

} // namespace

const System& real_system() {
    static constexpr RealSystem system;
    return system;
}

bool Allowance::has(unsigned number) const {
    const bool names_nodes =
        policy == Policy::bind || policy == Policy::interleave || policy == Policy::weighted_interleave;
    return allowed.has(number) && (!names_nodes || named.has(number));
}

long ask_allowance(Allowance& allowance) {
    constexpr int kPolicyBits = 0xff; // the others are flags
    int policy = 0;
    long error = call(SYS_get_mempolicy, nullptr, allowance.allowed.words.data(), kMaskBits, nullptr, kOfAllowedNodes);
    if (error == 0) error = call(SYS_get_mempolicy, &policy, allowance.named.words.data(), kMaskBits, nullptr, 0);
    allowance.policy = static_cast<Policy>(policy & kPolicyBits);
    return error;
}

Nodes thread_nodes() {
    Allowance allowance;
    if (ask_allowance(allowance) != 0) allowance = {};
    Nodes nodes;
    nodes.count = 0;
    for (unsigned number = 0; number < topo::NumaNodes::kMostNumber && nodes.count < Nodes::kNone; ++number)
        if (allowance.has(number)) nodes.add(number);
    if (nodes.count == 0) nodes.add(0); // nothing to spread over
    return nodes;
}

} // namespace teff::mem
