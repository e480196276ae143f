// SPDX-License-Identifier: Apache-2.0
#include "sync/critical.h"

#include <new>

#include "base/cache_line.h"

namespace teff::sync {

alignas(base::kCacheLine) constinit Mutex critical_lock;
alignas(base::kCacheLine) constinit Mutex atomic_lock;

void forget_other_threads() {
    ::new (&critical_lock) Mutex;
    ::new (&atomic_lock) Mutex;
}

} // namespace teff::sync
