// SPDX-License-Identifier: Apache-2.0
//
// Notification: how a context learns that what its task waits for may have happened.
//
//     runs      --notify-->      notified   (anyone; then unparks the worker, if the task waits in place)
//     notified  --expect-->      runs       (owner)
//     runs      --try_suspend--> suspended  (owner; not if it is notified)
//     runs      --set_aside-->   ready      (owner: the task gives way, and can go on at any time)
//     notified  --set_aside-->   ready
//     suspended --notify-->      ready      (anyone: it puts the context among its worker's ready ones)
//     suspended --set_aside-->   ready      (owner; who fails has been forestalled by a notification)
//     ready     --resume-->      runs       (owner, which has taken it from there)
//
// The owner is the worker of the context, on whichever of its contexts it is. A thread makes the
// condition true before it notifies. A notification that is late, or meant for an earlier wait,
// does no harm: the task looks at its condition and waits again.
//
// [notify-1] All changes are read-modify-writes of one word, notify's release, the owner's acquire.
//            A notification that comes before expect is one whose condition the owner finds true
//            after it; one that comes later is found by try_suspend, or finds the context suspended.
#pragma once

#include <cstdint>

#include "base/atomics.h"
#include "teff_trace.h"

namespace teff::team {

template <class Atomics> class NotificationOver {
  public:
    // Owner, standing on the context: looks at its condition after this.
    void expect() { state_.exchange(kRuns, std::memory_order_acquire); } // [notify-1]

    // Owner, about to leave the context. False: it has been notified since it expected that.
    [[nodiscard]] bool try_suspend() {
        std::uint32_t expected = kRuns;
        return state_.compare_exchange_strong(expected, kSuspended, std::memory_order_acq_rel,
                                              std::memory_order_acquire); // [notify-1]
    }

    // Owner. False: a notification has made it ready already, or is about to.
    [[nodiscard]] bool set_aside() {
        return state_.exchange(kReady, std::memory_order_acq_rel) != kReady; // [notify-1]
    }

    // Owner, about to go on in the context.
    void resume() { state_.exchange(kRuns, std::memory_order_acquire); } // [notify-1]

    // Anyone. True: the caller puts the context among the ready ones.
    [[nodiscard]] bool notify() {
        std::uint32_t seen = state_.load(std::memory_order_relaxed);
        while (!state_.compare_exchange_weak(seen, after(seen), std::memory_order_acq_rel, // [notify-1]
                                             std::memory_order_relaxed)) {
        }
        return seen == kSuspended;
    }

  private:
    static constexpr std::uint32_t kRuns = 0, kNotified = 1, kSuspended = 2, kReady = 3;

    static constexpr std::uint32_t after(std::uint32_t seen) { return seen < kSuspended ? kNotified : kReady; }

    typename Atomics::template atomic<std::uint32_t> state_{kRuns};
};

using Notification = NotificationOver<base::RealAtomics>;

// Anyone. The context's worker comes back to it, or wakes and looks, wherever it sleeps. First the
// context becomes ready, and only then does its worker get a token: else it could take that, find
// nothing ready, and sleep. make_ready(context) puts it among the ready ones; from there on it may
// go on, and be left for good.
template <class Context> void notify_and_wake(Context& context) {
    auto& worker = context.worker;
    if (context.notification.notify()) make_ready(context);
    worker.parker.unpark(TEFF_WAKE_EVENT);
}

} // namespace teff::team
