// SPDX-License-Identifier: Apache-2.0
// The inbox of a lingering worker (linger.h), as a model: the steps of linger.cpp on the inbox, the parkers and `outside`, without a team
// around them. Regions as a whole are covered by the conformance programs.
#include <gtest/gtest.h>
#include <memory>

#include "explore/explore.h"
#include "sync/parker.h"

namespace teff::region {
namespace {

using enum std::memory_order;
using explore::Program;
using explore::Result;

enum Place : std::uint32_t { kNone = 0, kAsleep = 1, kOutside = 2, kFirstPlace = 3 };

// The worker says that it is asleep by a plain store.
struct TornFallingAsleep : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        bool compare_exchange_strong(T& expected, T desired, std::memory_order, std::memory_order) {
            if (this->load(acquire) != expected) return false;
            this->store(desired, release);
            return true;
        }
    };
};

struct RelaxedOrders : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        T load(std::memory_order) const { return explore::atomic<T>::load(relaxed); }
        void store(T value, std::memory_order) { explore::atomic<T>::store(value, relaxed); }
        T exchange(T value, std::memory_order) { return explore::atomic<T>::exchange(value, relaxed); }
    };
};

template <class Atomics> struct Shared {
    typename Atomics::template atomic<std::uint32_t> inbox{kNone};
    typename Atomics::template atomic<bool> outside{true};
    sync::ParkerOver<explore::Atomics> worker, leader;
    explore::Var<int> region{0}; // what the leader prepares, and changes only when the worker is outside
    explore::Var<int> joined{0};
    explore::atomic<int> parts{0}; // regions that the worker took part in

    // The worker.
    bool has_place() const {
        const std::uint32_t place = inbox.load(acquire);
        return place != kNone && place != kAsleep;
    }
    std::uint32_t next_place() {
        while (!has_place()) {
            std::uint32_t expected = kNone;
            if (!inbox.compare_exchange_strong(expected, kAsleep, seq_cst, acquire)) break;
            if (!has_place()) worker.park();
            expected = kAsleep;
            inbox.compare_exchange_strong(expected, kNone, relaxed, relaxed);
        }
        return inbox.exchange(kNone, acquire);
    }
    void live(int places) {
        for (int i = 0; i < places; ++i) {
            const std::uint32_t place = next_place();
            EXPLORE_CHECK(place != kNone && place != kAsleep);
            if (place == kOutside) {
                outside.store(true, release);
                leader.unpark();
            } else {
                EXPLORE_CHECK(region == static_cast<int>(place));
                parts.fetch_add(1, acq_rel);
                leader.unpark();
            }
        }
    }

    // The leader.
    void give_place(std::uint32_t place) {
        region = static_cast<int>(place);
        outside.store(false, relaxed);
        if (inbox.exchange(place, acq_rel) == kAsleep) worker.unpark();
    }
    void join(int regions) {
        while (parts.load(acquire) != regions)
            leader.park();
    }
    void dismiss() {
        if (outside.load(acquire)) return;
        if (inbox.exchange(kOutside, acq_rel) == kAsleep) worker.unpark();
        while (!outside.load(acquire))
            leader.park();
    }
};

// Two regions one after the other, the second perhaps after the worker was sent away.
template <class Atomics> Result two_regions(bool dismiss_between, const explore::Options& options) {
    return explore::run(
        [=] {
            auto shared = std::make_shared<Shared<Atomics>>();
            auto leader = [=] {
                shared->dismiss(); // of a worker that has never had a place: nothing to do
                shared->give_place(kFirstPlace);
                shared->join(1);
                if (dismiss_between) {
                    shared->dismiss();
                    shared->region = 0; // nobody looks now
                }
                shared->give_place(kFirstPlace + 1);
                shared->join(2);
            };
            auto worker = [=] { shared->live(dismiss_between ? 3 : 2); };
            return Program({leader, worker}, [=] { EXPLORE_CHECK(shared->inbox.load(relaxed) == kNone); });
        },
        options);
}

TEST(LingeringWorker, TakesEveryPlaceOnce) {
    const Result result = two_regions<explore::Atomics>(false, {.preemptions = 4, .early_wakes = 1});
    EXPECT_TRUE(result.passed()) << result;
    EXPECT_TRUE(result.complete) << result;
}

TEST(LingeringWorker, AnswersThatItIsOutside) {
    const Result result = two_regions<explore::Atomics>(true, {.preemptions = 3, .early_wakes = 1});
    EXPECT_TRUE(result.passed()) << result;
    EXPECT_TRUE(result.complete) << result;
}

TEST(LingeringWorker, WeakenedProtocolsAreCaught) {
    EXPECT_FALSE(two_regions<TornFallingAsleep>(false, {}).passed());
    EXPECT_EQ(two_regions<RelaxedOrders>(true, {}).outcome, explore::Outcome::data_race);
}

} // namespace
} // namespace teff::region
