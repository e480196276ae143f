// SPDX-License-Identifier: Apache-2.0
#include "task/detach_told.h"

#include "probe/ompt/task_events.h"
#include "task/detach_event.h"
#include "task/events.h"

namespace teff::task {

void tell_body_end(team::Worker& worker, Task& task) {
    const bool awaited = (task.flags & kUndeferred) != 0;
    std::uint32_t expected = (awaited ? kAwaited : kOpen) | kTold;
    const std::uint32_t next = (awaited ? kAwaitedOver : kBodyEnding) | kTold;
    const bool first = task.event.compare_exchange_strong(expected, next, std::memory_order_acq_rel,
                                                          std::memory_order_acquire); // [detach-1]
    probe::ompt::task_ends(*worker.ompt, *events::record_of(task), first ? ompt_task_detach : ompt_task_complete);
}

std::uint32_t tell_fulfilment(Task& task) {
    team::current_worker(); // a tool hears of a thread before it hears of what the thread does
    std::uint32_t before = task.event.load(std::memory_order_acquire); // [detach-1]
    while (before != kFulfilled && before != (kFulfilling | kTold) &&
           !task.event.compare_exchange_weak(before, kFulfilling | kTold, std::memory_order_acq_rel,
                                             std::memory_order_acquire)) { // [detach-1]
    }
    const std::uint32_t state = before & ~std::uint32_t{kTold};
    const bool early = state == kOpen || state == kAwaited;
    if (early || state == kBodyEnding || state == kBodyOver || state == kAwaitedOver)
        probe::ompt::task_status(*events::record_behind(task), early ? ompt_task_early_fulfill : ompt_task_late_fulfill,
                                 nullptr);
    return before;
}

} // namespace teff::task
