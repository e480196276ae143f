// SPDX-License-Identifier: Apache-2.0
// The exported functions of the critical and ordered constructs, and of atomic operations that need
// a lock.
#include "abi/export.h"
#include "abi/program_locks.h"
#include "loop/ordered.h"
#include "sync/critical.h"

using namespace teff;
using abi::MutexKind;
using team::current_worker;

TEFF_EXPORT void GOMP_ordered_start() { loop::ordered_begin(current_worker(), TEFF_SITE); }

TEFF_EXPORT void GOMP_ordered_end() { loop::ordered_end(current_worker(), TEFF_SITE); }

TEFF_EXPORT void GOMP_critical_start() { abi::lock(sync::critical_lock, MutexKind::kCritical, TEFF_SITE); }

TEFF_EXPORT void GOMP_critical_end() { abi::unlock(sync::critical_lock, MutexKind::kCritical, TEFF_SITE); }

TEFF_EXPORT void GOMP_critical_name_start(void** word) {
    abi::lock(sync::named_critical_lock(word), MutexKind::kCritical, TEFF_SITE);
}

TEFF_EXPORT void GOMP_critical_name_end(void** word) {
    abi::unlock(sync::named_critical_lock(word), MutexKind::kCritical, TEFF_SITE);
}

TEFF_EXPORT void GOMP_atomic_start() { abi::lock(sync::atomic_lock, MutexKind::kAtomic, TEFF_SITE); }

TEFF_EXPORT void GOMP_atomic_end() { abi::unlock(sync::atomic_lock, MutexKind::kAtomic, TEFF_SITE); }
