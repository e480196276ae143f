// SPDX-License-Identifier: Apache-2.0
//
// Arrivals: what the host sends to this device ahead of its construct (ahead.h).
//
// The thread that serves opens the lane when the host says so. From then on a thread of its own
// receives each Ahead to where it belongs, while regions run. The memory may have been released by
// a construct before: the data come after what the thread that serves has to discard.
//
// [arrivals-1] The receiving thread counts an Ahead (release) when its data are in place; the
//              thread that serves (acquire) then runs regions that use them.
// [arrivals-2] The thread that serves says (release) that it has discarded memory; the receiving
//              thread (acquire) then writes to it.
#pragma once

#include <atomic>
#include <cstdint>

#include "device/lines.h"
#include "device/message.h"
#include "device/transport.h"
#include "sync/wait_word.h"

namespace teff::device {

class Arrivals {
  public:
    bool is_open() const { return transport_ != nullptr; }

    // Called by the thread that serves. Returns `cut` if this process has no descriptor or thread
    // for the lane.
    Passed open(const Transport& transport, Peer host, Range heap, std::uint64_t sequence);
    // What the construct of this number releases has been discarded.
    void has_discarded(std::uint64_t sequence) {
        discarded_.store(sequence, std::memory_order_release); // [arrivals-2]
        has_discarded_.notify();
    }
    // Waits until the Aheads up to this number have come. Returns false if the host is gone.
    bool await(std::uint64_t number) {
        return TEFF_LIKELY(arrived_.load(std::memory_order_acquire) >= number) || await_slow(number); // [arrivals-1]
    }
    // Called in a forked child.
    void forget();

  private:
    static void* run(void* arrivals);

    TEFF_COLD bool await_slow(std::uint64_t number);
    bool receive(void* to, std::size_t bytes) { return transport_->receive(lane_, to, bytes); }
    // Returns false if the host is gone.
    bool take(std::uint64_t number);

    const Transport* transport_ = nullptr; // null: there is no lane
    Peer lane_ = -1;
    Range heap_ = {};
    std::atomic<std::uint64_t> arrived_{0}, discarded_{0};
    std::atomic<bool> has_ended_{false}; // relaxed: nothing else is read after it
    sync::WaitWord has_arrived_, has_discarded_;
};

} // namespace teff::device
