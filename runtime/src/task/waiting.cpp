// SPDX-License-Identifier: Apache-2.0
#include "task/waiting.h"

#include "sync/yield.h"
#include "team/spread.h"

namespace teff::task {

bool WaitHost::yielding_pays() { return sync::yielding_pays(); }
bool WaitHost::try_yield() { return sync::try_yield(); }

void WaitHost::yield_while_spinning(Worker& worker) {
    team::note_giving_way(worker);
    (void)sync::try_yield();
    team::spread(worker);
}

void WaitHost::park(Worker& worker, std::uint64_t nap_ns) {
    const base::Ticks began = TEFF_UNLIKELY(worker.probes != 0) ? events::idles(worker) : 0;
    team::note_giving_way(worker);
    sync::note_giving_way();
    const bool preemptible = preempt::is_on();
    if (TEFF_UNLIKELY(preemptible)) {
        preempt::drop_request(worker.target); // nothing that it may run is ready
        worker.parked.store(true, std::memory_order_relaxed);
    }
    const std::uint32_t sleep = nap_ns != 0 ? worker.parker.park_for(nap_ns) : worker.parker.park();
    if (TEFF_UNLIKELY(preemptible)) worker.parked.store(false, std::memory_order_relaxed);
    team::spread(worker);
    if (TEFF_UNLIKELY(worker.probes != 0)) events::idled(worker, began, sleep);
}

} // namespace teff::task
