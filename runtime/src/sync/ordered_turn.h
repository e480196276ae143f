// SPDX-License-Identifier: Apache-2.0
//
// OrderedTurn: whose turn it is in a loop with ordered regions. The turn is a number that only
// grows: that of the first iteration of the chunk which may go. The holder of that chunk passes the
// turn on to the chunk behind it.
//
// Waiters sleep on one of a few words, chosen by their number, so that passing the turn wakes the
// next one and few others.
//
// [turn-1] pass's store (release) pairs with has's load (acquire): ordered regions see all that
//          earlier ones wrote. Who sleeps is not missed: see WaitWord.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/cache_line.h"
#include "sync/wait_word.h"

namespace teff::sync {

class alignas(base::kCacheLine) OrderedTurn {
  public:
    // A new loop begins; nobody else knows it yet.
    void reset() { turn_.store(0, std::memory_order_relaxed); }

    bool has(std::uint64_t number) const { return turn_.load(std::memory_order_acquire) == number; } // [turn-1]

    // Waits until it is the turn of `number`, or `give_up()` says to stop waiting.
    template <class GiveUp>
    void wait_for(std::uint64_t number, unsigned spins, std::uint64_t look_again_ns, GiveUp&& give_up) {
        spot(number).wait_until(spins, look_again_ns, [&] { return has(number) || give_up(); });
    }

    // By the holder: the next turn is that of `number`.
    void pass_to(std::uint64_t number) {
        turn_.store(number, std::memory_order_release); // [turn-1]
        spot(number).notify();
    }

  private:
    static constexpr unsigned kSpotBits = 3;

    WaitWord& spot(std::uint64_t number) {
        return spots_[number * 0x9e37'79b9'7f4a'7c15u >> (64 - kSpotBits)];
    } // Fibonacci hashing

    std::atomic<std::uint64_t> turn_{0};
    WaitWord spots_[1u << kSpotBits];
};

} // namespace teff::sync
