// SPDX-License-Identifier: Apache-2.0
//
// CountedEvents: the events that TEFF_TRACE_COUNTERS asks for, as NAME=TYPE:CONFIG with the numbers
// of perf_event_open. `teff record --counters`, which knows the names, makes this text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace teff::probe::trace {

struct CountedEvent {
    static constexpr std::size_t kLongestName = 40;

    std::uint32_t type = 0;
    std::uint32_t name_bytes = 0;
    std::uint64_t config = 0;
    char text[kLongestName] = {};

    std::string_view name() const { return {text, name_bytes}; }
};

struct CountedEvents {
    static constexpr unsigned kMost = 6;

    unsigned count = 0;
    CountedEvent wanted[kMost] = {};

    // Parses the events up to the first text that is not an event, and at most kMost of them.
    static CountedEvents parse(std::string_view text);
};

} // namespace teff::probe::trace
