// SPDX-License-Identifier: Apache-2.0
//
// The monitor's counters for the tasks of each priority (teff_stat_priority in teff_stat.h). A
// worker's own thread updates them, at three moments: when a task of a priority above 0 has run,
// when a preemption request has been answered, and when a preempted task continues.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "probe/stat/counters.h"

namespace teff::probe::stat {

using Priority = teff_stat_priority;

// Returns the slot of this priority. If the priority has no slot yet, takes the next free slot. If
// no slot is free, returns the last one.
Priority& slot_of(teff_stat_priorities& priorities, std::int32_t priority);

// Returns the counters of the worker `number` for tasks of this priority, or null if the worker has
// no block of priorities.
Priority* of_priority(Counters& counters, std::uint32_t number, std::int32_t priority);

// Returns the index of the bucket in teff_stat_lengths that counts durations of this length.
unsigned bucket_of(base::Ticks length);

void add(teff_stat_times& times, base::Ticks length);
void add(teff_stat_lengths& lengths, base::Ticks length);

} // namespace teff::probe::stat
