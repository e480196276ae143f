// SPDX-License-Identifier: Apache-2.0
//
// WaitAlone: part of what is around a wait (the Host of sched/wait.h) where nothing runs by its
// side and no thread has a processor to yield: explored teams and modelled machines derive theirs
// from it.
#pragma once

#include <cstdint>

namespace teff::explore {

template <class Worker> struct WaitAlone {
    struct Other {
        explicit operator bool() const { return false; }
    };
    static bool others_first(const Worker&) { return false; }
    template <class Condition, class Look> static Other find_other(Worker&, Condition&, Look) { return {}; }
    template <class Condition> static void go_to_other(Worker&, Condition&, Other) {}

    static void park(Worker& worker, std::uint64_t nap_ns) {
        if (nap_ns != 0) worker.parker.park_for(nap_ns);
        else worker.parker.park();
    }
    static bool yielding_pays() { return false; }
    static bool try_yield() { return false; }
    static void yield_while_spinning(Worker&) {}
};

} // namespace teff::explore
