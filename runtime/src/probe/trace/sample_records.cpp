// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/sample_records.h"

namespace teff::probe::trace {

namespace {

// Words of a sample: header, address, time, count; then the length of the call chain, a mark that
// says whose code the next entries are in, and the first of these.
constexpr unsigned kAddress = 1, kTime = 2, kCount = 3, kChain = 4, kMark = 5, kEntry = 6;
constexpr unsigned kFewestWords = 4;
// Words of a record of lost samples: header, the event's id, their number.
constexpr unsigned kLostNumber = 2;

} // namespace

SampleRecords::Sample SampleRecords::next() {
    using Step = RingRecords::Step;
    for (Step step = records_.next(); step != Step::kEnd; step = records_.next()) {
        if (step == Step::kTorn) return {.kind = Kind::kLost};
        switch (records_.header().type) {
        case PERF_RECORD_LOST:
            return {.kind = Kind::kLost, .lost = records_.word(kLostNumber)};
        case PERF_RECORD_THROTTLE:
            return {.kind = Kind::kLost};
        case PERF_RECORD_SAMPLE:
            if (records_.words() >= kFewestWords) return hit();
            break;
        default:
            break;
        }
    }
    return {.kind = Kind::kEnd};
}

SampleRecords::Sample SampleRecords::hit() const {
    const bool in_kernel = (records_.header().misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
    const bool has_own = records_.word(kChain) >= 2 && records_.word(kMark) == PERF_CONTEXT_USER;
    const std::uint64_t own = has_own ? records_.word(kEntry) : 0;
    return {.kind = Kind::kHit,
            .in_kernel = in_kernel,
            .address = in_kernel ? own : records_.word(kAddress),
            .ns = records_.word(kTime),
            .count_ns = records_.word(kCount)};
}

} // namespace teff::probe::trace
