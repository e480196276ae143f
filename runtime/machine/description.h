// SPDX-License-Identifier: Apache-2.0
//
// Description: a machine to be modelled, as a text file describes it (docs/formats/machine.md).
//
// A plain value. A node has memory and cores: it is a NUMA node, or a tile whose cache is the home
// of lines. Times are in thousandths of a cycle, so that all arithmetic is in whole numbers and
// every run of a model gives the same result.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/key_file.h"

namespace teff::machine {

// The latency of a line, by its distance.
struct Latency {
    Time own = 0;     // on the node itself
    Time sibling = 0; // on another node of the package; 0: as any other
    Time remote = 0;  // elsewhere, and beyond that
    Time hop = 0;     // for each hop
};

struct Link {
    unsigned from = 0, to = 0;
    Time per_line = 0;
};

struct Description {
    std::string name;
    unsigned clock_mhz = 0;
    unsigned work_clock_mhz = 0; // of the machine that grains were recorded on; 0: they take as long here
    unsigned nodes = 0;
    unsigned cores_per_node = 1;
    unsigned nodes_per_package = 1;
    std::vector<unsigned> spare; // nodes that have neither cores nor memory for programs

    // How the nodes are connected: by a mesh, or by links. One node alone needs neither.
    unsigned mesh_columns = 0, mesh_rows = 0;
    Time mesh_per_line = 0;
    std::vector<Link> links;
    std::vector<std::vector<unsigned>> distance; // as the system tells it (SLIT); may be empty

    std::uint64_t line_bytes = 64;
    std::uint64_t unit_bytes = 4096;  // what the distribution `fine` deals out
    bool standard_is_fine = false;    // the distribution `standard`; else first touch
    std::uint64_t cache_bytes = 0;    // of a node, shared by its cores
    std::uint64_t private_bytes = 0;  // a task below this needs no home
    Time cache_per_line = 0;          // a hit there
    unsigned outstanding = 1;         // misses of a core that are under way together
    Latency memory, load, atomic;     // a line of data; of the runtime's own: read, changed
    Time cached = 3 * kCycle;         // the same where the core has the line already: read
    Time cached_atomic = 20 * kCycle; // ... and changed
    Time controller_per_line = 0;     // a memory controller, or a home tile, is busy for so long
    Time operation = 0;               // of the program's arithmetic
    Time creation = 0;                // of a task, beside what its queue costs
    Time wake = 0, sleep = 0;         // what it costs to wake, and how long a sleeper takes to go on
    Time spin = 0;                    // a waiter looks for so long before it sleeps

    unsigned cores() const { return nodes * cores_per_node; }
    // How many thousandths of a cycle a ns of recorded work takes.
    Time work_clock() const { return work_clock_mhz != 0 ? work_clock_mhz : clock_mhz; }
};

struct Parsed {
    std::optional<Description> description;
    std::string error; // FILE:LINE: what is wrong, and what to do
};

// `file` is used only in messages.
Parsed parse_description(std::string_view text, const std::string& file);
Parsed read_description(const std::string& path);

} // namespace teff::machine
