// SPDX-License-Identifier: Apache-2.0
//
// Lines: what accesses to the runtime's own shared words cost on a modelled machine.
//
// A cache line belongs to the core that changed it last, and is in the caches of all cores that
// have read it since. A core that has the line pays for a hit. Any other core gets the line from
// its owner, which takes the latency of the path between the two cores. If several cores need the
// line, they get it one after the other. A plain store does not wait for the line, because stores
// go through a buffer, but the next core that accesses the line waits.
//
// Callers must call in the order of their times.
#pragma once

#include <array>
#include <bitset>
#include <memory>
#include <unordered_map>

#include "base/cache_line.h"
#include "machine/topology.h"

namespace teff::machine {

enum class Touch : std::uint8_t { load, store, update }; // update: reads and writes, and waits

class Lines {
  public:
    Lines(const Description& description, const Topology& topology) : description_(description), topology_(topology) {}

    // The core accesses the word at `now`. Returns when the core continues.
    [[nodiscard]] Time touch(unsigned core, const void* word, Touch kind, Time now);

    std::uint64_t transfers() const { return transfers_; }

  private:
    static constexpr unsigned kMostCores = 256, kNobody = ~0u;

    struct Line {
        std::bitset<kMostCores> copies;
        unsigned copies_count = 0;
        unsigned owner = kNobody;
        Time free = 0; // from then on the line can be had
    };

    // Neighbouring lines are stored together as a page. Recently used pages are found without the
    // table.
    static constexpr std::uintptr_t kLinesOfPage = 64, kRecentPages = 256;
    struct Recent {
        std::uintptr_t page = ~std::uintptr_t{0};
        Line* lines = nullptr;
    };

    Line& line_of(const void* word) {
        const std::uintptr_t number = reinterpret_cast<std::uintptr_t>(word) / base::kCacheLine;
        const std::uintptr_t page = number / kLinesOfPage;
        Recent& recent = recent_[page % kRecentPages];
        if (recent.page != page) recent = {page, lines_of(page)};
        return recent.lines[number % kLinesOfPage];
    }
    Line* lines_of(std::uintptr_t page);
    Time load(unsigned core, Line& line, Time now);
    Time change(unsigned core, Line& line, bool waits, Time now);
    Time move(unsigned core, Line& line, const Latency& latency, Time now);

    const Description& description_;
    const Topology& topology_;
    std::unordered_map<std::uintptr_t, std::unique_ptr<Line[]>> pages_;
    std::array<Recent, kRecentPages> recent_;
    std::uint64_t transfers_ = 0;
};

} // namespace teff::machine
