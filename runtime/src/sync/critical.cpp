// SPDX-License-Identifier: Apache-2.0
#include "sync/critical.h"

#include <new>

#include "base/cache_line.h"

namespace teff::sync {

alignas(base::kCacheLine) constinit ProgramLock critical_lock;
alignas(base::kCacheLine) constinit ProgramLock atomic_lock;

void forget_other_threads() {
    lock_waiters.forget();
    ::new (&critical_lock) ProgramLock;
    ::new (&atomic_lock) ProgramLock;
}

} // namespace teff::sync
