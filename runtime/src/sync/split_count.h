// SPDX-License-Identifier: Apache-2.0
//
// SplitCount: counts outstanding items (such as the unfinished children of a task) without an
// atomic operation in the most frequent case.
//
// Most children of a task end on the context where the task itself runs, its home context. So the
// count has two parts:
//   home_  a plain variable, accessed by the code that runs on the home context only;
//   away_  accessed by all other code, with read-modify-writes.
// outstanding = home_ + away_ / kOne. While the home context reads the count, home_ does not
// change, so one load of away_ gives the exact number at that instant. This is the idea of biased
// reference counting (Choi, Shull, Torrellas, PACT 2018), applied to a count that only its home
// context waits for.
//
// To be notified by the thread that ends the last item, the home context adds home_ to away_ (it
// folds the count) and sets a flag in away_. From then on, if a thread's subtraction leaves only
// the flag in away_, this thread has ended the last item, and acts on the flag:
//
//     open --fold(waiting)-->  waiting   that thread notifies the home context  (Last::kNotifyHome)
//     open --fold(finished)--> finished  that thread reclaims the owner object  (Last::kReclaim)
//     waiting --unfold-->      open      by the home context, when it is awake again
//
// The state "finished" is final. In this state, items that end on the home context also use
// end_away.
// [split-1] The fetch_sub in end_away() (release) pairs with the acquires in none_left(), fold()
//           and unfold(): the waiter sees all writes of the thread that ended the last item. If
//           end_away() returns anything but kReclaim, the caller must not access the owner object
//           any more.
#pragma once

#include <cstdint>

#include "base/atomics.h"

namespace teff::sync {

enum class Last : std::uint8_t { kNo, kNotifyHome, kReclaim };

template <class Atomics> class SplitCountOver {
  public:
    // Sets the count to 0 and its state to "open". Called when the owner object is reused, before
    // other threads know it.
    void reset() {
        home_ = 0;
        away_.store(0, std::memory_order_relaxed);
    }

    // Count items that begin or end on the home context, while the count is not finished.
    void begin_home() { ++home_; }
    void end_home(std::int64_t count = 1) { home_ -= count; }

    // Count items that begin or end elsewhere. The result of end_away says what the caller must do
    // (see above).
    void begin_away() { away_.fetch_add(kOne, std::memory_order_relaxed); } // relaxed: the caller is counted too
    [[nodiscard]] Last end_away(std::int64_t count = 1) {
        const std::int64_t change = count * kOne;
        const std::int64_t now = away_.fetch_sub(change, std::memory_order_acq_rel) - change; // [split-1]
        if (now == kWaiting) return Last::kNotifyHome;
        return now == kFinished ? Last::kReclaim : Last::kNo;
    }

    // Returns the number of outstanding items. Called on the home context, in the state "open".
    [[nodiscard]] std::int64_t outstanding() const { return home_ + away_.load(std::memory_order_relaxed) / kOne; }

    // Returns true if nothing is outstanding. Called on the home context, in the states "open" and
    // "waiting".
    [[nodiscard]] bool none_left() const {
        return home_ * kOne + away_.load(std::memory_order_acquire) < kOne; // [split-1] the bits below kOne are flags
    }

    // Requests a notification by the thread that ends the last item. Returns false if nothing is
    // outstanding; the state then stays "open". Called on the home context.
    [[nodiscard]] bool try_open_to_waiting() {
        if (!fold(kWaiting)) return true;
        unfold();
        return false;
    }

    // Withdraws the request for a notification. Called on the home context.
    void unfold() { away_.fetch_sub(kWaiting, std::memory_order_acquire); } // [split-1]

    // Requests the thread that ends the last item to reclaim the owner object. Returns false if
    // nothing is outstanding; the caller then reclaims the object. Called on the home context when
    // the owner object has finished its own part.
    [[nodiscard]] bool try_open_to_finished() { return !fold(kFinished); }

  private:
    static constexpr std::int64_t kFinished = 1, kWaiting = 2, kOne = 4;

    // Adds home_ and the flag to away_. Returns true if nothing was outstanding.
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
