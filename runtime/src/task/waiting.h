// SPDX-License-Identifier: Apache-2.0
// Waiting in the runtime: what sched/wait.h leaves open, for workers, their teams and their tasks.
#pragma once

#include "sched/wait.h"
#include "task/run.h"
#include "task/spin.h"

namespace teff::task {

struct WaitHost {
    using Atomics = base::RealAtomics;
    using Worker = team::Worker;
    using Task = task::Task;

    static Worker& run(Worker& worker, Task& task) { return task::run(worker, task); }
    static bool holds_ends(const Worker& worker) { return worker.ends.tasks != 0; }
    static bool ends_alike(const Worker& worker, const Task& task) { return task::ends_alike(worker, task); }
    static void pass_on_ends(Worker& worker) { task::pass_on_ends(worker); }

    static void park(Worker& worker, std::uint64_t nap_ns);

    static base::Ticks ticks() { return base::ticks(); }
    static const SpinTicks& spin_ticks() { return task::spin_ticks(); }
    static bool yielding_pays();
    static bool try_yield();
    static void yield_while_spinning(Worker& worker);
};

using Wait = sched::WaitOver<WaitHost>;

// Returns when the condition holds. The calling thread's worker may be another one then.
template <class Condition> inline void wait_until(team::Worker& worker, Condition condition) {
    Wait().until(worker, condition);
}

} // namespace teff::task
