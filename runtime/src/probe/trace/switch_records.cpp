// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/switch_records.h"

#include <bit>
#include <cstring>
#include <linux/perf_event.h>

namespace teff::probe::trace {

// Records begin at multiples of 8, so no word goes on at the ring's beginning.
std::uint64_t SwitchRecords::word(std::uint64_t at) const {
    std::uint64_t value;
    std::memcpy(&value, ring_ + (at & (bytes_ - 1)), sizeof value);
    return value;
}

SwitchRecords::Switch SwitchRecords::next() {
    while (at_ < until_) {
        const auto header = std::bit_cast<perf_event_header>(word(at_));
        const std::uint64_t at = at_;
        if (header.size < sizeof header || header.size % 8 != 0 || header.size > until_ - at) {
            at_ = until_;
            return {Kind::kLost, 0};
        }
        at_ += header.size;
        if (header.type == PERF_RECORD_LOST) return {Kind::kLost, 0};
        if (header.type != PERF_RECORD_SWITCH || header.size < 16) continue;
        const std::uint64_t ns = word(at + 8);
        if ((header.misc & PERF_RECORD_MISC_SWITCH_OUT) == 0) return {Kind::kBack, ns};
        const bool could_go_on = (header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0;
        return {could_go_on ? Kind::kPreempted : Kind::kSlept, ns};
    }
    return {Kind::kEnd, 0};
}

} // namespace teff::probe::trace
