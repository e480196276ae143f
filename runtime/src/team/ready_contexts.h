// SPDX-License-Identifier: Apache-2.0
//
// ReadyContexts: the contexts of one worker whose tasks can go on.
//
// A thread that notifies a suspended context puts it in (arrive), without a lock. All other
// operations are the worker's. It takes the highest priority first, and within a priority the first
// in line. Notified contexts queue up at the end, in the order of their arrival. A preempted task
// goes to the head, so that it goes on when the one that preempted it stops; after kMostAhead such
// tasks in a row, the next one queues up at the end, too.
//
// [ready-1] arrive's compare-exchange (release) pairs with the worker's exchange (acquire): it sees
//           what the notifier did.
#pragma once

#include <cstdint>
#include <utility>

#include "base/atomics.h"

namespace teff::team {

// A context's place in line. The worker's, but for `next` on arrival, which is the notifier's.
template <class Context> struct PlaceInLine {
    Context* next = nullptr;
    Context* lower = nullptr;  // first in its level: that of the level below
    Context* newest = nullptr; // first in its level: the last one
};

// Context has `PlaceInLine<Context> line` and `std::int32_t priority`.
template <class Atomics, class Context> class ReadyContextsOver {
  public:
    static constexpr unsigned kMostAhead = 16;

    // Anyone, for a context that is nowhere else.
    void arrive(Context& context) {
        Context* seen = arrived_.load(std::memory_order_relaxed);
        do {
            context.line.next = seen;
        } while (!arrived_.compare_exchange_weak(seen, &context, std::memory_order_release, // [ready-1]
                                                 std::memory_order_relaxed));
    }

    // HOT taskwait. The worker: is there one?
    [[nodiscard]] bool any() const { return arrived_.load(std::memory_order_relaxed) != nullptr || first_ != nullptr; }

    // The worker: the one that is to go on first, or null. It stays in line.
    [[nodiscard]] Context* first() {
        if (arrived_.load(std::memory_order_relaxed) != nullptr) let_in();
        return first_;
    }

    // The worker: takes that one out.
    [[nodiscard]] Context* take() {
        Context* const taken = first();
        return taken == nullptr ? nullptr : take_from(first_, nullptr, *taken);
    }

    // The worker: takes the first one that `wanted(context)` says yes to.
    template <class Wanted> [[nodiscard]] Context* take_if(Wanted&& wanted) {
        if (arrived_.load(std::memory_order_relaxed) != nullptr) let_in();
        for (Context** level = &first_; *level != nullptr; level = &(*level)->line.lower) {
            Context* before = nullptr;
            for (Context* at = *level; at != nullptr; before = at, at = at->line.next)
                if (wanted(*at)) return take_from(*level, before, *at);
        }
        return nullptr;
    }

    // The worker.
    void put_at_head(Context& context) {
        if (++ahead_ > kMostAhead) return put_at_end(context);
        Context*& at = level(context.priority);
        Context* const head = at;
        if (head == nullptr || head->priority != context.priority) return open_level(at, context);
        context.line = {head, head->line.lower, head->line.newest};
        at = &context;
    }
    void put_at_end(Context& context) {
        ahead_ = 0;
        Context*& at = level(context.priority);
        if (at == nullptr || at->priority != context.priority) return open_level(at, context);
        context.line = {};
        at->line.newest->line.next = &context;
        at->line.newest = &context;
    }

  private:
    // Where the first context of this level is, or should be.
    Context*& level(std::int32_t priority) {
        Context** at = &first_;
        while (*at != nullptr && (*at)->priority > priority)
            at = &(*at)->line.lower;
        return *at;
    }
    // `before` is the one before it in its level, null for the level's first.
    static Context* take_from(Context*& level, Context* before, Context& taken) {
        Context* const next = taken.line.next;
        if (before != nullptr) {
            before->line.next = next;
            if (next == nullptr) level->line.newest = before;
        } else if (next != nullptr) {
            next->line.lower = taken.line.lower;
            next->line.newest = taken.line.newest;
            level = next;
        } else {
            level = taken.line.lower;
        }
        return &taken;
    }
    static void open_level(Context*& at, Context& context) {
        context.line = {nullptr, at, &context};
        at = &context;
    }

    // Those that have arrived, oldest first.
    TEFF_COLD void let_in() {
        Context* newest = arrived_.exchange(nullptr, std::memory_order_acquire); // [ready-1]
        Context* oldest = nullptr;
        while (newest != nullptr) {
            Context* const next = std::exchange(newest->line.next, oldest);
            oldest = std::exchange(newest, next);
        }
        while (oldest != nullptr) {
            Context* const next = oldest->line.next;
            put_at_end(*oldest);
            oldest = next;
        }
    }

    typename Atomics::template atomic<Context*> arrived_{nullptr}; // newest first
    Context* first_ = nullptr;                                     // of the highest level
    unsigned ahead_ = 0;                                           // put at the head since one was put at the end
};

} // namespace teff::team
