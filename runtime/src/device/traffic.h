// SPDX-License-Identifier: Apache-2.0
//
// Traffic: how much the host and one device have exchanged, and the device has got from others, for
// TEFF_DEVICE_FIGURES.
//
// The thread whose turn it is at the device counts, and the one that sends data ahead. All
// accesses are relaxed, because the numbers are only printed, when the program ends, and nothing
// else depends on them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <sys/uio.h>

#include "base/list.h"

namespace teff::device {

struct Copy;
struct Plan;

// How many bytes these copies move.
std::uint64_t bytes_of(const base::List<Copy>& copies);

class Traffic {
  public:
    void count_construct(const Plan& plan, bool is_region);
    // A copy between devices, or within this one; `bytes` have come directly from another device.
    void count_pass(std::uint64_t bytes);
    void count_sent(const iovec* parts, std::size_t count);
    void count_received(std::size_t bytes) { add(received_, bytes); }

    // Prints one line.
    void print(unsigned device) const;

  private:
    using Count = std::atomic<std::uint64_t>;

    static void add(Count& count, std::uint64_t more) { count.fetch_add(more, std::memory_order_relaxed); }
    static unsigned long long value(const Count& count) { return count.load(std::memory_order_relaxed); }

    Count regions_{0}, others_{0}; // constructs
    Count to_{0}, from_{0};        // bytes of data
    Count sent_{0}, received_{0};  // bytes of whole messages
    Count ahead_{0};               // bytes of data, of those to the device
    Count from_others_{0};         // bytes of data, which the host has neither sent nor received
};

} // namespace teff::device
