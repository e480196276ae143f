// SPDX-License-Identifier: Apache-2.0
#include "task/successor_list.h"

#include <array>
#include <gtest/gtest.h>
#include <memory>

#include "explore/explore.h"

namespace teff::task {
namespace {

using enum std::memory_order;
using explore::Program;
using explore::Result;

// Loads and updates are relaxed.
struct RelaxedOrders : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        T load(std::memory_order) const { return explore::atomic<T>::load(relaxed); }
        T exchange(T value, std::memory_order) { return explore::atomic<T>::exchange(value, relaxed); }
        T fetch_add(T by, std::memory_order) { return explore::atomic<T>::fetch_add(by, relaxed); }
        T fetch_sub(T by, std::memory_order) { return explore::atomic<T>::fetch_sub(by, relaxed); }
        bool compare_exchange_weak(T& expected, T desired, std::memory_order, std::memory_order) {
            return explore::atomic<T>::compare_exchange_strong(expected, desired, relaxed, relaxed);
        }
    };
};

// The list is closed by a load and a store.
struct TornClosing : explore::Atomics {
    template <class T> struct atomic : explore::atomic<T> {
        using explore::atomic<T>::atomic;
        T exchange(T value, std::memory_order order) {
            const T before = this->load(acquire);
            this->store(value, order == acq_rel ? release : order);
            return before;
        }
    };
};

// The creator does not hold the task back while it adds edges.
template <class Count> struct Unheld : Count {
    void hold() {
        Count::hold();
        (void)Count::release_hold(0);
    }
    [[nodiscard]] bool release_hold(std::uint32_t edges) {
        Count::hold();
        return Count::release_hold(edges);
    }
};

template <class Atomics, class Count> struct Shared {
    struct Node;
    struct Edge {
        Edge* next;
        Node* successor;
    };
    struct Node {
        Node() {
            waiting_for.hold();
            successors.open();
        }
        Count waiting_for;
        SuccessorListOver<Atomics, Edge> successors;
        explore::Var<int> result;
        explore::atomic<int> ready{0}; // how often the task was made ready
        std::array<Edge, 2> edges;
        std::uint32_t edges_used = 0;
    };

    static void add_edge(Node& predecessor, Node& successor) {
        if (predecessor.successors.closed()) return;
        Edge& edge = successor.edges[successor.edges_used];
        edge.successor = &successor;
        if (predecessor.successors.push(edge)) ++successor.edges_used;
    }

    // As in add_dependences: `successor` depends on both other tasks.
    void create() {
        for (Node& predecessor : predecessors)
            add_edge(predecessor, successor);
        if (successor.waiting_for.release_hold(successor.edges_used)) run(successor);
    }

    // As at the end of a task, and in release_dependences.
    void end(Node& node) {
        node.result = 1;
        for (Edge* edge = node.successors.close(); edge != nullptr;) {
            Edge* const next = edge->next;
            Node& waiting = *edge->successor;
            if (waiting.waiting_for.end_one()) run(waiting);
            edge = next;
        }
    }

    void run(Node& node) {
        EXPLORE_CHECK(predecessors[0].result + predecessors[1].result == 2);
        node.ready.fetch_add(1, relaxed);
    }

    std::array<Node, 2> predecessors;
    Node successor;
};

template <class Atomics, class Count = PredecessorCountOver<Atomics>> Result two_predecessors(int preemptions) {
    return explore::run(
        [] {
            auto shared = std::make_shared<Shared<Atomics, Count>>();
            auto end = [=](std::size_t i) { return [=] { shared->end(shared->predecessors[i]); }; };
            return Program({[=] { shared->create(); }, end(0), end(1)},
                           [=] { EXPLORE_CHECK(shared->successor.ready.load() == 1); });
        },
        {.preemptions = preemptions});
}

TEST(SuccessorList, ATaskIsReadyOnceAndAfterItsPredecessors) {
    const Result result = two_predecessors<explore::Atomics>(explore::unbounded);
    EXPECT_TRUE(result.passed()) << result;
    EXPECT_TRUE(result.exhaustive) << result;
}

TEST(SuccessorList, WeakenedProtocolsAreCaught) {
    EXPECT_EQ(two_predecessors<RelaxedOrders>(3).outcome, explore::Outcome::data_race);
    EXPECT_EQ(two_predecessors<TornClosing>(3).outcome, explore::Outcome::check_failed);
    EXPECT_FALSE((two_predecessors<explore::Atomics, Unheld<PredecessorCountOver<explore::Atomics>>>(3).passed()));
}

struct PlainEdge {
    PlainEdge* next;
};

TEST(SuccessorList, HandsOutWhatCameInTime) {
    SuccessorListOver<base::RealAtomics, PlainEdge> list;
    list.open();
    PlainEdge edges[3];
    EXPECT_FALSE(list.closed());
    EXPECT_TRUE(list.push(edges[0]));
    EXPECT_TRUE(list.push(edges[1]));
    PlainEdge* const first = list.close();
    EXPECT_EQ(first, &edges[1]);
    EXPECT_EQ(first->next, &edges[0]);
    EXPECT_EQ(first->next->next, nullptr);
    EXPECT_TRUE(list.closed());
    EXPECT_FALSE(list.push(edges[2]));
    list.open();
    EXPECT_EQ(list.close(), nullptr);
}

TEST(PredecessorCount, TheHoldBearsEarlyEnds) {
    PredecessorCount count;
    count.hold();
    EXPECT_FALSE(count.end_one());
    EXPECT_FALSE(count.end_one());
    EXPECT_FALSE(count.release_hold(3));
    EXPECT_FALSE(count.none_left());
    EXPECT_TRUE(count.end_one());
    EXPECT_TRUE(count.none_left());
    count.hold();
    EXPECT_TRUE(count.release_hold(0));
}

} // namespace
} // namespace teff::task
