// SPDX-License-Identifier: Apache-2.0
#include "base/atomics.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace teff::base {

namespace detail {

bool asymmetric_fences = false;

void membarrier_everywhere() { syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0); }

} // namespace detail

void initialise_fences() {
    detail::asymmetric_fences = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

} // namespace teff::base
