// SPDX-License-Identifier: Apache-2.0
#include <sys/syscall.h>

#include "base/system_call.h"
#include "fiber/context.h"

namespace teff::fiber {

// Does not go through prctl of the C library, because most kernels refuse this call, and the
// program's errno must not change.
bool shadow_stack_is_on() {
    constexpr int kStatus = 74; // PR_GET_SHADOW_STACK_STATUS, from Linux 6.13 on
    constexpr unsigned long kGuardedControlStack = 1;
    unsigned long features = 0;
    return base::call(SYS_prctl, kStatus, &features, 0, 0, 0) == 0 && (features & kGuardedControlStack) != 0;
}

} // namespace teff::fiber
