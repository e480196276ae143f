// SPDX-License-Identifier: Apache-2.0
#include "abi/recorded_lock.h"

#include "probe/trace/stream.h"
#include "task/task.h"
#include "team/worker.h"

namespace teff::abi {

void wait_for_lock(sync::Mutex& mutex, teff_wait_kind kind, base::CallSite site) {
    const team::Worker* worker = team::current_worker_if_any();
    probe::trace::Stream* trace = worker == nullptr ? nullptr : worker->trace;
    if (trace == nullptr) return mutex.lock();
    const base::Ticks begin = base::ticks();
    mutex.lock();
    trace->wait(begin, base::ticks(), kind, worker->task->id, trace->site(site.code(), nullptr), 0);
}

} // namespace teff::abi
