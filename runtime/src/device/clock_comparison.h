// SPDX-License-Identifier: Apache-2.0
//
// ClockComparison: when the host compares its counter with that of a device, for the recording
// (docs/decisions/0055-one-clock-for-host-and-devices.md).
//
// A comparison is a construct without content: two messages, of which the answer has readings of
// the device's counter. There are many at a device's first recorded construct, and a few more where
// the last ones are some time ago. None is sent between constructs, and none if no construct is
// recorded. Used by the thread that has its turn at the device.
#pragma once

#include <cstdint>

namespace teff::device {

class ClockComparison {
  public:
    static constexpr unsigned kAtFirst = 16, kLater = 4;
    static constexpr std::uint64_t kPeriod_ns = 250'000'000;

    // How many comparisons a construct that is recorded now has to make first.
    unsigned due(std::uint64_t now_ns) {
        if (next_ns_ != 0 && now_ns < next_ns_) return 0;
        const unsigned count = next_ns_ == 0 ? kAtFirst : kLater;
        next_ns_ = now_ns + kPeriod_ns;
        return count;
    }

  private:
    std::uint64_t next_ns_ = 0; // 0: there was none yet
};

} // namespace teff::device
