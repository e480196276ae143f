// SPDX-License-Identifier: Apache-2.0
#include "sync/critical.h"

#include "base/cache_line.h"

namespace teff::sync {

alignas(base::kCacheLine) constinit Mutex critical_lock;
alignas(base::kCacheLine) constinit Mutex atomic_lock;

} // namespace teff::sync
