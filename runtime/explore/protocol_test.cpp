// SPDX-License-Identifier: Apache-2.0
//
// Well-known protocols with their well-known mistakes: the explorer must find each mistake.

#include "explore/explore.h"

#include <array>
#include <gtest/gtest.h>
#include <memory>

namespace teff::explore {
namespace {

using enum std::memory_order;

// A stack of reused nodes (Treiber). With `counts_pushes` the head contains a counter beside the
// node's number.
struct Stack {
    static constexpr unsigned none = 0;

    explicit Stack(bool counted) : counts_pushes(counted) {}

    static unsigned node_of(unsigned long head) { return static_cast<unsigned>(head & 0xff); }

    void push(unsigned node) {
        unsigned long old = head.load(relaxed);
        unsigned long desired = 0;
        do {
            next[node].store(node_of(old), relaxed);
            const unsigned long count = counts_pushes ? (old >> 8) + 1 : 0;
            desired = (count << 8) | node;
        } while (!head.compare_exchange_weak(old, desired, release, relaxed));
    }

    unsigned pop() {
        unsigned long old = head.load(acquire);
        for (;;) {
            const unsigned node = node_of(old);
            if (node == none) return none;
            const unsigned long below = next[node].load(relaxed);
            if (head.compare_exchange_weak(old, (old & ~0xfful) | below, acquire, acquire)) return node;
        }
    }

    const bool counts_pushes;
    atomic<unsigned long> head{0};
    std::array<atomic<unsigned>, 4> next;
    std::array<int, 4> kept{}; // how often a node was popped and kept
};

Result reuse_of_nodes(bool counts_pushes) {
    return run(
        [=] {
            auto stack = std::make_shared<Stack>(counts_pushes);
            name(stack->head, "head");
            for (unsigned node : {3u, 2u, 1u})
                stack->push(node);
            auto take_two_put_one_back = [=] {
                const unsigned first = stack->pop();
                const unsigned second = stack->pop();
                ++stack->kept[second];
                if (first != Stack::none) stack->push(first);
            };
            auto take_two = [=] {
                for (int i = 0; i < 2; ++i)
                    ++stack->kept[stack->pop()];
            };
            return Program({take_two, take_two_put_one_back}, [=] {
                for (unsigned node : {1u, 2u, 3u})
                    EXPLORE_CHECK(stack->kept[node] <= 1);
            });
        },
        {.preemptions = 2});
}

TEST(TreiberStack, ReusedNodesAreConfusedWithoutACounter) {
    EXPECT_EQ(reuse_of_nodes(false).outcome, Outcome::check_failed); // both keep node 2
    const Result counted = reuse_of_nodes(true);
    EXPECT_TRUE(counted.passed()) << counted;
    EXPECT_TRUE(counted.complete);
}

// A Chase-Lev deque of fixed size, as in Le, Pop, Cohen, Zappa Nardelli (PPoPP 2013), with the
// fence of pop as a parameter.
struct Deque {
    explicit Deque(void (*fence)()) : fence_in_pop(fence) {}

    void push(int item) {
        const long b = bottom.load(relaxed);
        items[static_cast<std::size_t>(b) % items.size()].store(item, relaxed);
        bottom.store(b + 1, release);
    }

    int pop() {
        const long b = bottom.load(relaxed) - 1;
        bottom.store(b, relaxed);
        fence_in_pop();
        long t = top.load(relaxed);
        int item = 0;
        if (t <= b) {
            item = items[static_cast<std::size_t>(b) % items.size()].load(relaxed);
            if (t < b) return item;
            if (!top.compare_exchange_strong(t, t + 1, seq_cst, relaxed)) item = 0;
        }
        bottom.store(b + 1, relaxed);
        return item;
    }

    int steal() {
        long t = top.load(acquire);
        Atomics::fence_seq_cst();
        const long b = bottom.load(acquire);
        if (t >= b) return 0;
        const int item = items[static_cast<std::size_t>(t) % items.size()].load(relaxed);
        return top.compare_exchange_strong(t, t + 1, seq_cst, relaxed) ? item : 0;
    }

    void (*fence_in_pop)();
    atomic<long> top{0}, bottom{0};
    std::array<atomic<int>, 4> items;
};

// Two items; the owner pops twice, a thief steals twice: each item is taken once.
Result steal_and_pop(void (*fence_in_pop)(), int preemptions) {
    return run(
        [=] {
            struct Shared {
                explicit Shared(void (*fence)()) : deque(fence) {}
                Deque deque;
                std::array<int, 3> taken{}; // written in no particular order, read at the end
            };
            auto shared = std::make_shared<Shared>(fence_in_pop);
            name(shared->deque.top, "top");
            name(shared->deque.bottom, "bottom");
            auto owner = [=] {
                for (int item : {1, 2})
                    shared->deque.push(item);
                for (int i = 0; i < 2; ++i)
                    ++shared->taken[static_cast<std::size_t>(shared->deque.pop())];
            };
            auto thief = [=] {
                for (int i = 0; i < 2; ++i)
                    ++shared->taken[static_cast<std::size_t>(shared->deque.steal())];
            };
            return Program({owner, thief}, [=] {
                EXPLORE_CHECK(shared->taken[1] == 1);
                EXPLORE_CHECK(shared->taken[2] == 1);
            });
        },
        {.preemptions = preemptions});
}

TEST(ChaseLevDeque, PopNeedsItsFence) {
    const Result without = steal_and_pop([] {}, 3);
    EXPECT_EQ(without.outcome, Outcome::check_failed) << without;
    const Result with = steal_and_pop(Atomics::fence_seq_cst, 3);
    EXPECT_TRUE(with.passed()) << with;
    EXPECT_TRUE(with.complete);
}

} // namespace
} // namespace teff::explore
