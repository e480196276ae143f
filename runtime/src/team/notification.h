// SPDX-License-Identifier: Apache-2.0
//
// Notification: tells a context that the event for which its task waits may have occurred.
//
//     runs      --notify-->      notified   (any thread; then unparks the worker, if the task waits in place)
//     notified  --expect-->      runs       (owner)
//     runs      --try_suspend--> suspended  (owner; not if it is notified)
//     runs      --set_aside-->   ready      (owner: the task leaves its thread, and can continue at any time)
//     notified  --set_aside-->   ready
//     suspended --notify-->      ready      (any thread: puts the context among its worker's ready contexts)
//     suspended --set_aside-->   ready      (owner; fails if a notification came first)
//     ready     --resume-->      runs       (owner, which has taken it from there)
//
// The owner is the worker of the context; the owner may be on any of its contexts. A thread makes
// the condition true before it notifies. A notification that is late, or meant for an earlier wait,
// does no harm: the task checks its condition and waits again.
//
// [notify-1] All changes are read-modify-writes of one word: notify() releases, and the owner's
//            functions acquire. If notify() comes before expect(), the owner finds the condition
//            true after expect(). If notify() comes later, either try_suspend() finds the
//            notification, or notify() finds the context suspended.
#pragma once

#include <cstdint>

#include "base/atomics.h"
#include "teff_trace.h"

namespace teff::team {

template <class Atomics> class NotificationOver {
  public:
    // Called by the owner on this context, before it checks its condition.
    void expect() { state_.exchange(kRuns, std::memory_order_acquire); } // [notify-1]

    // Called by the owner when it is about to leave the context. Returns false if the context was
    // notified after expect.
    [[nodiscard]] bool try_suspend() {
        std::uint32_t expected = kRuns;
        return state_.compare_exchange_strong(expected, kSuspended, std::memory_order_acq_rel,
                                              std::memory_order_acquire); // [notify-1]
    }

    // Called by the owner. Returns false if a notification has made the context ready, or is about
    // to.
    [[nodiscard]] bool set_aside() {
        return state_.exchange(kReady, std::memory_order_acq_rel) != kReady; // [notify-1]
    }

    // Called by the owner when it is about to continue in the context.
    void resume() { state_.exchange(kRuns, std::memory_order_acquire); } // [notify-1]

    // May be called by any thread. Returns true if the caller must put the context among the ready
    // contexts.
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

// May be called by any thread. Makes the context ready, then gives its worker a token, which wakes
// the worker from any sleep. The order matters: a worker that took the token first would find no
// ready context and go back to sleep. make_ready(context) puts the context among the ready
// contexts; from then on the context may continue, and its worker may leave it for good. The
// context's worker is read after the notification and before that ([moved-1] in context.h).
template <class Context> void notify_and_wake(Context& context) {
    const bool is_suspended = context.notification.notify();
    auto& worker = context.worker();
    if (is_suspended) make_ready(context);
    worker.parker.unpark(TEFF_WAKE_EVENT);
}

} // namespace teff::team
