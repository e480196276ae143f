// SPDX-License-Identifier: Apache-2.0
#include "loop/schedule_choice.h"

#include "loop/schedules.h"
#include "loop/stealing_schedule.h"
#include "task/task.h"

namespace teff::loop {

ScheduleChoice ScheduleChoice::runtime(const team::Worker& worker, Order order) {
    const icv::RunSchedule& asked = worker.task->icvs->run_sched;
    const bool monotonic = order == Order::as_icv ? asked.monotonic : order == Order::monotonic;
    return {asked.kind, monotonic, static_cast<std::uint64_t>(asked.chunk > 0 ? asked.chunk : 0)};
}

namespace {

// A member that is alone takes all iterations at once, but in no larger pieces than a monotonic
// schedule promises or a recording has to show.
void set_static(WorkShare& share, std::uint64_t chunk) {
    share.schedule = Schedule::static_;
    share.chunk = share.members == 1 ? 0 : chunk;
}

// A region that was cancelled may have left chunks behind.
void empty_batches(WorkShare& share) {
    if (TEFF_LIKELY(!share.cancellable)) return;
    for (unsigned i = 0; i < share.members; ++i)
        share.batches[i].fill({});
}

// Used if nodes matter. If they do not, or the loop does not fit, the schedule stays as it is.
TEFF_COLD void set_affinity(WorkShare& share, Schedule schedule, std::uint64_t chunk) {
    const std::uint64_t chunks = count_chunks(share.iterations.count, chunk);
    if (share.shares == nullptr || share.members == 1 || !Batch::fits(chunks)) return;
    share.schedule = schedule;
    share.chunks = chunks;
    affinity_schedule(share).divide();
}

void set_dynamic(WorkShare& share, std::uint64_t chunk, bool monotonic, bool recorded) {
    if (!monotonic && share.members == 1 && !recorded) return set_static(share, 0);
    share.chunk = chunk;
    share.chunks = count_chunks(share.iterations.count, chunk);
    share.schedule = share.members == 1 ? Schedule::dynamic_alone : Schedule::dynamic;
    if (monotonic || share.members == 1) return;
    if (TEFF_UNLIKELY(share.batches == nullptr)) return set_affinity(share, Schedule::affinity, chunk);
    if (!Batch::fits(share.chunks)) return;
    share.schedule = Schedule::stealing;
    empty_batches(share);
}

} // namespace

void set_schedule(WorkShare& share, const ScheduleChoice& choice, bool recorded) {
    const std::uint64_t at_least_one = choice.chunk != 0 ? choice.chunk : 1;
    share.next.store(0, std::memory_order_relaxed); // open publishes it
    switch (choice.kind) {
    case icv::ScheduleKind::dynamic:
        return set_dynamic(share, at_least_one, choice.monotonic || share.ordered, recorded);
    case icv::ScheduleKind::guided:
        share.schedule = choice.whole_chunks ? Schedule::guided_whole : Schedule::guided;
        share.chunk = at_least_one;
        if (TEFF_UNLIKELY(share.batches == nullptr) && !choice.whole_chunks && !choice.monotonic && !share.ordered)
            set_affinity(share, Schedule::affinity_guided, at_least_one);
        return;
    case icv::ScheduleKind::static_:
        return set_static(share, choice.chunk);
    case icv::ScheduleKind::auto_:
        return set_static(share, 0);
    }
}

} // namespace teff::loop
