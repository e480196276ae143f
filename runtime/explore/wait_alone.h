// SPDX-License-Identifier: Apache-2.0
//
// WaitAlone implements the parts of a wait's Host (sched/wait.h) that are trivial if all code runs
// on one stack and no thread can yield its processor. The Hosts of explored teams and of modelled
// machines derive from WaitAlone.
#pragma once

#include <cstdint>

#include "sched/choice.h"
#include "sched/policy.h"

namespace teff::explore {

template <class Worker> struct WaitAlone {
    struct Other {
        explicit operator bool() const { return false; }
    };
    template <class Condition> static bool own_tasks_first(const Worker&, const Condition&) { return true; }
    template <class Condition> static sched::Row row(const Worker&, const Condition&) { return sched::kOnOneStack; }
    static void see(const Worker&, const sched::Seen&) {}
    template <class Condition>
    static Other find_other(const Worker&, const Condition&, sched::Act, sched::Look, std::int32_t) {
        return {};
    }
    template <class Condition> static Other find_unnotified(const Worker&, const Condition&) { return {}; }
    template <class Condition> static Worker& go_to_other(Worker& worker, Condition&, Other) { return worker; }
    template <class Condition> static void before_sleep(const Worker&, const Condition&) {}
    template <class Team> static bool has_offers(const Team&) { return false; }

    static void park(Worker& worker, std::uint64_t nap_ns) {
        if (nap_ns != 0) worker.parker.park_for(nap_ns);
        else worker.parker.park();
    }
    static bool yielding_pays() { return false; }
    static bool try_yield() { return false; }
    static void has_spun(std::uint64_t, std::uint64_t) {}
};

} // namespace teff::explore
