// SPDX-License-Identifier: Apache-2.0
#include "task/run.h"

namespace teff::task {

void reclaim_parent(team::Worker& worker, Task& parent) { reclaim(worker, parent); }

} // namespace teff::task
