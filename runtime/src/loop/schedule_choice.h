// SPDX-License-Identifier: Apache-2.0
//
// The schedule that a loop requests. The loop's clause names the schedule or, with
// schedule(runtime), the ICV of the encountering task names it.
#pragma once

#include "icv/icv.h"
#include "loop/work_share.h"
#include "team/worker.h"

namespace teff::loop {

enum class Order : std::uint8_t { as_icv, monotonic, nonmonotonic }; // the schedule clause's modifier

struct ScheduleChoice {
    icv::ScheduleKind kind = icv::ScheduleKind::static_;
    bool monotonic = true;
    std::uint64_t chunk = 0;   // 0: no chunk size was given
    bool whole_chunks = false; // guided: each piece is a multiple of the chunk size, except the last

    // The choice of a schedule clause. A chunk size below 1 counts as not given.
    template <class Integer> static ScheduleChoice fixed(icv::ScheduleKind kind, Order order, Integer chunk) {
        return {kind, order != Order::nonmonotonic, chunk > 0 ? static_cast<std::uint64_t>(chunk) : 0};
    }

    // The choice of schedule(runtime).
    static ScheduleChoice runtime(const team::Worker& worker, Order order);
};

// Sets the schedule of a construct whose iterations, `members` and `ordered` are set. `recorded`:
// each chunk should be visible to the probes.
void set_schedule(WorkShare& share, const ScheduleChoice& choice, bool recorded);

} // namespace teff::loop
