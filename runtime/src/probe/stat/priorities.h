// SPDX-License-Identifier: Apache-2.0
//
// What the monitor counts of the tasks of each priority (teff_stat_priority in teff_stat.h). Called
// by the worker's own thread, and only for tasks that have a priority, or when a task is preempted.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "probe/stat/counters.h"

namespace teff::probe::stat {

using Priority = teff_stat_priority;

// Returns the slot of this priority: a new one if the worker has not met it and has another free,
// else the last.
Priority& slot_of(teff_stat_priorities& priorities, std::int32_t priority);

// Returns what the worker `number` has counted of tasks of this priority; null if its board has no
// block for that.
Priority* of_priority(Counters& counters, std::uint32_t number, std::int32_t priority);

// Returns the bucket of teff_stat_lengths for a length.
unsigned bucket_of(base::Ticks length);

void add(teff_stat_times& times, base::Ticks length);
void add(teff_stat_lengths& lengths, base::Ticks length);

} // namespace teff::probe::stat
