// SPDX-License-Identifier: Apache-2.0
//
// LeafRuns: which functions' tasks have come to no task scheduling point, as far as one worker has
// seen: they have neither created tasks nor yielded nor left their stack.
//
// A creator that floods its queue with such tasks calls some of them in place, as if they were
// undeferred: nothing else has to come between, and they cost a queue's way less. Others get a
// stack of their own there (task/suspend.h, run_beside), as they may have to wait for what their
// creator does next.
//
// It is an assumption. The first task that belies it may keep its creator waiting once, if it waits
// for it; all that was seen is forgotten then.
//
// The worker's own.
#pragma once

#include <cstdint>

namespace teff::team {

class LeafRuns {
  public:
    using Function = void (*)(void*);
    static constexpr unsigned kEnough = 64;   // of a function, until it is believed
    static constexpr unsigned kInPlace = 256; // calls, until the queue is tried again

    // A task has run that was created to be deferred.
    void note(Function function, bool is_leaf) {
        if (!is_leaf) return forget();
        Seen& seen = seen_[index_of(function)];
        if (seen.function != function) seen = {function, 0};
        if (seen.runs < kEnough) ++seen.runs;
    }
    // A task has come to a scheduling point.
    void forget() { *this = {}; }

    // The queue is full. True: the next ones of this function may be called in place, too.
    [[nodiscard]] bool begin_calls(Function function) {
        const Seen& seen = seen_[index_of(function)];
        if (seen.function != function || seen.runs < kEnough) return false;
        called_ = function;
        calls_left_ = kInPlace;
        return true;
    }
    // HOT producer. Is a new task one of those?
    [[nodiscard]] bool any_calls() const { return calls_left_ != 0; }
    [[nodiscard]] bool take_call(Function function) {
        calls_left_ = function == called_ ? calls_left_ - 1 : 0;
        return function == called_;
    }

  private:
    struct Seen {
        Function function = nullptr;
        unsigned runs = 0;
    };
    static constexpr unsigned kFunctions = 4;

    static unsigned index_of(Function function) {
        return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(function) >> 4) % kFunctions;
    }

    unsigned calls_left_ = 0;
    Function called_ = nullptr;
    Seen seen_[kFunctions];
};

} // namespace teff::team
