// SPDX-License-Identifier: Apache-2.0
//
// RequestWord: the requests to one thread to look for work of higher priority. Several requests
// become one signal.
//
//     nothing asked ──ask──> asked (a priority) ──ask higher──> asked, higher
//           └<────────────────take─┴<──────────────────────────────┘
//
// In addition the word says whether the thread is awake or asleep. The thread counts as asleep
// while it is in a call that may sleep, because a signal would be useless there.
//
// Who may touch what: `ask` may be called by any thread. All other functions are for the owner,
// also in its signal handler.
//
// [request-1] No request is lost. A requester makes the work visible and then calls ask(). The
//             owner calls take() and then looks for work. Both ask() and take() change the word by
//             a read-modify-write, even if the value stays the same, so one of the two comes first.
//             If ask() comes first, take() reads the value that ask() wrote (acquire reads
//             release), and the owner's look sees the work. If take() comes first, ask() finds no
//             earlier request and answers `signal`. With a load instead of the read-modify-write,
//             ask() could see an earlier request while the work still lies in the store buffer, and
//             the owner's look would miss the work. The same holds while the thread is asleep: if
//             ask() finds the thread asleep, the wake_up() that ends the sleep reads the request.
#pragma once

#include <atomic>
#include <cstdint>

namespace teff::preempt {

enum class Ask : std::uint8_t {
    signal, // the caller must signal the thread
    joined, // a signal is on its way, or the owner knows of a request and tries again
    asleep, // the owner looks when it wakes up
};

template <class Atomics> class RequestWordOver {
  public:
    // `priority` is 1 to kMostPriority.
    [[nodiscard]] Ask ask(std::uint32_t priority) {
        std::uint32_t word = word_.load(std::memory_order_relaxed);
        while (!word_.compare_exchange_weak(word, raised(word, priority), std::memory_order_release, // [request-1]
                                            std::memory_order_relaxed)) {
        }
        if ((word & kAsleep) != 0) return Ask::asleep;
        return (word & kPriority) == 0 ? Ask::signal : Ask::joined;
    }

    // Returns the highest priority that was asked for and clears it; 0: none.
    std::uint32_t take() { return word_.fetch_and(kAsleep, std::memory_order_acquire) & kPriority; } // [request-1]

    // Returns the highest priority that was asked for, without clearing it; 0: none.
    std::uint32_t asked() const { return word_.load(std::memory_order_relaxed) & kPriority; }

    bool is_asleep() const { return (word_.load(std::memory_order_relaxed) & kAsleep) != 0; }
    void fall_asleep() { word_.fetch_or(kAsleep, std::memory_order_relaxed); }
    // Ends the sleep. Returns the highest priority that was asked for, without clearing it.
    std::uint32_t wake_up() { return word_.fetch_and(kPriority, std::memory_order_acquire) & kPriority; } // [request-1]

    static constexpr std::uint32_t kMostPriority = 0x7fff'ffff;

  private:
    static constexpr std::uint32_t kPriority = kMostPriority, kAsleep = ~kPriority;

    static std::uint32_t raised(std::uint32_t word, std::uint32_t priority) {
        return (word & kPriority) < priority ? (word & kAsleep) | priority : word;
    }

    typename Atomics::template atomic<std::uint32_t> word_{0};
};

} // namespace teff::preempt
