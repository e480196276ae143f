// SPDX-License-Identifier: Apache-2.0
//
// OrderedTurn: the turn in a loop with ordered regions. The turn is a number that only grows: the
// number of the first iteration of the chunk that may execute its ordered regions. The member that
// runs this chunk passes the turn on to the next chunk.
//
// Waiters sleep on one of a few words, selected by their number, so that passing the turn wakes the
// next waiter and few others. A waiter that does other work during the wait enters a record (Name)
// in a list instead, and is notified once, when its turn has come. The list has a lock, which the
// thread that passes the turn takes only if a waiter has announced itself on the number's word.
//
// [turn-1] The store in pass_to() (release) pairs with the load in has() (acquire): an ordered
//          region sees all writes of earlier ordered regions. No sleeper is missed: see WaitWord.
//          No name is missed: a name is entered in the list before it is announced on the word, in
//          the way in which a sleeper is announced. So a thread that passes the turn after the
//          announcement finds the name. If the turn was passed before the announcement, the waiter
//          sees the new turn when it checks after its announcement. A notification removes all
//          announcements from the word. The thread that removed them announces the remaining names
//          again, and only then checks whose turn it is.
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
    // An entry of the list: `tell(whom)` is called when the turn of `number` comes. The owner keeps
    // the record until `withdraw` has returned. At that time, `tell(whom)` may still be running or
    // about to run.
    struct Name {
        std::uint64_t number = 0;
        void (*tell)(void*) = nullptr;
        void* whom = nullptr;
        Name* next = nullptr;
    };

    // Called when a new loop begins, before other threads know of it.
    void reset() { turn_.store(0, std::memory_order_relaxed); }

    // Returns true if it is the turn of `number`.
    bool has(std::uint64_t number) const { return turn_.load(std::memory_order_acquire) == number; } // [turn-1]

    // Waits until it is the turn of `number`, or `give_up()` returns true. For `spins` and
    // `look_again_ns` see WaitWord.
    template <class GiveUp>
    void wait_for(std::uint64_t number, unsigned spins, std::uint64_t look_again_ns, GiveUp&& give_up) {
        spot(number).wait_until(spins, look_again_ns, [&] { return has(number) || give_up(); });
    }

    // Called by the thread that has the turn. Passes the turn to `number`.
    void pass_to(std::uint64_t number) {
        turn_.store(number, std::memory_order_release); // [turn-1]
        if (TEFF_UNLIKELY(spot(number).notify())) tell_next(number);
    }

    // Enters the name in the list, so that it is notified when the turn of its number comes.
    // Returns false, without entering the name, if the turn has already come.
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

    // Removes the name from the list. No effect if the name has been notified.
    void withdraw(Name& name) TEFF_EXCLUDES(lock_) {
        const MutexGuard guard(lock_);
        for (Name** at = &names_; *at != nullptr; at = &(*at)->next)
            if (*at == &name) return void(*at = name.next);
    }

    // Called in a forked child, where the holder of the lock may no longer exist. Empties the list
    // and makes its lock free.
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

    // Notifies the name whose turn it is, if it is in the list. Called after a notification of the
    // word of `number` has found an announcement there.
    TEFF_COLD void tell_next(std::uint64_t number) TEFF_EXCLUDES(lock_) {
        lock_.lock();
        if (names_ == nullptr) return lock_.unlock();
        spot(number).announce(); // [turn-1]: for the names that stay in the list
        Name** at = &names_;
        while (*at != nullptr && !has((*at)->number))
            at = &(*at)->next;
        if (*at == nullptr) return lock_.unlock();
        const Name told = **at; // the record may be gone once it is out of the list
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
