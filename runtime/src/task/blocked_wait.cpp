// SPDX-License-Identifier: Apache-2.0
#include "task/blocked_wait.h"

#include "task/suspend.h"

namespace teff::task {

void BlockedWait::let_others_continue() {
    if (team::Context* const context = worker_.member->ready.take())
        give_way(worker_, {.context = context}, Goes::kToEnd);
    leaves_after(idle::kLookAgain_ns);
}

} // namespace teff::task
