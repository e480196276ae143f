// SPDX-License-Identifier: Apache-2.0
//
// The nodes over which this process may spread its memory, and the kernel's calls that ask for it.
//
// These are all nodes that have memory, without those that the process's cpuset forbids, and
// without those outside of the process's own memory policy if that names nodes (numactl --membind,
// --interleave): a user who keeps a program on some nodes means all of its memory. They are found
// once, at the first question.
//
// The system is behind an interface, so that tests can replace its answers. Teff sets memory
// policies only for ranges of addresses (mbind(2)), never for threads, whose policies belong to the
// program.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "topo/numa_nodes.h"

namespace teff::mem {

// Kernel's numbers of nodes, laid out as the kernel wants them.
struct NodeMask {
    std::array<std::uint64_t, topo::NumaNodes::kMostNumber / 64> words = {};

    void add(unsigned number) { words[number / 64] |= std::uint64_t{1} << number % 64; }
    bool has(unsigned number) const { return (words[number / 64] >> number % 64 & 1) != 0; }
};

// Values of the kernel's MPOL_ constants (linux/mempolicy.h).
enum class Policy : int { standard = 0, preferred = 1, bind = 2, interleave = 3, weighted_interleave = 6 };

struct Range {
    void* begin;
    std::size_t bytes; // whole pages
};

// Each call returns 0, or minus an errno value.
class System {
  public:
    virtual long bind(Range range, Policy policy, const NodeMask& nodes) const = 0;
    // Small pages alone: one touch places a page, not a huge one.
    virtual long forbid_huge_pages(Range range) const = 0;
    virtual void* map(std::size_t bytes) const = 0; // null: no memory
    virtual void unmap(Range range) const = 0;
    // By the kernel's numbers; minus an errno value if it does not tell.
    virtual long node_of_caller() const = 0;
    virtual long node_of_page(void* page) const = 0; // touches it, so that it lies somewhere

  protected:
    ~System() = default;
};
const System& real_system();

struct Nodes {
    unsigned count = 1;
    std::array<std::uint16_t, topo::NumaNodes::kMost> number = {}; // the kernel's, ascending
    NodeMask mask;                                                 // all of them

    // kNone: not one of these.
    static constexpr unsigned kNone = topo::NumaNodes::kMost;
    unsigned index_of(long kernels_number) const {
        for (unsigned node = 0; node < count; ++node)
            if (number[node] == kernels_number) return node;
        return kNone;
    }

    void add(unsigned kernels_number) {
        number[count++] = static_cast<std::uint16_t>(kernels_number);
        mask.add(kernels_number);
    }
};

// What the kernel lets the calling thread use.
struct Allowance {
    NodeMask allowed; // by its cpuset
    Policy policy = Policy::standard;
    NodeMask named; // by its policy

    bool has(unsigned number) const;
};
[[nodiscard]] long ask_allowance(Allowance& allowance);

// Of this process. Any thread.
const Nodes& process_nodes();

// Of the calling thread, as it is now, by the kernel alone: no file is read. One node where the
// kernel does not tell. Any thread, also in a signal handler.
Nodes thread_nodes();

// For tests: what process_nodes makes of these facts.
Nodes usable_nodes(const topo::NumaNodes& machine, const Allowance& allowance);

} // namespace teff::mem
