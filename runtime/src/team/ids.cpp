// SPDX-License-Identifier: Apache-2.0
#include "team/ids.h"

#include <atomic>

namespace teff::team {

namespace {

// The top bit is set, so these ids are above those of all streams. Relaxed: the numbers order no
// other data.
std::atomic<std::uint64_t> ranges{std::uint64_t{TEFF_TRACE_STREAMS} << 16};

} // namespace

static_assert(TEFF_TRACE_STREAMS == 1u << 15, "the top bit of an id tells streams from ranges");

std::uint64_t Ids::next_range() { return ranges.fetch_add(1, std::memory_order_relaxed) << kRangeShift; }

void Ids::go_on() {
    const std::uint64_t before = last_ - 1;
    const bool of_stream = before >> kStreamShift < TEFF_TRACE_STREAMS;
    if (of_stream && before >> kStreamShift == last_ >> kStreamShift) return;
    last_ = next_range() + 1;
}

} // namespace teff::team
