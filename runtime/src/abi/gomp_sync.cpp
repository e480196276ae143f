// SPDX-License-Identifier: Apache-2.0
// Doors of the critical construct and of atomic operations that need a lock.
#include "abi/export.h"
#include "abi/recorded_lock.h"
#include "sync/critical.h"

using namespace teff;

TEFF_EXPORT void GOMP_critical_start() { abi::lock(sync::critical_lock, TEFF_WAIT_CRITICAL, TEFF_SITE); }

TEFF_EXPORT void GOMP_critical_end() TEFF_LOCK_CROSSES_CALLS { sync::critical_lock.unlock(); }

TEFF_EXPORT void GOMP_critical_name_start(void** word) {
    abi::lock(sync::named_critical_lock(word), TEFF_WAIT_CRITICAL, TEFF_SITE);
}

TEFF_EXPORT void GOMP_critical_name_end(void** word) TEFF_LOCK_CROSSES_CALLS {
    sync::named_critical_lock(word).unlock();
}

TEFF_EXPORT void GOMP_atomic_start() { abi::lock(sync::atomic_lock, TEFF_WAIT_CRITICAL, TEFF_SITE); }

TEFF_EXPORT void GOMP_atomic_end() TEFF_LOCK_CROSSES_CALLS { sync::atomic_lock.unlock(); }
