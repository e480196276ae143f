// SPDX-License-Identifier: Apache-2.0
//
// RequestWord: one thread is asked to look for work of higher priority; several requests become one
// signal.
//
//     nothing asked ──ask──> asked (a priority) ──ask higher──> asked, higher
//           └<────────────────take─┴<──────────────────────────────┘
//
// In addition the word says awake or asleep: asleep while its thread is in a call that may sleep,
// where a signal would be useless.
//
// Who may touch what: `ask` is for any thread; all others are for the owner, in its handler as
// well.
//
// [request-1] No request is lost. A requester makes the work visible and then asks; the owner takes
//             and then looks for work. Both ask and take change the one word by a read-modify-write,
//             also where the value stays the same, so one comes first. If ask does, take reads what
//             it wrote (acquire reads release) and the look sees the work. If take does, ask finds
//             nothing asked and answers `signal`. A load instead of the read-modify-write in ask
//             could see what was asked before, while the work still lies in the store buffer, and
//             the owner's look would miss it.
//             The same for asleep: an ask that finds the thread asleep is read by the `wake_up` that
//             ends the sleep.
#pragma once

#include <atomic>
#include <cstdint>

namespace teff::preempt {

enum class Ask : std::uint8_t {
    signal, // the caller has to signal the thread
    joined, // a signal is on its way, or the owner knows and tries again
    asleep, // it looks when it wakes up
};

template <class Atomics> class RequestWordOver {
  public:
    // 1 to kMostPriority.
    [[nodiscard]] Ask ask(std::uint32_t priority) {
        std::uint32_t word = word_.load(std::memory_order_relaxed);
        while (!word_.compare_exchange_weak(word, raised(word, priority), std::memory_order_release, // [request-1]
                                            std::memory_order_relaxed)) {
        }
        if ((word & kAsleep) != 0) return Ask::asleep;
        return (word & kPriority) == 0 ? Ask::signal : Ask::joined;
    }

    // The highest priority that was asked for; 0: none.
    std::uint32_t take() { return word_.fetch_and(kAsleep, std::memory_order_acquire) & kPriority; } // [request-1]

    // The same, and stays asked.
    std::uint32_t asked() const { return word_.load(std::memory_order_relaxed) & kPriority; }

    bool is_asleep() const { return (word_.load(std::memory_order_relaxed) & kAsleep) != 0; }
    void fall_asleep() { word_.fetch_or(kAsleep, std::memory_order_relaxed); }
    // Returns what is asked, which stays asked.
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
