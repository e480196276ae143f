// SPDX-License-Identifier: Apache-2.0
//
// Inbox: assigns a pool worker its next place in a team (a Member record), or tells the worker to
// leave. It has one machine word for the message (the letter) and one flag for the reply.
// region/linger.cpp uses the inbox; the test of the inbox explores the same code.
//
//     empty ──> asleep ──> empty            the owner, around its sleep
//     empty or asleep ──> a place           a leader (give)
//     empty or asleep ──> outside           its last leader (ask_outside), which waits for the answer
//     empty or asleep ──> retirement        a thread that ends a worker without a team (retire)
//     a place, outside, retirement ──> empty  the owner (take), by a plain store
//
// The plain store suffices: no thread writes to the inbox again until the owner has joined the team
// or answered the leader, and that join or answer makes the store visible to the next writer.
//
// The owner is the worker's own thread. Other threads write by an exchange, and wake the owner if
// they find it asleep. Only one other thread writes at a time: the leader whose team the worker is
// in, or the thread that has taken the worker out of the pool.
//
// [region-1] The leader's exchange (release) pairs with the worker's load (acquire), so the worker
//            sees all that the leader has written for the region.
// [linger-1] The worker's store of `outside_` in step_outside (release) pairs with the leader's
//            load in is_outside (acquire), so the worker has finished reading the team before the
//            leader changes it.
//
// await and await_outside block the thread. No function is signal-safe.
#pragma once

#include <cstdint>

#include "sync/parker.h"

namespace teff::team {

// Place: the type to which a letter may point.
template <class Atomics, class Place> class InboxOver {
  public:
    using Parker = sync::ParkerOver<Atomics>;

    class Letter {
      public:
        explicit Letter(std::uintptr_t word) : word_(word) {}
        bool is_outside() const { return word_ == kOutside; }
        bool is_retirement() const { return word_ == kRetire; }
        Place& place() const { return *reinterpret_cast<Place*>(word_); }

      private:
        std::uintptr_t word_;
    };

    // ---- Called by the owner.

    bool has_letter() const { return word_.load(std::memory_order_acquire) > kAsleep; } // [region-1]

    // Called before the owner parks. Returns false if there is a letter.
    [[nodiscard]] bool try_fall_asleep() {
        std::uintptr_t expected = kEmpty;
        return word_.compare_exchange_strong(expected, kAsleep, std::memory_order_seq_cst,
                                             std::memory_order_acquire); // [region-1]
    }
    // Called after the owner has parked.
    void get_up() {
        std::uintptr_t expected = kAsleep; // if this fails, a letter has arrived
        word_.compare_exchange_strong(expected, kEmpty, std::memory_order_relaxed, std::memory_order_relaxed);
    }

    // Sleeps until there is a letter. `own` is the owner's parker.
    void await(Parker& own) {
        while (!has_letter()) {
            if (!try_fall_asleep()) return;
            own.park();
            get_up();
        }
    }

    // Takes the letter. Requires that there is one (has_letter).
    [[nodiscard]] Letter take() {
        const Letter letter(word_.load(std::memory_order_acquire)); // [region-1]
        word_.store(kEmpty, std::memory_order_relaxed);
        return letter;
    }

    // The answer to ask_outside. After this call, no thread reaches the worker except a leader that
    // gives it a place.
    void step_outside() {
        Parker& dismisser = *dismisser_;                 // read before the store: afterwards
                                                         // another thread may write this field
        outside_.store(true, std::memory_order_release); // [linger-1]
        dismisser.unpark(TEFF_WAKE_JOIN);
    }

    // Writes a letter from the owner to itself; the owner finds it at its next check.
    void retire_later() { word_.store(kRetire, std::memory_order_relaxed); }

    // ---- Called by other threads. `owner` is the owner's parker.

    void give(Place& place, Parker& owner) {
        static_assert(alignof(Place) > kRetire);
        outside_.store(false, std::memory_order_relaxed); // read only by this thread, or by threads
                                                          // that this thread notifies
        write(reinterpret_cast<std::uintptr_t>(&place), owner);
    }
    void retire(Parker& owner) { write(kRetire, owner); }

    // Must not be called for a worker that is outside.
    void ask_outside(Parker& dismisser, Parker& owner) {
        dismisser_ = &dismisser;
        write(kOutside, owner);
    }
    bool is_outside() const { return outside_.load(std::memory_order_acquire); } // [linger-1]
    void await_outside(Parker& dismisser) const {
        while (!is_outside())
            dismisser.park();
    }

  private:
    static constexpr std::uintptr_t kEmpty = 0, kAsleep = 1, kOutside = 2, kRetire = 3; // otherwise a Place's address

    void write(std::uintptr_t letter, Parker& owner) {
        if (word_.exchange(letter, std::memory_order_acq_rel) == kAsleep) owner.unpark(TEFF_WAKE_REGION); // [region-1]
    }

    typename Atomics::template atomic<std::uintptr_t> word_{kEmpty};
    typename Atomics::template atomic<bool> outside_{true}; // the worker lingers in no team
    Parker* dismisser_ = nullptr;                           // waits for the answer; published with the letter
};

} // namespace teff::team
