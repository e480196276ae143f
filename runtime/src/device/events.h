// SPDX-License-Identifier: Apache-2.0
//
// The events of constructs on devices, at the host, for the recording: its only sink. Without a
// recording a construct costs a load and some branches.
//
// A ConstructEvents belongs to the thread that carries the construct out. The steps are called in
// this order, and those of a construct that sends nothing are left out. The record is stored at the
// end of the object's life, when another construct may have the device already. What comes of
// comparing the counters of host and device is stored at once.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "device/where.h"
#include "probe/probes.h"
#include "team/worker.h"

namespace teff::device::events {

class ConstructEvents {
  public:
    // The construct is ready, and waits for its device.
    ConstructEvents(unsigned device, const Where& where) : where_(where), device_(device) {
        if (TEFF_UNLIKELY(probe::locks_may_be_recorded())) begin();
    }
    ~ConstructEvents() {
        if (TEFF_UNLIKELY(ended_ != 0)) record();
    }
    ConstructEvents(const ConstructEvents&) = delete;
    ConstructEvents& operator=(const ConstructEvents&) = delete;

    bool is_recorded() const { return worker_ != nullptr; }

    void has_device() { note(had_); }
    // Of the host's counter before the message to the device, and when the answer began.
    TEFF_COLD void compared(base::Ticks sent, base::Ticks answered, const DeviceTimes& times);
    void sends() { note(sends_); }
    void is_answered(const DeviceTimes& times) {
        note(answered_);
        times_ = times;
    }
    // `function`: of a region; else null.
    void ends(const void* function, std::uint64_t bytes_to, std::uint64_t bytes_from) {
        note(ended_);
        function_ = function;
        bytes_to_ = bytes_to;
        bytes_from_ = bytes_from;
    }

  private:
    void note(base::Ticks& when) {
        if (TEFF_UNLIKELY(worker_ != nullptr)) when = base::ticks();
    }
    TEFF_COLD void begin();
    TEFF_COLD void record();

    team::Worker* worker_ = nullptr; // null: the construct is not recorded
    Where where_;
    unsigned device_;
    const void* function_ = nullptr;
    std::uint64_t bytes_to_ = 0, bytes_from_ = 0;
    DeviceTimes times_ = {};
    base::Ticks ready_ = 0, had_ = 0, sends_ = 0, answered_ = 0, ended_ = 0;
};

// Called in the task of a construct with nowait, before the task gives the construct away.
Deferral defer(const team::Worker& worker);

} // namespace teff::device::events
