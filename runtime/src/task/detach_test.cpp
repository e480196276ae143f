// SPDX-License-Identifier: Apache-2.0
// The event of a detachable task (detach.h), as a model: what end_detachable_body and fulfill_event do to the event and to the count
// that keeps the block. The functions themselves need a team and are covered by the conformance programs.
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

#include "explore/explore.h"
#include "sync/split_count.h"

namespace teff::task {
namespace {

using enum std::memory_order;
using explore::Program;
using explore::Result;

enum Event : std::uint32_t { kOpen = 1, kBodyOver = 2, kFulfilled = 3 };

// The two edges of detach.h are a look and a write.
struct TornExchange : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        T exchange(T value, std::memory_order) {
            const T before = this->load(acquire);
            this->store(value, release);
            return before;
        }
    };
};

struct RelaxedExchange : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        T exchange(T value, std::memory_order) { return explore::atomic<T>::exchange(value, relaxed); }
    };
};

template <class Atomics> struct DetachedTask {
    typename Atomics::template atomic<std::uint32_t> event{kOpen};
    sync::SplitCountOver<explore::Atomics> children;
    explore::Var<int> block{1}; // 0: reclaimed
    explore::Var<int> from_body, from_fulfiller;
    int finished = 0, reclaimed = 0;

    explicit DetachedTask(int children_elsewhere) {
        children.reset();
        for (int i = 0; i < children_elsewhere; ++i)
            children.begin_home();
    }

    void body_ends() {
        from_body = 1;
        children.begin_home(); // the event
        EXPLORE_CHECK(children.try_open_to_finished());
        if (event.exchange(kBodyOver, acq_rel) == kFulfilled) finish();
    }
    void fulfil() {
        from_fulfiller = 1;
        if (event.exchange(kFulfilled, acq_rel) == kBodyOver) finish();
    }
    void finish() {
        EXPLORE_CHECK(from_body + from_fulfiller == 2);
        ++finished;
        end_child();
    }
    void end_child() {
        EXPLORE_CHECK(block == 1);
        const sync::Last last = children.end_away();
        EXPLORE_CHECK(last != sync::Last::kWakeHome);
        if (last != sync::Last::kReclaim) return;
        block = 0;
        ++reclaimed;
    }
};

template <class Atomics> Result end_and_fulfil(bool with_child) {
    return explore::run(
        [=] {
            auto task = std::make_shared<DetachedTask<Atomics>>(with_child ? 1 : 0);
            std::vector<std::function<void()>> threads{[=] { task->body_ends(); }, [=] { task->fulfil(); }};
            if (with_child) threads.emplace_back([=] { task->end_child(); });
            return Program(threads, [=] {
                EXPLORE_CHECK(task->finished == 1);
                EXPLORE_CHECK(task->reclaimed == 1);
            });
        },
        {.preemptions = explore::unbounded});
}

TEST(DetachEvent, TheSecondOfBodyAndFulfilmentFinishesTheTask) {
    for (const bool with_child : {false, true}) {
        const Result result = end_and_fulfil<explore::Atomics>(with_child);
        EXPECT_TRUE(result.passed()) << result;
        EXPECT_TRUE(result.exhaustive) << result;
    }
}

TEST(DetachEvent, WeakenedProtocolsAreCaught) {
    EXPECT_EQ(end_and_fulfil<TornExchange>(false).outcome, explore::Outcome::check_failed);
    EXPECT_EQ(end_and_fulfil<RelaxedExchange>(false).outcome, explore::Outcome::data_race);
}

} // namespace
} // namespace teff::task
