// SPDX-License-Identifier: Apache-2.0
//
// Lines: what the runtime's own shared words cost on a modelled machine.
//
// A line is in the caches of those cores that have read it since it was last changed, and belongs
// to the core that changed it last. Who has it pays a hit. Anybody else gets it from that core, at
// the latency of the way, and one after the other. A plain store does not wait for the line, as
// stores go through a buffer; but whoever wants the line next does.
//
// Callers come in the order of their times.
#pragma once

#include <bitset>
#include <unordered_map>

#include "machine/topology.h"

namespace teff::machine {

enum class Touch : std::uint8_t { load, store, update }; // update: reads and writes, and waits

class Lines {
  public:
    Lines(const Description& description, const Topology& topology) : description_(description), topology_(topology) {}

    // The core touches the word at `now`. When it goes on.
    [[nodiscard]] Time touch(unsigned core, const void* word, Touch kind, Time now);

    std::uint64_t transfers() const { return transfers_; }

  private:
    static constexpr unsigned kMostCores = 256, kNobody = ~0u;

    struct Line {
        std::bitset<kMostCores> copies;
        unsigned owner = kNobody;
        Time free = 0; // from then on the line can be had
    };

    Time load(unsigned core, Line& line, Time now);
    Time change(unsigned core, Line& line, bool waits, Time now);
    Time move(unsigned core, Line& line, const Latency& latency, Time now);

    const Description& description_;
    const Topology& topology_;
    std::unordered_map<std::uintptr_t, Line> lines_;
    std::uint64_t transfers_ = 0;
};

} // namespace teff::machine
