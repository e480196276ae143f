// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/switch_records.h"

namespace teff::probe::trace {

SwitchRecords::Switch SwitchRecords::next() {
    using Step = RingRecords::Step;
    for (Step step = records_.next(); step != Step::kEnd; step = records_.next()) {
        const perf_event_header& header = records_.header();
        if (step == Step::kTorn || header.type == PERF_RECORD_LOST) return {Kind::kLost, 0};
        if (header.type != PERF_RECORD_SWITCH || records_.words() < 2) continue;
        const std::uint64_t ns = records_.word(1);
        if ((header.misc & PERF_RECORD_MISC_SWITCH_OUT) == 0) return {Kind::kBack, ns};
        const bool could_go_on = (header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0;
        return {could_go_on ? Kind::kPreempted : Kind::kSlept, ns};
    }
    return {Kind::kEnd, 0};
}

} // namespace teff::probe::trace
