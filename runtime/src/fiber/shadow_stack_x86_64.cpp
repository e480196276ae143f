// SPDX-License-Identifier: Apache-2.0
#include <sys/syscall.h>

#include "base/system_call.h"
#include "fiber/context.h"

namespace teff::fiber {

bool shadow_stack_is_on() {
    constexpr int kStatus = 0x5005; // ARCH_SHSTK_STATUS, from Linux 6.6 on
    constexpr unsigned long kShadowStack = 1;
    unsigned long features = 0;
    return base::call(SYS_arch_prctl, kStatus, &features) == 0 && (features & kShadowStack) != 0;
}

} // namespace teff::fiber
