// SPDX-License-Identifier: Apache-2.0
#include "sync/held_locks.h"

namespace teff::sync {

constinit thread_local std::int32_t locks_held [[gnu::tls_model("initial-exec")]] = 0;

} // namespace teff::sync
