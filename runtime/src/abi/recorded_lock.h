// SPDX-License-Identifier: Apache-2.0
// Taking one of the program's locks, with a record of the wait if there was one and a recording is on.
#pragma once

#include "base/call_site.h"
#include "sync/mutex.h"
#include "teff_trace.h"

namespace teff::abi {

// The wait itself. Makes no worker of a thread that is none: locks are used by threads that have nothing else to do with OpenMP.
TEFF_COLD void wait_for_lock(sync::Mutex& mutex, teff_wait_kind kind, base::CallSite site) TEFF_LOCK_CROSSES_CALLS;

inline void lock(sync::Mutex& mutex, teff_wait_kind kind, base::CallSite site) TEFF_LOCK_CROSSES_CALLS {
    if (TEFF_UNLIKELY(!mutex.try_lock())) wait_for_lock(mutex, kind, site);
}

} // namespace teff::abi
