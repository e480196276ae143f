// SPDX-License-Identifier: Apache-2.0
#include "mem/page_map.h"

#include <atomic>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "explore/explore.h"

namespace teff::mem {
namespace {

// Levels are made on the heap. They live as long as an object of this class.
template <class Map> class Levels {
  public:
    Levels() { mine() = this; }
    static typename Map::Slot* make(std::size_t entries) {
        if (mine()->most == 0) return nullptr;
        --mine()->most;
        mine()->levels_.push_back(std::make_unique<typename Map::Slot[]>(entries));
        return mine()->levels_.back().get();
    }

    unsigned most = ~0u;

  private:
    static Levels*& mine() {
        static Levels* instance;
        return instance;
    }
    std::vector<std::unique_ptr<typename Map::Slot[]>> levels_;
};

constexpr std::size_t kPage = 16; // page size of these maps, which span 16 * 4 * 4 * 4 bytes
template <class Map> Map small_map() { return Map({4, 2, Levels<Map>::make}); }

std::optional<std::uintptr_t> begin_of(const PageMap& map, std::uintptr_t address) {
    const auto found = map.find(address);
    return found ? std::optional(found->begin) : std::nullopt;
}

class Map : public testing::Test {
  protected:
    Levels<PageMap> levels;
    PageMap map{{4, 2, Levels<PageMap>::make}};
    PageMap::Record records[3];
};

TEST_F(Map, AnEmptyOneFindsNothing) {
    EXPECT_FALSE(map.find(0));
    EXPECT_FALSE(map.find(16));
    EXPECT_FALSE(map.find(~std::uintptr_t{0}));
}

TEST_F(Map, AnAllocationIsFoundByEachOfItsBytesAndNoOther) {
    ASSERT_TRUE(map.insert(records[0], {32, 40, 7}));
    for (std::uintptr_t at = 0; at < 1024; ++at)
        EXPECT_EQ(map.find(at).has_value(), at >= 32 && at < 72) << at;
    EXPECT_EQ(map.find(50)->placement, 7u);
    EXPECT_EQ(map.find(50)->bytes, 40u);
}

TEST_F(Map, GroupsOfPagesAreEnteredAsAWhole) {
    levels.most = 2; // only the upper two levels: 4 pages are a group
    ASSERT_TRUE(map.insert(records[0], {64, 128, 0}));
    EXPECT_EQ(begin_of(map, 64), 64u);
    EXPECT_EQ(begin_of(map, 191), 64u);
    EXPECT_FALSE(map.find(192));
    map.erase(records[0]);
    EXPECT_FALSE(map.find(64));
    levels.most = 1; // the group that was entered as a whole becomes a group of pages
    ASSERT_TRUE(map.insert(records[1], {80, 16, 0}));
    EXPECT_EQ(begin_of(map, 80), 80u);
    EXPECT_FALSE(map.find(64));
}

TEST_F(Map, WhatDoesNotFitIsNotEntered) {
    EXPECT_FALSE(map.insert(records[0], {1008, 32, 0}));
    EXPECT_FALSE(map.insert(records[0], {2048, 16, 0}));
    EXPECT_FALSE(map.insert(records[0], {~std::uintptr_t{0} - 15, 32, 0}));
    EXPECT_FALSE(map.insert(records[0], {16, 0, 0}));
    EXPECT_FALSE(map.find(1008));
    EXPECT_TRUE(map.insert(records[0], {1008, 16, 0}));
}

TEST_F(Map, WithoutMemoryForALevelNothingIsEntered) {
    for (unsigned made = 0; made < 5; ++made) { // the top level, two middle levels, and a group below each
        levels.most = made == 0 ? 0 : 1;
        EXPECT_FALSE(map.insert(records[0], {240, 64, 0})) << made;
        for (std::uintptr_t at = 0; at < 1024; ++at)
            ASSERT_FALSE(map.find(at)) << at;
    }
    levels.most = 1;
    EXPECT_TRUE(map.insert(records[0], {240, 64, 0}));
    EXPECT_EQ(begin_of(map, 240), 240u);
    EXPECT_EQ(begin_of(map, 303), 240u);
}

// Random insertions and removals give the same answers as an ordered map.
TEST_F(Map, AgreesWithAnOrderedMap) {
    std::mt19937 random(1);
    std::map<std::uintptr_t, std::pair<std::size_t, std::size_t>> truth; // begin: bytes, record
    std::vector<PageMap::Record> pool(64);
    std::vector<std::size_t> unused;
    for (std::size_t i = 0; i < pool.size(); ++i)
        unused.push_back(i);
    for (int step = 0; step < 20'000; ++step) {
        const std::uintptr_t page = random() % 64, begin = page * kPage;
        if (const auto old = truth.find(begin); old != truth.end()) {
            map.erase(pool[old->second.second]);
            unused.push_back(old->second.second);
            truth.erase(old);
        } else {
            const auto next = truth.upper_bound(begin);
            const bool inside = next != truth.begin() && std::prev(next)->first + std::prev(next)->second.first > begin;
            const std::uintptr_t end = next == truth.end() ? 1024 : next->first;
            if (inside) continue;
            const std::size_t bytes = 1 + random() % (end - begin);
            ASSERT_TRUE(map.insert(pool[unused.back()], {begin, bytes, page}));
            truth[begin] = {bytes, unused.back()};
            unused.pop_back();
        }
        const std::uintptr_t at = random() % 1024;
        const auto after = truth.upper_bound(at);
        const bool known = after != truth.begin() && at - std::prev(after)->first < std::prev(after)->second.first;
        ASSERT_EQ(begin_of(map, at), known ? std::optional(std::prev(after)->first) : std::nullopt) << at;
    }
}

// One thread frees an allocation and reuses its record, and then its page, for others, while
// another thread looks up an address. The lookup must find either a consistent allocation or
// nothing.
template <class Atomics> explore::Result look_while_a_record_is_used_again(int preemptions) {
    using TheMap = PageMapOver<Atomics>;
    struct State {
        Levels<TheMap> levels;
        TheMap map = small_map<TheMap>();
        typename TheMap::Record record;
    };
    return explore::run(
        [] {
            auto state = std::make_shared<State>();
            EXPLORE_CHECK(state->map.insert(state->record, {16, 16, 1}));
            return explore::Program({[state] {
                                         state->map.erase(state->record);
                                         EXPLORE_CHECK(state->map.insert(state->record, {16, 32, 2}));
                                     },
                                     [state] {
                                         const auto found = state->map.find(20);
                                         EXPLORE_CHECK(!found || found->bytes == 16 * found->placement);
                                     }});
        },
        {.preemptions = preemptions});
}

TEST(ExploredPageMap, ALookSeesAWholeAllocationOrNone) {
    const explore::Result result = look_while_a_record_is_used_again<explore::Atomics>(1);
    EXPECT_TRUE(result.passed()) << result;
    EXPECT_TRUE(result.complete) << result;
}

// The version is not checked again: one half of [page-map-2] is missing.
struct StuckVersion : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        T load(std::memory_order order) const {
            const bool second_look = std::is_same_v<T, std::uint64_t> && order == std::memory_order_relaxed && looked;
            if (second_look) return seen;
            seen = explore::atomic<T>::load(order);
            looked = order == std::memory_order_acquire;
            return seen;
        }
        mutable T seen{};
        mutable bool looked = false;
    };
};

TEST(ExploredPageMap, ASingleLookAtTheVersionIsNotEnough) {
    EXPECT_EQ(look_while_a_record_is_used_again<StuckVersion>(1).outcome, explore::Outcome::check_failed);
}

// A first allocation is made while another thread looks for it, so levels are added during the
// lookup.
template <class Atomics> explore::Result look_while_levels_are_made() {
    using TheMap = PageMapOver<Atomics>;
    struct State {
        Levels<TheMap> levels;
        TheMap map = small_map<TheMap>();
        typename TheMap::Record record;
    };
    return explore::run([] {
        auto state = std::make_shared<State>();
        return explore::Program({[state] { EXPLORE_CHECK(state->map.insert(state->record, {16, 16, 1})); },
                                 [state] {
                                     const auto found = state->map.find(20);
                                     EXPLORE_CHECK(!found || (found->bytes == 16 && found->placement == 1));
                                 }});
    });
}

struct RelaxedStores : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        void store(T value, std::memory_order) { explore::atomic<T>::store(value, std::memory_order_relaxed); }
    };
};

TEST(ExploredPageMap, LevelsAreSeenWhole) {
    const explore::Result result = look_while_levels_are_made<explore::Atomics>();
    EXPECT_TRUE(result.passed()) << result;
    EXPECT_TRUE(result.complete) << result;
    EXPECT_FALSE(look_while_levels_are_made<RelaxedStores>().passed());
}

TEST(PageMapThreads, LooksGoOnWhileOthersAllocate) {
    Levels<PageMap> levels;
    PageMap map = small_map<PageMap>();
    PageMap::Record records[2];
    std::atomic<bool> over{false};
    std::thread looker([&] {
        while (!over.load(std::memory_order_relaxed)) {
            for (std::uintptr_t at = 0; at < 1024; at += 8) {
                const auto found = map.find(at);
                ASSERT_TRUE(!found || found->bytes == found->placement * 16);
            }
        }
    });
    for (int round = 0; round < 20'000; ++round) {
        const std::size_t pages = 1 + static_cast<std::size_t>(round) % 9;
        ASSERT_TRUE(map.insert(records[round % 2], {static_cast<std::uintptr_t>(round % 50) * 16, pages * 16, pages}));
        map.erase(records[round % 2]);
    }
    over.store(true, std::memory_order_relaxed);
    looker.join();
}

} // namespace
} // namespace teff::mem
