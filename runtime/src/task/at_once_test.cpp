// SPDX-License-Identifier: Apache-2.0
#include "task/at_once.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "region/started.h"
#include "task/create.h"
#include "task/detach.h"
#include "task/wait.h"

namespace teff::task {
namespace {

// Tasks of which each depends on the one before. A body notes where it runs.
struct Links {
    struct Link {
        Links* chain;
        EventHandle event;
        bool is_done; // the work is done before the body ends
    };

    void create(bool is_done) {
        team::Worker& worker = team::current_worker();
        Detachment& event = reserve_event(worker);
        Link link = {this, handle_of(event), is_done};
        DependList list = {{&list_item}};
        create_any(worker, {.function = body,
                            .data = &link,
                            .copy = nullptr,
                            .arg_bytes = sizeof link,
                            .arg_align = alignof(Link),
                            .flags = kDetachable | kAtOnce | kDependent,
                            .clauses = {.depend = list.items(), .event = &event}});
    }
    void fulfil(std::size_t link) { fulfill_event(events[link]); }
    void fulfil_in_a_thread(std::size_t link) {
        std::thread([&] { fulfil(link); }).join();
    }

    static void body(void* data) {
        const auto& link = *static_cast<const Link*>(data);
        Links& chain = *link.chain;
        const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
        chain.lowest = std::min(chain.lowest, frame);
        chain.highest = std::max(chain.highest, frame);
        chain.events.push_back(link.event);
        chain.threads.push_back(std::this_thread::get_id());
        if (link.is_done) fulfill_event(link.event);
    }

    std::vector<EventHandle> events;
    std::vector<std::thread::id> threads;
    std::uintptr_t lowest = UINTPTR_MAX, highest = 0;

  private:
    struct DependList {
        void* address[1];
        DependRun run = {address, 1, ItemKind::kInout};
        DependItems items() const { return {&run, 1}; }
    };
    int list_item = 0;
};

TEST(TasksAtOnce, TheThreadThatFulfilsTheEventOfThePredecessorRunsTheBody) {
    Links chain;
    for (int i = 0; i < 3; ++i)
        chain.create(false);
    EXPECT_EQ(chain.events.size(), 1u) << "the first depends on none";
    chain.fulfil_in_a_thread(0);
    ASSERT_EQ(chain.events.size(), 2u) << "although the creator does not wait";
    EXPECT_NE(chain.threads[1], std::this_thread::get_id());
    chain.fulfil_in_a_thread(1);
    ASSERT_EQ(chain.events.size(), 3u);
    chain.fulfil_in_a_thread(2);
    wait_for_children(team::current_worker(), {});
    EXPECT_EQ(chain.events.size(), 3u);
}

TEST(TasksAtOnce, ALongChainNeedsNoMoreStackThanAShortOne) {
    constexpr std::size_t kLinks = 10'000, kMost_bytes = 4096;
    Links chain;
    chain.create(false);
    for (std::size_t i = 1; i < kLinks; ++i)
        chain.create(true);
    EXPECT_EQ(chain.events.size(), 1u);
    chain.lowest = UINTPTR_MAX, chain.highest = 0;
    chain.fulfil_in_a_thread(0);
    EXPECT_EQ(chain.events.size(), kLinks);
    EXPECT_LT(chain.highest - chain.lowest, kMost_bytes);
    wait_for_children(team::current_worker(), {});
}

TEST(TasksAtOnce, TheirCreatorRunsThemInRegionsToo) {
    Links chain;
    const auto code = [&] {
        chain.create(false);
        EXPECT_EQ(chain.events.size(), 1u);
        chain.create(true);
        chain.fulfil_in_a_thread(0);
        EXPECT_EQ(chain.events.size(), 2u);
    };
    region::run(team::current_worker(), {.body = region::body_of(code), .num_threads = 1});
    EXPECT_EQ(chain.events.size(), 2u);
}

} // namespace
} // namespace teff::task
