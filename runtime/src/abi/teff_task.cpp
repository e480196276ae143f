// SPDX-License-Identifier: Apache-2.0
// Implements the routines of teff.h for tasks.
#include "abi/export.h"
#include "abi/first_use.h"
#include "task/homes.h"

using namespace teff;

TEFF_EXPORT void teff_next_task_footprint(const void* address, std::size_t bytes) {
    abi::first_use();
    task::tell_footprint(team::current_worker(), address, bytes);
}
