// SPDX-License-Identifier: Apache-2.0
//
// PerfEvents: what the processor and the kernel count for a thread (perf_event_open), into its Counters
// (counters.h). TEFF_STAT_EVENTS names them as TYPE:CONFIG pairs, as the system call has them;
// `teff stat` knows the words.
//
// Files are opened by the thread that they count, and may be read and closed by any. Their numbers
// are high ones, since a program counts on the low ones; and before one is used, the kernel is
// asked whether it is still ours, since some programs close all that they do not know.
#pragma once

#include <cstdint>
#include <string_view>

#include "teff_stat.h"

namespace teff::probe::stat {

struct Event {
    std::uint32_t type;
    std::uint64_t config;
};

struct Events {
    std::uint32_t count = 0;
    Event wanted[TEFF_STAT_EVENTS] = {};
};

// Ends at what is no pair, and at TEFF_STAT_EVENTS of them.
Events parse_events(std::string_view text);

// For the calling thread. `errors`: of each event that cannot be counted, an errno value.
void open_events(const Events& events, teff_stat_worker& counters, std::int32_t* errors);
// Once for each thread. What it cannot read is lost (TEFF_STAT_LOST).
void read_events(teff_stat_worker& counters);
void close_events(teff_stat_worker& counters);

} // namespace teff::probe::stat
