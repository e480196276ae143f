// SPDX-License-Identifier: Apache-2.0
#include "sync/lock_waiters.h"

namespace teff::sync {

constinit LockWaiters lock_waiters;

} // namespace teff::sync
