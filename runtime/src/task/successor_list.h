// SPDX-License-Identifier: Apache-2.0
//
// The two halves of a dependence: a task's list of the tasks that wait for it, and a task's count
// of the tasks for which it waits.
//
// SuccessorList: any number of edges are pushed until the task that owns the list finishes, and
// closes the list once. A thread that pushes an edge learns whether the list was already closed.
// The thread that closes the list gets every edge that was pushed before.
//
//     open --push--> open      (the creator of a later task)
//     open --close--> closed   (the finishing task; takes the edges)
//
// [depend-1] The compare-exchange in push() (release) pairs with the exchange in close() (acquire):
//            the closing thread sees each edge complete. The exchange in close() (release) pairs
//            with the acquire in a failed push() and in closed(): a task that need not wait sees
//            the effects of the finished task.
//
// PredecessorCount: the number of open edges into a task. Until all edges are in place, the creator
// keeps the count above zero, even if predecessors finish meanwhile. The thread that brings the
// count to zero makes the task ready; exactly one thread does so.
//
// [depend-2] Every change is a read-modify-write (acq_rel), so the thread that makes the last
//            change has seen the effects of all predecessors.
#pragma once

#include <cstdint>

#include "base/atomics.h"

namespace teff::task {

// `Edge` has a member `Edge* next`, which belongs to the list while the edge is in the list.
template <class Atomics, class Edge> class SuccessorListOver {
  public:
    // Requires that no other thread knows the list yet.
    void open() { head_.store(nullptr, std::memory_order_relaxed); }

    bool closed() const { return head_.load(std::memory_order_acquire) == closed_mark(); } // [depend-1]

    // Returns false if the list is closed: the edge is not needed.
    [[nodiscard]] bool push(Edge& edge) {
        Edge* head = head_.load(std::memory_order_acquire); // [depend-1]
        do {
            if (head == closed_mark()) return false;
            edge.next = head;
        } while (!head_.compare_exchange_weak(head, &edge, std::memory_order_release,
                                              std::memory_order_acquire)); // [depend-1]
        return true;
    }

    // Closes the list. Returns the edges pushed so far, newest first; null if there are none.
    [[nodiscard]] Edge* close() { return head_.exchange(closed_mark(), std::memory_order_acq_rel); } // [depend-1]

  private:
    static Edge* closed_mark() { return reinterpret_cast<Edge*>(std::uintptr_t{1}); }

    typename Atomics::template atomic<Edge*> head_;
};

template <class Atomics> class PredecessorCountOver {
  public:
    // Called by the creator, which holds the count from here on. Requires that no other thread
    // knows the count yet.
    void hold() { count_.store(kHeld, std::memory_order_relaxed); }

    // Called by the creator, after it has put `edges` edges in place: releases the hold. Returns
    // true if no edge is open any more.
    [[nodiscard]] bool release_hold(std::uint32_t edges) {
        const std::uint32_t change = edges - kHeld;                               // modulo 2^32
        return count_.fetch_add(change, std::memory_order_acq_rel) + change == 0; // [depend-2]
    }

    // Called when a predecessor has finished. Returns true if it was the last predecessor.
    [[nodiscard]] bool end_one() { return count_.fetch_sub(1, std::memory_order_acq_rel) == 1; } // [depend-2]

    bool none_left() const { return count_.load(std::memory_order_acquire) == 0; } // [depend-2]

  private:
    static constexpr std::uint32_t kHeld = 1u << 30;

    typename Atomics::template atomic<std::uint32_t> count_;
};

using PredecessorCount = PredecessorCountOver<base::RealAtomics>;

} // namespace teff::task
