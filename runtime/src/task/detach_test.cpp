// SPDX-License-Identifier: Apache-2.0
// Explores the event of a detachable task (DetachEvent) together with the count that keeps the
// task's block, in the way in which end_detachable_body and fulfill_event use both. These functions
// themselves need a team and are covered by the conformance programs.
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

#include "explore/explore.h"
#include "sync/split_count.h"
#include "sync/wait_word.h"
#include "task/detach.h"

namespace teff::task {
namespace {

using explore::Program;
using explore::Result;

// Marks are added by a load and a store.
struct TornMarks : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        T fetch_or(T value, std::memory_order) {
            const T before = this->load(std::memory_order_acquire);
            this->store(before | value, std::memory_order_release);
            return before;
        }
    };
};

struct RelaxedMarks : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        T fetch_or(T value, std::memory_order) {
            return explore::atomic<T>::fetch_or(value, std::memory_order_relaxed);
        }
    };
};

enum class Body : std::uint8_t { kEnds, kIsDiscarded };
enum class Tool : bool { kNo, kYes };

template <class Atomics> struct DetachedTask {
    using Event = DetachEventOver<Atomics>;
    using Fulfilment = typename Event::Fulfilment;

    Event event;
    typename Event::Generation generation;
    Tool tool;
    sync::SplitCountOver<explore::Atomics> children;
    explore::Var<int> block{1}; // 0: reclaimed
    explore::Var<int> from_body, from_fulfiller;
    explore::Var<int> data_of_tool{0}; // the tool adds 1 at each report without synchronisation
    sync::WaitWordOver<explore::Atomics> side_has_reported;
    int finished = 0, reclaimed = 0, fulfilled = 0, firsts = 0;

    DetachedTask(int children_elsewhere, Tool with_tool) : generation(event.open()), tool(with_tool) {
        children.reset();
        for (int i = 0; i < children_elsewhere; ++i)
            children.begin_home();
    }

    template <class Done> void await_the_other_side(Done done) { side_has_reported.wait_until(0, 0, done); }
    void report() {
        EXPLORE_CHECK(block == 1);
        data_of_tool = data_of_tool + 1;
    }
    void body_ends(Body body) {
        from_body = 1;
        children.begin_home(); // the event
        EXPLORE_CHECK(children.try_open_to_finished());
        if (tool == Tool::kYes ? end_observed_body(body) : end_body(body)) finish();
    }
    bool end_body(Body body) { return body == Body::kEnds ? event.end_body() : event.try_discard(); }
    bool end_observed_body(Body body) {
        const bool discarded = body == Body::kIsDiscarded;
        const bool first = !discarded && event.begin_to_end_body() == Event::First::kYes;
        firsts += first;
        if (discarded) await_the_other_side([this] { return event.try_discard(); });
        else if (!first) await_the_other_side([this] { return event.fulfilled(); });
        report();
        if (discarded) return true;
        const bool complete = event.end_body();
        side_has_reported.notify();
        return complete;
    }
    void fulfil() {
        if (tool == Tool::kYes) {
            const Fulfilment found = event.begin_to_fulfil(generation);
            if (found == Fulfilment::kStale) return;
            const bool early = found == Fulfilment::kBodyRuns;
            firsts += early;
            if (!early) await_the_other_side([this] { return event.body_over(); });
            report();
        }
        from_fulfiller = 1;
        const Fulfilment found = event.fulfil(generation);
        EXPLORE_CHECK(found != Fulfilment::kRepeated);
        fulfilled += found != Fulfilment::kStale;
        if (tool == Tool::kYes) side_has_reported.notify();
        if (found == Fulfilment::kFinish) finish();
    }
    void finish() {
        EXPLORE_CHECK(from_body == 1);
        if (fulfilled != 0) EXPLORE_CHECK(from_fulfiller == 1);
        ++finished;
        event.close();
        end_child();
    }
    void end_child() {
        EXPLORE_CHECK(block == 1);
        const sync::Last last = children.end_away();
        EXPLORE_CHECK(last != sync::Last::kNotifyHome);
        if (last != sync::Last::kReclaim) return;
        block = 0;
        ++reclaimed;
    }
};

struct Case {
    bool with_child = false;
    Body body = Body::kEnds;
    Tool tool = Tool::kNo;
};

template <class Atomics> Result end_and_fulfil(const Case& c) {
    return explore::run(
        [=] {
            auto task = std::make_shared<DetachedTask<Atomics>>(c.with_child ? 1 : 0, c.tool);
            std::vector<std::function<void()>> threads{[=] { task->body_ends(c.body); }, [=] { task->fulfil(); }};
            if (c.with_child) threads.emplace_back([=] { task->end_child(); });
            return Program(threads, [=] {
                EXPLORE_CHECK(task->finished == 1);
                EXPLORE_CHECK(task->reclaimed == 1);
                EXPLORE_CHECK(task->fulfilled == 1 || c.body == Body::kIsDiscarded);
                EXPLORE_CHECK(task->firsts == 1 || c.tool == Tool::kNo || c.body == Body::kIsDiscarded);
                EXPLORE_CHECK(task->event.fulfil(task->generation) == DetachedTask<Atomics>::Fulfilment::kStale);
            });
        },
        {.preemptions = explore::unbounded});
}

TEST(DetachEvent, TheSecondOfBodyAndFulfilmentFinishesTheTask) {
    for (const bool with_child : {false, true}) {
        for (const Tool tool : {Tool::kNo, Tool::kYes}) {
            const Result result = end_and_fulfil<explore::Atomics>({.with_child = with_child, .tool = tool});
            EXPECT_TRUE(result.passed()) << result;
            EXPECT_TRUE(result.exhaustive) << result;
        }
    }
}

TEST(DetachEvent, ADiscardedTaskIsFinishedOnceWhoeverFulfilsIt) {
    for (const Tool tool : {Tool::kNo, Tool::kYes}) {
        const Result result = end_and_fulfil<explore::Atomics>({.body = Body::kIsDiscarded, .tool = tool});
        EXPECT_TRUE(result.passed()) << result;
        EXPECT_TRUE(result.exhaustive) << result;
    }
}

TEST(DetachEvent, WeakenedProtocolsAreCaught) {
    EXPECT_EQ(end_and_fulfil<TornMarks>({}).outcome, explore::Outcome::check_failed);
    EXPECT_EQ(end_and_fulfil<RelaxedMarks>({}).outcome, explore::Outcome::data_race);
}

TEST(DetachEvent, HandlesOfEarlierGenerationsAreStale) {
    DetachEvent event;
    const DetachEvent::Generation first = event.open();
    EXPECT_FALSE(event.end_body());
    EXPECT_EQ(event.fulfil(first), DetachEvent::Fulfilment::kFinish);
    EXPECT_EQ(event.fulfil(first), DetachEvent::Fulfilment::kRepeated);
    event.close();
    EXPECT_EQ(event.fulfil(first), DetachEvent::Fulfilment::kStale);
    const DetachEvent::Generation second = event.open();
    EXPECT_NE(first, second);
    EXPECT_EQ(event.fulfil(first), DetachEvent::Fulfilment::kStale);
    EXPECT_EQ(event.fulfil(second), DetachEvent::Fulfilment::kBodyRuns);
    EXPECT_TRUE(event.fulfilled());
    EXPECT_TRUE(event.end_body());
}

} // namespace
} // namespace teff::task
