// SPDX-License-Identifier: Apache-2.0
// Implements the routines of teff.h for preemption.
#include "abi/export.h"
#include "abi/first_use.h"
#include "preempt/preempt.h"
#include "task/preemption.h"

using namespace teff;

TEFF_EXPORT int teff_set_preemption(int on) {
    abi::first_use();
    if (!preempt::is_on()) return -1;
    return task::set_preemption(on != 0) ? 1 : 0;
}

TEFF_EXPORT void teff_hold_preemption() { preempt::hold(); }

TEFF_EXPORT void teff_release_preemption() { preempt::release(__builtin_return_address(0)); }

TEFF_EXPORT int teff_exempt_from_preemption(void (*function)()) {
    abi::first_use();
    return preempt::is_on() && preempt::exempt(reinterpret_cast<const void*>(function)) ? 0 : -1;
}
