// SPDX-License-Identifier: Apache-2.0
#include "device/events.h"
#include "probe/trace/stream.h"
#include "task/task.h"
#include "team/probes.h"

namespace teff::device::events {

// A thread that only copies data, or carries out constructs of others, need not be a worker yet.
void ConstructEvents::begin() {
    team::Worker& worker = team::current_worker();
    if (!team::traced(worker)) return;
    worker_ = &worker;
    ready_ = where_.deferral.ready != 0 ? where_.deferral.ready : base::ticks();
}

void ConstructEvents::compared(base::Ticks sent, base::Ticks answered, const DeviceTimes& times) {
    if (worker_ == nullptr || !team::traced(*worker_) || answered - sent > UINT32_MAX) return;
    worker_->trace->exchange(sent, {0, device_, static_cast<std::uint32_t>(answered - sent), times.began, times.ended});
}

// The place has no call path: what called the construct may be gone.
void ConstructEvents::record() {
    if (!team::traced(*worker_)) return; // the window has ended
    probe::trace::Stream& stream = *worker_->trace;
    const Deferral& deferral = where_.deferral;
    team::prepare_sites(*worker_);
    const base::Ticks sends = sends_ != 0 ? sends_ : ended_;
    const base::Ticks answered = answered_ != 0 ? answered_ : ended_;
    teff_rec_device construct = {};
    construct.task = deferral.is_deferred ? deferral.task : worker_->task->id.get();
    construct.site = where_.code != nullptr ? stream.place(where_.code, function_) : 0;
    construct.device = device_;
    construct.bytes_to = bytes_to_;
    construct.bytes_from = bytes_from_;
    construct.ticks_waited = had_ - ready_;
    construct.ticks_prepared = sends - had_;
    construct.ticks_there = answered - sends;
    construct.ticks_received = ended_ - answered;
    construct.ran_ns = times_.ran_ns;
    construct.began = times_.began;
    construct.ended = times_.ended;
    const unsigned nowait = deferral.is_deferred ? unsigned{TEFF_DEVICE_NOWAIT} : 0u;
    stream.device(ready_, static_cast<unsigned>(where_.kind) | nowait, construct);
}

Deferral defer(const team::Worker& worker) {
    if (!team::traced(worker)) return {.is_deferred = true};
    return {.is_deferred = true, .task = worker.task->id.get(), .ready = base::ticks()};
}

} // namespace teff::device::events
