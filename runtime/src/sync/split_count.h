// SPDX-License-Identifier: Apache-2.0
//
// SplitCount: how many things are outstanding, counted without an atomic operation where it
// matters.
//
// Most children of a task end where the task itself runs, on its home context. So the count has two
// parts:
//   home_  touched by who runs on the home context, plain;
//   away_  touched by everyone else, with read-modify-writes.
// outstanding = home_ + away_ / kOne. While the home context looks, home_ stands still, so one load
// of away_ gives the exact number at that instant. This is the idea of biased reference counting
// (Choi, Shull, Torrellas, PACT 2018), for a count that only its home context waits for.
//
// To be notified of the last one, the home context adds home_ to away_ (it folds) and sets a flag
// in away_. From then on the thread that leaves nothing but the flag in away_ has ended the last
// one, and acts on the flag:
//
//     open --fold(waiting)-->  waiting   the last one notifies the home context  (Last::kNotifyHome)
//     open --fold(finished)--> finished  the last one reclaims the owner object  (Last::kReclaim)
//     waiting --unfold-->      open      the home context, awake again
//
// "finished" is final: then things that end on the home context use end_away, too.
// [split-1] end_away's fetch_sub (release) pairs with none_left's and fold's acquire: what the last
// one did is seen by the waiter. After end_away returned anything but kReclaim the caller must not
// touch the owner object.
#pragma once

#include <cstdint>

#include "base/atomics.h"

namespace teff::sync {

enum class Last : std::uint8_t { kNo, kNotifyHome, kReclaim };

template <class Atomics> class SplitCountOver {
  public:
    // The owner object begins a new life, before anyone else can know it.
    void reset() {
        home_ = 0;
        away_.store(0, std::memory_order_relaxed);
    }

    void begin_home() { ++home_; }
    void end_home(std::int64_t count = 1) { home_ -= count; }

    void begin_away() { away_.fetch_add(kOne, std::memory_order_relaxed); } // whoever begins one is itself counted
    [[nodiscard]] Last end_away(std::int64_t count = 1) {
        const std::int64_t change = count * kOne;
        const std::int64_t now = away_.fetch_sub(change, std::memory_order_acq_rel) - change; // [split-1]
        if (now == kWaiting) return Last::kNotifyHome;
        return now == kFinished ? Last::kReclaim : Last::kNo;
    }

    // Home context, while open: how many are outstanding.
    [[nodiscard]] std::int64_t outstanding() const { return home_ + away_.load(std::memory_order_relaxed) / kOne; }

    // Home context, open or waiting.
    [[nodiscard]] bool none_left() const {
        return home_ * kOne + away_.load(std::memory_order_acquire) < kOne; // [split-1] below one there are only flags
    }

    // Home context: asks to be notified by the last one. False: there is none left, and the count
    // stays open.
    [[nodiscard]] bool try_open_to_waiting() {
        if (!fold(kWaiting)) return true;
        unfold();
        return false;
    }

    // Home context: takes the request back.
    void unfold() { away_.fetch_sub(kWaiting, std::memory_order_acquire); } // [split-1]

    // Home context, when the owner object has done its own part. False: there is none left, so the
    // caller reclaims.
    [[nodiscard]] bool try_open_to_finished() { return !fold(kFinished); }

  private:
    static constexpr std::int64_t kFinished = 1, kWaiting = 2, kOne = 4;

    // True: nothing was outstanding.
    [[nodiscard]] bool fold(std::int64_t flag) {
        const std::int64_t add = home_ * kOne + flag;
        home_ = 0;
        return away_.fetch_add(add, std::memory_order_acq_rel) + add == flag; // [split-1]
    }

    std::int64_t home_ = 0;
    typename Atomics::template atomic<std::int64_t> away_{0};
};

using SplitCount = SplitCountOver<base::RealAtomics>;

} // namespace teff::sync
