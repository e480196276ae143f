// SPDX-License-Identifier: Apache-2.0
//
// Placer: asks the kernel to spread memory that others have mapped, and that nobody uses yet.
//
// If placing fails, the memory stays as it was. The nodes are those of the calling thread, looked
// up each time: a program that binds itself to a node means all of its memory. Nothing is placed if
// that is one node, or if the system refuses, which the placer says once. Each range with a policy
// of its own may be a mapping of its own, of which a process has no more than vm.max_map_count. So
// the placer stops while the process has half of them: it counts them, places as many ranges as
// that leaves free, and counts again.
//
// Who may: any thread, without a lock; also in a forked child and in a signal handler.
#pragma once

#include <atomic>
#include <cstdint>

#include "distribute/process.h"
#include "distribute/settings.h"
#include "mem/nodes.h"

namespace teff::distribute {

enum class Outcome : std::uint8_t {
    placed,
    left_alone, // this time
    never,      // the system refuses
};

class Placer {
  public:
    constexpr Placer(const mem::System& (*system)(), mem::Nodes (*nodes)(), Mappings (*mappings)())
        : system_(system), nodes_(nodes), mappings_(mappings) {}

    // Before the first use, by one thread.
    void set(Settings settings) { settings_ = settings; }

    // Whether there is something to spread over for this thread.
    bool has_nodes() const { return is_enough(nodes_()); }

    [[nodiscard]] Outcome place(mem::Range range);

    static constexpr long kMappingsPerRange = 2; // the range, and what lies behind it
    static constexpr long kFewRanges = 512;      // fewer count as none: counting takes milliseconds
    static constexpr long kPause = 1024;         // so many ranges are left alone before the next count

  private:
    bool is_enough(const mem::Nodes& nodes) const { return nodes.count > 1 || settings_.one_node_too; }
    bool has_room();
    long ask(const mem::Nodes& nodes, mem::Range range);

    const mem::System& (*system_)();
    mem::Nodes (*nodes_)();
    Mappings (*mappings_)();
    Settings settings_;
    // All relaxed: each is a number by itself, and threads that meet in has_room count twice.
    std::atomic<std::uint32_t> turns_{0}; // of coarse: which node is next
    std::atomic<long> room_{0};           // so many ranges may be placed before the next count
    std::atomic<long> pause_{0};          // so many are left alone before it
    std::atomic<bool> said_{false};       // whoever sets it speaks
};

} // namespace teff::distribute
