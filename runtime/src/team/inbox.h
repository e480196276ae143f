// SPDX-License-Identifier: Apache-2.0
//
// Inbox: how a pool worker gets its next place, and how it is sent away. One word for the letters,
// one flag for the answer. Used by region/linger.cpp; its test explores this very code.
//
//     empty ──> asleep ──> empty            the owner, around its sleep
//     empty or asleep ──> a place           a leader (give)
//     empty or asleep ──> outside           its last leader (ask_outside), who waits for the answer
//     empty or asleep ──> retirement        whoever wants a thread without a team to end (retire)
//     a place, outside, retirement ──> empty  the owner (take); a plain store, since nobody writes again
//                                           before the owner has joined or answered, which tells
//                                           the writer of that store
//
// Owner: the worker's own thread. Other threads write by an exchange, and wake the owner if they
// find it asleep. Only one other thread writes at a time: the leader whose team the worker is in,
// or that has taken it out of the pool.
//
// [region-1] The writer's exchange (release) pairs with the owner's load (acquire): the worker sees
//            all that the leader has written for the region.
// [linger-1] step_outside's store (release) of `outside` pairs with is_outside's load (acquire):
//            what the worker has read of its team, it has read before the dismisser changes it.
//
// Blocks the thread, in await and await_outside. Not signal-safe.
#pragma once

#include <cstdint>

#include "sync/parker.h"

namespace teff::team {

// Place: what a letter may name.
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

    // ---- By the owner.

    bool has_letter() const { return word_.load(std::memory_order_acquire) > kAsleep; } // [region-1]

    // Before it parks. False: there is a letter.
    [[nodiscard]] bool try_fall_asleep() {
        std::uintptr_t expected = kEmpty;
        return word_.compare_exchange_strong(expected, kAsleep, std::memory_order_seq_cst,
                                             std::memory_order_acquire); // [region-1]
    }
    // After it has parked.
    void get_up() {
        std::uintptr_t expected = kAsleep; // else there is a letter now
        word_.compare_exchange_strong(expected, kEmpty, std::memory_order_relaxed, std::memory_order_relaxed);
    }

    // Sleeps until there is a letter.
    void await(Parker& own) {
        while (!has_letter()) {
            if (!try_fall_asleep()) return;
            own.park();
            get_up();
        }
    }

    // The letter that there is.
    [[nodiscard]] Letter take() {
        const Letter letter(word_.load(std::memory_order_acquire)); // [region-1]
        word_.store(kEmpty, std::memory_order_relaxed);
        return letter;
    }

    // The answer to ask_outside. From here on nobody but a leader that gives it a place knows the
    // worker.
    void step_outside() {
        Parker& dismisser = *dismisser_;                 // asked for before the store: then others may write it
        outside_.store(true, std::memory_order_release); // [linger-1]
        dismisser.unpark(TEFF_WAKE_JOIN);
    }

    // A letter from the owner to itself, for when it looks again.
    void retire_later() { word_.store(kRetire, std::memory_order_relaxed); }

    // ---- By others; `owner` is the owner's parker.

    void give(Place& place, Parker& owner) {
        static_assert(alignof(Place) > kRetire);
        outside_.store(false, std::memory_order_relaxed); // read by this thread, or one that it tells of this
        write(reinterpret_cast<std::uintptr_t>(&place), owner);
    }
    void retire(Parker& owner) { write(kRetire, owner); }

    // Not for a worker that is outside.
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
    static constexpr std::uintptr_t kEmpty = 0, kAsleep = 1, kOutside = 2, kRetire = 3; // else the address of a place

    void write(std::uintptr_t letter, Parker& owner) {
        if (word_.exchange(letter, std::memory_order_acq_rel) == kAsleep) owner.unpark(TEFF_WAKE_REGION); // [region-1]
    }

    typename Atomics::template atomic<std::uintptr_t> word_{kEmpty};
    typename Atomics::template atomic<bool> outside_{true}; // the worker lingers in no team
    Parker* dismisser_ = nullptr;                           // who waits for that; passed on with the letter
};

} // namespace teff::team
