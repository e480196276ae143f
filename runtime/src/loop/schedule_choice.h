// SPDX-License-Identifier: Apache-2.0
//
// Which schedule a loop asks for: fixed by its clause, or taken from the ICV of the task that meets
// it (schedule(runtime)).
#pragma once

#include "icv/icv.h"
#include "loop/work_share.h"
#include "team/worker.h"

namespace teff::loop {

enum class Order : std::uint8_t { as_icv, monotonic, nonmonotonic }; // the schedule clause's modifier

struct ScheduleChoice {
    icv::ScheduleKind kind = icv::ScheduleKind::static_;
    bool monotonic = true;
    std::uint64_t chunk = 0; // 0: not given

    // A chunk size below 1 is as good as none.
    template <class Integer> static ScheduleChoice fixed(icv::ScheduleKind kind, Order order, Integer chunk) {
        return {kind, order != Order::nonmonotonic, chunk > 0 ? static_cast<std::uint64_t>(chunk) : 0};
    }

    // schedule(runtime).
    static ScheduleChoice runtime(const team::Worker& worker, Order order);
};

// Writes the schedule into a construct whose iterations, members and `ordered` are known.
// `recorded`: every chunk should be seen.
void set_schedule(WorkShare& share, const ScheduleChoice& choice, bool recorded);

} // namespace teff::loop
