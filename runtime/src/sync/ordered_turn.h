// SPDX-License-Identifier: Apache-2.0
//
// OrderedTurn: whose turn it is in a loop with ordered regions. The turn is a number that only
// grows: that of the first iteration of the chunk which may go. The holder of that chunk passes the
// turn on to the chunk behind it.
//
// Waiters sleep on one of a few words, chosen by their number, so that passing the turn wakes the
// next one and few others. A waiter that does something else meanwhile enters its name in a list
// instead, and is notified once, when its turn has come. The list has a lock, which is taken only
// if a waiter has announced itself on the word of the number.
//
// [turn-1] pass's store (release) pairs with has's load (acquire): ordered regions see all that
// earlier ones wrote. No sleeper is missed: see WaitWord. No name is missed: it is in the list
// before it is announced on the word, as a sleeper is. So a thread that passes the turn later finds
// the name, and if the turn was passed before, the waiter sees that when it looks after its
// announcement. A notification removes all announcements from the word; the thread that removed
// them announces the remaining names again, before it looks whose turn it is by then.
#pragma once

#include <atomic>
#include <cstdint>
#include <new>

#include "base/cache_line.h"
#include "sync/annotations.h"
#include "sync/mutex.h"
#include "sync/wait_word.h"

namespace teff::sync {

template <class Atomics> class alignas(base::kCacheLine) OrderedTurnOver {
  public:
    // Someone who is told. Its owner keeps it until `withdraw`; `tell(whom)` may still be on its
    // way then.
    struct Name {
        std::uint64_t number = 0;
        void (*tell)(void*) = nullptr;
        void* whom = nullptr;
        Name* next = nullptr;
    };

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
        if (TEFF_UNLIKELY(spot(number).notify())) tell_next(number);
    }

    // When the turn of the name's number comes, it is told. False: it has come, and the name is not
    // kept.
    [[nodiscard]] bool enter(Name& name) TEFF_EXCLUDES(lock_) {
        lock_.lock();
        name.next = names_;
        names_ = &name;
        lock_.unlock();
        spot(name.number).announce(); // [turn-1]
        if (TEFF_LIKELY(!has(name.number))) return true;
        withdraw(name);
        return false;
    }

    // Takes the name back, unless it has been told.
    void withdraw(Name& name) TEFF_EXCLUDES(lock_) {
        const MutexGuard guard(lock_);
        for (Name** at = &names_; *at != nullptr; at = &(*at)->next)
            if (*at == &name) return void(*at = name.next);
    }

    // In a forked child, where whoever held the lock may be gone.
    void forget_names() TEFF_EXCLUDES(lock_) {
        ::new (&lock_) MutexOver<Atomics>;
        const MutexGuard guard(lock_);
        names_ = nullptr;
    }

  private:
    static constexpr unsigned kSpotBits = 3;

    static unsigned spot_of(std::uint64_t number) { // Fibonacci hashing
        return static_cast<unsigned>(number * 0x9e37'79b9'7f4a'7c15u >> (64 - kSpotBits));
    }
    WaitWordOver<Atomics>& spot(std::uint64_t number) { return spots_[spot_of(number)]; }

    // Someone had announced itself on the word of `number`.
    TEFF_COLD void tell_next(std::uint64_t number) TEFF_EXCLUDES(lock_) {
        lock_.lock();
        if (names_ == nullptr) return lock_.unlock();
        spot(number).announce(); // [turn-1]: for those that stay in the list
        Name** at = &names_;
        while (*at != nullptr && !has((*at)->number))
            at = &(*at)->next;
        if (*at == nullptr) return lock_.unlock();
        const Name told = **at; // it may be gone once it is out of the list
        *at = told.next;
        lock_.unlock();
        told.tell(told.whom);
    }

    typename Atomics::template atomic<std::uint64_t> turn_{0};
    WaitWordOver<Atomics> spots_[1u << kSpotBits];
    MutexOver<Atomics> lock_;
    Name* names_ TEFF_GUARDED_BY(lock_) = nullptr;
};

using OrderedTurn = OrderedTurnOver<base::RealAtomics>;

} // namespace teff::sync
