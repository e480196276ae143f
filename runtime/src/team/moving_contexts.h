// SPDX-License-Identifier: Apache-2.0
//
// MovingContexts: the contexts of a team that are ready and that another member may continue, too
// (TEFF_UNTIED=migrate, task/moving.h).
//
// A team has one object, with a fixed number of slots. An offer is a context in a slot. The thread
// that makes a movable context ready offers it. The member that has left the context is the offer's
// home. Both the home and a member without work may take the offer; whoever takes it continues in
// the context. If all slots are taken, the context goes to its home's ready contexts instead, where
// only the home finds it.
//
// A slot's stamp says who may touch its other fields:
//
//     0 ──try_offer──> kFilling ──try_offer──> a number of its own ──take──> 0
//         (any thread)          (same thread)                       (any member of the team)
//
// [offer-1] try_offer stores the fields of a slot, then the stamp (release). A taker loads the
//           stamp (acquire), reads the fields, and takes the offer by a compare-and-exchange of the
//           stamp (acq_rel). No stamp is used twice. So if the exchange succeeds, the fields belong
//           to the offer, and the taker sees everything that the member stored before it departed
//           from the context.
// [offer-2] try_offer claims a slot by a compare-and-exchange (acquire). It pairs with the exchange
//           (acq_rel) by which the previous offer was taken: the previous taker's reads come before
//           the new fields.
// [offer-3] try_offer increments `count_` before it stores the stamp. So a member that reads 0 and
//           then sleeps is seen by the thread that offers, because that thread looks for sleepers
//           after the offer ([sleep-1] in sched/sleepers.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atomics.h"

namespace teff::team {

// What a member sees of an offer before it has taken it. `task` may have been recycled meanwhile;
// then the offer cannot be taken any more.
template <class Member, class Task> struct OfferOf {
    const Member* home = nullptr;
    const Task* task = nullptr; // the only task on the context
    std::int32_t priority = 0;
};

// Context must have fields `member`, `task` and `priority`.
template <class Atomics, class Context, class Member, class Task, unsigned kSlots = 32> class MovingContextsOver {
  public:
    using Offer = OfferOf<Member, Task>;
    static constexpr std::int32_t kNone = INT32_MIN;

    // May be called by any thread, after the member has departed from the context. Returns false if
    // all slots are taken.
    [[nodiscard]] bool try_offer(Context& context) {
        count_.fetch_add(1, std::memory_order_seq_cst); // [offer-3]
        for (Slot& slot : slots_) {
            std::uint64_t expected = kFree;
            if (slot.stamp.load(std::memory_order_relaxed) != kFree) continue;
            if (!slot.stamp.compare_exchange_strong(expected, kFilling, std::memory_order_acquire, // [offer-2]
                                                    std::memory_order_relaxed))
                continue;
            slot.context.store(&context, std::memory_order_relaxed);
            slot.home.store(context.member, std::memory_order_relaxed);
            slot.task.store(context.task, std::memory_order_relaxed);
            slot.priority.store(context.priority, std::memory_order_relaxed);
            const std::uint64_t stamp = last_.fetch_add(1, std::memory_order_relaxed) + 1;
            slot.stamp.store(stamp, std::memory_order_release); // [offer-1]
            wakes_.store(kMostWakes, std::memory_order_relaxed);
            return true;
        }
        count_.fetch_sub(1, std::memory_order_relaxed);
        return false;
    }

    // Returns an upper bound of the number of offers.
    [[nodiscard]] std::uint32_t count() const { return count_.load(std::memory_order_seq_cst); } // [offer-3]

    // Called by a member that stops searching, perhaps because it may not take what is offered.
    // Returns true if another member should search. Members that may not take an offer do not wake
    // each other for ever: the result is true kMostWakes times after an offer.
    [[nodiscard]] bool should_wake_another() {
        return count() != 0 && wakes_.load(std::memory_order_relaxed) > 0 &&
               wakes_.fetch_sub(1, std::memory_order_relaxed) > 0;
    }

    // Returns the highest priority of an offer for which `wanted(offer)` returns true, or kNone.
    template <class Wanted> [[nodiscard]] std::int32_t highest(Wanted&& wanted) { return find(wanted).priority; }

    // Takes the oldest offer of the highest priority for which `wanted(offer)` returns true. The
    // caller must continue in the returned context. Returns null if there is no such offer.
    template <class Wanted> [[nodiscard]] Context* take(Wanted&& wanted) {
        for (;;) {
            const Found found = find(wanted);
            if (found.slot == nullptr) return nullptr;
            Context* const context = found.slot->context.load(std::memory_order_relaxed);
            std::uint64_t expected = found.stamp;
            if (!found.slot->stamp.compare_exchange_strong(expected, kFree, // [offer-1] [offer-2]
                                                           std::memory_order_acq_rel, std::memory_order_relaxed))
                continue; // another member was faster
            count_.fetch_sub(1, std::memory_order_relaxed);
            return context;
        }
    }

  private:
    template <class T> using atomic = typename Atomics::template atomic<T>;

    static constexpr std::uint64_t kFree = 0, kFilling = 1;
    static constexpr std::int32_t kMostWakes = 16;

    struct Slot {
        atomic<std::uint64_t> stamp{kFree};
        // Relaxed: the stamp says to which offer they belong.
        atomic<Context*> context{nullptr};
        atomic<const Member*> home{nullptr};
        atomic<const Task*> task{nullptr};
        atomic<std::int32_t> priority{0};
    };
    struct Found {
        Slot* slot = nullptr;
        std::uint64_t stamp = 0;
        std::int32_t priority = kNone;
    };

    template <class Wanted> Found find(Wanted&& wanted) {
        Found found;
        if (count() == 0) return found;
        for (Slot& slot : slots_) {
            const std::uint64_t stamp = slot.stamp.load(std::memory_order_acquire); // [offer-1]
            if (stamp <= kFilling) continue;
            const Offer offer{.home = slot.home.load(std::memory_order_relaxed),
                              .task = slot.task.load(std::memory_order_relaxed),
                              .priority = slot.priority.load(std::memory_order_relaxed)};
            const bool better = found.slot == nullptr || offer.priority > found.priority ||
                                (offer.priority == found.priority && stamp < found.stamp);
            if (better && wanted(offer)) found = {&slot, stamp, offer.priority};
        }
        return found;
    }

    atomic<std::uint32_t> count_{0};
    atomic<std::uint64_t> last_{kFilling}; // the last stamp that was given to an offer
    atomic<std::int32_t> wakes_{0};        // relaxed: only limits the number of wake-ups
    Slot slots_[kSlots];
};

} // namespace teff::team
