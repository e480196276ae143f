// SPDX-License-Identifier: Apache-2.0
//
// ReadyContexts: the contexts of one worker whose tasks can continue.
//
// A thread that notifies a suspended context adds the context (arrive), without a lock. All other
// operations are called by the worker only. The worker takes the contexts by priority, and in line
// order within a priority. Notified contexts go to the end of the line, in the order of their
// arrival. A preempted task's context goes to the head, so that the task continues when the task
// that preempted it stops. After kMostAhead such contexts in a row, the next preempted task's
// context goes to the end, too.
//
// [ready-1] The compare-exchange in arrive() (release) pairs with the worker's exchange (acquire):
//           the worker sees the notifier's writes.
#pragma once

#include <cstdint>
#include <utility>

#include "base/atomics.h"

namespace teff::team {

// A context's place in line. Accessed by the worker only, except that the notifier writes `next` on
// arrival.
template <class Context> struct PlaceInLine {
    Context* next = nullptr;
    Context* lower = nullptr;  // in the first context of a level: the first context of the level below
    Context* newest = nullptr; // in the first context of a level: the last context of the level
};

// Context must have the fields `PlaceInLine<Context> line` and `std::int32_t priority`.
template <class Atomics, class Context> class ReadyContextsOver {
  public:
    static constexpr unsigned kMostAhead = 16;

    // May be called by any thread. Requires that the context is in no line.
    void arrive(Context& context) {
        Context* seen = arrived_.load(std::memory_order_relaxed);
        do {
            context.line.next = seen;
        } while (!arrived_.compare_exchange_weak(seen, &context, std::memory_order_release, // [ready-1]
                                                 std::memory_order_relaxed));
    }

    // Called before the object is used: from now on any() returns true, so that the member always
    // looks, also at contexts that are elsewhere (moving_contexts.h).
    void look_always() {
        none_ = reinterpret_cast<Context*>(this); // only compared
        arrived_.store(none_, std::memory_order_relaxed);
    }

    // HOT taskwait. Called by the worker. Returns true if there is a ready context.
    [[nodiscard]] bool any() const { return arrived_.load(std::memory_order_relaxed) != nullptr || first_ != nullptr; }

    // Called by the worker. Returns the context that is to continue first, or null. The context
    // stays in line.
    [[nodiscard]] Context* first() {
        if (arrived_.load(std::memory_order_relaxed) != none_) let_in();
        return first_;
    }

    // Called by the worker. Takes the context that first() returns out of the line.
    [[nodiscard]] Context* take() {
        Context* const taken = first();
        return taken == nullptr ? nullptr : take_from(first_, nullptr, *taken);
    }

    // Called by the worker. Takes the first context for which `wanted(context)` returns true.
    template <class Wanted> [[nodiscard]] Context* take_if(Wanted&& wanted) {
        if (arrived_.load(std::memory_order_relaxed) != none_) let_in();
        for (Context** level = &first_; *level != nullptr; level = &(*level)->line.lower) {
            Context* before = nullptr;
            for (Context* at = *level; at != nullptr; before = at, at = at->line.next)
                if (wanted(*at)) return take_from(*level, before, *at);
        }
        return nullptr;
    }

    // Called by the worker. Put the context at the head or the end of its priority's line.
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
    // Returns the pointer to the first context of this level, or the place where it should be
    // linked.
    Context*& level(std::int32_t priority) {
        Context** at = &first_;
        while (*at != nullptr && (*at)->priority > priority)
            at = &(*at)->line.lower;
        return *at;
    }
    // `before` is the context before `taken` in its level, or null if `taken` is the first.
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

    // Moves the contexts that have arrived into the line, oldest first.
    TEFF_COLD void let_in() {
        Context* newest = arrived_.exchange(none_, std::memory_order_acquire); // [ready-1]
        Context* oldest = nullptr;
        while (newest != none_) {
            Context* const next = std::exchange(newest->line.next, oldest);
            oldest = std::exchange(newest, next);
        }
        while (oldest != nullptr) {
            Context* const next = oldest->line.next;
            put_at_end(*oldest);
            oldest = next;
        }
    }

    typename Atomics::template atomic<Context*> arrived_{nullptr}; // newest first; none_ after the last
    Context* none_ = nullptr;
    Context* first_ = nullptr; // first context of the highest level
    unsigned ahead_ = 0;       // contexts put at the head since
                               // the last one was put at the
                               // end
};

} // namespace teff::team
