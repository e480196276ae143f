// SPDX-License-Identifier: Apache-2.0
//
// Tests the inbox of a pool worker. Leader and worker act as in region/linger.cpp, but without a
// team. The conformance programs cover whole regions.
#include "team/inbox.h"

#include <cstring>
#include <gtest/gtest.h>
#include <memory>

#include "explore/explore.h"

namespace teff::team {
namespace {

using enum std::memory_order;
using explore::Program;
using explore::Result;

using Place = std::uint64_t; // number of the region

// The worker falls asleep by a load and a plain store.
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
    using Inbox = InboxOver<Atomics, Place>;

    Inbox inbox;
    typename Inbox::Parker worker, leader;
    Place places[2] = {1, 2};
    explore::Var<Place> region{0}; // the leader's data, which it changes only when the worker is outside
    explore::atomic<int> parts{0}; // number of regions in which the worker took part
    bool retired = false;

    // The worker. In a team it waits as task/waiting.h does, where there are other wake-ups, too.
    void linger() {
        while (!inbox.has_letter()) {
            if (!inbox.try_fall_asleep()) continue;
            if (!inbox.has_letter()) worker.park();
            inbox.get_up();
        }
    }
    void take_part(Place place) {
        EXPLORE_CHECK(region == place);
        parts.fetch_add(1, acq_rel);
        leader.unpark(TEFF_WAKE_EVENT);
    }
    void live(unsigned letters) {
        bool in_team = false;
        for (unsigned i = 0; i < letters; ++i) {
            if (in_team) linger();
            else inbox.await(worker);
            const typename Inbox::Letter letter = inbox.take();
            in_team = !letter.is_outside() && !letter.is_retirement();
            if (in_team) take_part(letter.place());
            else if (letter.is_outside()) inbox.step_outside();
            retired = letter.is_retirement();
        }
    }

    // The leader.
    void run_region(int number) {
        region = places[number - 1];
        inbox.give(places[number - 1], worker);
        while (parts.load(acquire) != number)
            leader.park();
    }
    void dismiss() {
        if (!inbox.is_outside()) inbox.ask_outside(leader, worker);
        inbox.await_outside(leader);
        region = 0; // no other thread reads it now
    }
};

// Runs the leader's steps, one for each character: r, a region; d, a dismissal; h, retirement.
template <class Atomics> Result leader_does(const char* steps, const explore::Options& options) {
    return explore::run(
        [=] {
            auto shared = std::make_shared<Shared<Atomics>>();
            auto leader = [=] {
                int regions = 0;
                for (const char* step = steps; *step != '\0'; ++step) {
                    if (*step == 'r') shared->run_region(++regions);
                    else if (*step == 'd') shared->dismiss();
                    else shared->inbox.retire(shared->worker);
                }
            };
            auto worker = [=] { shared->live(static_cast<unsigned>(std::strlen(steps))); };
            const bool retires = steps[std::strlen(steps) - 1] == 'h';
            return Program({leader, worker}, [=] { EXPLORE_CHECK(shared->retired == retires); });
        },
        options);
}

class Inboxes : public testing::TestWithParam<const char*> {};

TEST_P(Inboxes, LoseNoLetterAndNoWakeUp) {
    const int preemptions = std::strlen(GetParam()) <= 2 ? 3 : 2; // more would take too long
    const Result result = leader_does<explore::Atomics>(GetParam(), {.preemptions = preemptions, .early_wakes = 1});
    EXPECT_TRUE(result.passed()) << result;
    EXPECT_TRUE(result.complete) << result;
}

INSTANTIATE_TEST_SUITE_P(OfWorkers, Inboxes, testing::Values("rr", "rdr", "rdh", "h"));

TEST(Inbox, AWorkerThatHasNeverHadAPlaceIsOutside) {
    EXPECT_TRUE(explore::run([] {
                    auto shared = std::make_shared<Shared<explore::Atomics>>();
                    return Program({[=] { shared->dismiss(); }});
                }).passed());
}

TEST(Inbox, WeakenedProtocolsAreCaught) {
    EXPECT_FALSE(leader_does<TornFallingAsleep>("rr", {}).passed());
    EXPECT_EQ(leader_does<RelaxedOrders>("rdr", {}).outcome, explore::Outcome::data_race);
}

} // namespace
} // namespace teff::team
