// SPDX-License-Identifier: Apache-2.0
//
// Tests the queues of a member's contexts under the explorer. The owner leaves queues with tasks in
// them, returns to them, takes tasks from queues that it has left, and lets contexts end, while
// thieves look for tasks in all queues. Lane, TaskQueue, the deque and work stealing are the
// runtime's own code.
#include <array>
#include <functional>
#include <gtest/gtest.h>
#include <iostream>
#include <memory>
#include <vector>

#include "explore/explore.h"
#include "sched/work_stealing.h"

namespace teff::sched {
namespace {

using enum std::memory_order;
using explore::Options;
using explore::Outcome;
using explore::Program;
using explore::Result;

struct Any {
    static constexpr bool constrained() { return false; }
    bool operator()(const Runnable*) const { return true; }
};

struct Task : Runnable {
    explore::Var<int> made;
    int taken = 0;
};

// The owner's lane is the first; each thief has a lane without queues.
template <class Atomics> struct Shared {
    using Lane = LaneOver<Atomics>;
    using Queue = typename Lane::Queue;
    static constexpr std::uint32_t kLimit = 4;

    explicit Shared(unsigned thieves) : lanes(1 + thieves), places(1 + thieves) {
        for (unsigned i = 0; i < lanes.size(); ++i) {
            lanes[i] = std::make_unique<Lane>();
            lanes[i]->number = i;
            places[i] = lanes[i].get();
        }
        stealing.attach(places.data());
        stealing.resize(1 + thieves);
    }
    ~Shared() {
        for (auto& lane : lanes)
            lane->free_memory();
    }
    Lane& own() { return *lanes[0]; }

    // ---- The owner.

    void create() {
        Task& task = tasks[made++];
        task.made = 1;
        EXPLORE_CHECK(stealing.try_push(own(), &task) || stealing.try_push_slow(own(), &task, kLimit));
    }
    bool take_own() { return take(stealing.take_own(own(), Any{})); }
    bool take_left(Look look = Look::kBrief) { return take(stealing.take_left(own(), Any{}, look)); }

    // ---- A thief.

    bool steal(unsigned thief, Look look = Look::kThorough) { return take(stealing.steal(*lanes[thief], Any{}, look)); }

    bool take(Runnable* item) {
        if (item == nullptr) return false;
        auto& task = *static_cast<Task*>(item);
        EXPLORE_CHECK(task.made == 1);
        ++task.taken;
        return true;
    }

    // ---- At the end.

    // Checks that the list contains exactly the queues that are marked as listed.
    void check_list() {
        unsigned says = 0, found = 0;
        own().for_each_queue([&](Queue& queue) { says += queue.is_listed.load(relaxed) ? 1 : 0; });
        const auto look = [&](auto&) -> Runnable* {
            EXPLORE_CHECK(++found <= says);
            return nullptr;
        };
        (void)own().take_from_listed(look, ~0u);
        EXPLORE_CHECK(found == says);
    }
    void check_at_end() {
        check_list();
        while (take_own() || take_left(Look::kThorough)) {
        }
        EXPLORE_CHECK(own().looks_empty());
        EXPLORE_CHECK(!own().has_listed());
        for (unsigned i = 0; i < tasks.size(); ++i)
            EXPLORE_CHECK(tasks[i].taken == (i < made ? 1 : 0));
        check_free_queues();
    }
    // Checks that each queue can be taken exactly once.
    void check_free_queues() {
        unsigned all = 0, had = 0;
        own().for_each_queue([&](Queue& queue) {
            ++all;
            had += queue.is_owned ? 1 : 0;
        });
        for (; had < all; ++had) {
            (void)own().leave(Left::kOpen);
            EXPLORE_CHECK(own().take_queue());
        }
        unsigned now = 0;
        own().for_each_queue([&](Queue& queue) {
            ++now;
            EXPLORE_CHECK(queue.is_owned);
        });
        EXPLORE_CHECK(now == all);
    }

    std::vector<std::unique_ptr<Lane>> lanes;
    std::vector<Lane*> places;
    WorkStealingOver<Atomics> stealing;
    std::array<Task, 4> tasks;
    unsigned made = 0;
    Queue* left = nullptr; // left by the owner
};

template <class Atomics> using Owner = void (*)(Shared<Atomics>&);
template <class Atomics> using Thief = void (*)(Shared<Atomics>&, unsigned number);

// `before` is the owner's part of the set-up.
template <class Atomics>
Result explore_lane(const Options& options, Owner<Atomics> before, Owner<Atomics> owner, Thief<Atomics> thief,
                    unsigned thieves = 1) {
    return explore::run(
        [=] {
            auto shared = std::make_shared<Shared<Atomics>>(thieves);
            before(*shared);
            std::vector<std::function<void()>> threads{[=] { owner(*shared); }};
            for (unsigned i = 1; i <= thieves; ++i)
                threads.emplace_back([=] { thief(*shared, i); });
            return Program(threads, [=] { shared->check_at_end(); });
        },
        options);
}

void expect_pass(const Result& result) {
    EXPECT_TRUE(result.passed()) << result;
    std::cout << result << "\n";
}
void expect_complete_pass(const Result& result) {
    expect_pass(result);
    EXPECT_TRUE(result.complete) << result;
}

// For programs with too many interleavings: only the first `max_executions` executions, in order,
// are tried.
constexpr Options kBegun{.preemptions = 1, .max_executions = 20'000};
constexpr Options kTwo{.preemptions = 2, .max_executions = 100'000};

template <class Atomics> void create_one(Shared<Atomics>& shared) { shared.create(); }
template <class Atomics> void create_two(Shared<Atomics>& shared) {
    shared.create();
    shared.create();
}
template <class Atomics> void steal_one(Shared<Atomics>& shared, unsigned thief) { (void)shared.steal(thief); }
template <class Atomics> void steal_two(Shared<Atomics>& shared, unsigned thief) {
    (void)shared.steal(thief);
    (void)shared.steal(thief);
}

// ---- A thorough look misses no queue, even if the owner switches contexts meanwhile [lane-2].

template <class Atomics> void find_one(Shared<Atomics>& shared, unsigned thief) { EXPLORE_CHECK(shared.steal(thief)); }

template <class Atomics> void leave(Shared<Atomics>& shared) { (void)shared.own().leave(Left::kOpen); }
template <class Atomics> void go_and_come_back(Shared<Atomics>& shared) {
    auto& lane = shared.own();
    lane.return_to(lane.leave(Left::kOpen));
}
template <class Atomics> void go_twice(Shared<Atomics>& shared) {
    go_and_come_back(shared);
    leave(shared);
}

TEST(ExploredLane, AThoroughLookFindsWhatIsLeft) {
    using explore::Atomics;
    expect_complete_pass(explore_lane<Atomics>({.preemptions = 3}, create_one, leave, find_one));
    expect_complete_pass(explore_lane<Atomics>({.preemptions = 2}, create_one, go_and_come_back, find_one));
    expect_complete_pass(explore_lane<Atomics>({.preemptions = 2}, create_one, go_twice, find_one));
    expect_complete_pass(explore_lane<Atomics>({.preemptions = 1}, create_two, go_twice, find_one, 2));
}

// ---- The owner takes from a queue that it has left, and from the same queue after its return.

template <class Atomics> void take_from_afar_and_back(Shared<Atomics>& shared) {
    auto& lane = shared.own();
    auto* const left = lane.leave(Left::kOpen);
    (void)shared.take_left();
    lane.return_to(left);
    shared.create();
    (void)shared.take_own();
    (void)shared.take_own();
}

TEST(ExploredLane, ALeftQueueIsItsOwnersAgain) {
    using explore::Atomics;
    expect_complete_pass(explore_lane<Atomics>({.preemptions = 1}, create_two, take_from_afar_and_back, steal_two));
    expect_pass(explore_lane<Atomics>(kBegun, create_two, take_from_afar_and_back, steal_one, 2));
}

// ---- The owner has left two contexts and returns to one of them. Its queue is taken off the list
// while thieves take other queues, which they have emptied, off the list.

template <class Atomics> void leave_two(Shared<Atomics>& shared) {
    shared.create();
    shared.left = shared.own().leave(Left::kOpen);
    shared.create();
    (void)shared.own().leave(Left::kBarred);
}
template <class Atomics> void return_to_first(Shared<Atomics>& shared) {
    shared.own().return_to(shared.left);
    (void)shared.take_own();
}

TEST(ExploredLane, TheListOfLeftQueuesStaysWhole) {
    using explore::Atomics;
    expect_complete_pass(explore_lane<Atomics>({.preemptions = 2}, leave_two, return_to_first, steal_two));
    expect_pass(explore_lane<Atomics>(kBegun, leave_two, return_to_first, steal_one, 2));
}

// ---- A context ends with queued tasks. Once these have been taken, its queue serves another
// context.

template <class Atomics> void end_and_begin_anew(Shared<Atomics>& shared) {
    shared.own().abandon();
    shared.create();
}

TEST(ExploredLane, AQueueThatIsLeftForGoodIsUsedAgainOnce) {
    using explore::Atomics;
    expect_pass(explore_lane<Atomics>(kTwo, create_one, end_and_begin_anew, steal_two));
    expect_pass(explore_lane<Atomics>(kBegun, create_one, end_and_begin_anew, steal_one, 2));
}

// Two contexts have ended; the owner and a thief empty their queues, and both find them empty.

template <class Atomics> void abandon_two(Shared<Atomics>& shared) {
    for (int i = 0; i < 2; ++i) {
        shared.create();
        shared.own().abandon();
    }
}
template <class Atomics> void take_two_left(Shared<Atomics>& shared) {
    (void)shared.take_left();
    (void)shared.take_left();
}

TEST(ExploredLane, WhoeverEmptiesAQueueFreesItOnce) {
    using explore::Atomics;
    expect_complete_pass(explore_lane<Atomics>({.preemptions = 1}, abandon_two, take_two_left, steal_two));
}

// ---- Each part of the protocol is necessary.

// Switches are not counted ([lane-2]).
struct CountsNoSwitches : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        void store(T value, std::memory_order order) {
            if (!std::is_same_v<T, std::uint32_t>) explore::atomic<T>::store(value, order);
        }
    };
};

// A queue is put on the list without a flag that says that the list is not empty.
struct TellsOfNoList : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        void store(T value, std::memory_order order) {
            if (!std::is_same_v<T, bool> || order != release) explore::atomic<T>::store(value, order);
        }
    };
};

// The lock is taken by a load and a store, so that two threads may hold it.
struct TornLock : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        bool compare_exchange_strong(T& expected, T desired, std::memory_order success, std::memory_order failure) {
            if constexpr (!std::is_same_v<T, std::uint32_t>)
                return explore::atomic<T>::compare_exchange_strong(expected, desired, success, failure);
            if (this->load(seq_cst) != expected) return false;
            this->exchange(desired, seq_cst);
            return true;
        }
    };
};

// A thread that takes a queue off the list does not clear the queue's mark.
struct StaysListed : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        void store(T value, std::memory_order order) {
            if constexpr (std::is_same_v<T, bool>)
                if (order == relaxed && !value) return;
            explore::atomic<T>::store(value, order);
        }
    };
};

// The compare-exchange that gives a task to one taker is a load and a store ([deque-3]).
struct TornTaking : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        bool compare_exchange_strong(T& expected, T desired, std::memory_order success, std::memory_order failure) {
            if constexpr (!std::is_same_v<T, std::int64_t>)
                return explore::atomic<T>::compare_exchange_strong(expected, desired, success, failure);
            if (this->load(seq_cst) != expected) return false;
            this->exchange(desired, seq_cst);
            return true;
        }
    };
};

TEST(ExploredLane, WeakenedProtocolsAreCaught) {
    EXPECT_EQ(explore_lane<CountsNoSwitches>(kTwo, create_one, go_and_come_back, find_one).outcome,
              Outcome::check_failed);
    EXPECT_EQ(explore_lane<TellsOfNoList>(kTwo, create_one, leave, find_one).outcome, Outcome::check_failed);
    EXPECT_EQ(explore_lane<TornLock>(kTwo, abandon_two, take_two_left, steal_two).outcome, Outcome::check_failed);
    EXPECT_EQ(explore_lane<StaysListed>(kTwo, create_two, take_from_afar_and_back, steal_two).outcome,
              Outcome::check_failed);
    EXPECT_EQ(explore_lane<TornTaking>(kTwo, create_two, take_from_afar_and_back, steal_two).outcome,
              Outcome::check_failed);
}

} // namespace
} // namespace teff::sched
