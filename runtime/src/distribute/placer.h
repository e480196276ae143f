// SPDX-License-Identifier: Apache-2.0
//
// Placer: asks the kernel to spread memory over the nodes. Other code has mapped the memory, and no
// code uses it yet.
//
// If placing fails, the memory stays as it was; the first failure prints a warning. The placer
// looks up the nodes of the calling thread each time, because a program that binds itself to a node
// wants all of its memory there. Nothing is placed if the thread has only one node, or if the
// system refuses to place memory.
//
// Each range with its own policy may become a separate mapping, and a process may have at most
// vm.max_map_count mappings. So the placer pauses while the process has half of this number: it
// counts the mappings, places as many ranges as are left until this half is reached, and then
// counts again.
//
// May be used by any thread, without a lock, also in a forked child and in a signal handler.
#pragma once

#include <atomic>
#include <cstdint>

#include "distribute/process.h"
#include "distribute/settings.h"
#include "mem/nodes.h"

namespace teff::distribute {

enum class Outcome : std::uint8_t {
    placed,
    left_alone, // not placed this time; a later range may be placed
    never,      // the system refuses to place memory
};

class Placer {
  public:
    constexpr Placer(const mem::System& (*system)(), mem::Nodes (*nodes)(), Mappings (*mappings)())
        : system_(system), nodes_(nodes), mappings_(mappings) {}

    // Must be called by one thread, before the first use.
    void set(Settings settings) { settings_ = settings; }

    // Returns true if the calling thread has nodes over which memory can be spread.
    bool has_nodes() const { return is_enough(nodes_()); }

    [[nodiscard]] Outcome place(mem::Range range);

    static constexpr long kMappingsPerRange = 2; // the range, and the rest of its mapping behind it
    static constexpr long kFewRanges = 512;      // space for fewer ranges counts as none: counting takes milliseconds
    static constexpr long kPause = 1024;         // if there is no space: ranges left alone before the next count

  private:
    bool is_enough(const mem::Nodes& nodes) const { return nodes.count > 1 || settings_.one_node_too; }
    bool has_room();
    long ask(const mem::Nodes& nodes, mem::Range range);

    const mem::System& (*system_)();
    mem::Nodes (*nodes_)();
    Mappings (*mappings_)();
    Settings settings_;
    // All accesses are relaxed: no member depends on another. If threads meet in has_room, each of
    // them counts the mappings, which does no harm.
    std::atomic<std::uint32_t> turns_{0}; // Spread::coarse: selects the node of the next allocation
    std::atomic<long> room_{0};           // how many ranges may be placed before the next count
    std::atomic<long> pause_{0};          // how many ranges are left alone before the next count
    std::atomic<bool> said_{false};       // the thread that sets it prints the warning
};

} // namespace teff::distribute
