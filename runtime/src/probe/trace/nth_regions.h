// SPDX-License-Identifier: Apache-2.0
//
// Which outermost parallel regions TEFF_TRACE_EVERY records: of each construct, each N-th one.
//
// A construct is known by the function into which the compiler has moved the body of its regions:
// the place of the call may differ from region to region, if the call is the last of its function
// and became a jump. The table has a count for each construct. It never shrinks; a construct that
// comes when the table is full shares a count with all others that came too late. Any thread may
// call the functions. All operations are relaxed: each region gets a number of its own from its
// count, and nothing else depends on them.
//
// A forked child goes on with its parent's counts, but totals are of each process.
#pragma once

#include <cstdint>

namespace teff::probe::trace::nth_regions {

// Counts a region of the construct with this body. Returns true if it is its N-th, 2N-th, 3N-th ...
bool is_nth(const void* body, std::uint32_t n);

// The regions of this process that could have been recorded, and those that were.
struct Totals {
    std::uint64_t met = 0, recorded = 0;
};
void add_to_totals(bool is_recorded);
Totals totals();
void reset_totals();

// For tests only.
void reset();

} // namespace teff::probe::trace::nth_regions
