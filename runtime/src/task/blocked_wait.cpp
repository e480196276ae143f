// SPDX-License-Identifier: Apache-2.0
#include "task/blocked_wait.h"

#include "task/suspend.h"

namespace teff::task {

void BlockedWait::let_others_continue() {
    if (team::Context* const context = take_any_ready(worker_)) give_way(worker_, {.context = context}, Goes::kToEnd);
    leaves_at_ = base::ticks() + idle::in_ticks(idle::kLookAgain_ns);
    if (TEFF_UNLIKELY(worker_.probes != 0)) events::goes_on(worker_);
}

} // namespace teff::task
