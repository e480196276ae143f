// SPDX-License-Identifier: Apache-2.0
//
// Nodes: the NUMA nodes over which this process may spread its memory, and the kernel's calls for
// memory policies.
//
// These are the nodes that have memory, without the nodes that the process's cpuset forbids. If the
// process's own memory policy names nodes (numactl --membind, --interleave), only these nodes are
// used, because a user who restricts a program to some nodes wants all of the program's memory
// there. The nodes are determined once, when they are first needed.
//
// The system calls are behind an interface, so that tests can replace them. Teff sets memory
// policies only for ranges of addresses (mbind(2)), never for threads, because the policies of
// threads belong to the program.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "topo/numa_nodes.h"

namespace teff::mem {

// A set of nodes by the kernel's numbers, in the layout that the kernel requires.
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

// The system's calls. Those that return long return minus an errno value on failure.
class System {
  public:
    virtual long bind(Range range, Policy policy, const NodeMask& nodes) const = 0;
    // Restricts the range to small pages, so that one touch places a small page, not a huge page.
    virtual long forbid_huge_pages(Range range) const = 0;
    virtual void* map(std::size_t bytes) const = 0; // returns null if there is no memory
    virtual void unmap(Range range) const = 0;
    // Return the kernel's number of a node, or minus an errno value if the kernel does not know it.
    virtual long node_of_caller() const = 0;
    virtual long node_of_page(void* page) const = 0; // touches the page, so that it is on a node

  protected:
    ~System() = default;
};
const System& real_system();

struct Nodes {
    unsigned count = 1;
    std::array<std::uint16_t, topo::NumaNodes::kMost> number = {}; // the kernel's numbers, ascending
    NodeMask mask;                                                 // all nodes in `number`

    // Returns the index of the node with this kernel's number, or kNone if it is not among them.
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

// The nodes that the kernel lets the calling thread use.
struct Allowance {
    NodeMask allowed; // by the thread's cpuset
    Policy policy = Policy::standard;
    NodeMask named; // by the thread's memory policy

    // Returns true if the thread may use the node with this kernel's number.
    bool has(unsigned number) const;
};
// Asks the kernel. Returns 0, or minus an errno value.
[[nodiscard]] long ask_allowance(Allowance& allowance);

// Returns the nodes of this process. May be called by any thread.
const Nodes& process_nodes();

// Returns the nodes that the calling thread may use at present. Only asks the kernel, and reads no
// file. Returns one node if the kernel does not answer. May be called by any thread, also in a
// signal handler.
Nodes thread_nodes();

// Returns what process_nodes returns for this machine and allowance. For tests.
Nodes usable_nodes(const topo::NumaNodes& machine, const Allowance& allowance);

} // namespace teff::mem
