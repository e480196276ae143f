// SPDX-License-Identifier: Apache-2.0
//
// PerfEvents: adds the events that the processor and the kernel count for a thread
// (perf_event_open) to the thread's Counters (counters.h). TEFF_STAT_EVENTS names the events as
// TYPE:CONFIG pairs, with the numbers of the system call; `teff stat` translates names into these
// numbers.
//
// A thread opens the files of its own events; any thread may read and close them. Their descriptors
// have high numbers, since a program relies on the low numbers. Before a descriptor is used, the
// kernel is asked whether the descriptor still belongs to the event, since some programs close all
// descriptors that they do not know.
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

// Parses pairs up to the first text that is not a pair, and at most TEFF_STAT_EVENTS of them.
Events parse_events(std::string_view text);

// Opens the events for the calling thread. For each event that cannot be counted, stores an errno
// value into `errors`, at the event's index.
void open_events(const Events& events, teff_stat_worker& counters, std::int32_t* errors);
// Adds the events' values to the counters. Called once for each thread. If a value cannot be read,
// it is lost, and TEFF_STAT_LOST is set.
void read_events(teff_stat_worker& counters);
void close_events(teff_stat_worker& counters);

} // namespace teff::probe::stat
