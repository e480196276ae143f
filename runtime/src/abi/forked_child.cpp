// SPDX-License-Identifier: Apache-2.0
//
// fork(): the runtime's work before the fork, and in the child before the program continues there.
// region/after_fork.h has the rules.
#include "abi/start_up.h"

#include <pthread.h>

#include "abi/affinity_format.h"
#include "base/atomics.h"
#include "device/role.h"
#include "loop/work_share.h"
#include "mem/allocation_set.h"
#include "mem/block_cache.h"
#include "mem/distributed_heap.h"
#include "preempt/preempt.h"
#include "probe/ompt/tool.h"
#include "probe/stat/counters.h"
#include "probe/trace/recording.h"
#include "region/after_fork.h"
#include "sync/critical.h"
#include "task/task.h"
#include "team/pool.h"
#include "team/probes.h"
#include "team/team.h"

namespace teff::abi {

namespace {

void before_fork() {
    team::Worker* const worker = team::current_worker_if_any();
    if (worker != nullptr) team::note_fork(*worker);
}

void in_child() {
    device::lose_role();
    preempt::forget_in_child();
    probe::ompt::abandon_tool();
    base::initialise_fences(); // the kernel copies the parent's registration to the child
    sync::forget_other_threads();
    probe::stat::forget_other_threads();
    mem::forget_other_threads();
    mem::unlock_allocations();
    mem::process_heap().forget_other_threads();
    team::forget_other_threads();
    forget_affinity_format_users();
    forget_threadprivate_users();
    team::Worker* worker = team::current_worker_if_any();
    if (worker == nullptr) {
        probe::trace::begin_anew();
    } else {
        team::begin_probes_anew(*worker, worker->task != nullptr ? worker->task->id.get() : 0);
        loop::go_on_alone(*worker);
    }
    region::forget_other_threads(worker);
}

} // namespace

void watch_for_forks() { pthread_atfork(before_fork, nullptr, in_child); }

} // namespace teff::abi
