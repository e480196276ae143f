// SPDX-License-Identifier: Apache-2.0
#include <sys/prctl.h>

#include "fiber/context.h"

namespace teff::fiber {

bool shadow_stack_is_on() {
    constexpr int kStatus = 74; // PR_GET_SHADOW_STACK_STATUS, from Linux 6.13 on
    constexpr unsigned long kGuardedControlStack = 1;
    unsigned long features = 0;
    return prctl(kStatus, &features, 0, 0, 0) == 0 && (features & kGuardedControlStack) != 0;
}

} // namespace teff::fiber
