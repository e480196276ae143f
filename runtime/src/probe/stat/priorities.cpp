// SPDX-License-Identifier: Apache-2.0
#include "probe/stat/priorities.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "probe/stat/board_file.h"

namespace teff::probe::stat {

Priority& slot_of(teff_stat_priorities& priorities, std::int32_t priority) {
    for (Priority& slot : priorities.of) {
        if (slot.used != 0 && slot.priority == priority) return slot;
        if (slot.used != 0) continue;
        slot.priority = priority;
        slot.used = 1;
        return slot;
    }
    return priorities.of[TEFF_STAT_PRIORITIES - 1];
}

Priority* of_priority(Counters& counters, std::uint32_t number, std::int32_t priority) {
    if ((counters.flags & TEFF_STAT_BY_PRIORITY) == 0) return nullptr;
    char* const board = reinterpret_cast<char*>(&counters - number) - offsetof(Board, workers);
    return &slot_of(reinterpret_cast<Board*>(board)->priorities[number], priority);
}

unsigned bucket_of(base::Ticks length) {
    constexpr unsigned kUnitBits = 6, kPartBits = 4;
    const base::Ticks units = length >> kUnitBits;
    if (units < (1u << kPartBits)) return static_cast<unsigned>(units);
    const auto power = static_cast<unsigned>(std::bit_width(units)) - 1 - kPartBits;
    const auto part = static_cast<unsigned>(units >> power) & ((1u << kPartBits) - 1);
    return std::min(((power + 1) << kPartBits) + part, TEFF_STAT_BUCKETS - 1);
}

void add(teff_stat_times& times, base::Ticks length) {
    ++times.count;
    times.sum += length;
    times.most = std::max<std::uint64_t>(times.most, length);
}

void add(teff_stat_lengths& lengths, base::Ticks length) {
    add(lengths.all, length);
    ++lengths.buckets[bucket_of(length)];
}

} // namespace teff::probe::stat
